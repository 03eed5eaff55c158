// Primitives of the random family. The input of the first ones is a key, or keys
// as the rows of an array; each key makes its own stream, the batch dimensions
// lead in the output.
#pragma once

#include "mlx/ops/stateful_primitive.h"

namespace mlx::core {

class MLX_API RandomBits : public StatefulPrimitive<Shape, int> {  // shape per key, bytes
 public:
  explicit RandomBits(Stream stream, const Shape& shape, int width)
      : StatefulPrimitive(stream, shape, width) {}
  DEFINE_NAME(RandomBits)
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// float32 numbers: 32-bit draws divided by 2^32, at most a limit below 1.
class MLX_API RandomUniform : public StatefulPrimitive<Shape, float> {  // shape per key, limit
 public:
  explicit RandomUniform(Stream stream, const Shape& shape, float limit)
      : StatefulPrimitive(stream, shape, limit) {}
  DEFINE_NAME(RandomUniform)
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// The indices (uint32) that sort the words of the last axis.
class MLX_API RandomOrder : public BuiltinPrimitive {
 public:
  explicit RandomOrder(Stream stream) : BuiltinPrimitive(stream) {}
  DEFINE_NAME(RandomOrder)
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_DEFAULT_IS_EQUIVALENT()
  DEFINE_INPUT_OUTPUT_SHAPE()
};

/// Inputs: float32 weights of categories (last axis) and numbers between 0 and
/// their sum. Output: the category (uint32) in whose share of the sum each number
/// lies. The state counts leading dimensions that both have.
class MLX_API RandomCategory : public StatefulPrimitive<int> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(RandomCategory)
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

}  // namespace mlx::core
