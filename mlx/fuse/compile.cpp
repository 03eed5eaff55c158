// Orders the instructions of a program and turns them into steps. One value is
// in the accumulator (four registers); the others are in slots or still in
// their arrays.
#include "mlx/fuse/compile.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "mlx/core/cpu_tier.h"
#include "mlx/fuse/lane_calls.h"

namespace mlx::core::fuse {

namespace {

using Val = Dtype::Val;

int test_tier = -1;

template <class Table>
const Table& pick(const Table& current, const Table& v2, const Table& v3, const Table& v4) {
  switch (test_tier) {
    case 0:
      return v2;
    case 1:
      return v3;
    case 2:
      return v4;
    default:
      return current;
  }
}

#if defined(MLX_SINGLE_TIER_v3)
#define MLX_ENGINE_TABLE(name) (name##_v3)
#else
#define MLX_ENGINE_TABLE(name) (pick(MLX_TIER_TABLE(name), name##_v2, name##_v3, name##_v4))
#endif

[[noreturn]] void invalid(const std::string& what) {
  throw std::invalid_argument("[elementwise engine] " + what);
}

bool is_half(Val v) {
  return v == Val::float16 || v == Val::bfloat16;
}

/// Ops whose float16 and bfloat16 results need no rounding.
bool is_exact(Op op) {
  switch (op) {
    case Op::Copy:
    case Op::Abs:
    case Op::Negative:
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
    case Op::Conjugate:
    case Op::Real:
    case Op::Maximum:
    case Op::Minimum:
    case Op::Select:
      return true;
    default:
      return false;
  }
}

}  // namespace

Lane lane_of(Val dtype) {
  switch (dtype) {
    case Val::bool_:
      return Lane::mask;
    case Val::uint8:
      return Lane::u8;
    case Val::uint16:
      return Lane::u16;
    case Val::uint32:
      return Lane::u32;
    case Val::uint64:
      return Lane::u64;
    case Val::int8:
      return Lane::i8;
    case Val::int16:
      return Lane::i16;
    case Val::int32:
      return Lane::i32;
    case Val::int64:
      return Lane::i64;
    case Val::float64:
      return Lane::f64;
    case Val::complex64:
      return Lane::c64;
    default:
      return Lane::f32;
  }
}

void set_engine_tier_for_tests(int tier) {
  test_tier = tier;
}

int engine_tier() {
  return test_tier >= 0 ? test_tier : static_cast<int>(cpu_tier());
}

const MemorySteps& memory_table() {
  return MLX_ENGINE_TABLE(memory_steps);
}

void arithmetic_tables(const ArithmeticSteps* (&tables)[3]) {
  tables[0] = &MLX_ENGINE_TABLE(integer_steps);
  tables[1] = &MLX_ENGINE_TABLE(float_steps);
  tables[2] = &MLX_ENGINE_TABLE(math_steps);
}

namespace {

class Compiler {
 public:
  Compiler(const Program& program, const bool* constant, Compiled& out)
      : program_(program), constant_(constant), out_(out), memory_(memory_table()) {
    arithmetic_tables(tables_);
  }

  void run() {
    check();
    choose_width();
    out_.step_count = 0;
    out_.slot_count = 0;
    const int values = program_.num_inputs + program_.num_instructions;
    for (int v = 0; v < values; ++v) {
      uses_[v] = 0;
      slot_[v] = -1;
      output_[v] = -1;
      height_[v] = 0;
    }
    count_uses();
    place_constants();
    for (int o = 0; o < program_.num_outputs; ++o) {
      const int v = program_.outputs[o].value;
      if (output_[v] < 0) continue;  // already stored
      put(v);
      // An input, or an instruction whose store had to wait.
      if (output_[v] >= 0 && !deferred(o)) store(v);
    }
    for (int o = 0; o < program_.num_outputs; ++o) {
      const int v = program_.outputs[o].value;
      if (output_[v] < 0) continue;
      put(v);
      store(v);
    }
    finish();
  }

 private:
  bool is_input(int v) const { return v < program_.num_inputs; }
  const Instruction& instruction(int v) const {
    return program_.instructions[v - program_.num_inputs];
  }
  Val dtype(int v) const { return is_input(v) ? program_.inputs[v].dtype : instruction(v).out; }

