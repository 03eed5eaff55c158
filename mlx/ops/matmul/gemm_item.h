// One matrix product inside a batch, and the three ways to compute it. Shared
// by gemm.cpp and gemv.cpp only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mlx/ops/matmul/gemm_kernels.h"

namespace mlx::core::gemm {

/// A matrix product with all strides in elements of the storage type.
struct Item {
  int64_t m, n, k;
  const char* a;
  int64_t a_row, a_column;
  const char* b;
  int64_t b_row, b_column;
  const char* c0;  // may be null
  int64_t c0_row, c0_column;
  char* c;
  int64_t c_row, c_column;
  double alpha, beta;
  bool raw;  // c takes bare sums in the accumulator type; alpha and c0 are ignored
};

inline int64_t divide_up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
inline int64_t round_up(int64_t a, int64_t b) {
  return divide_up(a, b) * b;
}
/// Start of part `i` when `count` things are cut into `parts` nearly equal parts.
inline int64_t part_start(int64_t count, int64_t parts, int64_t i) {
  return count * i / parts;
}

/// Estimated time of one multiply-add on one thread.
double nanoseconds_per_step(const PanelKernels& kernels);

/// Can run_skinny do it: few rows or columns, and the large operand contiguous
/// along one direction?
bool is_skinny(const PanelKernels& kernels, const Item& item);
void run_skinny(const PanelKernels& kernels, const Item& item);

/// sums[0] += sums[1] + ... in this order; `count` accumulators apart.
void add_partial_sums(const PanelKernels& kernels, void* sums, int64_t parts, int64_t count);

}  // namespace mlx::core::gemm
