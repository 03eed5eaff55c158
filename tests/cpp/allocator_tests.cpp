// Buffers, size classes, the cache of freed blocks, counters and limits.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "mlx/allocator.h"
#include "mlx/core/allocator_classes.h"
#include "mlx/core/scheduling.h"
#include "mlx/memory.h"
#include "mlx/stream.h"

using namespace mlx::core;
using allocator::Buffer;

namespace {

struct CacheLimit {
  explicit CacheLimit(size_t limit) : before(set_cache_limit(limit)) {}
  ~CacheLimit() { set_cache_limit(before); }
  size_t before;
};

size_t capacity_of(Buffer buffer) {
  return allocator::allocator().size(buffer);
}

}  // namespace

TEST_CASE("size classes hold their sizes and grow by at most a quarter above 64 KB") {
  CHECK(size_class(0) == 64);
  CHECK(size_class(64) == 64);
  CHECK(size_class(65) == 128);
  CHECK(size_class(6000) == 8192);
  CHECK(size_class(65536) == 65536);
  CHECK(size_class(65537) == 81920);
  CHECK(size_class(size_t{3} << 20) == size_t{3} << 20);
  size_t previous = 0;
  for (int i = 0; i < kSizeClasses; ++i) {
    const size_t capacity = size_class_capacity(i);
    CHECK(capacity > previous);
    CHECK(size_class_index(capacity) == i);
    CHECK(size_class_index(previous + 1) == i);
    if (previous >= 65536) {
      CHECK(capacity - previous <= previous / 4);
    }
    previous = capacity;
  }
  CHECK(previous == kLargestRequest);
}

TEST_CASE("blocks are aligned, writable and know their capacity") {
  for (size_t size :
       {size_t{0}, size_t{1}, size_t{64}, size_t{100}, size_t{5000}, size_t{16384}, size_t{20000},
        size_t{70000}, size_t{1000000}, size_t{1} << 21, size_t{5000000}, size_t{1} << 26}) {
    CAPTURE(size);
    Buffer buffer = allocator::malloc(size);
    REQUIRE(buffer.raw_ptr() != nullptr);
    const auto address = reinterpret_cast<uintptr_t>(buffer.raw_ptr());
    CHECK(address % (size >= size_t{2} << 20 ? size_t{2} << 20 : 64) == 0);
    CHECK(capacity_of(buffer) == size_class(size));
    std::memset(buffer.raw_ptr(), 1, capacity_of(buffer));
    allocator::free(buffer);
  }
}

TEST_CASE("null buffers, foreign memory and impossible buffers") {
  allocator::free(Buffer{nullptr});
  CHECK(Buffer{nullptr}.raw_ptr() == nullptr);
  alignas(16) char foreign[64];
  CHECK(capacity_of(Buffer{foreign}) == 0);
  CHECK_THROWS_AS(allocator::free(Buffer{foreign}), std::invalid_argument);
  CHECK(allocator::make_buffer(foreign, 64).raw_ptr() == foreign);
  CHECK(allocator::make_buffer(foreign + 1, 63).raw_ptr() == nullptr);
  CHECK(allocator::can_reuse_alien_buffer(foreign));
}

TEST_CASE("a freed block is reused with its capacity") {
  clear_cache();
  CHECK(get_cache_memory() == 0);
  const size_t active = get_active_memory();
  Buffer buffer = allocator::malloc(8192);
  void* address = buffer.raw_ptr();
  CHECK(get_active_memory() == active + 8192);
  allocator::free(buffer);
  CHECK(get_active_memory() == active);
  CHECK(get_cache_memory() == 8192);
  Buffer again = allocator::malloc(6000);
  CHECK(again.raw_ptr() == address);
  CHECK(capacity_of(again) >= 8192);
  CHECK(get_cache_memory() == 0);
  CHECK(get_active_memory() == active + 8192);
  allocator::free(again);
  CHECK(get_cache_memory() == 8192);
  clear_cache();
  CHECK(get_cache_memory() == 0);
}

TEST_CASE("peak memory follows active memory until it is reset") {
  Buffer large = allocator::malloc(10 << 20);
  const size_t with_large = get_active_memory();
  CHECK(get_peak_memory() >= with_large);
  allocator::free(large);
  CHECK(get_peak_memory() >= with_large);
  reset_peak_memory();
  CHECK(get_peak_memory() == 0);
  Buffer small = allocator::malloc(100);
  CHECK(get_peak_memory() == get_active_memory());
  allocator::free(small);
}

TEST_CASE("the cache keeps to its limit and drops the oldest blocks") {
  clear_cache();
  {
    CacheLimit limit(3 << 20);
    Buffer first = allocator::malloc(1 << 20);
    Buffer second = allocator::malloc(1 << 19);
    Buffer third = allocator::malloc(2 << 20);
    void* kept[] = {second.raw_ptr(), third.raw_ptr()};
    allocator::free(first);
    allocator::free(second);
    CHECK(get_cache_memory() == (1 << 20) + (1 << 19));
    allocator::free(third);
    CHECK(get_cache_memory() == (1 << 19) + (2 << 20));
    second = allocator::malloc(1 << 19);
    third = allocator::malloc(2 << 20);
    CHECK(second.raw_ptr() == kept[0]);
    CHECK(third.raw_ptr() == kept[1]);
    allocator::free(second);
    allocator::free(third);
    CHECK(set_cache_limit(1 << 20) == 3 << 20);
    CHECK(get_cache_memory() <= 1 << 20);
    CHECK(set_cache_limit(0) == 1 << 20);
    CHECK(get_cache_memory() == 0);
    Buffer uncached = allocator::malloc(5000);
    allocator::free(uncached);
    CHECK(get_cache_memory() == 0);
  }
  clear_cache();
}

