// The elementwise engine: runs a short program of elementwise instructions over
// arrays of one shape, alone or in chains. It knows strides, broadcasting,
// threads and instruction sets; it knows no graph, no allocation, no streams.
//
// Contract: a program gives bit for bit what its instructions give when each
// runs alone with a store in between (so float16 and bfloat16 round after every
// instruction; of a NaN only that it is one), whatever the thread count, the strides or the
// position of an element.
#pragma once

#include <cstdint>

#include "mlx/api.h"
#include "mlx/dtype.h"
#include "mlx/fuse/op.h"

namespace mlx::core::fuse {

MLX_API int arity(Op op);
MLX_API const char* name(Op op);

/// The dtype that `op` gives for operands of dtype `in` (for Cast: `in`).
MLX_API Dtype::Val result_dtype(Op op, Dtype::Val in);

/// Limits of one program.
inline constexpr int max_instructions = 64;
inline constexpr int max_inputs = 48;
inline constexpr int max_outputs = 32;

struct Input {
  const void* data;
  Dtype::Val dtype;
  const int64_t* strides;  // one per dimension of Program::shape, in elements; 0 broadcasts
};

struct Instruction {
  Op op;
  Dtype::Val in;     // dtype of the operands (of args[1] and args[2] for Select)
  Dtype::Val out;    // dtype of the result
  uint16_t args[3];  // value ids: inputs come first, then instructions in order
};

struct Output {
  uint16_t value;  // value id; any instruction or input, each at most once
  void* data;
  const int64_t* strides;  // in elements, never 0 where the dimension exceeds 1
};

/// An output may use exactly the memory of an input (same pointer, same
/// strides, same item size); any other overlap is an error of the caller.
struct Program {
  int ndim = 0;
  const int64_t* shape = nullptr;
  int num_inputs = 0;
  const Input* inputs = nullptr;
  int num_instructions = 0;
  const Instruction* instructions = nullptr;
  int num_outputs = 0;
  const Output* outputs = nullptr;
};

/// How values sit in vector lanes. A program has one lane class. `any` (all
/// operands and the result are bool) joins every class but `alone`; `alone`
/// (casts between complex64 and 64-bit types) joins nothing, not even itself.
enum class LaneClass : uint8_t { any, bits8, bits16, bits32, bits64, complex, alone };

/// Whether the engine has the instruction at all. Everything the public
/// functions can ask for is supported; nonsense (bitwise_and of floats) is not.
MLX_API bool supported(Op op, Dtype::Val in, Dtype::Val out);

/// The class of an instruction. Two instructions may share a program when
/// `joins` accepts their classes.
MLX_API LaneClass lane_class(Op op, Dtype::Val in, Dtype::Val out);

inline bool joins(LaneClass a, LaneClass b) {
  if (a == LaneClass::alone || b == LaneClass::alone) return false;
  return a == b || a == LaneClass::any || b == LaneClass::any;
}

/// Whether a Cast between classes may sit in a program of class `program`: it
/// then converts while loading (its operand is a program input) or while
/// storing (its result is a program output and nothing else reads it).
inline bool cast_joins_at_load(Dtype::Val in, Dtype::Val out, LaneClass program) {
  return lane_class(Op::Cast, in, out) == program && program != LaneClass::alone;
}
inline bool cast_joins_at_store(Dtype::Val in, Dtype::Val out, LaneClass program) {
  return cast_joins_at_load(in, out, program);
}

/// Estimated time of one thread, for deciding how to split work.
MLX_API double nanoseconds_per_element(const Program& program);

/// Runs the program on the calling thread and the pool. Throws
/// std::invalid_argument for a program that breaks the rules above; never
/// throws for reasons that depend on the data.
MLX_API void run(const Program& program);

}  // namespace mlx::core::fuse
