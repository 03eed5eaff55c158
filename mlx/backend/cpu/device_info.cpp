// The CPU as a device; the facts are collected in core/device.cpp.
#include "mlx/backend/cpu/device_info.h"

#include "mlx/device.h"

namespace mlx::core::cpu {

bool is_available() {
  return true;
}
int device_count() {
  return 1;
}

const std::unordered_map<std::string, std::variant<std::string, size_t>>& device_info(int) {
  return mlx::core::device_info(Device::cpu);
}

}  // namespace mlx::core::cpu
