// Matrix products on raw memory: C = alpha * A B + beta * C0 for any strides,
// batches and the five inexact dtypes. The graph side is in matmul.h; the
// vector code is behind gemm_kernels.h.
#pragma once

#include <cstdint>

#include "mlx/api.h"
#include "mlx/core/cpu_tier.h"
#include "mlx/dtype.h"

namespace mlx::core::gemm {

/// A stack of matrices in memory. Strides count elements; 0 repeats, negative
/// walks backwards.
struct Operand {
  const void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 0;
  const int64_t* batch_strides = nullptr;  // Product::batch_ndim of them
};

struct Result {
  void* data = nullptr;
  int64_t row_stride = 0;
  int64_t column_stride = 1;
  const int64_t* batch_strides = nullptr;
};

/// All operands have one dtype: float16, bfloat16, float32, float64 or
/// complex64. 16-bit types accumulate in float32 and round once, at the end.
/// `c0.data` may be null (then `beta` is not looked at); C overlaps no operand.
struct Product {
  Dtype::Val dtype = Dtype::Val::float32;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  Operand a;   // m x k
  Operand b;   // k x n
  Operand c0;  // m x n
  Result c;    // m x n
  double alpha = 1.0;
  double beta = 0.0;
  int batch_ndim = 0;
  const int64_t* batch_shape = nullptr;
};

/// Runs on the thread pool. The result does not depend on the number of
/// threads: every element is summed in an order that only m, n and k decide.
/// k = 0 gives zeros (or beta * C0). Throws std::invalid_argument for a dtype
/// that has no matrix product.
MLX_API void multiply(const Product& product);

/// The same with the kernels of one tier, which this CPU must have.
MLX_API void multiply(const Product& product, CpuTier tier);

}  // namespace mlx::core::gemm
