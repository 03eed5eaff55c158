// Reshaping, permuting and broadcasting functions. Slices are in slicing.cpp,
// joins, repeats and padding in joining.cpp.
#include "mlx/ops/shape/shape.h"

#include <algorithm>
#include <numeric>

#include "mlx/core/node.h"
#include "mlx/core/per_thread.h"
#include "mlx/core/tracing.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/shape/primitives.h"

namespace mlx::core {

namespace {

// Fills in the -1 of `shape` so that it has `size` elements.
void infer_dimension(Shape& shape, int64_t size, const char* tag) {
  int64_t known = 1;
  int unknown = -1;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (unknown >= 0) {
        fail(tag, " only one dimension can be inferred: got shape ", shape);
      }
      unknown = static_cast<int>(i);
    } else if (shape[i] < 0) {
      fail(tag, " dimensions must not be negative: got shape ", shape);
    } else {
      known = checked_multiply(known, shape[i], tag);
    }
  }
  if (unknown >= 0 && known > 0 && size % known == 0) {
    shape[unknown] = size / known;
  } else if (unknown >= 0 || known != size) {
    fail(tag, " cannot make shape ", shape, " of ", size, " elements");
  }
}

}  // namespace

// Shape rules

Shape Reshape::output_shape(const array& input, Shape shape) {
  infer_dimension(shape, static_cast<int64_t>(input.size()), "[reshape]");
  return shape;
}

Shape Flatten::output_shape(const array& input, int start_axis, int end_axis) {
  const Shape& in = input.shape();
  Shape out(in.begin(), in.begin() + start_axis);
  int64_t merged = 1;
  for (int i = start_axis; i <= end_axis; ++i) {
    merged = checked_multiply(merged, in[i], "[flatten]");
  }
  out.push_back(merged);
  out.insert(out.end(), in.begin() + end_axis + 1, in.end());
  return out;
}

Shape Unflatten::output_shape(const array& input, int axis, const Shape& shape) {
  Shape parts = shape;
  infer_dimension(parts, input.shape(axis), "[unflatten]");
  Shape out = input.shape();
  out.erase(out.begin() + axis);
  out.insert(out.begin() + axis, parts.begin(), parts.end());
  return out;
}

Shape ExpandDims::output_shape(const array& input, const std::vector<int>& axes) {
  Shape out = input.shape();
  for (int axis : axes) {
    out.insert(out.begin() + axis, 1);
  }
  return out;
}

Shape Squeeze::output_shape(const array& input, const std::vector<int>& axes) {
  Shape out;
  size_t next = 0;
  for (int i = 0; i < ndim_of(input); ++i) {
    if (next < axes.size() && axes[next] == i) {
      if (input.shape(i) != 1) {
        fail("[squeeze] axis ", i, " of shape ", input.shape(), " does not have size 1");
      }
      ++next;
    } else {
      out.push_back(input.shape(i));
    }
  }
  return out;
}

Shape Broadcast::output_shape(const std::vector<array>& inputs) {
  Shape shape = inputs[0].shape();
  for (size_t i = 1; i < inputs.size(); ++i) {
    shape = broadcast_shapes(shape, inputs[i].shape());
  }
  return shape;
}

Shape BroadcastAxes::output_shape(const std::vector<array>& inputs,
                                  const std::vector<int>& ignore_axes) {
  Shape shape{};
  for (const array& in : inputs) {
    Shape visible = in.shape();
    for (int axis : ignore_axes) {
      if (in.ndim() >= static_cast<size_t>(-axis)) {
        visible[in.ndim() + axis] = 1;
      }
    }
    shape = broadcast_shapes(shape, visible);
  }
  for (int axis : ignore_axes) {
    const array& first = inputs[0];
    if (shape.size() >= static_cast<size_t>(-axis)) {
      shape[shape.size() + axis] =
          first.ndim() >= static_cast<size_t>(-axis) ? first.shape(axis) : 1;
    }
  }
  return shape;
}

// Identities

array copy(array a, StreamOrDevice s) {
  Shape shape = a.shape();
  const Dtype dtype = a.dtype();
  return make_array(std::move(shape), dtype, stateless<Copy>(to_stream(s)), std::move(a));
}

array stop_gradient(const array& a, StreamOrDevice s) {
  return make_array(a.shape(), a.dtype(), stateless<StopGradient>(to_stream(s)), a);
}

