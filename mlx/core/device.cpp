// The default device, and the facts about the CPU. What is known of GPUs comes
// from the backend.
#include "mlx/device.h"

#include <sys/utsname.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "mlx/backend/gpu/device_info.h"

namespace mlx::core {

namespace {

using DeviceInfo = std::unordered_map<std::string, std::variant<std::string, size_t>>;

// Devices that were ever the default one live for ever, so default_device() may
// return a reference while another thread changes the default.
const Device* intern(const Device& d) {
  static std::mutex* mutex = new std::mutex;
  static auto* devices = new std::map<std::pair<int, int>, Device>;
  std::lock_guard lock(*mutex);
  auto key = std::make_pair(static_cast<int>(d.type), d.index);
  return &devices->try_emplace(key, d).first->second;
}

std::atomic<const Device*>& default_device_slot() {
  static std::atomic<const Device*> slot{
      intern(Device(device_count(Device::gpu) > 0 ? Device::gpu : Device::cpu))};
  return slot;
}

std::string machine() {
  utsname names;
  return uname(&names) == 0 ? names.machine : "unknown";
}

// The processor's own name for itself; the machine type where it has none.
std::string cpu_brand() {
#if defined(__x86_64__)
  unsigned regs[12];
  if (__get_cpuid_max(0x80000000, nullptr) >= 0x80000004) {
    for (unsigned leaf = 0; leaf < 3; ++leaf) {
      unsigned* r = regs + 4 * leaf;
      __get_cpuid(0x80000002 + leaf, r, r + 1, r + 2, r + 3);
    }
    char text[sizeof(regs) + 1] = {};
    std::memcpy(text, regs, sizeof(regs));
    std::string brand = text;
    const auto first = brand.find_first_not_of(' ');
    const auto last = brand.find_last_not_of(' ');
    if (first != std::string::npos) {
      return brand.substr(first, last - first + 1);
    }
  }
#else
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.starts_with("model name") || line.starts_with("Model")) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) {
        return line.substr(colon + 2);
      }
    }
  }
#endif
  return machine();
}

}  // namespace

const Device& default_device() {
  return *default_device_slot().load(std::memory_order_acquire);
}

void set_default_device(const Device& d) {
  if (device_count(d.type) == 0) {
    throw std::invalid_argument(
        "[set_default_device] cannot make the gpu the default device: no GPU backend is available");
  }
  default_device_slot().store(intern(d), std::memory_order_release);
}

bool is_available(const Device& d) {
  return d.index >= 0 && d.index < device_count(d.type);
}

int device_count(Device::DeviceType type) {
  return type == Device::cpu ? 1 : gpu::device_count();
}

const DeviceInfo& device_info(const Device& d) {
  static const DeviceInfo* cpu =
      new DeviceInfo{{"device_name", cpu_brand()}, {"architecture", machine()}};
  return d.type == Device::cpu ? *cpu : gpu::device_info(d.index);
}

}  // namespace mlx::core
