// Reductions of complex64 arrays by plain loops, and variances of empty ones.
#pragma once

#include <vector>

#include "mlx/array.h"
#include "mlx/ops/reduce/kernels.h"

namespace mlx::core {

/// Offsets are those of a cut (cpu.cpp): outer kept ones in input and output,
/// outer reduced ones, and an inner dimension that is reduced (`runs`) or kept.
/// Sums accumulate in double precision.
void complex_reduce(ReduceOp op, const array& a, const std::vector<int64_t>& kept_in,
                    const std::vector<int64_t>& kept_out, const std::vector<int64_t>& reduced,
                    bool runs, int64_t inner, int64_t inner_out_stride, array& out);

void complex_arg_reduce(bool min, const array& a, int axis, array& out);

/// Also serves real arrays without elements.
void complex_variance(const array& a, const std::vector<int>& axes, double divisor, array& out);

}  // namespace mlx::core