  void check() const {
    for (int k = 0; k < program_.num_instructions; ++k) {
      const Instruction& i = program_.instructions[k];
      const int n = op_arity(i.op);
      for (int j = 0; j < n; ++j) {
        if (i.args[j] >= program_.num_inputs + k) invalid("operand used before it is computed");
        const Val expected = i.op == Op::Select && j == 0 ? Val::bool_ : i.in;
        if (dtype(i.args[j]) != expected) {
          invalid(std::string("operand of ") + name(i.op) + " has another dtype than stated");
        }
      }
    }
    for (int o = 0; o < program_.num_outputs; ++o) {
      if (program_.outputs[o].value >= program_.num_inputs + program_.num_instructions) {
        invalid("output of a value that does not exist");
      }
    }
  }

  void choose_width() {
    LaneClass c = LaneClass::any;
    for (int k = 0; k < program_.num_instructions; ++k) {
      const Instruction& i = program_.instructions[k];
      const LaneClass l = lane_class(i.op, i.in, i.out);
      if (l == LaneClass::any) continue;
      if (c != LaneClass::any && !joins(c, l)) invalid("instructions of different lane classes");
      c = l;
    }
    if (program_.num_instructions == 0) {
      for (int v = 0; v < program_.num_inputs; ++v) {
        const LaneClass l = lane_class(Op::Copy, dtype(v), dtype(v));
        if (l != LaneClass::any) c = l;
      }
    }
    switch (c) {
      case LaneClass::any:
      case LaneClass::bits8:
        out_.width = Width::w8;
        break;
      case LaneClass::bits16:
        out_.width = Width::w16;
        break;
      case LaneClass::bits32:
        out_.width = Width::w32;
        break;
      case LaneClass::bits64:
        out_.width = Width::w64;
        break;
      default:
        out_.width = Width::complex;
        break;
    }
    const int vectors = out_.width == Width::complex ? 2 : 4;
    out_.group = vectors * static_cast<int>(memory_.vector_bytes) / lane_bytes(out_.width);
  }

  /// Only what the outputs need counts.
  void count_uses() {
    for (int o = 0; o < program_.num_outputs; ++o) {
      const int v = program_.outputs[o].value;
      if (output_[v] >= 0) invalid("a value is stored twice");
      output_[v] = o;
      ++uses_[v];
    }
    for (int k = program_.num_instructions - 1; k >= 0; --k) {
      const int v = program_.num_inputs + k;
      if (uses_[v] == 0) continue;
      for (int j = 0; j < op_arity(program_.instructions[k].op); ++j) {
        ++uses_[program_.instructions[k].args[j]];
      }
    }
    for (int k = 0; k < program_.num_instructions; ++k) {
      int h = 0;
      for (int j = 0; j < op_arity(program_.instructions[k].op); ++j) {
        const int below = height_[program_.instructions[k].args[j]];
        if (below > h) h = below;
      }
      height_[program_.num_inputs + k] = h + 1;
    }
  }

  void place_constants() {
    for (int v = 0; v < program_.num_inputs; ++v) {
      out_.constant_slot[v] = -1;
      if (!constant_[v] || uses_[v] == 0) continue;
      const StepFunction load = memory_.load(out_.width, storage_of(dtype(v)));
      if (load == nullptr) invalid("input of a dtype that does not fit the program");
      slot_[v] = take_slot();
      out_.constant_slot[v] = static_cast<int8_t>(slot_[v]);
      out_.constant_load[v] = is_natural(v) ? nullptr : load;
    }
  }

  // ---------------------------------------------------------------- places

  int take_slot() {
    for (int s = 0; s < max_slots; ++s) {
      if (s == out_.slot_count) {
        ++out_.slot_count;
        slot_used_[s] = false;
      }
      if (!slot_used_[s]) {
        slot_used_[s] = true;
        return s;
      }
    }
    invalid("too many values alive");
  }

  /// Stored elements are lanes: an operand may be read from the array itself.
  bool is_natural(int v) const {
    return is_input(v) && out_.width != Width::complex && dtype(v) != Val::bool_ &&
           !is_half(dtype(v)) && item_size(storage_of(dtype(v))) == lane_bytes(out_.width);
  }
  bool in_memory(int v) const { return slot_[v] >= 0 || is_natural(v); }
  bool recoverable(int v) const { return slot_[v] >= 0 || is_input(v); }

