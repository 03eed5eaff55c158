// Reads /proc/self/{cgroup,mountinfo} and the limit files below the mounts.
#include "mlx/core/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

namespace mlx::core {
namespace {

// Version 1 writes "no limit" as the largest multiple of the page size.
constexpr uint64_t kUnlimited = uint64_t{1} << 60;

std::optional<std::string> read_first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) {
    return std::nullopt;
  }
  return line;
}

std::optional<int64_t> read_integer(const std::string& path) {
  std::optional<std::string> line = read_first_line(path);
  int64_t value = 0;
  if (!line || !(std::istringstream(*line) >> value)) {
    return std::nullopt;  // "max" too
  }
  return value;
}

bool has_word(const std::string& list, std::string_view word) {
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    if (item == word) {
      return true;
    }
  }
  return false;
}

struct Mount {
  std::string root;   // the group that is mounted
  std::string point;  // where
  bool v2;
  std::string options;  // of version 1: its controllers
};

std::vector<Mount> read_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) {
      continue;
    }
    std::istringstream head(line.substr(0, dash));
    std::istringstream tail(line.substr(dash + 3));
    std::string skip, type, source, options;
    Mount mount;
    head >> skip >> skip >> skip >> mount.root >> mount.point;
    tail >> type >> source >> options;
    if (type == "cgroup" || type == "cgroup2") {
      mount.v2 = type == "cgroup2";
      mount.options = options;
      mounts.push_back(std::move(mount));
    }
  }
  return mounts;
}

}  // namespace

Cgroups::Cgroups(const std::string& root) {
  const std::vector<Mount> mounts = read_mounts(root);
  std::ifstream file(root + "/proc/self/cgroup");
  // One line per hierarchy: number:controllers:group; version 2 has no controllers.
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    const bool v2 = controllers.empty();
    for (std::string_view controller : {"cpu", "memory"}) {
      if (!v2 && !has_word(controllers, controller)) {
        continue;
      }
      const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const Mount& m) {
        return m.v2 == v2 && (v2 || has_word(m.options, controller));
      });
      if (mount == mounts.end()) {
        continue;
      }
      // In a container the mount may show only the subtree at `mount->root`.
      std::string below = group;
      if (mount->root != "/" && below.starts_with(mount->root)) {
        below.erase(0, mount->root.size());
      }
      auto& directories = controller == "cpu" ? cpu_ : memory_;
      for (;;) {
        while (!below.empty() && below.back() == '/') {
          below.pop_back();
        }
        directories.push_back({root + mount->point + below, v2});
        if (below.empty()) {
          break;
        }
        below.erase(below.rfind('/') == std::string::npos ? 0 : below.rfind('/'));
      }
    }
  }
}

std::optional<double> Cgroups::cpu_quota() const {
  std::optional<double> tightest;
  for (const Directory& directory : cpu_) {
    double quota = 0;
    double period = 0;
    if (directory.v2) {
      const auto line = read_first_line(directory.path + "/cpu.max");
      if (!line || !(std::istringstream(*line) >> quota >> period)) {
        continue;
      }
    } else {
      quota = static_cast<double>(read_integer(directory.path + "/cpu.cfs_quota_us").value_or(0));
      period = static_cast<double>(read_integer(directory.path + "/cpu.cfs_period_us").value_or(0));
    }
    if (quota > 0 && period > 0) {
      tightest = std::min(tightest.value_or(quota / period), quota / period);
    }
  }
  return tightest;
}

std::optional<CgroupMemory> Cgroups::memory() const {
  std::optional<CgroupMemory> result;
  for (const Directory& directory : memory_) {
    const char* limit_file = directory.v2 ? "/memory.max" : "/memory.limit_in_bytes";
    const char* usage_file = directory.v2 ? "/memory.current" : "/memory.usage_in_bytes";
    const auto limit = read_integer(directory.path + limit_file);
    if (!limit || *limit < 0 || static_cast<uint64_t>(*limit) >= kUnlimited) {
      continue;
    }
    uint64_t used = static_cast<uint64_t>(read_integer(directory.path + usage_file).value_or(0));
    // File pages that nobody uses right now go before anybody is killed.
    std::ifstream stat(directory.path + "/memory.stat");
    const std::string_view wanted = directory.v2 ? "inactive_file" : "total_inactive_file";
    std::string name;
    for (uint64_t value; stat >> name >> value;) {
      if (name == wanted) {
        used -= std::min(used, value);
      }
    }
    const auto bytes = static_cast<uint64_t>(*limit);
    const uint64_t available = bytes - std::min(bytes, used);
    if (!result) {
      result = CgroupMemory{bytes, available};
    }
    result->limit = std::min(result->limit, bytes);
    result->available = std::min(result->available, available);
  }
  return result;
}

}  // namespace mlx::core
