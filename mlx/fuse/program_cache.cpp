// The per-thread cache of compiled programs.
#include "mlx/fuse/program_cache.h"

#include <cstring>

namespace mlx::core::fuse {

namespace {

/// Everything that compile() looks at, packed. One byte per fact.
class Key {
 public:
  Key(const Program& p, const bool* constant) {
    put(engine_tier());
    put(p.num_inputs);
    put(p.num_instructions);
    put(p.num_outputs);
    for (int i = 0; i < p.num_inputs; ++i) {
      put(static_cast<int>(p.inputs[i].dtype) | (constant[i] ? 0x80 : 0));
    }
    for (int k = 0; k < p.num_instructions; ++k) {
      const Instruction& i = p.instructions[k];
      const int n = arity(i.op);
      put(static_cast<int>(i.op));
      put(static_cast<int>(i.in));
      put(static_cast<int>(i.out));
      for (int j = 0; j < n; ++j) put(i.args[j]);
    }
    for (int o = 0; o < p.num_outputs; ++o) {
      put(p.outputs[o].value);
      for (int i = 0; i < p.num_inputs; ++i) {
        if (p.inputs[i].data == p.outputs[o].data) put(0x80 | i);
      }
    }
    while (size_ % 8 != 0) put(0);
  }

  size_t words() const { return size_ / 8; }
  const uint64_t* data() const { return words_; }

  uint64_t hash() const {
    uint64_t h = 0x9E3779B97F4A7C15ull;
    for (size_t i = 0; i < words(); ++i) {
      h = (h ^ words_[i]) * 0xD6E8FEB86659FD93ull;
      h ^= h >> 32;
    }
    return h;
  }

  bool equals(const std::vector<uint64_t>& other) const {
    return other.size() == words() && std::memcmp(other.data(), words_, size_) == 0;
  }

 private:
  static constexpr size_t capacity =
      (4 + max_inputs + 6 * max_instructions + max_outputs * (1 + max_inputs) + 8) / 8 * 8;

  void put(int byte) { reinterpret_cast<uint8_t*>(words_)[size_++] = static_cast<uint8_t>(byte); }

  size_t size_ = 0;
  uint64_t words_[capacity / 8];
};

std::unique_ptr<Prepared> build(Arena& arena, const Program& program, const bool* constant,
                                const Key& key) {
  const std::unique_ptr<Compiled> compiled(new Compiled);
  compile(program, constant, *compiled);
  auto prepared = std::make_unique<Prepared>();
  prepared->key.assign(key.data(), key.data() + key.words());
  prepared->width = compiled->width;
  prepared->group = compiled->group;
  prepared->step_cost = instruction_nanoseconds(program);
  prepared->steps.resize(compiled->step_count);
  for (int s = 0; s < compiled->step_count; ++s) {
    const PlannedStep& from = compiled->steps[s];
    Step& to = prepared->steps[s];
    to.run = from.run;
    to.call = from.call;
    to.count = compiled->group;
    for (int k = 0; k < 2; ++k) {
      to.mask[k] = 0;
      to.operand[k] = nullptr;
      switch (from.operand[k].place) {
        case Place::none:
          break;
        case Place::slot:
          to.operand[k] = arena.slot(from.operand[k].index);
          break;
        case Place::input:
        case Place::output:
          to.mask[k] = ~size_t{0};
          prepared->links.push_back(
              {static_cast<uint16_t>(s), static_cast<uint8_t>(k), from.operand[k]});
          break;
      }
    }
  }
  const int inputs = program.num_inputs, outputs = program.num_outputs;
  prepared->constant_slot.assign(compiled->constant_slot, compiled->constant_slot + inputs);
  prepared->constant_load.assign(compiled->constant_load, compiled->constant_load + inputs);
  prepared->store.assign(compiled->store, compiled->store + outputs);
  prepared->stream.assign(compiled->stream, compiled->stream + outputs);
  prepared->store_step.assign(compiled->store_step, compiled->store_step + outputs);
  return prepared;
}

}  // namespace

ThreadPrograms& thread_programs() {
  static thread_local const std::unique_ptr<ThreadPrograms> programs(new ThreadPrograms);
  return *programs;
}

Prepared& prepare(ThreadPrograms& programs, const Program& program, const bool* constant) {
  check_size(program);
  const Key key(program, constant);
  std::unique_ptr<Prepared>& entry = programs.entries[key.hash() % ThreadPrograms::size];
  if (entry == nullptr || !key.equals(entry->key)) {
    entry = build(programs.arena, program, constant, key);
  }
  return *entry;
}

}  // namespace mlx::core::fuse
