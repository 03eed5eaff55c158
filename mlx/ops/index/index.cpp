// The index functions: argument checks and node creation.
#include "mlx/ops/index/index.h"

#include <algorithm>

#include "mlx/core/node.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/index/primitives.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

namespace {

void check_integer(const array& indices, const char* tag) {
  if (!issubdtype(indices.dtype(), integer)) {
    fail(tag, " indices must be integers: got ", indices.dtype());
  }
}

struct Indices {
  std::vector<array> arrays;  // broadcast against each other
  std::vector<int> axes;
  Shape shape;
};

Indices check_indices(const array& a, const std::vector<array>& indices, std::vector<int> axes,
                      const char* tag, const Stream& s) {
  if (indices.size() != axes.size()) {
    fail(tag, " one index array per axis is needed: got ", indices.size(), " for ", axes.size(),
         " axes");
  }
  for (const array& index : indices) {
    check_integer(index, tag);
  }
  for (int& axis : axes) {
    axis = normalize_axis_index(axis, ndim_of(a), std::string(tag) + " ");
  }
  normalize_axes(axes, ndim_of(a), tag);  // rejects repeated ones
  Indices checked{indices.size() > 1 ? broadcast_arrays(indices, s) : indices, std::move(axes), {}};
  if (!indices.empty()) {
    checked.shape = checked.arrays[0].shape();
  }
  return checked;
}

array scatter_node(Scatter::ReduceType reduce, const array& a, const std::vector<array>& indices,
                   const array& updates, const std::vector<int>& axes, StreamOrDevice s,
                   const char* tag) {
  const Stream stream = to_stream(s);
  Indices checked = check_indices(a, indices, axes, tag, stream);
  const size_t batch = checked.shape.size();
  bool fits = updates.ndim() == batch + a.ndim();
  for (size_t i = 0; fits && i < batch; ++i) {
    fits = updates.shape()[i] == checked.shape[i];
  }
  for (size_t i = 0; fits && i < a.ndim(); ++i) {
    fits = updates.shape()[batch + i] <= a.shape()[i];
  }
  if (!fits) {
    fail(tag, " the updates need the shape of the indices, ", checked.shape,
         ", and that of slices of ", a.shape(), ": got ", updates.shape());
  }
  if (updates.size() == 0 || a.size() == 0) {
    return a;
  }
  std::vector<array> inputs{a};
  inputs.insert(inputs.end(), checked.arrays.begin(), checked.arrays.end());
  inputs.push_back(astype(updates, a.dtype(), stream));
  return make_array(a.shape(), a.dtype(), std::make_shared<Scatter>(stream, reduce, checked.axes),
                    std::span<array>(inputs));
}

int check_along_axis(const array& a, const array& indices, int axis, const char* tag) {
  check_integer(indices, tag);
  if (indices.ndim() != a.ndim()) {
    fail(tag, " indices need as many dimensions as the array: got ", indices.shape(), " for ",
         a.shape());
  }
  return normalize_axis_index(axis, ndim_of(a), std::string(tag) + " ");
}

array scatter_along_axis(ScatterAxis::ReduceType reduce, const array& a, const array& indices,
                         const array& values, int axis, StreamOrDevice s, const char* tag) {
  const Stream stream = to_stream(s);
  const int ax = check_along_axis(a, indices, axis, tag);
  Shape shape = a.shape();
  shape[ax] = indices.shape(ax);
  array places = broadcast_to(indices, shape, stream);
  array updates = broadcast_to(astype(values, a.dtype(), stream), shape, stream);
  if (updates.size() == 0 || a.size() == 0) {
    return a;
  }
  return make_array(a.shape(), a.dtype(), std::make_shared<ScatterAxis>(stream, reduce, ax), a,
                    std::move(places), std::move(updates));
}

}  // namespace

array gather(const array& a, const std::vector<array>& indices, const std::vector<int>& axes,
             const Shape& slice_sizes, StreamOrDevice s) {
  const char* tag = "[gather]";
  const Stream stream = to_stream(s);
  Indices checked = check_indices(a, indices, axes, tag, stream);
  bool fits = slice_sizes.size() == a.ndim();
  for (size_t i = 0; fits && i < a.ndim(); ++i) {
    fits = slice_sizes[i] >= 0 && slice_sizes[i] <= a.shape()[i];
  }
  if (!fits) {
    fail(tag, " slice sizes need one entry per dimension, at most as large: got ", slice_sizes,
         " for shape ", a.shape());
  }
  Shape shape = checked.shape;
  for (ShapeElem size : slice_sizes) {
    shape.push_back(size);
  }
  std::vector<array> inputs{a};
  inputs.insert(inputs.end(), checked.arrays.begin(), checked.arrays.end());
  return make_array(std::move(shape), a.dtype(),
                    std::make_shared<Gather>(stream, checked.axes, slice_sizes),
                    std::span<array>(inputs));
}

