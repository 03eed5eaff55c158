// Concatenation and what is made of it: stack, repeat, tile, roll, padding.
#include <algorithm>
#include <numeric>

#include "mlx/core/node.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/shape/primitives.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

namespace {

// a[start:stop] along one axis.
array slice_axis(const array& a, int axis, ShapeElem start, ShapeElem stop, const Stream& s) {
  Shape first(a.ndim(), 0);
  Shape end = a.shape();
  first[axis] = start;
  end[axis] = stop;
  return slice(a, std::move(first), std::move(end), s);
}

}  // namespace

array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s) {
  const char* tag = "[concatenate]";
  if (arrays.empty()) {
    fail(tag, " at least one array is needed");
  }
  const int ax = normalize_axis_index(axis, ndim_of(arrays[0]), "[concatenate] ");
  if (arrays.size() == 1) {
    return arrays[0];
  }
  const Stream stream = to_stream(s);
  const Dtype dtype = result_type(arrays);
  Shape shape = arrays[0].shape();
  shape[ax] = 0;
  for (array& a : arrays) {
    bool fits = a.ndim() == shape.size();
    for (int i = 0; fits && i < ndim_of(a); ++i) {
      fits = i == ax || a.shape(i) == shape[i];
    }
    if (!fits) {
      fail(tag, " all dimensions but axis ", axis, " must agree: got shapes ", arrays[0].shape(),
           " and ", a.shape());
    }
    shape[ax] = checked_add(shape[ax], a.shape(ax), tag);
    a = astype(a, dtype, stream);
  }
  return make_array(std::move(shape), dtype, std::make_shared<Concatenate>(stream, ax),
                    std::span<array>(arrays));
}

array concatenate(std::vector<array> arrays, StreamOrDevice s) {
  for (array& a : arrays) {
    a = flatten(a, s);
  }
  return concatenate(std::move(arrays), 0, s);
}

array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s) {
  const char* tag = "[stack]";
  if (arrays.empty()) {
    fail(tag, " at least one array is needed");
  }
  const int ax = normalize_axis_index(axis, ndim_of(arrays[0]) + 1, "[stack] ");
  std::vector<array> rows;
  rows.reserve(arrays.size());
  for (const array& a : arrays) {
    if (a.shape() != arrays[0].shape()) {
      fail(tag, " all arrays need one shape: got ", arrays[0].shape(), " and ", a.shape());
    }
    rows.push_back(expand_dims(a, ax, s));
  }
  return concatenate(std::move(rows), ax, s);
}

array stack(const std::vector<array>& arrays, StreamOrDevice s) {
  return stack(arrays, 0, s);
}

array repeat(const array& arr, int64_t repeats, int axis, StreamOrDevice s) {
  const int ax = normalize_axis_index(axis, ndim_of(arr), "[repeat] ");
  if (repeats < 0) {
    fail("[repeat] the number of repeats must not be negative: got ", repeats);
  }
  if (repeats == 1) {
    return arr;
  }
  array spread = expand_dims(arr, ax + 1, s);
  Shape shape = spread.shape();
  shape[ax + 1] = repeats;
  checked_multiply(shape[ax], repeats, "[repeat]");
  return flatten(broadcast_to(spread, shape, s), ax, ax + 1, s);
}

array repeat(const array& arr, int64_t repeats, StreamOrDevice s) {
  return repeat(flatten(arr, s), repeats, 0, s);
}

array tile(const array& arr, std::vector<int> reps, StreamOrDevice s) {
  return tile_shape(arr, Shape(reps.begin(), reps.end()), s);
}

array tile_shape(const array& arr, Shape reps, StreamOrDevice s) {
  Shape shape = arr.shape();
  const size_t ndim = std::max(shape.size(), reps.size());
  shape.insert(shape.begin(), ndim - shape.size(), 1);
  reps.insert(reps.begin(), ndim - reps.size(), 1);
  // (2, 3) tiled by (1, 4): (2, 3) -> (2, 1, 3) -> (2, 4, 3) -> (2, 12).
  Shape split_shape;
  Shape repeated;
  Shape tiled;
  for (size_t i = 0; i < ndim; ++i) {
    if (reps[i] < 0) {
      fail("[tile] the repetitions must not be negative: got ", reps);
    }
    if (reps[i] != 1) {
      split_shape.push_back(1);
      repeated.push_back(reps[i]);
    }
    split_shape.push_back(shape[i]);
    repeated.push_back(shape[i]);
    tiled.push_back(checked_multiply(shape[i], reps[i], "[tile]"));
  }
  return reshape(broadcast_to(reshape(arr, split_shape, s), repeated, s), tiled, s);
}

