// Primitives of the creation family; evaluation is in cpu.cpp. Full, which is an
// elementwise operation, is in mlx/ops/elementwise/primitives.h.
#pragma once

#include "mlx/ops/stateful_primitive.h"

namespace mlx::core {

class MLX_API Arange : public StatefulPrimitive<double, double, double> {  // start, stop, step
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Arange)
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

}  // namespace mlx::core
