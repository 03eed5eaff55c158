// Reductions over axes. Throws std::out_of_range for a bad axis and
// std::invalid_argument for a repeated one.
#pragma once

#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

MLX_API array all(const array& a, bool keepdims, StreamOrDevice s = {});
inline array all(const array& a, StreamOrDevice s = {}) {
  return all(a, false, s);
}
MLX_API array all(const array& a, const std::vector<int>& axes, bool keepdims = false,
                  StreamOrDevice s = {});
MLX_API array all(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

MLX_API array sum(const array& a, bool keepdims, StreamOrDevice s = {});
inline array sum(const array& a, StreamOrDevice s = {}) {
  return sum(a, false, s);
}
MLX_API array sum(const array& a, const std::vector<int>& axes, bool keepdims = false,
                  StreamOrDevice s = {});
MLX_API array sum(const array& a, int axis, bool keepdims = false, StreamOrDevice s = {});

}  // namespace mlx::core
