// The settings table: completeness, parse rules, errors, the listing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mlx/core/settings.h"
#include "mlx/ops.h"

using namespace mlx::core;
using settings::Name;

namespace {

// Sets a variable (or removes it, for nullptr) for the length of a scope. What
// earlier reads kept is dropped on both ends.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) {
      old_ = old;
    }
    set(value);
  }
  ~ScopedVariable() { set(old_ ? old_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
    settings::forget();
  }
  const char* name_;
  std::optional<std::string> old_;
};

// Every variable named by the reference page of environment variables.
const std::vector<std::string> kReferencePage = {
    "MLX_DISABLE_COMPILE",
    "MLX_ENABLE_TF32",
    "MLX_RANK",
    "JACCL_RANK",
    "MLX_HOSTFILE",
    "MLX_RING_VERBOSE",
    "MLX_IBV_DEVICES",
    "JACCL_IBV_DEVICES",
    "MLX_JACCL_COORDINATOR",
    "JACCL_COORDINATOR",
    "MLX_JACCL_RING",
    "JACCL_RING",
    "MLX_WORLD_SIZE",
    "MLX_NCCL_TIMEOUT",
    "MLX_MPI_LIBNAME",
    "NCCL_HOST_IP",
    "NCCL_PORT",
    "NCCL_DEBUG",
    "CUDA_VISIBLE_DEVICES",
    "MLX_METAL_FAST_SYNCH",
    "MLX_BFS_MAX_WIDTH",
    "MLX_MAX_OPS_PER_BUFFER",
    "MLX_MAX_MB_PER_BUFFER",
    "MLX_METAL_GPU_ARCH",
    "MLX_SDPA_BLOCKS",
    "MLX_USE_CUDA_GRAPHS",
    "MLX_SAVE_CUDA_GRAPHS_DOT_FILE",
    "MLX_PTX_CACHE_DIR",
    "MLX_CUDA_USE_CUDNN_SDPA",
    "MLX_CUDA_CONV_CACHE_SIZE",
    "MLX_CUDA_FFT_CACHE_SIZE",
    "MLX_CUDA_GRAPH_CACHE_SIZE",
    "MLX_CUDA_SDPA_CACHE_SIZE",
    "MLX_CUDA_SDPA_BACKWARD_CACHE_SIZE",
    "MLX_ENABLE_CACHE_THRASHING_CHECK",
    "CUDA_HOME",
    "CUDA_PATH",
};

std::set<std::string> known_names() {
  std::set<std::string> names;
  for (const auto& s : settings::kTable) {
    std::istringstream words(s.variables());
    for (std::string word; words >> word;) {
      names.insert(word);
    }
  }
  return names;
}

settings::Report line_of(const std::string& name) {
  for (const auto& line : settings::report()) {
    if (line.name == name) {
      return line;
    }
  }
  FAIL("no line for " << name);
  return {};
}

}  // namespace

TEST_CASE("settings: every name of the reference page has a row") {
  const auto known = known_names();
  for (const std::string& name : kReferencePage) {
    CAPTURE(name);
    CHECK(known.count(name) == 1);
  }
  for (const char* ours :
       {"MLX_NUM_THREADS", "MLX_CPU_TIER", "MLX_CPU_FUSION", "MLX_CACHE_LIMIT"}) {
    CHECK(known.count(ours) == 1);
  }
}

TEST_CASE("settings: rows are indexed by id, named once and described") {
  std::set<std::string_view> listed;
  for (size_t i = 0; i < std::size(settings::kTable); ++i) {
    const auto& s = settings::kTable[i];
    CHECK(static_cast<size_t>(s.id) == i);
    CHECK(listed.insert(s.name).second);
    CHECK(std::string_view(s.description).ends_with("."));
    CHECK(std::string_view(s.reader).size() > 0);
  }
}

TEST_CASE("settings: defaults of the reference page") {
  std::vector<ScopedVariable*> cleared;
  for (const std::string& name : kReferencePage) {
    cleared.push_back(new ScopedVariable(name.c_str(), nullptr));
  }
  CHECK(settings::value<Name::disable_compile>() == false);
  CHECK(settings::value<Name::enable_tf32>() == true);
  CHECK(settings::value<Name::bfs_max_width>() == 20);
  CHECK(settings::value<Name::rank>() == std::nullopt);
  CHECK(settings::value<Name::hostfile>() == std::nullopt);
  CHECK(settings::value<Name::nccl_timeout>() == 300000);
  CHECK(settings::value<Name::metal_fast_synch>() == false);
  CHECK(settings::value<Name::max_ops_per_buffer>() == std::nullopt);
  CHECK(settings::value<Name::use_cuda_graphs>() == true);
  CHECK(settings::value<Name::cuda_use_cudnn_sdpa>() == true);
  CHECK(settings::value<Name::cuda_conv_cache_size>() == 128);
  CHECK(settings::value<Name::cuda_fft_cache_size>() == 128);
  CHECK(settings::value<Name::cuda_graph_cache_size>() == 400);
  CHECK(settings::value<Name::cuda_sdpa_cache_size>() == 256);
  CHECK(settings::value<Name::cuda_sdpa_backward_cache_size>() == 64);
  CHECK(settings::value<Name::enable_cache_thrashing_check>() == true);
  CHECK(settings::value<Name::mpi_libname>().starts_with("libmpi."));
  for (auto* variable : cleared) {
    delete variable;
  }
}

