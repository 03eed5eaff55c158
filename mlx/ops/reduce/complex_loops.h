// Reductions of complex64 arrays by plain loops, and variances of empty ones.
#pragma once

#include <vector>

#include "mlx/array.h"
#include "mlx/ops/reduce/cut.h"
#include "mlx/ops/reduce/kernels.h"

namespace mlx::core {

/// Sums accumulate in double precision.
void complex_reduce(ReduceOp op, const array& a, const Cut& cut, array& out);

void complex_arg_reduce(bool min, const array& a, int axis, array& out);

/// Also serves real arrays without elements.
void complex_variance(const array& a, const std::vector<int>& axes, double divisor, array& out);

}  // namespace mlx::core
