// What the control groups of this process (version 1 and 2) allow it: CPUs and
// memory. The machine's own figures are read where they are used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlx::core {

/// `limit` is the tightest limit on the path to the root, `available` what is
/// left below it or below any other, page cache that can be dropped included.
struct CgroupMemory {
  uint64_t limit;
  uint64_t available;
};

/// The groups of the current process, found once; the figures are read anew at
/// each call. `root` replaces the root of the file system (for tests).
class Cgroups {
 public:
  explicit Cgroups(const std::string& root = "");

  /// CPUs of time per second of the tightest quota; nothing when unlimited.
  std::optional<double> cpu_quota() const;
  std::optional<CgroupMemory> memory() const;

 private:
  struct Directory {
    std::string path;
    bool v2;
  };
  std::vector<Directory> cpu_;
  std::vector<Directory> memory_;
};

}  // namespace mlx::core
