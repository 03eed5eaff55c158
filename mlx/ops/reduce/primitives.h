// Primitives of the reduce family. Axes in their states are sorted and counted
// from the front; outputs keep reduced axes with size 1.
#pragma once

#include <optional>

#include "mlx/ops/stateful_primitive.h"

namespace mlx::core {

class MLX_API Reduce : public BuiltinPrimitive {
 public:
  enum ReduceType { And, Or, Sum, Prod, Min, Max };

  explicit Reduce(Stream stream, ReduceType reduce_type, const std::vector<int>& axes)
      : BuiltinPrimitive(stream), type_(reduce_type), axes_(axes) {}
  /// A sum in a wider dtype: float32 of 16-bit floats, 64 bits of integers.
  Reduce(Stream stream, const std::vector<int>& axes, Dtype wide)
      : BuiltinPrimitive(stream), type_(Sum), axes_(axes), wide_(wide) {}

  const char* name() const override;
  bool is_equivalent(const Primitive& other) const override;
  auto state() const { return std::make_pair(type_, axes_); }
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()

 private:
  ReduceType type_;
  std::vector<int> axes_;
  std::optional<Dtype> wide_;
};

class MLX_API ArgReduce : public BuiltinPrimitive {
 public:
  enum ReduceType { ArgMin, ArgMax };

  explicit ArgReduce(Stream stream, ReduceType reduce_type, int axis)
      : BuiltinPrimitive(stream), type_(reduce_type), axis_(axis) {}

  DEFINE_NAME(ArgReduce)
  bool is_equivalent(const Primitive& other) const override;
  auto state() const { return std::make_pair(type_, axis_); }
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()

 private:
  ReduceType type_;
  int axis_;
};

// Variance over axes in one pass over the data: the mean and the squared
// deviations are formed while a row is in cache.
class MLX_API Variance : public StatefulPrimitive<std::vector<int>, int> {  // axes, ddof
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Variance)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

// Over the last axis.
class MLX_API LogSumExp : public BuiltinPrimitive {
 public:
  using BuiltinPrimitive::BuiltinPrimitive;
  DEFINE_NAME(LogSumExp)
  DEFINE_DEFAULT_IS_EQUIVALENT()
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

// Over the last axis.
class MLX_API Softmax : public StatefulPrimitive<bool> {  // precise
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Softmax)
  DEFINE_GRADS()
  DEFINE_VMAP()
  DEFINE_INPUT_OUTPUT_SHAPE()
  MLX_DEFINE_EVALUATE()
};

}  // namespace mlx::core