// Roll

array roll(const array& a, const Shape& shift, const std::vector<int>& axes, StreamOrDevice s) {
  const char* tag = "[roll]";
  if (shift.size() < axes.size()) {
    fail(tag, " one shift per axis is needed: got ", shift, " for axes ", axes);
  }
  const Stream stream = to_stream(s);
  array out = a;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis_index(axes[i], ndim_of(a), "[roll] ");
    const ShapeElem n = a.shape(axis);
    if (n == 0) {
      continue;
    }
    const ShapeElem cut = n - ((shift[i] % n) + n) % n;  // the element that comes first
    if (cut != n) {
      out = concatenate(
          {slice_axis(out, axis, cut, n, stream), slice_axis(out, axis, 0, cut, stream)}, axis,
          stream);
    }
  }
  return out;
}

namespace {

ShapeElem total_shift(const Shape& shift) {
  ShapeElem total = 0;
  for (ShapeElem one : shift) {
    total = checked_add(total, one, "[roll]");
  }
  return total;
}

}  // namespace

array roll(const array& a, int64_t shift, StreamOrDevice s) {
  return reshape(roll(flatten(a, s), Shape{shift}, std::vector<int>{0}, s), a.shape(), s);
}

array roll(const array& a, const Shape& shift, StreamOrDevice s) {
  return roll(a, total_shift(shift), s);
}

array roll(const array& a, int64_t shift, int axis, StreamOrDevice s) {
  return roll(a, Shape{shift}, std::vector<int>{axis}, s);
}

array roll(const array& a, int64_t shift, const std::vector<int>& axes, StreamOrDevice s) {
  return roll(a, Shape(axes.size(), shift), axes, s);
}

array roll(const array& a, const Shape& shift, int axis, StreamOrDevice s) {
  return roll(a, Shape{total_shift(shift)}, std::vector<int>{axis}, s);
}

// Padding

namespace {

enum class PadMode { constant, edge, reflect, symmetric };

PadMode parse_pad_mode(const std::string& mode) {
  if (mode == "constant") {
    return PadMode::constant;
  }
  if (mode == "edge") {
    return PadMode::edge;
  }
  if (mode == "reflect") {
    return PadMode::reflect;
  }
  if (mode == "symmetric") {
    return PadMode::symmetric;
  }
  fail("[pad] unknown mode '", mode, "': constant, edge, reflect and symmetric are known");
}

array repeated_edge(const array& a, int axis, ShapeElem index, ShapeElem count, const Stream& s) {
  const array edge = slice_axis(a, axis, index, index + 1, s);
  Shape shape = edge.shape();
  shape[axis] = count;
  return broadcast_to(edge, shape, s);
}

array pad_edge(const array& a, int axis, ShapeElem low, ShapeElem high, const Stream& s) {
  return concatenate(
      {repeated_edge(a, axis, 0, low, s), a, repeated_edge(a, axis, a.shape(axis) - 1, high, s)},
      axis, s);
}

// `skip` elements at each edge, 1 for reflect and 0 for symmetric, are not
// mirrored with the rest.
array pad_mirrored(const array& a, int axis, ShapeElem low, ShapeElem high, ShapeElem skip,
                   const Stream& s) {
  const ShapeElem n = a.shape(axis);
  const ShapeElem reach = n - skip;  // as far as one reflection gets
  if (reach == 0) {
    return pad_edge(a, axis, low, high, s);
  }
  if (low <= reach && high <= reach) {
    return concatenate({flip(slice_axis(a, axis, skip, skip + low, s), axis, s), a,
                        flip(slice_axis(a, axis, n - skip - high, n - skip, s), axis, s)},
                       axis, s);
  }
  // Reflections of reflections: the result is periodic, a period being the
  // array and its mirror image. Cut it out of repeated periods.
  const array period =
      concatenate({a, flip(slice_axis(a, axis, skip, n - skip, s), axis, s)}, axis, s);
  const ShapeElem length = period.shape(axis);
  const ShapeElem start = (length - low % length) % length;
  const ShapeElem total = checked_add(checked_add(low, n, "[pad]"), high, "[pad]");
  Shape reps(a.ndim(), 1);
  reps[axis] = checked_add(start, total, "[pad]") / length + 1;
  return slice_axis(tile_shape(period, std::move(reps), s), axis, start, start + total, s);
}

}  // namespace

