// Einstein summation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

/// The order in which einsum contracts: positions of the operands of each step
/// (results go to the end of the list), and a report for people.
MLX_API std::pair<std::vector<std::vector<int>>, std::string> einsum_path(
    const std::string& subscripts, const std::vector<array>& operands);

/// Sums products of elements as `subscripts` says: one letter per axis, `...` for
/// any leading axes, terms separated by commas, the result after `->` (default:
/// the ellipsis, then the letters that occur once, sorted). Three and more
/// operands contract in pairs. Throws std::invalid_argument for malformed
/// subscripts and for sizes that do not fit.
MLX_API array einsum(const std::string& subscripts, const std::vector<array>& operands,
                     StreamOrDevice s = {});

}  // namespace mlx::core
