// Tracing internals that bindings and extensions use.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/core/tracing.h"

namespace mlx::core::detail {

/// Runs `fun` on placeholders without the mapped axes; returns the placeholders
/// and the outputs.
MLX_API std::pair<std::vector<array>, std::vector<array>> vmap_trace(
    const std::function<std::vector<array>(const std::vector<array>&)>& fun,
    const std::vector<array>& inputs, const std::vector<int>& in_axes);

/// Rebuilds a traced graph with batched inputs; -1 among the axes: not mapped.
MLX_API std::vector<array> vmap_replace(const std::vector<array>& inputs,
                                        const std::vector<array>& s_inputs,
                                        const std::vector<array>& s_outputs,
                                        const std::vector<int>& in_axes,
                                        const std::vector<int>& out_axes);

}  // namespace mlx::core::detail
