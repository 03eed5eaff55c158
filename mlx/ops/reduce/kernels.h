// Kernels of the reduce family: what tier files offer to cpu.cpp. A kernel
// reduces one contiguous run, or the columns of a list of rows; cpu.cpp knows
// shapes, threads and the order in which parts are combined.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mlx::core {

enum class ReduceOp : uint8_t { And, Or, Sum, Prod, Min, Max };
inline constexpr int reduce_op_count = 6;

/// One operation on one dtype. Partial results are `accumulator_bytes` wide.
struct ReduceKernel {
  size_t accumulator_bytes;
  /// accumulators[r] = the reduction of x[r][0 .. n), n >= 1, for count <= 4 rows. Four at once
  /// give what each gives alone.
  void (*rows)(const void* const* x, int64_t count, int64_t n, void* accumulators);
  /// accumulator[j] = the reduction of x[offsets[r] + j] over `rows` >= 1 rows.
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t n,
                  void* accumulator);
  /// accumulator[j] = accumulator[j] op other[j].
  void (*combine)(void* accumulator, const void* other, int64_t n);
  /// out[j] = accumulator[j], in the dtype of the output.
  void (*store)(const void* accumulator, int64_t n, void* out);
};

/// Of a set of numbers: their mean, and the sum of the squared distances from it.
struct Moments {
  double mean;
  double squares;
};

/// Shapes as in ReduceKernel.
struct VarianceKernel {
  void (*rows)(const void* const* x, int64_t count, int64_t n, Moments* out);
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t n, Moments* out);
  /// out[j] = values[j], in the dtype of the array.
  void (*store)(const double* values, int64_t n, void* out);
};

/// Index of the first extreme, or of the first NaN.
struct ArgKernel {
  size_t best_bytes;
  /// found[r] = the index in x[r][0 .. n), for count <= 4 rows.
  void (*rows)(const void* const* x, int64_t count, int64_t n, int64_t* found);
  /// index[j] = the row of the extreme best[j] of x[r * stride + j].
  void (*columns)(const void* x, int64_t stride, int64_t rows, int64_t n, void* best,
                  uint32_t* index);
  /// Takes from `other`, which counts its rows from first_row, what is better.
  void (*combine)(void* best, uint32_t* index, const void* other, const uint32_t* other_index,
                  int64_t first_row, int64_t n);
};

/// Rows of the last axis, hand-fused. `scratch` holds n floats or, for float64, doubles.
struct SoftKernel {
  void (*softmax)(const void* x, int64_t n, void* out, void* scratch, bool streaming);
  void (*logsumexp)(const void* x, int64_t n, void* out);
};

/// Null pointers where an operation or dtype has no kernel. Indexed by Dtype::Val.
/// bool accumulators are bytes. And and Or of floats are among the integers.
struct ReduceFloatKernels {
  ReduceKernel reduce[reduce_op_count][14];
};
struct ReduceIntegerKernels {
  ReduceKernel reduce[reduce_op_count][14];
  ReduceKernel wide_sum[14];  // in 64 bits
  ArgKernel arg_min[14];
  ArgKernel arg_max[14];
};
struct PositionKernels {
  ArgKernel arg_min[14];
  ArgKernel arg_max[14];
};
struct VarianceKernels {
  VarianceKernel variance[14];
};
struct SoftKernels {
  SoftKernel soft[14];
};

extern const ReduceFloatKernels reduce_float_kernels_v2, reduce_float_kernels_v3,
    reduce_float_kernels_v4;
extern const ReduceIntegerKernels reduce_integer_kernels_v2, reduce_integer_kernels_v3,
    reduce_integer_kernels_v4;
extern const PositionKernels position_kernels_v2, position_kernels_v3, position_kernels_v4;
extern const VarianceKernels variance_kernels_v2, variance_kernels_v3, variance_kernels_v4;
extern const SoftKernels soft_kernels_v2, soft_kernels_v3, soft_kernels_v4;

}  // namespace mlx::core
