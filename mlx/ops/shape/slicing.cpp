// Slices and what is made of them: flip, split, unstack, diagonal, updates.
#include <algorithm>
#include <numeric>

#include "mlx/core/node.h"
#include "mlx/core/tracing.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/primitives.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

namespace {

// A slice with its indices normalised: `start` is the first index taken, `end`
// lies just beyond the last one and may be -1 for negative strides.
struct NormalizedSlice {
  Shape start;
  Shape end;
  Shape strides;
  Shape shape;

  bool covers(const Shape& whole) const {
    return shape == whole &&
           std::all_of(strides.begin(), strides.end(), [](ShapeElem s) { return s == 1; });
  }
};

NormalizedSlice normalize_slice(const Shape& whole, Shape start, Shape stop, Shape strides,
                                const char* tag) {
  const size_t ndim = whole.size();
  if (start.size() != ndim || stop.size() != ndim || strides.size() != ndim) {
    fail(tag, " start, stop and strides need one entry per dimension of shape ", whole, ": got ",
         start, ", ", stop, " and ", strides);
  }
  NormalizedSlice slice{std::move(start), std::move(stop), std::move(strides), Shape(ndim, 0)};
  for (size_t i = 0; i < ndim; ++i) {
    const ShapeElem n = whole[i];
    ShapeElem& first = slice.start[i];
    ShapeElem& end = slice.end[i];
    const ShapeElem stride = slice.strides[i];
    if (stride == 0) {
      fail(tag, " strides must not be 0: got ", slice.strides);
    }
    first = first < 0 ? first + n : first;
    end = end < 0 ? end + n : end;
    if (stride > 0) {
      first = std::clamp<ShapeElem>(first, 0, n);
      end = std::clamp<ShapeElem>(end, 0, n);
      slice.shape[i] = end > first ? (end - first - 1) / stride + 1 : 0;
    } else {
      first = std::clamp<ShapeElem>(first, -1, n - 1);
      end = std::clamp<ShapeElem>(end, -1, n - 1);
      // The unsigned magnitude also exists for the smallest integer.
      const uint64_t step = -static_cast<uint64_t>(stride);
      slice.shape[i] =
          first > end ? static_cast<ShapeElem>(static_cast<uint64_t>(first - end - 1) / step) + 1
                      : 0;
    }
  }
  return slice;
}

array slice_node(const array& a, NormalizedSlice slice, const Stream& s) {
  if (slice.covers(a.shape())) {
    return a;
  }
  return make_array(std::move(slice.shape), a.dtype(),
                    std::make_shared<Slice>(s, std::move(slice.start), std::move(slice.end),
                                            std::move(slice.strides)),
                    a);
}

array update_slice(SliceUpdate::ReduceType reduce, const array& src, const array& update,
                   Shape start, Shape stop, Shape strides, StreamOrDevice s, const char* tag) {
  const Stream stream = to_stream(s);
  NormalizedSlice slice =
      normalize_slice(src.shape(), std::move(start), std::move(stop), std::move(strides), tag);
  if (update.ndim() > src.ndim()) {
    fail(tag, " the update has more dimensions than the array: ", update.shape(), " and ",
         src.shape());
  }
  array value = broadcast_to(astype(update, src.dtype(), stream), slice.shape, stream);
  if (reduce == SliceUpdate::None && slice.covers(src.shape())) {
    return value;
  }
  if (value.size() == 0) {
    return src;
  }
  return make_array(
      src.shape(), src.dtype(),
      std::make_shared<SliceUpdate>(stream, reduce, slice.start, slice.end, slice.strides), src,
      value);
}

// Axes and start indices of a slice whose start is an array.
struct DynamicStart {
  array start;
  std::vector<int> axes;
};

DynamicStart check_dynamic_start(const array& a, const array& start, std::vector<int> axes,
                                 const char* tag, const Stream& s) {
  for (int& axis : axes) {
    axis = normalize_axis_index(axis, ndim_of(a), std::string(tag) + " ");
  }
  normalize_axes(axes, ndim_of(a), tag);  // rejects repeated ones
  if (!issubdtype(start.dtype(), integer)) {
    fail(tag, " the start indices must be integers: got ", start.dtype());
  }
  if (start.ndim() > 1 || start.size() != axes.size()) {
    fail(tag, " one start index per axis is needed: got shape ", start.shape(), " for ",
         axes.size(), " axes");
  }
  return {reshape(start, {static_cast<ShapeElem>(axes.size())}, s), std::move(axes)};
}

bool contains(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

array slice(const array& a, Shape start, Shape stop, Shape strides, StreamOrDevice s) {
  return slice_node(
      a,
      normalize_slice(a.shape(), std::move(start), std::move(stop), std::move(strides), "[slice]"),
      to_stream(s));
}

array slice(const array& a, Shape start, Shape stop, StreamOrDevice s) {
  return slice(a, std::move(start), std::move(stop), Shape(a.ndim(), 1), s);
}

array slice(const array& a, const array& start, std::vector<int> axes, Shape slice_size,
            StreamOrDevice s) {
  const char* tag = "[slice]";
  const Stream stream = to_stream(s);
  DynamicStart dynamic = check_dynamic_start(a, start, std::move(axes), tag, stream);
  bool fits = slice_size.size() == a.ndim();
  for (size_t i = 0; fits && i < a.ndim(); ++i) {
    fits = slice_size[i] >= 0 && slice_size[i] <= a.shape()[i];
  }
  if (!fits) {
    fail(tag, " the slice size must have one entry per dimension, at most as large: got ",
         slice_size, " for shape ", a.shape());
  }
  Shape out = slice_size;
  return make_array(
      std::move(out), a.dtype(),
      std::make_shared<DynamicSlice>(stream, std::move(dynamic.axes), std::move(slice_size)), a,
      dynamic.start);
}

array slice_update(const array& src, const array& update, const array& start, std::vector<int> axes,
                   StreamOrDevice s) {
  const char* tag = "[slice_update]";
  const Stream stream = to_stream(s);
  DynamicStart dynamic = check_dynamic_start(src, start, std::move(axes), tag, stream);
  if (update.ndim() > src.ndim()) {
    fail(tag, " the update has more dimensions than the array: ", update.shape(), " and ",
         src.shape());
  }
  // Missing leading dimensions stand for the whole axis, or for one element
  // where the start is given.
  const int missing = ndim_of(src) - ndim_of(update);
  Shape shape = src.shape();
  for (int i = 0; i < ndim_of(src); ++i) {
    const ShapeElem given = i < missing ? 1 : update.shape(i - missing);
    if (given > src.shape(i)) {
      fail(tag, " an update of shape ", update.shape(), " does not fit into ", src.shape());
    }
    if (i >= missing || contains(dynamic.axes, i)) {
      shape[i] = given;
    }
  }
  const array value = broadcast_to(astype(update, src.dtype(), stream), shape, stream);
  if (value.size() == 0) {
    return src;
  }
  return make_array(src.shape(), src.dtype(),
                    std::make_shared<DynamicSliceUpdate>(stream, std::move(dynamic.axes)), src,
                    value, dynamic.start);
}

#define MLX_SLICE_UPDATE(FUNCTION, REDUCE)                                                      \
  array FUNCTION(const array& src, const array& update, Shape start, Shape stop, Shape strides, \
                 StreamOrDevice s) {                                                            \
    return update_slice(SliceUpdate::REDUCE, src, update, std::move(start), std::move(stop),    \
                        std::move(strides), s, "[" #FUNCTION "]");                              \
  }                                                                                             \
  array FUNCTION(const array& src, const array& update, Shape start, Shape stop,                \
                 StreamOrDevice s) {                                                            \
    return FUNCTION(src, update, std::move(start), std::move(stop), Shape(src.ndim(), 1), s);   \
  }
MLX_SLICE_UPDATE(slice_update, None)
MLX_SLICE_UPDATE(slice_update_add, Sum)
MLX_SLICE_UPDATE(slice_update_prod, Prod)
MLX_SLICE_UPDATE(slice_update_max, Max)
MLX_SLICE_UPDATE(slice_update_min, Min)
#undef MLX_SLICE_UPDATE

array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s) {
  NormalizedSlice slice{Shape(a.ndim(), 0), a.shape(), Shape(a.ndim(), 1), a.shape()};
  for (int axis : axes) {
    axis = normalize_axis_index(axis, ndim_of(a), "[flip] ");
    slice.start[axis] = a.shape(axis) - 1;
    slice.end[axis] = -1;
    slice.strides[axis] = -1;
  }
  return slice_node(a, std::move(slice), to_stream(s));
}

array flip(const array& a, int axis, StreamOrDevice s) {
  return flip(a, std::vector<int>{axis}, s);
}

array flip(const array& a, StreamOrDevice s) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  return flip(a, axes, s);
}

std::vector<array> split(const array& a, const Shape& indices, int axis, StreamOrDevice s) {
  const int ax = normalize_axis_index(axis, ndim_of(a), "[split] ");
  if (indices.empty()) {
    return {a};
  }
  // NumPy's a[previous:cut]: indices count from the end and are clipped.
  const ShapeElem n = a.shape(ax);
  bool views = true;
  Shape cuts;
  ShapeElem previous = 0;
  for (ShapeElem index : indices) {
    const ShapeElem cut = std::clamp<ShapeElem>(index < 0 ? index + n : index, 0, n);
    views &= cut >= previous;
    cuts.push_back(cut);
    previous = cut;
  }
  const Stream stream = to_stream(s);
  std::vector<array> parts;
  if (!views) {
    // Cuts that go backwards: some parts are empty, others overlap.
    cuts.push_back(n);
    Shape start(a.ndim(), 0);
    Shape stop = a.shape();
    for (ShapeElem cut : cuts) {
      stop[ax] = cut;
      parts.push_back(slice(a, start, stop, stream));
      start[ax] = cut;
    }
    return parts;
  }
  std::vector<Shape> shapes;
  previous = 0;
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const ShapeElem cut = i < cuts.size() ? cuts[i] : n;
    shapes.push_back(a.shape());
    shapes.back()[ax] = cut - previous;
    previous = cut;
  }
  const std::vector<Dtype> dtypes(shapes.size(), a.dtype());
  return array::make_arrays(std::move(shapes), dtypes,
                            std::make_shared<Split>(stream, std::move(cuts), ax), {a});
}

