// The CPU as a device.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>

#include "mlx/api.h"

namespace mlx::core::cpu {

MLX_API bool is_available();
MLX_API int device_count();
/// Name and architecture.
MLX_API const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info(
    int device_index = 0);

}  // namespace mlx::core::cpu
