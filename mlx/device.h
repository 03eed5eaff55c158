// Devices: their identity, the default device, and what is known about them.
#pragma once

#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>

#include "mlx/api.h"

namespace mlx::core {

struct MLX_API Device {
  enum class DeviceType { cpu, gpu };

  static constexpr DeviceType cpu = DeviceType::cpu;
  static constexpr DeviceType gpu = DeviceType::gpu;

  Device(DeviceType type, int index = 0) : type(type), index(index) {}

  DeviceType type;
  int index;

  bool operator==(const Device&) const = default;
  bool operator<(const Device& rhs) const {
    return std::tie(type, index) < std::tie(rhs.type, rhs.index);
  }
};

/// True for the device of that type with index 0.
inline bool operator==(const Device& device, Device::DeviceType type) {
  return device == Device(type);
}

/// Process-wide; starts as the GPU where one is available.
MLX_API const Device& default_device();

/// Throws std::invalid_argument for a GPU in a build or on a machine without one.
MLX_API void set_default_device(const Device& d);

/// Whether the device's type has a backend here and its index is below the count.
MLX_API bool is_available(const Device& d);

MLX_API int device_count(Device::DeviceType type);

/// Facts about a device; empty for a device that does not exist.
MLX_API const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info(
    const Device& d = default_device());

}  // namespace mlx::core
