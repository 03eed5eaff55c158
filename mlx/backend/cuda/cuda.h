// Whether the CUDA backend is in this build and finds a GPU.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>

#include "mlx/api.h"

namespace mlx::core::cu {

MLX_API bool is_available();
/// Facts about a CUDA device; empty where there is none.
MLX_API const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info(
    int device_index = 0);

}  // namespace mlx::core::cu
