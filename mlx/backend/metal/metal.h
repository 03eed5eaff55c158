// Whether the Metal backend is in this build and finds a GPU; captures.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>

#include "mlx/api.h"

namespace mlx::core::metal {

MLX_API bool is_available();

/// Capture GPU work to a file; nothing happens where Metal is not available.
MLX_API void start_capture(std::string path = "");
MLX_API void stop_capture();

/// Facts about the Metal device; throws std::runtime_error without Metal.
MLX_API const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info();

MLX_API void set_metallib_path(const std::string& path);
/// Throws std::runtime_error without Metal.
MLX_API const std::string& get_metallib_path();

}  // namespace mlx::core::metal
