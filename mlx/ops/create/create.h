// Functions that make arrays from nothing or from a few numbers. Throws
// std::invalid_argument for negative sizes and the like.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

/// start, start + step, ... below stop. Element i is s + i * d where s is start
/// and d the first difference, both as the dtype holds them.
MLX_API array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s = {});
MLX_API array arange(double start, double stop, double step, StreamOrDevice s = {});
MLX_API array arange(double start, double stop, Dtype dtype, StreamOrDevice s = {});
MLX_API array arange(double start, double stop, StreamOrDevice s = {});
MLX_API array arange(double stop, Dtype dtype, StreamOrDevice s = {});
MLX_API array arange(double stop, StreamOrDevice s = {});
MLX_API array arange(int start, int stop, int step, StreamOrDevice s = {});
MLX_API array arange(int start, int stop, StreamOrDevice s = {});
MLX_API array arange(int stop, StreamOrDevice s = {});

/// `num` evenly spaced numbers; the first and, with `endpoint`, the last are exact.
MLX_API array linspace(double start, double stop, int64_t num, bool endpoint, Dtype dtype = float32,
                       StreamOrDevice s = {});
inline array linspace(double start, double stop, int64_t num = 50, Dtype dtype = float32,
                      StreamOrDevice s = {}) {
  return linspace(start, stop, num, true, dtype, s);
}

/// `vals` broadcast to `shape`.
MLX_API array full(Shape shape, array vals, Dtype dtype, StreamOrDevice s = {});
MLX_API array full(Shape shape, array vals, StreamOrDevice s = {});
template <typename T>
array full(Shape shape, T val, Dtype dtype, StreamOrDevice s = {}) {
  return full(std::move(shape), array(val, dtype), dtype, s);
}
template <typename T>
array full(Shape shape, T val, StreamOrDevice s = {}) {
  return full(std::move(shape), array(val), s);
}
MLX_API array full_like(const array& a, array vals, Dtype dtype, StreamOrDevice s = {});
MLX_API array full_like(const array& a, array vals, StreamOrDevice s = {});
template <typename T>
array full_like(const array& a, T val, Dtype dtype, StreamOrDevice s = {}) {
  return full_like(a, array(val, dtype), dtype, s);
}
template <typename T>
array full_like(const array& a, T val, StreamOrDevice s = {}) {
  return full_like(a, array(val, a.dtype()), a.dtype(), s);
}

MLX_API array zeros(const Shape& shape, Dtype dtype, StreamOrDevice s = {});
inline array zeros(const Shape& shape, StreamOrDevice s = {}) {
  return zeros(shape, float32, s);
}
MLX_API array zeros_like(const array& a, StreamOrDevice s = {});
MLX_API array zeros_like(const array& a, Dtype dtype, StreamOrDevice s = {});
MLX_API array ones(const Shape& shape, Dtype dtype, StreamOrDevice s = {});
inline array ones(const Shape& shape, StreamOrDevice s = {}) {
  return ones(shape, float32, s);
}
MLX_API array ones_like(const array& a, StreamOrDevice s = {});
MLX_API array ones_like(const array& a, Dtype dtype, StreamOrDevice s = {});

/// n rows, m columns, ones on the k-th diagonal.
MLX_API array eye(int64_t n, int64_t m, int64_t k, Dtype dtype, StreamOrDevice s = {});
inline array eye(int64_t n, Dtype dtype, StreamOrDevice s = {}) {
  return eye(n, n, 0, dtype, s);
}
inline array eye(int64_t n, int64_t m, StreamOrDevice s = {}) {
  return eye(n, m, 0, float32, s);
}
inline array eye(int64_t n, int64_t m, int64_t k, StreamOrDevice s = {}) {
  return eye(n, m, k, float32, s);
}
inline array eye(int64_t n, StreamOrDevice s = {}) {
  return eye(n, n, 0, float32, s);
}
MLX_API array identity(int64_t n, Dtype dtype, StreamOrDevice s = {});
inline array identity(int64_t n, StreamOrDevice s = {}) {
  return identity(n, float32, s);
}

/// Ones at and below the k-th diagonal; negative sizes count as 0.
MLX_API array tri(int64_t n, int64_t m, int64_t k, Dtype type, StreamOrDevice s = {});
inline array tri(int64_t n, Dtype type, StreamOrDevice s = {}) {
  return tri(n, n, 0, type, s);
}
/// The last two axes at and below (tril), at and above (triu) the k-th diagonal, zeros elsewhere.
MLX_API array tril(array x, int64_t k = 0, StreamOrDevice s = {});
MLX_API array triu(array x, int64_t k = 0, StreamOrDevice s = {});
/// 1-D: the matrix with that k-th diagonal. 2-D: its k-th diagonal.
MLX_API array diag(const array& a, int k = 0, StreamOrDevice s = {});
/// Coordinates of a grid; `indexing` is "xy" (first two axes swapped) or "ij".
MLX_API std::vector<array> meshgrid(const std::vector<array>& arrays, bool sparse = false,
                                    const std::string& indexing = "xy", StreamOrDevice s = {});

}  // namespace mlx::core
