// Reductions over axes: functions. Primitives are in primitives.h, kernels in
// kernels.h.
#pragma once

#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

// Each reduction comes in four forms: over everything, over everything with a
// choice of keepdims, over a list of axes and over one axis. An empty list
// reduces nothing. Axes out of range throw std::out_of_range, for mean, var and
// std std::invalid_argument; an axis given twice throws std::invalid_argument.
#define MLX_REDUCTION(name)                                                                    \
  MLX_API array name(const array& a, const std::vector<int>& axes, bool keepdims = false,      \
                     StreamOrDevice s = {});                                                   \
  MLX_API array name(const array& a, bool keepdims, StreamOrDevice s = {});                    \
  inline array name(const array& a, StreamOrDevice s = {}) { return name(a, false, s); }       \
  inline array name(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {}) {  \
    return name(a, std::vector<int>{axis}, keepdims, s);                                       \
  }

/// Whether all elements are nonzero (bool); true of none.
MLX_REDUCTION(all)
/// Whether any element is nonzero (bool); false of none.
MLX_REDUCTION(any)
/// Sum; bool and integers up to 32 bits give int32 or uint32, 16-bit floats accumulate in float32.
MLX_REDUCTION(sum)
/// Product, with the dtypes of sum.
MLX_REDUCTION(prod)
/// Largest element; NaN propagates. Throws std::invalid_argument over an axis of size 0.
MLX_REDUCTION(max)
/// Smallest element; NaN propagates. Throws std::invalid_argument over an axis of size 0.
MLX_REDUCTION(min)
/// Mean, at least float32 for integers; NaN of none.
MLX_REDUCTION(mean)
/// log(sum(exp(a))) without overflow. Throws std::invalid_argument for an empty array.
MLX_REDUCTION(logsumexp)
#undef MLX_REDUCTION

// The axis-less forms of count_nonzero have keepdims by default.
/// Number of nonzero elements (int32).
MLX_API array count_nonzero(const array& a, const std::vector<int>& axes, bool keepdims = false,
                            StreamOrDevice s = {});
MLX_API array count_nonzero(const array& a, bool keepdims = false, StreamOrDevice s = {});
inline array count_nonzero(const array& a, int axis, bool keepdims = false,
                           StreamOrDevice s = {}) {
  return count_nonzero(a, std::vector<int>{axis}, keepdims, s);
}

#define MLX_MOMENT(name)                                                                       \
  MLX_API array name(const array& a, const std::vector<int>& axes, bool keepdims = false,      \
                     int ddof = 0, StreamOrDevice s = {});                                     \
  MLX_API array name(const array& a, bool keepdims, int ddof = 0, StreamOrDevice s = {});      \
  inline array name(const array& a, StreamOrDevice s = {}) { return name(a, false, 0, s); }    \
  inline array name(const array& a, int axis, bool keepdims = false, int ddof = 0,             \
                    StreamOrDevice s = {}) {                                                   \
    return name(a, std::vector<int>{axis}, keepdims, ddof, s);                                 \
  }

/// Variance: sum |x - mean|^2 / max(N - ddof, 0); float32 of complex64.
MLX_MOMENT(var)
/// Square root of the variance.
MLX_MOMENT(std)
#undef MLX_MOMENT

#define MLX_ARG_REDUCTION(name)                                                                \
  MLX_API array name(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});  \
  MLX_API array name(const array& a, bool keepdims, StreamOrDevice s = {});                    \
  inline array name(const array& a, StreamOrDevice s = {}) { return name(a, false, s); }

/// Index (uint32) of the first largest element, or of the first NaN; over the
/// flattened array unless an axis is given.
MLX_ARG_REDUCTION(argmax)
/// Index (uint32) of the first smallest element, or of the first NaN.
MLX_ARG_REDUCTION(argmin)
#undef MLX_ARG_REDUCTION

/// exp(a) / sum(exp(a)) over axes jointly, shifted by the maximum. 16-bit floats
/// are computed in float32 throughout, whatever `precise` says.
MLX_API array softmax(const array& a, const std::vector<int>& axes, bool precise = false,
                      StreamOrDevice s = {});
MLX_API array softmax(const array& a, bool precise = false, StreamOrDevice s = {});
inline array softmax(const array& a, int axis, bool precise = false, StreamOrDevice s = {}) {
  return softmax(a, std::vector<int>{axis}, precise, s);
}

}  // namespace mlx::core