std::vector<array> depends(const std::vector<array>& inputs,
                           const std::vector<array>& dependencies) {
  if (inputs.empty()) {
    return {};
  }
  std::vector<array> all = inputs;
  all.insert(all.end(), dependencies.begin(), dependencies.end());
  const Stream stream = inputs[0].has_primitive() ? inputs[0].primitive().stream() : to_stream({});
  std::vector<Shape> shapes;
  std::vector<Dtype> dtypes;
  for (const array& in : inputs) {
    shapes.push_back(in.shape());
    dtypes.push_back(in.dtype());
  }
  return array::make_arrays(std::move(shapes), dtypes, std::make_shared<Depends>(stream), all);
}

array contiguous(const array& a, bool allow_col_major, StreamOrDevice s) {
  return make_array(a.shape(), a.dtype(),
                    std::make_shared<Contiguous>(to_stream(s), allow_col_major), a);
}

array view(const array& a, const Dtype& dtype, StreamOrDevice s) {
  if (a.dtype() == dtype) {
    return a;
  }
  const int64_t from = size_of(a.dtype());
  const int64_t to = size_of(dtype);
  Shape shape = a.shape();
  if (from != to) {
    if (shape.empty()) {
      fail("[view] a 0-d ", a.dtype(), " array cannot be viewed as ", dtype,
           ", which has another size");
    }
    if (shape.back() * from % to != 0) {
      fail("[view] the last axis of shape ", shape, " holds ", shape.back() * from,
           " bytes, which is no multiple of the ", to, " bytes of ", dtype);
    }
    shape.back() = checked_multiply(shape.back(), from, "[view]") / to;
  }
  return make_array(std::move(shape), dtype, std::make_shared<View>(to_stream(s), dtype), a);
}

array as_strided(array a, Shape shape, Strides strides, size_t offset, StreamOrDevice s) {
  const char* tag = "[as_strided]";
  if (strides.size() != shape.size()) {
    fail(tag, " one stride per dimension is needed: got shape ", shape, " and strides ", strides);
  }
  // The first and the last element that the view touches.
  int64_t low = safe_cast(offset, "as_strided");
  int64_t high = low;
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      fail(tag, " dimensions must not be negative: got shape ", shape);
    }
    empty |= shape[i] == 0;
    const int64_t reach = checked_multiply(strides[i], std::max<int64_t>(shape[i] - 1, 0), tag);
    int64_t& end = reach < 0 ? low : high;
    end = checked_add(end, reach, tag);
  }
  if (!empty && (low < 0 || high >= static_cast<int64_t>(a.size()))) {
    fail(tag, " shape ", shape, ", strides ", strides, " and offset ", offset,
         " reach outside an array of ", a.size(), " elements");
  }
  const Stream stream = to_stream(s);
  const Dtype dtype = a.dtype();
  array flat = reshape(a, {-1}, stream);
  Shape out = shape;
  return make_array(
      std::move(out), dtype,
      std::make_shared<AsStrided>(stream, std::move(shape), std::move(strides), offset),
      std::move(flat));
}

// Reshaping

array reshape(const array& a, Shape shape, StreamOrDevice s) {
  if (a.shape() == shape) {
    return a;
  }
  Shape out = Reshape::output_shape(a, shape);
  if (out == a.shape() && !detail::in_dynamic_tracing()) {
    return a;
  }
  return make_array(std::move(out), a.dtype(),
                    std::make_shared<Reshape>(to_stream(s), std::move(shape)), a);
}

array flatten(const array& a, int start_axis, int end_axis, StreamOrDevice s) {
  const int ndim = ndim_of(a);
  if (ndim == 0) {
    return reshape(a, {1}, s);
  }
  const int start = std::max(0, start_axis < 0 ? start_axis + ndim : start_axis);
  const int end = std::min(ndim - 1, end_axis < 0 ? end_axis + ndim : end_axis);
  if (end < start) {
    fail("[flatten] the axes ", start_axis, " to ", end_axis, " are no range of an array with ",
         ndim, " dimensions");
  }
  if (start == end) {
    return a;
  }
  return make_array(Flatten::output_shape(a, start, end), a.dtype(),
                    std::make_shared<Flatten>(to_stream(s), start, end), a);
}

array flatten(const array& a, StreamOrDevice s) {
  return flatten(a, 0, -1, s);
}

