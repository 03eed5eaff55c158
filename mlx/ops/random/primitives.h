// Primitives of the random family. Their input is a key, or keys as the rows of
// an array; each key makes its own stream, the batch dimensions lead in the output.
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

}  // namespace mlx::core