  Reference reference(int v) const {
    if (slot_[v] >= 0) return {Place::slot, static_cast<uint8_t>(slot_[v])};
    return {Place::input, static_cast<uint8_t>(v)};
  }

  PlannedStep& push(StepFunction run, Reference first = {Place::none, 0},
                    Reference second = {Place::none, 0}, LaneCall call = nullptr) {
    if (out_.step_count == max_steps) invalid("program too long");
    PlannedStep& step = out_.steps[out_.step_count++];
    step.run = run;
    step.call = call;
    step.operand[0] = first;
    step.operand[1] = second;
    return step;
  }

  void spill() {
    slot_[accumulator_] = take_slot();
    push(memory_.control(Control::spill), reference(accumulator_));
  }

  /// Before the accumulator is overwritten.
  void save_accumulator() {
    if (accumulator_ >= 0 && uses_[accumulator_] > 0 && !recoverable(accumulator_)) spill();
  }

  void ensure_in_memory(int v) {
    if (in_memory(v) || load_to_slot(v)) return;
    put(v);
    spill();
  }

  /// Brings an input of 16-bit floats into a slot, where it is stored as they are.
  bool load_to_slot(int v) {
    if (!is_input(v) || accumulator_ == v || !is_half(dtype(v))) return false;
    const StepFunction load = memory_.load_to_slot(out_.width, storage_of(dtype(v)));
    if (load == nullptr) return false;
    slot_[v] = take_slot();
    push(load, {Place::input, static_cast<uint8_t>(v)}, reference(v));
    return true;
  }

  /// Brings a value into the accumulator.
  void put(int v) {
    if (accumulator_ == v) return;
    if (slot_[v] >= 0) {
      save_accumulator();
      push(memory_.control(Control::reload), reference(v));
      accumulator_ = v;
    } else if (is_input(v)) {
      save_accumulator();
      const StepFunction load = memory_.load(out_.width, storage_of(dtype(v)));
      if (load == nullptr) invalid("input of a dtype that does not fit the program");
      push(load, {Place::input, static_cast<uint8_t>(v)});
      accumulator_ = v;
    } else {
      compute(v);
    }
  }

  /// The operands are about to be read for the last time by one instruction.
  void consume(const Instruction& i) {
    for (int j = 0; j < op_arity(i.op); ++j) --uses_[i.args[j]];
    save_accumulator();
  }
  void release(const Instruction& i) {
    for (int j = 0; j < op_arity(i.op); ++j) {
      const int v = i.args[j];
      if (uses_[v] == 0 && slot_[v] >= 0 && !(is_input(v) && out_.constant_slot[v] >= 0)) {
        slot_used_[slot_[v]] = false;
        slot_[v] = -1;
      }
    }
  }

  // ---------------------------------------------------------------- instructions

  void compute(int v) {
    const Instruction& i = instruction(v);
    const bool rounded = is_half(i.out) && (i.op == Op::Cast || !is_exact(i.op));
    if (i.op == Op::Cast || op_arity(i.op) == 1) {
      put(i.args[0]);
      consume(i);
      if (i.op == Op::Cast) {
        rounds_in_store_ = rounded && only_stored(v);
        cast(i.in, i.out);
      } else {
        unary(i);
      }
    } else if (i.op == Op::Select) {
      ensure_in_memory(i.args[1]);
      ensure_in_memory(i.args[2]);
      put(i.args[0]);
      consume(i);
      push(memory_.select(out_.width, SelectForm::condition), reference(i.args[1]),
           reference(i.args[2]));
    } else {
      binary(i);
    }
    release(i);
    if (rounded && i.op != Op::Cast) {
      rounds_in_store_ = only_stored(v);
      round_half(i.out);
    }
    accumulator_ = v;
    if (output_[v] >= 0 && !deferred(output_[v])) store(v);
    rounds_in_store_ = false;
  }

  /// The next thing that happens to v, and the only one, is a store that can round.
  bool only_stored(int v) const {
    return output_[v] >= 0 && uses_[v] == 1 && !deferred(output_[v]) &&
           memory_.store(out_.width, storage_of(dtype(v)), true, After::next) != nullptr;
  }

