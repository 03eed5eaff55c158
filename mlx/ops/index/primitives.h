// Primitives of the index family. Index arrays are inputs: broadcast against
// each other, of any integer dtype. Rules are in rules.cpp, evaluation in cpu.cpp.
#pragma once

#include "mlx/ops/stateful_primitive.h"

namespace mlx::core {

/// Inputs: the array, one index array per axis. The dimensions before the first
/// indexed axis come first in memory, so that take() is a view of the result.
class MLX_API Gather : public StatefulPrimitive<std::vector<int>, Shape> {  // axes, slice sizes
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Gather)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// Inputs: the array, one index array per axis, the updates.
class MLX_API Scatter : public BuiltinPrimitive {
 public:
  enum ReduceType { Max, Min, Sum, Prod, None };
  explicit Scatter(Stream stream, ReduceType reduce_type, const std::vector<int>& axes)
      : BuiltinPrimitive(stream), reduce_type_(reduce_type), axes_(axes) {}
  const char* name() const override;
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_INPUT_OUTPUT_SHAPE()
  bool is_equivalent(const Primitive& other) const override {
    return state() == static_cast<const Scatter&>(other).state();
  }
  std::pair<ReduceType, std::vector<int>> state() const { return {reduce_type_, axes_}; }

 private:
  ReduceType reduce_type_;
  std::vector<int> axes_;
};

/// Inputs: the array and the indices, equal in shape but for the axis.
class MLX_API GatherAxis : public StatefulPrimitive<int> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(GatherAxis)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// Inputs: the array, the indices, updates of the shape of the indices.
class MLX_API ScatterAxis : public BuiltinPrimitive {
 public:
  enum ReduceType { Sum, None };
  explicit ScatterAxis(Stream stream, ReduceType reduce_type, int axis)
      : BuiltinPrimitive(stream), reduce_type_(reduce_type), axis_(axis) {}
  const char* name() const override {
    return reduce_type_ == Sum ? "ScatterAxis Sum" : "ScatterAxis";
  }
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_INPUT_OUTPUT_SHAPE()
  bool is_equivalent(const Primitive& other) const override {
    return state() == static_cast<const ScatterAxis&>(other).state();
  }
  std::pair<ReduceType, int> state() const { return {reduce_type_, axis_}; }

 private:
  ReduceType reduce_type_;
  int axis_;
};

}  // namespace mlx::core
