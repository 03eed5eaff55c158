// The per-thread cache of compiled programs.
#include "mlx/fuse/program_cache.h"

#include <algorithm>

namespace mlx::core::fuse {

namespace {

/// Everything that compile() looks at, packed into words.
class Key {
 public:
  Key(const Program& p, const bool* constant) {
    uint64_t* to = words_;
    *to++ = static_cast<uint64_t>(engine_tier()) | static_cast<uint64_t>(p.num_inputs) << 8 |
            static_cast<uint64_t>(p.num_instructions) << 16 |
            static_cast<uint64_t>(p.num_outputs) << 24;
    for (int i = 0; i < p.num_inputs; i += 8) {
      uint64_t word = 0;
      for (int k = i; k < p.num_inputs && k < i + 8; ++k) {
        const uint64_t fact = static_cast<uint64_t>(p.inputs[k].dtype) | (constant[k] ? 0x80 : 0);
        word |= fact << (8 * (k - i));
      }
      *to++ = word;
    }
    for (int k = 0; k < p.num_instructions; ++k) {
      const Instruction& i = p.instructions[k];
      const int n = op_arity(i.op);
      *to++ = static_cast<uint64_t>(i.op) | static_cast<uint64_t>(i.in) << 8 |
              static_cast<uint64_t>(i.out) << 16 | static_cast<uint64_t>(i.args[0]) << 24 |
              static_cast<uint64_t>(n > 1 ? i.args[1] : 0) << 36 |
              static_cast<uint64_t>(n > 2 ? i.args[2] : 0) << 48;
    }
    for (int o = 0; o < p.num_outputs; ++o) {
      uint64_t shared = 0;  // inputs in the same memory
      for (int i = 0; i < p.num_inputs; ++i) {
        shared |= static_cast<uint64_t>(p.inputs[i].data == p.outputs[o].data) << i;
      }
      *to++ = p.outputs[o].value | shared << 16;
    }
    count_ = static_cast<size_t>(to - words_);
  }

  size_t words() const { return count_; }
  const uint64_t* data() const { return words_; }

  uint64_t hash() const {
    uint64_t h = 0x9E3779B97F4A7C15ull;
    for (size_t i = 0; i < count_; ++i) {
      h = (h ^ words_[i]) * 0xD6E8FEB86659FD93ull;
      h ^= h >> 32;
    }
    return h;
  }

  bool equals(const std::vector<uint64_t>& other) const {
    return other.size() == count_ && std::equal(words_, words_ + count_, other.data());
  }

 private:
  static_assert(max_inputs <= 48, "the inputs an output shares memory with fill 48 bits");
  size_t count_;
  uint64_t words_[1 + (max_inputs + 7) / 8 + max_instructions + max_outputs];
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