array take(const array& a, const array& indices, int axis, StreamOrDevice s) {
  const char* tag = "[take]";
  const Stream stream = to_stream(s);
  check_integer(indices, tag);
  const int ax = normalize_axis_index(axis, ndim_of(a), std::string(tag) + " ");
  Shape sizes = a.shape();
  if (sizes[ax] == 0) {
    if (indices.size() != 0) {
      fail(tag, " nothing can be taken from axis ", axis, " of shape ", a.shape());
    }
    Shape empty(a.shape().begin(), a.shape().begin() + ax);
    empty.insert(empty.end(), indices.shape().begin(), indices.shape().end());
    empty.insert(empty.end(), a.shape().begin() + ax + 1, a.shape().end());
    return reshape(a, std::move(empty), stream);
  }
  sizes[ax] = 1;
  const int batch = ndim_of(indices);
  // Shape: indices, dimensions before the axis, 1, dimensions after it.
  const array slices =
      squeeze(gather(a, {indices}, std::vector<int>{ax}, sizes, stream), batch + ax, stream);
  if (ax == 0 || batch == 0) {
    return slices;
  }
  std::vector<int> order;
  for (int i = 0; i < ndim_of(slices); ++i) {
    order.push_back(i < ax ? batch + i : i < ax + batch ? i - ax : i);
  }
  return transpose(slices, std::move(order), stream);
}

array take(const array& a, int index, int axis, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const int ax = normalize_axis_index(axis, ndim_of(a), "[take] ");
  const ShapeElem n = a.shape(ax);
  if (index < -n || index >= n) {
    fail<IndexOutOfRange>("[take] index ", index, " is out of range for axis ", ax, " of size ", n);
  }
  Shape start(a.ndim(), 0);
  Shape stop = a.shape();
  start[ax] = index < 0 ? index + n : index;
  stop[ax] = start[ax] + 1;
  return squeeze(slice(a, std::move(start), std::move(stop), stream), ax, stream);
}

array take(const array& a, const array& indices, StreamOrDevice s) {
  return take(flatten(a, s), indices, 0, s);
}

array take(const array& a, int index, StreamOrDevice s) {
  return take(flatten(a, s), index, 0, s);
}

array take_along_axis(const array& a, const array& indices, int axis, StreamOrDevice s) {
  const char* tag = "[take_along_axis]";
  const Stream stream = to_stream(s);
  const int ax = check_along_axis(a, indices, axis, tag);
  Shape of_indices = indices.shape();
  Shape of_array = a.shape();
  of_indices[ax] = of_array[ax] = 1;
  Shape shape = broadcast_shapes(of_indices, of_array);
  of_indices = of_array = shape;
  of_indices[ax] = indices.shape(ax);
  of_array[ax] = a.shape(ax);
  return make_array(of_indices, a.dtype(), std::make_shared<GatherAxis>(stream, ax),
                    broadcast_to(a, of_array, stream), broadcast_to(indices, of_indices, stream));
}

array put_along_axis(const array& a, const array& indices, const array& values, int axis,
                     StreamOrDevice s) {
  return scatter_along_axis(ScatterAxis::None, a, indices, values, axis, s, "[put_along_axis]");
}

array scatter_add_axis(const array& a, const array& indices, const array& values, int axis,
                       StreamOrDevice s) {
  return scatter_along_axis(ScatterAxis::Sum, a, indices, values, axis, s, "[scatter_add_axis]");
}

#define MLX_SCATTER(FUNCTION, REDUCE)                                                      \
  array FUNCTION(const array& a, const std::vector<array>& indices, const array& updates,  \
                 const std::vector<int>& axes, StreamOrDevice s) {                         \
    return scatter_node(Scatter::REDUCE, a, indices, updates, axes, s, "[" #FUNCTION "]"); \
  }
MLX_SCATTER(scatter, None)
MLX_SCATTER(scatter_add, Sum)
MLX_SCATTER(scatter_prod, Prod)
MLX_SCATTER(scatter_max, Max)
MLX_SCATTER(scatter_min, Min)
#undef MLX_SCATTER

}  // namespace mlx::core
