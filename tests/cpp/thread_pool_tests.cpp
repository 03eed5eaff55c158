// parallel_for: coverage of the range, alignment, errors, nesting, callers that
// compete, forked children.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mlx/core/thread_pool.h"

using namespace mlx::core;

namespace {

constexpr double kHeavy = 1e6;  // nanoseconds per item: always worth sharing

struct ThreadCount {
  explicit ThreadCount(int threads) : before(set_num_threads(threads)) {}
  ~ThreadCount() { set_num_threads(before); }
  int before;
};

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

Ranges ranges_of(int64_t count, double cost, int64_t alignment) {
  std::mutex mutex;
  Ranges ranges;
  parallel_for(
      count, cost,
      [&](int64_t begin, int64_t end) {
        std::lock_guard lock(mutex);
        ranges.emplace_back(begin, end);
      },
      alignment);
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

}  // namespace

TEST_CASE("parallel_for covers the range once, with aligned boundaries") {
  ThreadCount threads(4);
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  for (int64_t count : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{7}, int64_t{64}, int64_t{1000},
                        int64_t{1} << 40, kHuge}) {
    for (double cost : {0.0, 1.0, 1e3, kHeavy, std::nan(""), -1.0}) {
      for (int64_t alignment : {int64_t{1}, int64_t{16}, int64_t{333}}) {
        CAPTURE(count);
        CAPTURE(cost);
        CAPTURE(alignment);
        const Ranges ranges = ranges_of(count, cost, alignment);
        int64_t next = 0;
        for (auto [begin, end] : ranges) {
          CHECK(begin == next);
          CHECK(begin % alignment == 0);
          CHECK(end > begin);
          next = end;
        }
        CHECK(next == count);
      }
    }
  }
}

TEST_CASE("parallel_for runs little work on the calling thread alone") {
  ThreadCount threads(4);
  CHECK(ranges_of(1000, 1.0, 1).size() == 1);
  CHECK(ranges_of(1000, kHeavy, 1).size() > 1);
  CHECK(ranges_of(1000, kHeavy, 1000).size() == 1);
}

TEST_CASE("parallel_for uses the workers") {
  ThreadCount threads(3);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  parallel_for(64, kHeavy, [&](int64_t, int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  CHECK(ids.size() > 1);
  CHECK(ids.size() <= 3);
  CHECK(ids.count(std::this_thread::get_id()) == 1);
}

TEST_CASE("parallel_for sums the same whatever the number of threads") {
  std::vector<int64_t> values(1 << 16);
  for (int threads : {1, 2, 5, 2, 1, 3}) {
    ThreadCount count(threads);
    CHECK(num_threads() == threads);
    for (int round = 0; round < 20; ++round) {
      std::fill(values.begin(), values.end(), 0);
      parallel_for(static_cast<int64_t>(values.size()), 100.0, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          values[i] += i;
        }
      });
      const auto n = static_cast<int64_t>(values.size());
      CHECK(std::accumulate(values.begin(), values.end(), int64_t{0}) == n * (n - 1) / 2);
    }
  }
}

TEST_CASE("parallel_for rethrows the exception of the lowest range") {
  ThreadCount threads(4);
  for (int round = 0; round < 50; ++round) {
    const int64_t first_bad = 100 + round * 13;
    std::string message;
    try {
      parallel_for(1000, kHeavy, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if (i >= first_bad && i % 3 == 0) {
            throw std::runtime_error(std::to_string(i));
          }
        }
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == std::to_string((first_bad + 2) / 3 * 3));
    int64_t total = 0;  // the pool works on
    std::mutex mutex;
    parallel_for(1000, kHeavy, [&](int64_t begin, int64_t end) {
      std::lock_guard lock(mutex);
      total += end - begin;
    });
    CHECK(total == 1000);
  }
}

TEST_CASE("a region inside another one runs serially") {
  ThreadCount threads(4);
  std::atomic<int64_t> total{0};
  std::atomic<int> split{0};
  parallel_for(16, kHeavy, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      parallel_for(100, kHeavy, [&](int64_t inner_begin, int64_t inner_end) {
        total += inner_end - inner_begin;
        split += inner_end - inner_begin != 100;
      });
    }
  });
  CHECK(total == 1600);
  CHECK(split == 0);
}

TEST_CASE("several threads may run regions at once") {
  ThreadCount threads(3);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        parallel_for(256, 1e4, [&](int64_t begin, int64_t end) { total += end - begin; });
        if (round % 50 == 0) {
          wake_workers();
        }
      }
    });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  CHECK(total == 4 * 200 * 256);
}

TEST_CASE("the number of threads may change while regions run") {
  ThreadCount threads(2);
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int n = 1; !stop; n = n % 4 + 1) {
      set_num_threads(n);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  int64_t wrong = 0;
  for (int round = 0; round < 300; ++round) {
    std::atomic<int64_t> total{0};
    parallel_for(128, 1e4, [&](int64_t begin, int64_t end) { total += end - begin; });
    wrong += total != 128;
  }
  stop = true;
  changer.join();
  CHECK(wrong == 0);
}

TEST_CASE("set_num_threads returns the previous number and never goes below one") {
  ThreadCount threads(3);
  CHECK(set_num_threads(-5) == 3);
  CHECK(num_threads() == 1);
  CHECK(set_num_threads(2) == 1);
  CHECK(available_cpus() >= 1);
}

#if defined(__SANITIZE_THREAD__)
constexpr bool kNoThreadsAfterFork = true;
#else
constexpr bool kNoThreadsAfterFork = false;
#endif

TEST_CASE("a forked child computes with a pool of its own (ThreadSanitizer forbids it)" *
          doctest::skip(kNoThreadsAfterFork)) {
  ThreadCount threads(3);
  std::atomic<int64_t> total{0};
  parallel_for(100, kHeavy, [&](int64_t begin, int64_t end) { total += end - begin; });
  REQUIRE(total == 100);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::atomic<int64_t> sum{0};
    std::atomic<int> workers{0};
    const auto parent_thread = std::this_thread::get_id();
    for (int round = 0; round < 10; ++round) {
      parallel_for(100, kHeavy, [&](int64_t begin, int64_t end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        workers += std::this_thread::get_id() != parent_thread;
        sum += end - begin;
      });
    }
    _exit(sum == 1000 && workers > 0 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  total = 0;
  parallel_for(100, kHeavy, [&](int64_t begin, int64_t end) { total += end - begin; });
  CHECK(total == 100);
}