  void unary(const Instruction& i) {
    if (is_identity(i.op, i.in)) return;
    if (i.in == Val::complex64) {
      if (i.op == Op::Real) return;
      if (i.op == Op::Imag) return adjust(Adjust::imaginary_to_real);
      if (i.op == Op::Conjugate) return adjust(Adjust::negate_imaginary);
    }
    const Lane lane = lane_of(i.in);
    for (const ArithmeticSteps* t : tables_) {
      if (const StepFunction f = t->unary(i.op, lane)) {
        push(f);
        return;
      }
    }
    push(memory_.control(Control::call1), {Place::none, 0}, {Place::none, 0}, lane_call(i));
  }

  LaneCall lane_call(const Instruction& i) const {
    const LaneCall call = find_lane_call(i.op, lane_of(i.in));
    if (call == nullptr) invalid(std::string(name(i.op)) + " does not exist for this dtype");
    return call;
  }

  void binary(const Instruction& i) {
    const Lane lane = lane_of(i.in);
    StepFunction forward = nullptr, reversed = nullptr;
    LaneCall call = nullptr;
    const ArithmeticSteps* table = nullptr;
    for (const ArithmeticSteps* t : tables_) {
      forward = t->binary(i.op, lane, Form::forward);
      if (forward != nullptr) {
        reversed = t->binary(i.op, lane, Form::reversed);
        table = t;
        break;
      }
    }
    // One vector of a constant's slot is enough where the step can use it.
    const auto form = [&](StepFunction usual, Form splat, int operand) {
      if (table == nullptr || !is_input(operand) || out_.constant_slot[operand] < 0) return usual;
      const StepFunction f = table->binary(i.op, lane, splat);
      return f != nullptr ? f : usual;
    };
    if (forward == nullptr) {
      call = lane_call(i);
      forward = memory_.control(Control::call2);
    }
    const int x = i.args[0], y = i.args[1];
    const auto ready = [&] {
      if (accumulator_ == x && in_memory(y)) {
        consume(i);
        push(form(forward, Form::forward_splat, y), reference(y), {Place::none, 0}, call);
        return true;
      }
      if (reversed != nullptr && accumulator_ == y && in_memory(x)) {
        consume(i);
        push(form(reversed, Form::reversed_splat, x), reference(x));
        return true;
      }
      return false;
    };
    if (ready()) return;
    if (accumulator_ != x && accumulator_ != y && in_memory(x) && in_memory(y) &&
        table != nullptr) {
      if (const StepFunction both = table->binary(i.op, lane, Form::both)) {
        consume(i);
        push(both, reference(x), reference(y));
        return;
      }
    }
    if (!in_memory(y) && load_to_slot(y) && ready()) return;
    if (accumulator_ == y && reversed != nullptr && load_to_slot(x) && ready()) return;
    int first = x, second = y;
    if (!in_memory(y)) {
      if (reversed != nullptr) {
        if (in_memory(x) || height_[y] > height_[x] || accumulator_ == y) {
          first = y;
          second = x;
        }
      } else {
        first = y;
        second = x;
      }
    }
    put(first);
    if (ready()) return;
    put(second);
    if (ready()) return;
    ensure_in_memory(y);
    put(x);
    ready();
  }

  void adjust(Adjust what) {
    const StepFunction f = MLX_ENGINE_TABLE(adjust_steps).find(out_.width, what);
    if (f == nullptr) invalid("conversion that does not fit the program");
    push(f);
  }
  void round_half(Val v) {
    if (!rounds_in_store_) adjust(v == Val::float16 ? Adjust::round_f16 : Adjust::round_bf16);
  }

