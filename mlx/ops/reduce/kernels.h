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
  /// The reduction of x[0 .. n), n >= 1.
  void (*row)(const void* x, int64_t n, void* accumulator);
  /// accumulator[j] = the reduction of x[offsets[r] + j] over `rows` >= 1 rows.
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t n,
                  void* accumulator);
  /// accumulator[j] = accumulator[j] op other[j].
  void (*combine)(void* accumulator, const void* other, int64_t n);
  /// out[j * stride] = accumulator[j], in the dtype of the output.
  void (*store)(const void* accumulator, int64_t n, void* out, int64_t stride);
};

/// Sums of squared distances from a mean; accumulators are float, double for float64.
struct DeviationKernel {
  void (*row)(const void* x, int64_t n, const void* mean, void* accumulator);
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t n,
                  const void* means, void* accumulator);
};

/// Index of the first extreme, or of the first NaN.
struct ArgKernel {
  int64_t (*row)(const void* x, int64_t n);
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t n, uint32_t* out);
};

/// Rows of the last axis, hand-fused. `scratch` holds n floats or, for float64, doubles.
struct SoftKernel {
  void (*softmax)(const void* x, int64_t n, void* out, void* scratch, bool streaming);
  void (*logsumexp)(const void* x, int64_t n, void* out);
};

/// Null pointers where an operation or dtype has no kernel. Indexed by Dtype::Val.
struct ReduceFloatKernels {
  /// bool accumulators are bytes.
  ReduceKernel reduce[reduce_op_count][14];
  DeviationKernel deviation[14];
  ArgKernel arg_min[14];
  ArgKernel arg_max[14];
};
struct ReduceIntegerKernels {
  ReduceKernel reduce[reduce_op_count][14];
  ArgKernel arg_min[14];
  ArgKernel arg_max[14];
};
struct SoftKernels {
  SoftKernel soft[14];
};

extern const ReduceFloatKernels reduce_float_kernels_v2, reduce_float_kernels_v3,
    reduce_float_kernels_v4;
extern const ReduceIntegerKernels reduce_integer_kernels_v2, reduce_integer_kernels_v3,
    reduce_integer_kernels_v4;
extern const SoftKernels soft_kernels_v2, soft_kernels_v3, soft_kernels_v4;

}  // namespace mlx::core