array unflatten(const array& a, int axis, Shape shape, StreamOrDevice s) {
  if (shape.empty()) {
    fail("[unflatten] the shape must not be empty");
  }
  axis = normalize_axis_index(axis, ndim_of(a), "[unflatten] ");
  Shape out = Unflatten::output_shape(a, axis, shape);
  return make_array(std::move(out), a.dtype(),
                    std::make_shared<Unflatten>(to_stream(s), axis, std::move(shape)), a);
}

array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  if (axes.empty()) {
    return a;
  }
  std::vector<int> sorted = normalize_axes(axes, ndim_of(a), "[squeeze]");
  Shape out = Squeeze::output_shape(a, sorted);
  return make_array(std::move(out), a.dtype(),
                    std::make_shared<Squeeze>(to_stream(s), std::move(sorted)), a);
}

array squeeze(const array& a, int axis, StreamOrDevice s) {
  return squeeze(a, std::vector<int>{axis}, s);
}

array squeeze(const array& a, StreamOrDevice s) {
  std::vector<int> axes;
  for (int i = 0; i < ndim_of(a); ++i) {
    if (a.shape(i) == 1) {
      axes.push_back(i);
    }
  }
  return squeeze(a, axes, s);
}

array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  if (axes.empty()) {
    return a;
  }
  std::vector<int> sorted =
      normalize_axes(axes, ndim_of(a) + static_cast<int>(axes.size()), "[expand_dims]");
  Shape out = ExpandDims::output_shape(a, sorted);
  return make_array(std::move(out), a.dtype(),
                    std::make_shared<ExpandDims>(to_stream(s), std::move(sorted)), a);
}

array expand_dims(const array& a, int axis, StreamOrDevice s) {
  return expand_dims(a, std::vector<int>{axis}, s);
}

array atleast_1d(const array& a, StreamOrDevice s) {
  return a.ndim() >= 1 ? a : expand_dims(a, 0, s);
}

array atleast_2d(const array& a, StreamOrDevice s) {
  switch (a.ndim()) {
    case 0:
      return expand_dims(a, {0, 1}, s);
    case 1:
      return expand_dims(a, 0, s);
    default:
      return a;
  }
}

array atleast_3d(const array& a, StreamOrDevice s) {
  switch (a.ndim()) {
    case 0:
      return expand_dims(a, {0, 1, 2}, s);
    case 1:
      return expand_dims(a, {0, 2}, s);
    case 2:
      return expand_dims(a, 2, s);
    default:
      return a;
  }
}

#define MLX_OF_EACH(FUNCTION)                                                       \
  std::vector<array> FUNCTION(const std::vector<array>& arrays, StreamOrDevice s) { \
    std::vector<array> out;                                                         \
    out.reserve(arrays.size());                                                     \
    for (const array& a : arrays) {                                                 \
      out.push_back(FUNCTION(a, s));                                                \
    }                                                                               \
    return out;                                                                     \
  }
MLX_OF_EACH(atleast_1d)
MLX_OF_EACH(atleast_2d)
MLX_OF_EACH(atleast_3d)
#undef MLX_OF_EACH

array number_of_elements(const array& a, std::vector<int> axes, bool inverted, Dtype dtype,
                         StreamOrDevice s) {
  for (int& axis : axes) {
    axis = normalize_axis_index(axis, ndim_of(a), "[number_of_elements] ");
  }
  if (!detail::in_dynamic_tracing()) {
    double count = 1;
    for (int axis : axes) {
      count *= static_cast<double>(a.shape(axis));
    }
    return array(inverted ? 1.0 / count : count, dtype);
  }
  return make_array(
      Shape{}, dtype,
      std::make_shared<NumberOfElements>(to_stream(s), std::move(axes), inverted, dtype), a);
}

// Permuting

array transpose(const array& a, std::vector<int> axes, StreamOrDevice s) {
  const int ndim = ndim_of(a);
  if (static_cast<int>(axes.size()) != ndim) {
    fail("[transpose] one entry per axis is needed: got axes ", axes, " for an array with ", ndim,
         " dimensions");
  }
  bool identity = true;
  Shape shape(static_cast<size_t>(ndim), 0);
  SmallVector<bool> seen(static_cast<size_t>(ndim), false);
  for (int i = 0; i < ndim; ++i) {
    axes[i] = normalize_axis_index(axes[i], ndim, "[transpose] ");
    if (seen[axes[i]]) {
      fail("[transpose] an axis is given twice: ", axes);
    }
    seen[axes[i]] = true;
    shape[i] = a.shape(axes[i]);
    identity &= axes[i] == i;
  }
  if (identity) {
    return a;
  }
  return make_array(std::move(shape), a.dtype(),
                    std::make_shared<Transpose>(to_stream(s), std::move(axes)), a);
}

