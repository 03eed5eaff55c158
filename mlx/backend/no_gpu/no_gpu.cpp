// What builds without a GPU backend answer to questions about GPUs.
#include <stdexcept>

#include "mlx/backend/cuda/cuda.h"
#include "mlx/backend/gpu/device_info.h"
#include "mlx/backend/metal/metal.h"

namespace mlx::core {

namespace {

using DeviceInfo = std::unordered_map<std::string, std::variant<std::string, size_t>>;

const DeviceInfo& no_device() {
  static const DeviceInfo* none = new DeviceInfo;
  return *none;
}

}  // namespace

namespace gpu {
bool is_available() {
  return false;
}
int device_count() {
  return 0;
}
const DeviceInfo& device_info(int) {
  return no_device();
}
}  // namespace gpu

namespace cu {
bool is_available() {
  return false;
}
const DeviceInfo& device_info(int) {
  return no_device();
}
}  // namespace cu

namespace metal {
bool is_available() {
  return false;
}
void start_capture(std::string) {}
void stop_capture() {}
const DeviceInfo& device_info() {
  throw std::runtime_error("[metal::device_info] this build has no Metal backend");
}
void set_metallib_path(const std::string&) {}
const std::string& get_metallib_path() {
  throw std::runtime_error("[metal::get_metallib_path] this build has no Metal backend");
}
}  // namespace metal

}  // namespace mlx::core