TEST_CASE("limits return their previous values") {
  const size_t before = get_memory_limit();
  CHECK(before > 0);
  CHECK(set_memory_limit(12345) == before);
  CHECK(get_memory_limit() == 12345);
  Buffer buffer = allocator::malloc(1 << 20);  // a guideline, not a cap
  CHECK(buffer.raw_ptr() != nullptr);
  allocator::free(buffer);
  CHECK(set_memory_limit(before) == 12345);
  CHECK(set_wired_limit(1 << 20) == 0);
}

TEST_CASE("a request beyond the memory of the machine throws at once") {
  const auto start = std::chrono::steady_clock::now();
  const size_t active = get_active_memory();
  for (size_t size : {size_t{200} << 30 << 6, size_t{1} << 47, size_t{1} << 60, SIZE_MAX}) {
    std::string message;
    try {
      allocator::malloc(size);
    } catch (const std::bad_alloc& error) {
      message = error.what();
    }
    CHECK(message.find("[malloc] cannot allocate " + std::to_string(size) + " bytes") == 0);
  }
  CHECK(get_active_memory() == active);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
  Buffer buffer = allocator::malloc(100);
  CHECK(buffer.raw_ptr() != nullptr);
  allocator::free(buffer);
}

TEST_CASE("clear_cache waits for running tasks") {
  const Stream stream = new_stream(Device::cpu);
  std::atomic<bool> release{false}, cleared{false};
  detail::enqueue(stream, [&] {
    while (!release) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  allocator::free(allocator::malloc(1000));
  std::thread clearer([&] {
    clear_cache();
    cleared = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK_FALSE(cleared);
  release = true;
  clearer.join();
  CHECK(cleared);
  CHECK(get_cache_memory() == 0);
}

TEST_CASE("one large block after the other comes from the cache") {
  for (int i = 0; i < 100; ++i) {
    Buffer buffer = allocator::malloc(size_t{1} << 30);
    REQUIRE(buffer.raw_ptr() != nullptr);
    allocator::free(buffer);
  }
  clear_cache();
}

TEST_CASE("random traffic from several threads keeps blocks apart and counters exact") {
  clear_cache();
  const size_t active = get_active_memory();
  constexpr int kThreads = 4;
  std::vector<std::vector<Buffer>> leftovers(kThreads);
  std::vector<std::thread> threads;
  std::vector<int> damaged(kThreads, 0);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      std::vector<Buffer> live;
      auto check_and_free = [&](Buffer buffer) {
        const auto* bytes = static_cast<unsigned char*>(buffer.raw_ptr());
        damaged[t] += bytes[0] != t || bytes[capacity_of(buffer) - 1] != t;
        allocator::free(buffer);
      };
      for (int i = 0; i < 4000; ++i) {
        if (live.size() < 50 || random() % 2) {
          Buffer buffer = allocator::malloc(random() % (size_t{1} << (random() % 23)));
          auto* bytes = static_cast<unsigned char*>(buffer.raw_ptr());
          bytes[0] = bytes[capacity_of(buffer) - 1] = static_cast<unsigned char>(t);
          live.push_back(buffer);
        } else {
          std::swap(live[random() % live.size()], live.back());
          check_and_free(live.back());
          live.pop_back();
        }
        if (i % 1000 == 999) {
          clear_cache();
        }
      }
      leftovers[t] = std::move(live);
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  CHECK(damaged == std::vector<int>(kThreads, 0));
  size_t held = 0;
  for (auto& live : leftovers) {
    for (Buffer buffer : live) {
      held += capacity_of(buffer);
    }
  }
  CHECK(get_active_memory() == active + held);
  const size_t cached = get_cache_memory();
  for (auto& live : leftovers) {
    for (Buffer buffer : live) {
      allocator::free(buffer);
    }
  }
  CHECK(get_active_memory() == active);
  CHECK(get_cache_memory() == cached + held);
  clear_cache();
  CHECK(get_cache_memory() == 0);
}

TEST_CASE("small blocks given back to the system can be had again") {
  clear_cache();
  for (int round = 0; round < 3; ++round) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 20000; ++i) {
      buffers.push_back(allocator::malloc(64 + i % 300));
      std::memset(buffers.back().raw_ptr(), i, 64);
    }
    for (size_t i = 0; i < buffers.size(); i += 2) {  // every other: no span becomes empty
      allocator::free(buffers[i]);
    }
    clear_cache();
    for (size_t i = 0; i < buffers.size(); i += 2) {
      buffers[i] = allocator::malloc(64 + i % 300);
      std::memset(buffers[i].raw_ptr(), static_cast<int>(i), 64);
    }
    int damaged = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      damaged += static_cast<unsigned char*>(buffers[i].raw_ptr())[63] != (i & 0xff);
      allocator::free(buffers[i]);
    }
    CHECK(damaged == 0);
    clear_cache();
  }
}

TEST_CASE("a forked child allocates while another thread of the parent does") {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      allocator::free(allocator::malloc(100000));
      clear_cache();
    }
  });
  int failures = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      Buffer buffer = allocator::malloc(100000);
      std::memset(buffer.raw_ptr(), 1, 100000);
      allocator::free(buffer);
      _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  stop = true;
  busy.join();
  CHECK(failures == 0);
}
