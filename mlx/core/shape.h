// Shape and Strides, and the arithmetic on them that must not overflow.
// Broadcasting and axis normalisation are in utils.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "mlx/api.h"
#include "mlx/small_vector.h"

namespace mlx::core {

using ShapeElem = int64_t;
using Shape = SmallVector<ShapeElem, 6>;
/// Strides are in elements.
using Strides = SmallVector<int64_t, 6>;

namespace detail {
/// Throws std::overflow_error naming `op` and the shape.
[[noreturn]] MLX_API void throw_shape_overflow(const Shape& shape, std::string_view op,
                                               const char* what);
}  // namespace detail

/// a * b; throws std::overflow_error naming `op` when it leaves int64.
inline int64_t checked_multiply(int64_t a, int64_t b, std::string_view op) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]] {
    detail::throw_shape_overflow({a, b}, op, "the product");
  }
  return product;
}

/// a + b; throws std::overflow_error naming `op` when it leaves int64.
inline int64_t checked_add(int64_t a, int64_t b, std::string_view op) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) [[unlikely]] {
    detail::throw_shape_overflow({a, b}, op, "the sum");
  }
  return sum;
}

/// Number of elements. A zero dimension makes it zero whatever the others are.
/// Throws std::overflow_error when it leaves int64. Dimensions are not negative.
inline int64_t checked_size(const Shape& shape, std::string_view op) {
  int64_t size = 1;
  bool overflow = false;
  for (ShapeElem dim : shape) {
    if (dim == 0) {
      return 0;
    }
    overflow |= __builtin_mul_overflow(size, dim, &size);
  }
  if (overflow) [[unlikely]] {
    detail::throw_shape_overflow(shape, op, "the number of elements");
  }
  return size;
}

/// Bytes of a dense array; throws std::overflow_error when they leave int64.
inline int64_t checked_nbytes(const Shape& shape, int64_t itemsize, std::string_view op) {
  int64_t bytes;
  if (__builtin_mul_overflow(checked_size(shape, op), itemsize, &bytes)) [[unlikely]] {
    detail::throw_shape_overflow(shape, op, "the number of bytes");
  }
  return bytes;
}

/// Strides of a dense row-major array: the products of the dimensions after each
/// one, zero included. The size of `shape`
/// is already checked.
inline Strides row_major_strides(const Shape& shape) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // Unsigned: with a zero dimension about, the product of the others may not fit.
    stride = static_cast<int64_t>(static_cast<uint64_t>(stride) *
                                  static_cast<uint64_t>(shape[i]));
  }
  return strides;
}

}  // namespace mlx::core