TEST_CASE("settings: booleans") {
  struct Case {
    const char* text;
    bool expected;
  };
  for (const Case& c : std::initializer_list<Case>{{"0", false},
                                                   {"1", true},
                                                   {"2", true},
                                                   {"-1", true},
                                                   {" 1 ", true},
                                                   {"true", true},
                                                   {"FALSE", false},
                                                   {"On", true},
                                                   {"off", false},
                                                   {"yes", true},
                                                   {"no", false},
                                                   {"", true},
                                                   {"  ", true}}) {
    CAPTURE(c.text);
    ScopedVariable variable("MLX_ENABLE_TF32", c.text);
    CHECK(settings::value<Name::enable_tf32>() == c.expected);
  }
  ScopedVariable variable("MLX_ENABLE_TF32", "maybe");
  for (int use = 0; use < 2; ++use) {
    CHECK_THROWS_WITH_AS(settings::value<Name::enable_tf32>(),
                         "[settings] MLX_ENABLE_TF32 is \"maybe\": expected an integer (0 turns it "
                         "off) or one of true, false, on, off, yes, no",
                         std::invalid_argument);
  }
}

TEST_CASE("settings: integers") {
  {
    ScopedVariable variable("MLX_SDPA_BLOCKS", " +12 ");
    CHECK(settings::value<Name::sdpa_blocks>() == 12);
  }
  {
    ScopedVariable variable("MLX_SDPA_BLOCKS", "");
    CHECK(settings::value<Name::sdpa_blocks>() == 0);
  }
  for (const char* text : {"12x", "0x10", "true", "1.5", "--1", "+-1", "99999999999999999999"}) {
    CAPTURE(text);
    ScopedVariable variable("MLX_SDPA_BLOCKS", text);
    CHECK_THROWS_AS(settings::value<Name::sdpa_blocks>(), std::invalid_argument);
  }
  ScopedVariable variable("MLX_NUM_THREADS", "0");
  CHECK_THROWS_WITH_AS(settings::value<Name::num_threads>(),
                       "[settings] MLX_NUM_THREADS is \"0\": expected a decimal integer of at "
                       "least 1",
                       std::invalid_argument);
}

TEST_CASE("settings: presence counts, whatever the value") {
  for (const char* text : {"", "0", "1", "off"}) {
    ScopedVariable variable("MLX_RING_VERBOSE", text);
    CHECK(settings::value<Name::ring_verbose>());
  }
  ScopedVariable variable("MLX_RING_VERBOSE", nullptr);
  CHECK(!settings::value<Name::ring_verbose>());
}

TEST_CASE("settings: strings and choices") {
  {
    ScopedVariable variable("MLX_HOSTFILE", "");
    CHECK(settings::value<Name::hostfile>() == "");
  }
  {
    ScopedVariable variable("MLX_MPI_LIBNAME", "libmpi.so.40");
    CHECK(settings::value<Name::mpi_libname>() == "libmpi.so.40");
  }
  {
    ScopedVariable variable("MLX_CPU_TIER", "");
    CHECK(settings::value<Name::cpu_tier>() == std::nullopt);
  }
  ScopedVariable variable("MLX_CPU_TIER", "v5");
  CHECK_THROWS_WITH_AS(settings::value<Name::cpu_tier>(),
                       "[settings] MLX_CPU_TIER is \"v5\": expected one of v2, v3, v4, v4bf16",
                       std::invalid_argument);
}

TEST_CASE("settings: aliases by priority") {
  ScopedVariable rank("MLX_RANK", "3");
  CHECK(settings::value<Name::jaccl_rank>() == 3);
  ScopedVariable jaccl("JACCL_RANK", "5");
  CHECK(settings::value<Name::jaccl_rank>() == 5);
  CHECK(settings::value<Name::rank>() == 3);
  ScopedVariable devices("MLX_IBV_DEVICES", "a.json");
  ScopedVariable alias("JACCL_IBV_DEVICES", "b.json");
  CHECK(settings::value<Name::ibv_devices>() == "b.json");
}

