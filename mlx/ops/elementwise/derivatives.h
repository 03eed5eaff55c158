// The derivative rules of the elementwise operations; the table itself is in
// derivatives.cpp.
#pragma once

#include <span>

#include "mlx/array.h"
#include "mlx/fuse/engine.h"

namespace mlx::core {

/// Pushes the tangent `t` of one operand forward. `x` are the operands, `y` the
/// result. Linear in `t`.
using TangentRule = array (*)(const array& t, std::span<const array> x, const array& y,
                              const Stream& s);

struct ElementwiseDerivative {
  /// One rule per operand; null: the derivative is zero.
  TangentRule tangent[3] = {};
  /// Pulls a cotangent back, where that is not conj(tangent(conj(t))): unary
  /// operations that are not holomorphic.
  TangentRule cotangent = nullptr;
};

const ElementwiseDerivative& elementwise_derivative(fuse::Op op);

}  // namespace mlx::core