array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size,
          const Shape& high_pad_size, const array& pad_value, const std::string& mode,
          StreamOrDevice s) {
  const char* tag = "[pad]";
  const PadMode kind = parse_pad_mode(mode);
  if (axes.size() != low_pad_size.size() || axes.size() != high_pad_size.size()) {
    fail(tag, " one width per axis is needed: got ", low_pad_size, " and ", high_pad_size,
         " for axes ", axes);
  }
  const Stream stream = to_stream(s);
  const int ndim = ndim_of(a);
  std::vector<int> front;
  Shape shape = a.shape();
  bool nothing = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = normalize_axis_index(axes[i], ndim, "[pad] ");
    const ShapeElem low = low_pad_size[i];
    const ShapeElem high = high_pad_size[i];
    if (low < 0 || high < 0) {
      fail(tag, " widths must not be negative: got ", low_pad_size, " and ", high_pad_size);
    }
    if (shape[axis] == 0 && low + high > 0 &&
        (kind == PadMode::reflect || kind == PadMode::symmetric)) {
      fail(tag, " axis ", axis, " is empty: there is nothing to mirror");
    }
    front.push_back(axis);
    shape[axis] = checked_add(checked_add(shape[axis], low, tag), high, tag);
    nothing &= low == 0 && high == 0;
  }
  normalize_axes(front, ndim, tag);  // rejects repeated axes
  if (nothing) {
    return a;
  }
  if (kind == PadMode::constant || (kind == PadMode::edge && a.size() == 0)) {
    if (pad_value.size() != 1) {
      fail(tag, " the pad value must be a single number: got shape ", pad_value.shape());
    }
    const array value = kind == PadMode::constant
                            ? reshape(astype(pad_value, a.dtype(), stream), {}, stream)
                            : array(0, a.dtype());
    return make_array(std::move(shape), a.dtype(),
                      std::make_shared<Pad>(stream, std::move(front), low_pad_size, high_pad_size),
                      a, value);
  }
  array out = a;
  for (size_t i = 0; i < front.size(); ++i) {
    const ShapeElem low = low_pad_size[i];
    const ShapeElem high = high_pad_size[i];
    if (low == 0 && high == 0) {
      continue;
    }
    out = kind == PadMode::edge
              ? pad_edge(out, front[i], low, high, stream)
              : pad_mirrored(out, front[i], low, high, kind == PadMode::reflect ? 1 : 0, stream);
  }
  return out;
}

array pad(const array& a, const std::vector<std::pair<int, int>>& pad_width, const array& pad_value,
          const std::string& mode, StreamOrDevice s) {
  if (pad_width.size() != a.ndim()) {
    fail("[pad] one pair of widths per axis is needed: got ", pad_width.size(),
         " for an array with ", a.ndim(), " dimensions");
  }
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  Shape low;
  Shape high;
  for (const auto& [before, after] : pad_width) {
    low.push_back(before);
    high.push_back(after);
  }
  return pad(a, axes, low, high, pad_value, mode, s);
}

array pad(const array& a, const std::pair<int, int>& pad_width, const array& pad_value,
          const std::string& mode, StreamOrDevice s) {
  return pad(a, std::vector<std::pair<int, int>>(a.ndim(), pad_width), pad_value, mode, s);
}

array pad(const array& a, int pad_width, const array& pad_value, const std::string& mode,
          StreamOrDevice s) {
  return pad(a, std::pair<int, int>{pad_width, pad_width}, pad_value, mode, s);
}

}  // namespace mlx::core
