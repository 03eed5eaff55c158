// From a Program to steps: private to the engine. Decides the order of
// instructions, which values live in slots, and which step functions run.
#pragma once

#include <cstdint>

#include "mlx/fuse/engine.h"
#include "mlx/fuse/step.h"

namespace mlx::core::fuse {

Lane lane_of(Dtype::Val dtype);
inline Storage storage_of(Dtype::Val dtype) {
  return static_cast<Storage>(dtype);
}
inline int item_size(Storage storage) {
  constexpr uint8_t sizes[storage_count] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2, 8};
  return sizes[static_cast<int>(storage)];
}
/// arity() without a call.
inline int op_arity(Op op) {
  return op == Op::Select ? 3 : op >= Op::Add ? 2 : 1;
}

/// True where the value passes through unchanged.
bool is_identity(Op op, Dtype::Val in);

/// A number for the tier whose tables are in use.
int engine_tier();
/// The tables of the current tier: integer, float, math.
void arithmetic_tables(const ArithmeticSteps* (&tables)[3]);
const MemorySteps& memory_table();

/// Lets tests run the tables of another tier of this CPU (0 v2, 1 v3, 2 v4;
/// -1 the current one). Not for use while programs run.
MLX_API void set_engine_tier_for_tests(int tier);

inline constexpr int max_values = max_inputs + max_instructions;
inline constexpr int max_steps = 1024;
inline constexpr int max_slots = 128;

enum class Place : uint8_t { none, slot, input, output };
// Left uninitialised by default: the tables of a program are large and mostly
// unused. `{}` is no place.
struct Reference {
  Place place;
  uint8_t index;
};

struct PlannedStep {
  StepFunction run;
  LaneCall call;
  Reference operand[2];
};

/// An input that is one value for a whole run or for a row sits in a slot,
/// which `load` (when not null) fills from a splat of the stored value.
struct Compiled {
  Width width;
  int group;  // elements of a register group
  int slot_count;
  int step_count;
  int8_t constant_slot[max_inputs];  // -1: read from memory
  StepFunction constant_load[max_inputs];
  StepFunction store[max_outputs];
  StepFunction stream[max_outputs];  // null: no streaming form
  int store_step[max_outputs];
  PlannedStep steps[max_steps];
};

/// Throws std::invalid_argument when a count exceeds its limit.
void check_size(const Program& program);

/// `constant[i]` says that input i has stride 0 along the rows that will run.
/// Throws std::invalid_argument for programs that break the rules.
void compile(const Program& program, const bool* constant, Compiled& compiled);

}  // namespace mlx::core::fuse