  /// Conversions inside lanes; see step.h for what lanes hold.
  void cast(Val in, Val out) {
    if (in == out) return;
    const bool wide = out_.width == Width::w64;
    if (in == Val::complex64) {
      if (out == Val::bool_) return adjust(Adjust::nonzero_complex);
      in = Val::float32;
      if (out == Val::float32) return;
    }
    const bool to_complex = out == Val::complex64;
    if (to_complex) out = Val::float32;
    const bool from_float = is_half(in) || in == Val::float32 || in == Val::float64;
    const bool to_float = is_half(out) || out == Val::float32 || out == Val::float64;
    const bool from_unsigned = in >= Val::uint8 && in <= Val::uint64;
    if (in == out) {
    } else if (out == Val::bool_) {
      adjust(from_float ? Adjust::nonzero_float : Adjust::nonzero_int);
    } else if (in == Val::bool_) {
      adjust(to_float ? Adjust::mask_to_float : Adjust::mask_to_int);
    } else if (to_float) {
      if (from_float) {
        // Values of narrower types sit in the lanes already.
        if (wide && in == Val::float64) adjust(Adjust::round_f32);
        if (is_half(out)) round_half(out);
      } else {
        if (wide && out != Val::float64) {
          adjust(from_unsigned ? Adjust::unsigned_to_f32 : Adjust::signed_to_f32);
        } else {
          adjust(from_unsigned ? Adjust::unsigned_to_float : Adjust::signed_to_float);
        }
        if (is_half(out)) round_half(out);
      }
    } else if (from_float) {
      switch (out) {
        case Val::uint8:
          adjust(Adjust::float_to_u8);
          break;
        case Val::uint16:
          adjust(Adjust::float_to_u16);
          break;
        case Val::uint32:
          adjust(Adjust::float_to_u32);
          break;
        case Val::uint64:
          adjust(Adjust::float_to_u64);
          break;
        case Val::int8:
          adjust(Adjust::float_to_i8);
          break;
        case Val::int16:
          adjust(Adjust::float_to_i16);
          break;
        case Val::int32:
          adjust(Adjust::float_to_i32);
          break;
        default:
          adjust(Adjust::float_to_i64);
          break;
      }
    } else if (item_size(storage_of(out)) < lane_bytes(out_.width)) {
      switch (out) {
        case Val::uint8:
          adjust(Adjust::wrap_u8);
          break;
        case Val::uint16:
          adjust(Adjust::wrap_u16);
          break;
        case Val::uint32:
          adjust(Adjust::wrap_u32);
          break;
        case Val::int8:
          adjust(Adjust::wrap_i8);
          break;
        case Val::int16:
          adjust(Adjust::wrap_i16);
          break;
        default:
          adjust(Adjust::wrap_i32);
          break;
      }
    }
    if (to_complex) adjust(Adjust::clear_imaginary);
  }

  // ---------------------------------------------------------------- outputs

  /// An output in the memory of an input that is still to be read waits.
  bool deferred(int o) const {
    for (int v = 0; v < program_.num_inputs; ++v) {
      if (program_.inputs[v].data == program_.outputs[o].data && uses_[v] > 0 &&
          v != program_.outputs[o].value) {
        return true;
      }
    }
    return false;
  }

  void store(int v) {
    const int o = output_[v];
    const Storage storage = storage_of(dtype(v));
    out_.store[o] = memory_.store(out_.width, storage, rounds_in_store_, After::next);
    out_.stream[o] = memory_.stream(out_.width, storage, rounds_in_store_, After::next);
    if (out_.store[o] == nullptr) invalid("output of a dtype that does not fit the program");
    out_.store_step[o] = out_.step_count;
    push(out_.store[o], {Place::output, static_cast<uint8_t>(o)});
    output_[v] = -1;
    --uses_[v];
    last_stored_ = o;
    last_rounds_ = rounds_in_store_;
  }

  /// A store at the end returns by itself.
  void finish() {
    const int o = last_stored_;
    if (o < 0 || out_.store_step[o] != out_.step_count - 1) {
      push(memory_.control(Control::finish));
      return;
    }
    const Storage storage = storage_of(dtype(program_.outputs[o].value));
    out_.store[o] = memory_.store(out_.width, storage, last_rounds_, After::finish);
    out_.stream[o] = memory_.stream(out_.width, storage, last_rounds_, After::finish);
    out_.steps[out_.step_count - 1].run = out_.store[o];
  }

  const Program& program_;
  const bool* constant_;
  Compiled& out_;
  const MemorySteps& memory_;
  const ArithmeticSteps* tables_[3];
  int accumulator_ = -1;
  int last_stored_ = -1;
  bool last_rounds_ = false;
  bool rounds_in_store_ = false;  // the accumulator is about to be stored by a step that rounds
  int16_t uses_[max_values];
  int16_t slot_[max_values];
  int16_t output_[max_values];
  int16_t height_[max_values];
  bool slot_used_[max_slots];
};

}  // namespace

void check_size(const Program& program) {
  if (program.num_instructions > max_instructions || program.num_inputs > max_inputs ||
      program.num_outputs > max_outputs) {
    invalid("program too large");
  }
}

void compile(const Program& program, const bool* constant, Compiled& compiled) {
  Compiler(program, constant, compiled).run();
}

}  // namespace mlx::core::fuse