std::vector<array> split(const array& a, const Shape& indices, StreamOrDevice s) {
  return split(a, indices, 0, s);
}

std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s) {
  const int ax = normalize_axis_index(axis, ndim_of(a), "[split] ");
  if (num_splits <= 0) {
    fail("[split] the number of parts must be positive: got ", num_splits);
  }
  const ShapeElem n = a.shape(ax);
  if (n % num_splits != 0) {
    fail("[split] axis ", axis, " of shape ", a.shape(), " does not split into ", num_splits,
         " equal parts");
  }
  Shape indices;
  for (int i = 1; i < num_splits; ++i) {
    indices.push_back(i * (n / num_splits));
  }
  return split(a, indices, ax, s);
}

std::vector<array> split(const array& a, int num_splits, StreamOrDevice s) {
  return split(a, num_splits, 0, s);
}

std::vector<array> unstack(const array& a, int axis, StreamOrDevice s) {
  const int ax = normalize_axis_index(axis, ndim_of(a), "[unstack] ");
  const ShapeElem n = a.shape(ax);
  if (n == 0) {
    return {};
  }
  Shape cuts(static_cast<size_t>(n - 1), 0);
  std::iota(cuts.begin(), cuts.end(), 1);
  std::vector<array> parts = split(a, cuts, ax, s);
  for (array& part : parts) {
    part = squeeze(part, ax, s);
  }
  return parts;
}

