// Arithmetic of views: strides that show the elements of one array in another
// shape, and sharing a buffer under them.
#pragma once

#include <optional>

#include "mlx/array.h"

namespace mlx::core {

/// Strides under which an array of shape `from` has shape `to`, elements in
/// row-major order; none if that takes a copy.
std::optional<Strides> reshaped_strides(const Shape& from, const Strides& strides, const Shape& to);

/// Elements from the first to the last one that the strides reach, both included.
int64_t span_of(const Shape& shape, const Strides& strides);

/// `out` shows the buffer of `in` with other strides, `offset` elements further
/// on; flags and data size follow.
void share_view(const array& in, array& out, const Strides& strides, int64_t offset = 0);

}  // namespace mlx::core
