// Reading and writing elements at integer indices that are arrays. Indices are
// integers of any dtype; negative ones count from the end. One out of range
// throws IndexOutOfRange when the result is evaluated; bad axes, shapes and
// dtypes throw std::invalid_argument at once.
#pragma once

#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/ops/index/index_error.h"
#include "mlx/utils.h"

namespace mlx::core {

/// Slices of `a` of the given size. The indices broadcast against each other to
/// a shape B and say where on `axes` the slices begin. Shape: B + slice_sizes.
MLX_API array gather(const array& a, const std::vector<array>& indices,
                     const std::vector<int>& axes, const Shape& slice_sizes, StreamOrDevice s = {});
inline array gather(const array& a, const array& indices, int axis, const Shape& slice_sizes,
                    StreamOrDevice s = {}) {
  return gather(a, {indices}, std::vector<int>{axis}, slice_sizes, s);
}

/// `a` with `axis` replaced by the shape of the indices.
MLX_API array take(const array& a, const array& indices, int axis, StreamOrDevice s = {});
/// IndexOutOfRange at once.
MLX_API array take(const array& a, int index, int axis, StreamOrDevice s = {});
// From the flattened array.
MLX_API array take(const array& a, const array& indices, StreamOrDevice s = {});
MLX_API array take(const array& a, int index, StreamOrDevice s = {});

/// out[i, j, ...] = a[i, indices[i, j, ...], ...] with the index at `axis`; the
/// other axes broadcast.
MLX_API array take_along_axis(const array& a, const array& indices, int axis,
                              StreamOrDevice s = {});
/// The inverse: a copy of `a` with `values`, which broadcast to the indices. Of
/// equal indices the last one wins.
MLX_API array put_along_axis(const array& a, const array& indices, const array& values, int axis,
                             StreamOrDevice s = {});
/// As put_along_axis, but adds; equal indices accumulate in their order.
MLX_API array scatter_add_axis(const array& a, const array& indices, const array& values, int axis,
                               StreamOrDevice s = {});

// A copy of `a` in which slices are replaced by, or combined with, updates of
// shape B + slice_sizes: the places are those of gather(). Updates of the same
// place take effect in their order.
#define MLX_SCATTER(FUNCTION)                                                                     \
  MLX_API array FUNCTION(const array& a, const std::vector<array>& indices, const array& updates, \
                         const std::vector<int>& axes, StreamOrDevice s = {});                    \
  inline array FUNCTION(const array& a, const array& indices, const array& updates, int axis,     \
                        StreamOrDevice s = {}) {                                                  \
    return FUNCTION(a, {indices}, updates, std::vector<int>{axis}, s);                            \
  }
MLX_SCATTER(scatter)
MLX_SCATTER(scatter_add)
MLX_SCATTER(scatter_prod)
MLX_SCATTER(scatter_max)
MLX_SCATTER(scatter_min)
#undef MLX_SCATTER

}  // namespace mlx::core