TEST_CASE("settings: width limit of the tape") {
  struct Case {
    const char* text;
    int expected;
  };
  for (const Case& c : std::initializer_list<Case>{{"1", 1},
                                                   {"0", 1},
                                                   {"-1", std::numeric_limits<int>::max()},
                                                   {"99999999999", std::numeric_limits<int>::max()},
                                                   {"", 20},
                                                   {"7", 7}}) {
    ScopedVariable variable("MLX_BFS_MAX_WIDTH", c.text);
    CHECK(settings::bfs_max_width() == c.expected);
  }
}

TEST_CASE("settings: once is once, each is each") {
  ScopedVariable width("MLX_BFS_MAX_WIDTH", "5");
  ScopedVariable blocks("MLX_SDPA_BLOCKS", "5");
  CHECK(settings::bfs_max_width() == 5);
  CHECK(settings::value<Name::sdpa_blocks>() == 5);
  setenv("MLX_BFS_MAX_WIDTH", "6", 1);
  setenv("MLX_SDPA_BLOCKS", "6", 1);
  CHECK(settings::bfs_max_width() == 5);
  CHECK(settings::value<Name::sdpa_blocks>() == 6);
}

TEST_CASE("settings: concurrent first reads agree") {
  ScopedVariable timeout("MLX_NCCL_TIMEOUT", "17");
  std::vector<int64_t> seen(4);
  std::vector<std::thread> threads;
  for (auto& value : seen) {
    threads.emplace_back([&value] { value = settings::value<Name::nccl_timeout>(); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  CHECK(seen == std::vector<int64_t>(4, 17));
}

TEST_CASE("settings: malformed values raise at the first use of their subject") {
  const array x = ones({2, 2});
  {
    ScopedVariable variable("MLX_ENABLE_TF32", "maybe");
    CHECK_NOTHROW(add(x, x).eval());
    CHECK_NOTHROW(matmul(astype(x, float16), astype(x, float16)));
    CHECK_THROWS_AS(matmul(x, x), std::invalid_argument);
  }
  {
    ScopedVariable variable("MLX_BFS_MAX_WIDTH", "abc");
    array sum = add(x, multiply(x, x));
    CHECK_THROWS_WITH_AS(sum.eval(),
                         "[settings] MLX_BFS_MAX_WIDTH is \"abc\": expected a decimal integer",
                         std::invalid_argument);
  }
  CHECK_NOTHROW(matmul(x, x).eval());
}

TEST_CASE("settings: the listing") {
  ScopedVariable tf32("MLX_ENABLE_TF32", "off");
  ScopedVariable fusion("MLX_CPU_FUSION", "perhaps");
  ScopedVariable alias("JACCL_RING", "");
  ScopedVariable timeout("MLX_NCCL_TIMEOUT", nullptr);
  CHECK(line_of("MLX_ENABLE_TF32").value == "0");
  CHECK(line_of("MLX_ENABLE_TF32").source == "MLX_ENABLE_TF32");
  CHECK(line_of("MLX_ENABLE_TF32").effect == "used by matmul");
  CHECK(line_of("CUDA_VISIBLE_DEVICES").effect == "used by CUDA runtime");
  CHECK(line_of("MLX_CPU_FUSION").malformed);
  CHECK(line_of("MLX_CPU_FUSION").effect.find("perhaps") != std::string::npos);
  CHECK(line_of("MLX_JACCL_RING").value == "on");
  CHECK(line_of("MLX_JACCL_RING").source == "JACCL_RING");
  CHECK(line_of("MLX_NCCL_TIMEOUT").source == "default");
  CHECK(line_of("MLX_NCCL_TIMEOUT").value == "300000");
  CHECK(line_of("MLX_NCCL_TIMEOUT").effect == "declared; no effect in this build (NCCL)");
  CHECK(settings::report().size() == std::size(settings::kTable));
}

TEST_CASE("settings: unknown names get the nearest known one") {
  ScopedVariable typo("MLX_ENABLE_TF23", "1");
  const auto unknown = settings::unknown_variables();
  const auto it = std::find_if(unknown.begin(), unknown.end(),
                               [](const auto& u) { return u.name == "MLX_ENABLE_TF23"; });
  REQUIRE(it != unknown.end());
  CHECK(it->nearest == "MLX_ENABLE_TF32");
  for (const auto& u : unknown) {
    CHECK(known_names().count(u.name) == 0);
  }
}