std::vector<array> unstack(const array& a, StreamOrDevice s) {
  return unstack(a, 0, s);
}

array diagonal(const array& a, int offset, int axis1, int axis2, StreamOrDevice s) {
  const char* tag = "[diagonal]";
  const Stream stream = to_stream(s);
  const int ndim = ndim_of(a);
  if (ndim < 2) {
    fail(tag, " at least two dimensions are needed: got shape ", a.shape());
  }
  const int row_axis = checked_axis(axis1, ndim, tag);
  const int column_axis = checked_axis(axis2, ndim, tag);
  if (row_axis == column_axis) {
    fail(tag, " the axes must differ: got ", axis1, " and ", axis2);
  }
  std::vector<int> axes;
  for (int i = 0; i < ndim; ++i) {
    if (i != row_axis && i != column_axis) {
      axes.push_back(i);
    }
  }
  axes.push_back(row_axis);
  axes.push_back(column_axis);
  const ShapeElem rows = a.shape(row_axis);
  const ShapeElem columns = a.shape(column_axis);
  const ShapeElem row = offset < 0 ? -static_cast<ShapeElem>(offset) : 0;
  const ShapeElem column = offset > 0 ? offset : 0;
  const ShapeElem length = std::max<ShapeElem>(0, std::min(rows - row, columns - column));
  // In the matrix laid out flat the diagonal is every (columns + 1)-th element.
  const array flat = flatten(transpose(a, std::move(axes), stream), -2, -1, stream);
  Shape start(flat.ndim(), 0);
  Shape stop = flat.shape();
  Shape strides(flat.ndim(), 1);
  start.back() = length == 0 ? 0 : row * columns + column;
  strides.back() = columns + 1;
  stop.back() = length == 0 ? 0 : start.back() + (length - 1) * strides.back() + 1;
  return slice(flat, std::move(start), std::move(stop), std::move(strides), stream);
}

array trace(const array& a, int offset, int axis1, int axis2, Dtype dtype, StreamOrDevice s) {
  const array values = astype(diagonal(a, offset, axis1, axis2, s), dtype, s);
  return sum(values, std::vector<int>{-1}, false, s);
}

array trace(const array& a, int offset, int axis1, int axis2, StreamOrDevice s) {
  return trace(a, offset, axis1, axis2, a.dtype(), s);
}

array trace(const array& a, StreamOrDevice s) {
  return trace(a, 0, 0, 1, a.dtype(), s);
}

}  // namespace mlx::core
