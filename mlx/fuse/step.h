// What a compiled program is made of: steps, and the tables of step functions
// that each tier offers. Plain C structs: baseline code and tier files of all
// instruction sets share them. The representation of values in lanes:
//
//   A program has one lane class. A register group is four vectors, passed from
//   step to step in registers. In classes of W bits a group holds 4 * vector
//   bits / W elements in order. Narrower integers sit sign- or zero-extended;
//   float16 and bfloat16 sit, rounded, in float32 lanes (in float64 lanes of the
//   64-bit class, as float32 does there); bool is an all-ones or all-zeros lane.
//   In the complex class the first two vectors hold the real parts (or float32
//   or bool values), the other two the imaginary parts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mlx/fuse/op.h"

namespace mlx::core::fuse {

/// A step function of some tier: takes four vectors, the step and the state.
/// The signature is known to the tier only.
using StepFunction = void (*)();

/// Works on `count` lanes in memory: a[i] = f(a[i]) or f(a[i], b[i]). Complex
/// values come as `count` real parts followed by `count` imaginary parts.
using LaneCall = void (*)(void* a, const void* b, size_t count);

struct Step {
  StepFunction run;
  // Operands in memory: slots (mask 0) or inputs that advance (mask ~0).
  const uint8_t* operand[2];
  size_t mask[2];
  LaneCall call;
  size_t count;  // lanes of a group, for `call`
};

struct State {
  size_t offset;     // of the group's first element: its index times the lane width
  uint8_t* scratch;  // two groups, for steps that work lane by lane
};

/// What a lane holds, as far as arithmetic cares.
enum class Lane : uint8_t { mask, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, c64 };
inline constexpr int lane_count = 12;

/// How an array stores its elements. The order is that of Dtype::Val.
enum class Storage : uint8_t {
  bool_,
  u8,
  u16,
  u32,
  u64,
  i8,
  i16,
  i32,
  i64,
  f16,
  f32,
  f64,
  bf16,
  c64,
};
inline constexpr int storage_count = 14;

/// Classes as in LaneClass, without `any`.
enum class Width : uint8_t { w8, w16, w32, w64, complex };
inline constexpr int width_count = 5;

constexpr int lane_bytes(Width w) {
  return w == Width::w8 ? 1 : w == Width::w16 ? 2 : w == Width::w64 ? 8 : 4;
}

/// Steps between values of one class that are not arithmetic.
enum class Adjust : uint8_t {
  round_f16,  // float lanes to the nearest float16, float32
  round_bf16,
  round_f32,
  mask_to_int,  // all-ones to 1
  mask_to_float,
  nonzero_int,  // any integer lane to a mask
  nonzero_float,
  nonzero_complex,
  wrap_u8,  // integer lanes of any wider class
  wrap_i8,
  wrap_u16,
  wrap_i16,
  wrap_u32,
  wrap_i32,
  signed_to_float,
  unsigned_to_float,
  signed_to_f32,  // 64-bit lanes: rounded once to float32
  unsigned_to_f32,
  float_to_u8,  // saturating, NaN gives 0
  float_to_i8,
  float_to_u16,
  float_to_i16,
  float_to_u32,
  float_to_i32,
  float_to_u64,
  float_to_i64,
  clear_imaginary,
  imaginary_to_real,
  negate_imaginary,
};
inline constexpr int adjust_count = static_cast<int>(Adjust::negate_imaginary) + 1;

/// Second operands: `forward` is accumulator op memory, `reversed` memory op
/// accumulator. The splat forms read one vector of a slot whose four are equal. With
/// `both` the two operands come from memory, in order.
/// For Select the accumulator is the named argument and memory
/// holds the other two in order.
enum class Form : uint8_t { forward, reversed, forward_splat, reversed_splat, both };
inline constexpr int form_count = 5;
enum class SelectForm : uint8_t { condition, first, second };

enum class Control : uint8_t {
  finish,  // ends a group
  spill,   // accumulator to a slot
  reload,  // slot to accumulator
  call1,   // lane call on the accumulator
  call2,   // the same with a second operand
};

/// How a store step ends: by going on to the next step, or as the last of its group.
enum class After : uint8_t { next, finish };

/// Functions return null for what does not exist. Stores that round take float lanes
/// that are not yet values of the 16-bit float they store.
struct MemorySteps {
  size_t vector_bytes;
  /// Runs `groups` register groups; `group_bytes` is elements times lane width.
  void (*run_groups)(const Step* steps, State* state, size_t groups, size_t group_bytes);
  /// Copies `bytes` (at most a group) and fills the group with zeros, in whole
  /// vectors, so that loads find what the stores left.
  void (*copy_padded)(uint8_t* to, const uint8_t* from, size_t bytes);
  /// Orders streaming stores before what follows.
  void (*flush)();
  StepFunction (*control)(Control);
  StepFunction (*load)(Width, Storage);
  /// From memory to a slot, past the accumulator; only for 16-bit floats.
  StepFunction (*load_to_slot)(Width, Storage);
  StepFunction (*store)(Width, Storage, bool rounds, After);
  StepFunction (*stream)(Width, Storage, bool rounds, After);
  StepFunction (*select)(Width, SelectForm);
};

struct AdjustSteps {
  StepFunction (*find)(Width, Adjust);
};

struct ArithmeticSteps {
  StepFunction (*unary)(Op, Lane);
  StepFunction (*binary)(Op, Lane, Form);
};

extern const MemorySteps memory_steps_v2, memory_steps_v3, memory_steps_v4;
extern const AdjustSteps adjust_steps_v2, adjust_steps_v3, adjust_steps_v4;
extern const ArithmeticSteps integer_steps_v2, integer_steps_v3, integer_steps_v4;
extern const ArithmeticSteps float_steps_v2, float_steps_v3, float_steps_v4;
extern const ArithmeticSteps math_steps_v2, math_steps_v3, math_steps_v4;

}  // namespace mlx::core::fuse
