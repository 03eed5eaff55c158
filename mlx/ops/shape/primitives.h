// Primitives of the shape family: views, slices, joins, padding. Derivative and
// vmap rules are in view_rules.cpp and slice_rules.cpp, evaluation is in cpu.cpp.
// All axes and indices in their states are counted from the front; axes checked.
#pragma once

#include <string>

#include "mlx/ops/stateful_primitive.h"

namespace mlx::core {

// Views: the output shares the buffer of the input where strides allow.

class MLX_API Reshape : public StatefulPrimitive<Shape> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Reshape)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  /// Fills in a -1.
  static Shape output_shape(const array& input, Shape shape);
};

class MLX_API Flatten : public StatefulPrimitive<int, int> {  // start and end axis, inclusive
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Flatten)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  static Shape output_shape(const array& input, int start_axis, int end_axis);
};

class MLX_API Unflatten : public StatefulPrimitive<int, Shape> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Unflatten)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  /// Fills in a -1.
  static Shape output_shape(const array& input, int axis, const Shape& shape);
};

class MLX_API ExpandDims : public StatefulPrimitive<std::vector<int>> {  // sorted, of the output
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(ExpandDims)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  static Shape output_shape(const array& input, const std::vector<int>& axes);
};

class MLX_API Squeeze : public StatefulPrimitive<std::vector<int>> {  // sorted
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Squeeze)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  static Shape output_shape(const array& input, const std::vector<int>& axes);
};

class MLX_API Transpose : public StatefulPrimitive<std::vector<int>> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Transpose)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// Further inputs, if any, only say what the first one broadcasts against: so
/// traces that are replayed with other shapes record it.
class MLX_API Broadcast : public StatefulPrimitive<Shape> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Broadcast)
  bool broadcasts() const override { return true; }
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  static Shape output_shape(const std::vector<array>& inputs);
};

/// Broadcast of all axes but `ignore_axes` (negative: counted from the end),
/// which the first input keeps.
class MLX_API BroadcastAxes : public StatefulPrimitive<std::vector<int>> {
 public:
  explicit BroadcastAxes(Stream stream, std::vector<int> ignore_axes = {})
      : StatefulPrimitive(stream, std::move(ignore_axes)) {}
  DEFINE_NAME(BroadcastAxes)
  bool broadcasts() const override { return true; }
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
  static Shape output_shape(const std::vector<array>& inputs, const std::vector<int>& ignore_axes);
};

class MLX_API AsStrided : public StatefulPrimitive<Shape, Strides, size_t> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(AsStrided)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
};

/// The transpose of AsStrided: adds every element where AsStrided took it from.
class MLX_API AsStridedAdjoint : public StatefulPrimitive<Shape, Strides, size_t, Shape> {
 public:
  // The last member of the state is the shape of the output.
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(AsStridedAdjoint)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
};

/// The bits of the input as elements of another dtype.
class MLX_API View : public StatefulPrimitive<Dtype> {
 public:
  explicit View(Stream stream, Dtype dtype);
  const char* name() const override { return name_.c_str(); }
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()

 private:
  std::string name_;
};

class MLX_API Contiguous : public StatefulPrimitive<bool> {  // whether column-major will do
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Contiguous)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_INPUT_OUTPUT_SHAPE()
};

/// Identity.
class MLX_API Copy : public BuiltinPrimitive {
 public:
  explicit Copy(Stream stream) : BuiltinPrimitive(stream) {}
  DEFINE_NAME(Copy)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_DEFAULT_IS_EQUIVALENT()
  DEFINE_INPUT_OUTPUT_SHAPE()
};

/// Identity that no derivative passes.
class MLX_API StopGradient : public BuiltinPrimitive {
 public:
  explicit StopGradient(Stream stream) : BuiltinPrimitive(stream) {}
  DEFINE_NAME(StopGradient)
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_DEFAULT_IS_EQUIVALENT()
  DEFINE_INPUT_OUTPUT_SHAPE()
};

/// Identity of the first inputs, as many as there are outputs; the others are
/// only computed before them.
class MLX_API Depends : public BuiltinPrimitive {
 public:
  explicit Depends(Stream stream) : BuiltinPrimitive(stream) {}
  DEFINE_NAME(Depends)
  MLX_DEFINE_EVALUATE()
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums,
                         const std::vector<array>& outputs) override;
};

/// The product of some sizes of the input as a 0-d array.
class MLX_API NumberOfElements : public StatefulPrimitive<std::vector<int>, bool, Dtype> {
 public:
  // Axes, whether to take the reciprocal, dtype of the result.
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(NumberOfElements)
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  std::vector<Shape> output_shapes(const std::vector<array>&) override { return {Shape{}}; }
};

// Slices, joins and padding. Start, end and strides of a slice are normalised:
// start is the first index taken; a negative stride ends before `end`, which
// may be -1.

class MLX_API Slice : public StatefulPrimitive<Shape, Shape, Shape> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Slice)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
};

class MLX_API SliceUpdate : public BuiltinPrimitive {
 public:
  enum ReduceType { Max, Min, Sum, Prod, None };
  explicit SliceUpdate(Stream stream, ReduceType reduce_type, const Shape& start_indices,
                       const Shape& end_indices, const Shape& strides)
      : BuiltinPrimitive(stream),
        reduce_type_(reduce_type),
        start_(start_indices),
        end_(end_indices),
        strides_(strides) {}
  const char* name() const override;
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_INPUT_OUTPUT_SHAPE()
  bool is_equivalent(const Primitive& other) const override {
    return state() == static_cast<const SliceUpdate&>(other).state();
  }
  std::tuple<ReduceType, Shape, Shape, Shape> state() const {
    return {reduce_type_, start_, end_, strides_};
  }

 private:
  ReduceType reduce_type_;
  Shape start_;
  Shape end_;
  Shape strides_;
};

/// Inputs: the array and an integer array of starts, one per axis. Starts with
/// more dimensions stand for a batch, as vmap makes it: their leading dimensions
/// are those of the array. Throws std::out_of_range at evaluation.
class MLX_API DynamicSlice : public StatefulPrimitive<std::vector<int>, Shape> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(DynamicSlice)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// Inputs: array, update, starts (as DynamicSlice).
class MLX_API DynamicSliceUpdate : public StatefulPrimitive<std::vector<int>> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(DynamicSliceUpdate)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  DEFINE_INPUT_OUTPUT_SHAPE()
};

class MLX_API Split : public StatefulPrimitive<Shape, int> {  // cut points, axis
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Split)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
};

class MLX_API Concatenate : public StatefulPrimitive<int> {
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Concatenate)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
  MLX_DEFINE_OUTPUT_SHAPES()
};

/// Inputs: the array and a 0-d pad value.
class MLX_API Pad : public StatefulPrimitive<std::vector<int>, Shape, Shape> {  // axes, low, high
 public:
  using StatefulPrimitive::StatefulPrimitive;
  DEFINE_NAME(Pad)
  DEFINE_GRADS()
  DEFINE_VMAP()
  MLX_DEFINE_EVALUATE()
};

}  // namespace mlx::core
