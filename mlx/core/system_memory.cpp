// Reads /proc/meminfo and the control groups.
#include "mlx/core/system_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "mlx/core/cgroup.h"

namespace mlx::core {
namespace {

const Cgroups& cgroups() {
  static const Cgroups* groups = new Cgroups;  // never destroyed: used until the very end
  return *groups;
}

// 0 when the line is missing.
uint64_t meminfo(const std::string& wanted) {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kilobytes; file >> name >> kilobytes; std::getline(file, unit)) {
    if (name == wanted) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

}  // namespace

uint64_t total_memory() {
  static const uint64_t total = [] {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    uint64_t bytes =
        pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * page : uint64_t{8} << 30;
    if (const auto group = cgroups().memory()) {
      bytes = std::min(bytes, group->limit);
    }
    return bytes;
  }();
  return total;
}

uint64_t available_memory() {
  uint64_t bytes = meminfo("MemAvailable:");
  if (bytes == 0) {
    bytes = std::numeric_limits<uint64_t>::max();
  }
  if (const auto group = cgroups().memory()) {
    bytes = std::min(bytes, group->available);
  }
  return bytes;
}

}  // namespace mlx::core
