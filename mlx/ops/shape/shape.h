// Functions on shapes: reshaping, permuting, broadcasting, slicing, joining,
// padding. Results are views where strides allow. Axes count from the end when
// negative. Throws std::invalid_argument unless a comment says otherwise.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

// Identities.

MLX_API array copy(array a, StreamOrDevice s = {});
/// Identity with zero derivative.
MLX_API array stop_gradient(const array& a, StreamOrDevice s = {});
/// `inputs`, computed only after `dependencies`.
MLX_API std::vector<array> depends(const std::vector<array>& inputs,
                                   const std::vector<array>& dependencies);
/// Row-major in memory, or column-major where allowed.
MLX_API array contiguous(const array& a, bool allow_col_major = false, StreamOrDevice s = {});
/// The bits as elements of `dtype`; the last axis scales by the ratio of sizes.
MLX_API array view(const array& a, const Dtype& dtype, StreamOrDevice s = {});
/// Reads the row-major elements of `a` with the given strides and offset, all in
/// elements, which must stay inside the array.
MLX_API array as_strided(array a, Shape shape, Strides strides, size_t offset,
                         StreamOrDevice s = {});

// Reshaping.

/// One dimension may be -1: it is inferred.
MLX_API array reshape(const array& a, Shape shape, StreamOrDevice s = {});
/// Merges the axes from start to end, both included, clamped to the array's.
MLX_API array flatten(const array& a, int start_axis, int end_axis = -1, StreamOrDevice s = {});
MLX_API array flatten(const array& a, StreamOrDevice s = {});
/// Replaces an axis by several; one dimension may be -1.
MLX_API array unflatten(const array& a, int axis, Shape shape, StreamOrDevice s = {});
MLX_API array squeeze(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
MLX_API array squeeze(const array& a, int axis, StreamOrDevice s = {});
/// Every axis of size 1.
MLX_API array squeeze(const array& a, StreamOrDevice s = {});
/// Axes are those of the result.
MLX_API array expand_dims(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
MLX_API array expand_dims(const array& a, int axis, StreamOrDevice s = {});
MLX_API array atleast_1d(const array& a, StreamOrDevice s = {});
MLX_API std::vector<array> atleast_1d(const std::vector<array>& a, StreamOrDevice s = {});
MLX_API array atleast_2d(const array& a, StreamOrDevice s = {});
MLX_API std::vector<array> atleast_2d(const std::vector<array>& a, StreamOrDevice s = {});
MLX_API array atleast_3d(const array& a, StreamOrDevice s = {});
MLX_API std::vector<array> atleast_3d(const std::vector<array>& a, StreamOrDevice s = {});
/// The product of the sizes of `axes`, or its reciprocal, as a 0-d array.
MLX_API array number_of_elements(const array& a, std::vector<int> axes, bool inverted,
                                 Dtype dtype = int32, StreamOrDevice s = {});

// Permuting. moveaxis and swapaxes throw std::out_of_range for bad axes.

MLX_API array transpose(const array& a, std::vector<int> axes, StreamOrDevice s = {});
inline array transpose(const array& a, std::initializer_list<int> axes, StreamOrDevice s = {}) {
  return transpose(a, std::vector<int>(axes), s);
}
/// Reverses all axes.
MLX_API array transpose(const array& a, StreamOrDevice s = {});
MLX_API array swapaxes(const array& a, int axis1, int axis2, StreamOrDevice s = {});
MLX_API array moveaxis(const array& a, int source, int destination, StreamOrDevice s = {});
MLX_API array flip(const array& a, const std::vector<int>& axes, StreamOrDevice s = {});
MLX_API array flip(const array& a, int axis, StreamOrDevice s = {});
MLX_API array flip(const array& a, StreamOrDevice s = {});

// Broadcasting.

MLX_API array broadcast_to(const array& a, const Shape& shape, StreamOrDevice s = {});
MLX_API std::vector<array> broadcast_arrays(const std::vector<array>& inputs,
                                            StreamOrDevice s = {});
/// Broadcasts all axes but `ignore_axes`, negative numbers; for products of
/// matrices and the like.
std::vector<array> broadcast_arrays(const std::vector<array>& inputs,
                                    const std::vector<int>& ignore_axes, const Stream& s);

// Slicing.

/// NumPy's a[start:stop:strides]; indices count from the end when negative and
/// are clipped.
MLX_API array slice(const array& a, Shape start, Shape stop, Shape strides, StreamOrDevice s = {});
// Keeps slice(x, {0}, {4}, {2}) apart from the overload with run-time starts.
inline array slice(const array& a, std::initializer_list<int> start, Shape stop, Shape strides,
                   StreamOrDevice s = {}) {
  return slice(a, Shape(start), std::move(stop), std::move(strides), s);
}
MLX_API array slice(const array& a, Shape start, Shape stop, StreamOrDevice s = {});
/// Starts known at run time only, one per axis; `slice_size` has an entry for
/// every dimension. std::out_of_range at evaluation for a start that does not fit.
MLX_API array slice(const array& a, const array& start, std::vector<int> axes, Shape slice_size,
                    StreamOrDevice s = {});

/// `src` with a slice replaced; `update` broadcasts to the slice.
MLX_API array slice_update(const array& src, const array& update, Shape start, Shape stop,
                           Shape strides, StreamOrDevice s = {});
MLX_API array slice_update(const array& src, const array& update, Shape start, Shape stop,
                           StreamOrDevice s = {});
MLX_API array slice_update(const array& src, const array& update, const array& start,
                           std::vector<int> axes, StreamOrDevice s = {});
// Keeps slice_update(x, y, {0}, {2}) apart from the overload with run-time starts.
inline array slice_update(const array& src, const array& update, std::initializer_list<int> start,
                          Shape stop, StreamOrDevice s = {}) {
  return slice_update(src, update, Shape(start), std::move(stop), s);
}
// `src` with a slice combined with `update`.
MLX_API array slice_update_add(const array& src, const array& update, Shape start, Shape stop,
                               Shape strides, StreamOrDevice s = {});
MLX_API array slice_update_add(const array& src, const array& update, Shape start, Shape stop,
                               StreamOrDevice s = {});
MLX_API array slice_update_prod(const array& src, const array& update, Shape start, Shape stop,
                                Shape strides, StreamOrDevice s = {});
MLX_API array slice_update_prod(const array& src, const array& update, Shape start, Shape stop,
                                StreamOrDevice s = {});
MLX_API array slice_update_max(const array& src, const array& update, Shape start, Shape stop,
                               Shape strides, StreamOrDevice s = {});
MLX_API array slice_update_max(const array& src, const array& update, Shape start, Shape stop,
                               StreamOrDevice s = {});
MLX_API array slice_update_min(const array& src, const array& update, Shape start, Shape stop,
                               Shape strides, StreamOrDevice s = {});
MLX_API array slice_update_min(const array& src, const array& update, Shape start, Shape stop,
                               StreamOrDevice s = {});

/// Equal parts.
MLX_API std::vector<array> split(const array& a, int num_splits, int axis, StreamOrDevice s = {});
MLX_API std::vector<array> split(const array& a, int num_splits, StreamOrDevice s = {});
/// Parts between the cut points.
MLX_API std::vector<array> split(const array& a, const Shape& indices, int axis,
                                 StreamOrDevice s = {});
MLX_API std::vector<array> split(const array& a, const Shape& indices, StreamOrDevice s = {});
/// The sub-arrays along an axis, without it.
MLX_API std::vector<array> unstack(const array& a, int axis, StreamOrDevice s = {});
MLX_API std::vector<array> unstack(const array& a, StreamOrDevice s = {});
/// The diagonal becomes the last axis. std::out_of_range for bad axes.
MLX_API array diagonal(const array& a, int offset = 0, int axis1 = 0, int axis2 = 1,
                       StreamOrDevice s = {});
MLX_API array trace(const array& a, int offset, int axis1, int axis2, Dtype dtype,
                    StreamOrDevice s = {});
MLX_API array trace(const array& a, int offset, int axis1, int axis2, StreamOrDevice s = {});
MLX_API array trace(const array& a, StreamOrDevice s = {});

// Joining.

MLX_API array concatenate(std::vector<array> arrays, int axis, StreamOrDevice s = {});
/// Flattens every array first.
MLX_API array concatenate(std::vector<array> arrays, StreamOrDevice s = {});
MLX_API array stack(const std::vector<array>& arrays, int axis, StreamOrDevice s = {});
MLX_API array stack(const std::vector<array>& arrays, StreamOrDevice s = {});

// Repeating and moving.

MLX_API array repeat(const array& arr, int64_t repeats, int axis, StreamOrDevice s = {});
/// On the flattened array.
MLX_API array repeat(const array& arr, int64_t repeats, StreamOrDevice s = {});
MLX_API array tile(const array& arr, std::vector<int> reps, StreamOrDevice s = {});
/// tile for counts beyond int.
MLX_API array tile_shape(const array& arr, Shape reps, StreamOrDevice s = {});
/// Without an axis the array is rolled as if it were flat.
MLX_API array roll(const array& a, int64_t shift, StreamOrDevice s = {});
MLX_API array roll(const array& a, const Shape& shift, StreamOrDevice s = {});
MLX_API array roll(const array& a, int64_t shift, int axis, StreamOrDevice s = {});
MLX_API array roll(const array& a, int64_t shift, const std::vector<int>& axes,
                   StreamOrDevice s = {});
MLX_API array roll(const array& a, const Shape& shift, int axis, StreamOrDevice s = {});
MLX_API array roll(const array& a, const Shape& shift, const std::vector<int>& axes,
                   StreamOrDevice s = {});

// Padding. Modes: constant, edge, reflect (the edge is not repeated), symmetric.

MLX_API array pad(const array& a, const std::vector<int>& axes, const Shape& low_pad_size,
                  const Shape& high_pad_size, const array& pad_value = array(0),
                  const std::string& mode = "constant", StreamOrDevice s = {});
/// One (before, after) pair per axis.
MLX_API array pad(const array& a, const std::vector<std::pair<int, int>>& pad_width,
                  const array& pad_value = array(0), const std::string& mode = "constant",
                  StreamOrDevice s = {});
/// The same pair for every axis.
MLX_API array pad(const array& a, const std::pair<int, int>& pad_width,
                  const array& pad_value = array(0), const std::string& mode = "constant",
                  StreamOrDevice s = {});
MLX_API array pad(const array& a, int pad_width, const array& pad_value = array(0),
                  const std::string& mode = "constant", StreamOrDevice s = {});

}  // namespace mlx::core