array transpose(const array& a, StreamOrDevice s) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return transpose(a, std::move(axes), s);
}

array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s) {
  const int first = checked_axis(axis1, ndim_of(a), "[swapaxes]");
  const int second = checked_axis(axis2, ndim_of(a), "[swapaxes]");
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[first], axes[second]);
  return transpose(a, std::move(axes), s);
}

array moveaxis(const array& a, int source, int destination, StreamOrDevice s) {
  const int from = checked_axis(source, ndim_of(a), "[moveaxis]");
  const int to = checked_axis(destination, ndim_of(a), "[moveaxis]");
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return transpose(a, std::move(axes), s);
}

// Broadcasting

namespace {

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) {
    return false;
  }
  const size_t missing = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[missing + i]) {
      return false;
    }
  }
  return true;
}

// Operands of one expression broadcast to one shape: neighbouring nodes share
// the primitive.
const std::shared_ptr<Primitive>& broadcast_primitive(const Shape& shape, const Stream& s) {
  struct Last {
    std::shared_ptr<Primitive> primitive;
    Shape shape;
  };
  Last& last = per_thread<Last>();
  if (!last.primitive || !(last.primitive->stream() == s) || last.shape != shape) {
    last.primitive = std::make_shared<Broadcast>(s, shape);
    last.shape = shape;
  }
  return last.primitive;
}

}  // namespace

array broadcast_to(const array& a, const Shape& shape, StreamOrDevice s) {
  if (a.shape() == shape) {
    return a;
  }
  for (ShapeElem dim : shape) {
    if (dim < 0) {
      fail("[broadcast_to] dimensions must not be negative: got shape ", shape);
    }
  }
  checked_size(shape, "broadcast_to");
  if (!broadcasts_to(a.shape(), shape)) {
    fail("[broadcast_to] an array of shape ", a.shape(), " does not broadcast to ", shape);
  }
  return make_array(shape, a.dtype(), broadcast_primitive(shape, to_stream(s)), a);
}

std::vector<array> broadcast_arrays(const std::vector<array>& inputs, StreamOrDevice s) {
  return broadcast_arrays(inputs, {}, to_stream(s));
}

std::vector<array> broadcast_arrays(const std::vector<array>& inputs,
                                    const std::vector<int>& ignore_axes, const Stream& s) {
  if (inputs.size() < 2) {
    return inputs;
  }
  const bool alike = ignore_axes.empty() &&
                     std::all_of(inputs.begin() + 1, inputs.end(),
                                 [&](const array& in) { return in.shape() == inputs[0].shape(); });
  if (alike) {
    return inputs;
  }
  std::vector<array> outputs;
  outputs.reserve(inputs.size());
  if (!detail::in_dynamic_tracing()) {
    if (ignore_axes.empty()) {
      const Shape shape = Broadcast::output_shape(inputs);
      for (const array& in : inputs) {
        outputs.push_back(broadcast_to(in, shape, s));
      }
      return outputs;
    }
    std::vector<array> rotated = inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::swap(rotated[0], rotated[i]);
      outputs.push_back(
          broadcast_to(inputs[i], BroadcastAxes::output_shape(rotated, ignore_axes), s));
      std::swap(rotated[0], rotated[i]);
    }
    return outputs;
  }
  // A trace that will be replayed with other shapes: every operand remembers
  // what it is broadcast against.
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<array> others = inputs;
    std::swap(others[0], others[i]);
    if (ignore_axes.empty()) {
      Shape shape = Broadcast::output_shape(others);
      auto primitive = std::make_shared<Broadcast>(s, shape);
      outputs.push_back(make_array(std::move(shape), inputs[i].dtype(), std::move(primitive),
                                   std::span<array>(others)));
    } else {
      outputs.push_back(
          make_array(BroadcastAxes::output_shape(others, ignore_axes), inputs[i].dtype(),
                     std::make_shared<BroadcastAxes>(s, ignore_axes), std::span<array>(others)));
    }
  }
  return outputs;
}

}  // namespace mlx::core
