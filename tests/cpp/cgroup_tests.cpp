// Limits of control groups, read from imitations of /proc and /sys.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "mlx/core/cgroup.h"

namespace fs = std::filesystem;
using mlx::core::Cgroups;

namespace {

class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (fs::temp_directory_path() / "cgroupXXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~FakeRoot() { fs::remove_all(path_); }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("cgroup version 2: the tightest ancestor counts") {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("proc/self/mountinfo",
             "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  root.write("sys/fs/cgroup/a/b/memory.max", "1000000\n");
  root.write("sys/fs/cgroup/a/b/memory.current", "400000\n");
  root.write("sys/fs/cgroup/a/b/memory.stat", "anon 300000\ninactive_file 100000\n");
  root.write("sys/fs/cgroup/a/memory.max", "max\n");
  Cgroups groups(root.path());
  REQUIRE(groups.cpu_quota());
  CHECK(*groups.cpu_quota() == doctest::Approx(1.5));
  REQUIRE(groups.memory());
  CHECK(groups.memory()->limit == 1000000);
  CHECK(groups.memory()->available == 700000);
}

TEST_CASE("cgroup version 1, mounted as a container sees it") {
  FakeRoot root;
  root.write("proc/self/cgroup", "4:memory:/docker/x\n1:cpu,cpuacct:/docker/x\n0::/\n");
  root.write("proc/self/mountinfo",
             "32 31 0:29 /docker/x /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "35 31 0:32 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000000\n");
  root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "500000\n");
  Cgroups groups(root.path());
  REQUIRE(groups.cpu_quota());
  CHECK(*groups.cpu_quota() == doctest::Approx(4));
  REQUIRE(groups.memory());
  CHECK(groups.memory()->available == 1500000);
}

TEST_CASE("cgroups without limits, or none at all, limit nothing") {
  FakeRoot root;
  CHECK_FALSE(Cgroups(root.path()).cpu_quota());
  CHECK_FALSE(Cgroups(root.path()).memory());
  root.write("proc/self/cgroup", "4:memory:/\n1:cpu:/\n");
  root.write("proc/self/mountinfo",
             "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
             "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK_FALSE(Cgroups(root.path()).cpu_quota());
  CHECK_FALSE(Cgroups(root.path()).memory());
}
