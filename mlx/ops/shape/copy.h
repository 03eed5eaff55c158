// Copies between strided layouts. Knows bytes, not dtypes; conversions are the
// elementwise engine's work.
#pragma once

#include "mlx/array.h"

namespace mlx::core {

/// Copies the elements of `src` to `dst`, both of the given shape, with strides
/// in elements of `itemsize` (1, 2, 4 or 8) bytes. The elements of `dst` are
/// distinct; the two do not overlap. Runs on the thread pool.
void copy_strided(void* dst, const Strides& dst_strides, const void* src,
                  const Strides& src_strides, const Shape& shape, size_t itemsize);

/// Gives `out` a row-major buffer and copies `in`, which has as many elements.
void copy_to_row_major(const array& in, array& out);

}  // namespace mlx::core
