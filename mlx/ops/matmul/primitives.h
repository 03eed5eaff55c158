// Primitives of matrix products. Operands have at least two dimensions and equal
// leading ones; the functions in matmul.h arrange that.
#pragma once

#include "mlx/ops/stateful_primitive.h"

namespace mlx::core {

/// Inputs: a (..., M, K), b (..., K, N).
class MLX_API Matmul : public BuiltinPrimitive {
 public:
  explicit Matmul(Stream stream) : BuiltinPrimitive(stream) {}
  DEFINE_NAME(Matmul)
  DEFINE_GRADS()
  DEFINE_VMAP()
  DEFINE_DEFAULT_IS_EQUIVALENT()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// alpha * (a @ b) + beta * c. Inputs: a, b, c (..., M, N).
class MLX_API AddMM : public StatefulPrimitive<float, float> {  // alpha, beta
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(AddMM)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

}  // namespace mlx::core
