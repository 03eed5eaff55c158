// The CPU allocator: freed blocks are kept by size class and reused, under one
// lock that also guards the counters. Where blocks come from is page_source.cpp.
#include "mlx/allocator.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "mlx/core/allocator_classes.h"
#include "mlx/core/fork.h"
#include "mlx/core/page_source.h"
#include "mlx/core/poison.h"
#include "mlx/core/scheduling.h"
#include "mlx/core/settings.h"
#include "mlx/core/system_memory.h"
#include "mlx/memory.h"

namespace mlx::core {
namespace {

class AllocationError : public std::bad_alloc {
 public:
  explicit AllocationError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

// The critical sections are a few dozen instructions long.
class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) {
      for (int i = 0; held_.load(std::memory_order_relaxed); ++i) {
        if (i < 100) {
#if defined(__x86_64__)
          __builtin_ia32_pause();
#endif
        } else {
          sched_yield();  // the holder may have lost its CPU
        }
      }
    }
  }
  void unlock() {
    held_.store(false, std::memory_order_release);
  }

 private:
  std::atomic<bool> held_{false};
};

// The cached blocks of one class: reused from the young end, released from the
// old one. The blocks themselves are not touched.
class Bin {
 public:
  struct Entry {
    void* block;
    uint64_t freed_at;
  };

  bool empty() const { return count_ == 0; }
  const Entry& oldest() const { return entries_[first_ & mask_]; }

  void* take_youngest() {
    --count_;
    return entries_[(first_ + count_) & mask_].block;
  }
  void* take_oldest() {
    --count_;
    return entries_[first_++ & mask_].block;
  }
  // False when there is no memory for the entry.
  bool put(void* block, uint64_t now) {
    if (count_ > mask_ || entries_ == nullptr) [[unlikely]] {
      if (!grow()) {
        return false;
      }
    }
    entries_[(first_ + count_) & mask_] = {block, now};
    ++count_;
    return true;
  }

 private:
  bool grow() {
    const size_t capacity = entries_ ? 2 * (mask_ + 1) : 16;
    auto* entries = new (std::nothrow) Entry[capacity];
    if (entries == nullptr) {
      return false;
    }
    for (size_t i = 0; i < count_; ++i) {
      entries[i] = entries_[(first_ + i) & mask_];
    }
    delete[] entries_;
    entries_ = entries;
    mask_ = capacity - 1;
    first_ = 0;
    return true;
  }

  Entry* entries_ = nullptr;
  size_t mask_ = 0;
  size_t first_ = 0;
  size_t count_ = 0;
};

// A counter that is written under the lock and read without.
class Counter {
 public:
  size_t get() const { return value_.load(std::memory_order_relaxed); }
  void set(size_t value) { value_.store(value, std::memory_order_relaxed); }
  void add(size_t amount) { set(get() + amount); }
  void subtract(size_t amount) { set(get() - amount); }

 private:
  std::atomic<size_t> value_{0};
};

constexpr size_t kUnknown = std::numeric_limits<size_t>::max();

struct State {
  // Guards everything but the source.
  SpinLock lock;
  Counter active, peak, cached;
  uint64_t now = 0;
  Bin bins[kSizeClasses];
  PageSource::Run uncut[kPowerClasses] = {};  // small blocks that were never used

  std::atomic<size_t> cache_limit{kUnknown};
  std::atomic<size_t> memory_limit{kUnknown};

  // Guards the source and the estimate of what the system has left. Taken
  // before `lock`, never while holding it.
  std::mutex source_mutex;
  PageSource source;
  size_t headroom = 0;    // available memory when last looked at
  size_t handed_out = 0;  // since then
};

constinit State state;

constexpr ForkHandlers kForkHandlers = {
    [] {
      state.source_mutex.lock();
      state.lock.lock();
    },
    [] {
      state.lock.unlock();
      state.source_mutex.unlock();
    },
    [] {
      state.lock.unlock();
      state.source_mutex.unlock();
    },
};
[[maybe_unused]] const bool fork_handled = set_fork_handlers(ForkLevel::allocator, kForkHandlers);

size_t default_limit(std::atomic<size_t>& limit, size_t value) {
  size_t expected = kUnknown;
  return limit.compare_exchange_strong(expected, value) ? value : expected;
}

size_t memory_limit() {
  const size_t limit = state.memory_limit.load(std::memory_order_relaxed);
  return limit != kUnknown ? limit : default_limit(state.memory_limit, total_memory() / 10 * 8);
}

// Half of what is free at first use, so that two such processes fit.
size_t cache_limit() {
  const size_t limit = state.cache_limit.load(std::memory_order_relaxed);
  if (limit != kUnknown) [[likely]] {
    return limit;
  }
  const auto setting = settings::value<settings::Name::cache_limit>();
  const size_t value =
      setting ? static_cast<size_t>(*setting) : std::min(available_memory(), total_memory()) / 2;
  return default_limit(state.cache_limit, value);
}

// Releases the blocks that were cached first until at most `target` bytes stay.
void shrink_cache(size_t target) {
  for (;;) {
    std::array<std::pair<void*, int>, 32> victims;
    size_t count = 0;
    {
      std::lock_guard lock(state.lock);
      while (state.cached.get() > target && count < victims.size()) {
        int oldest = -1;
        for (int i = 0; i < kSizeClasses; ++i) {
          if (!state.bins[i].empty() && (oldest < 0 || state.bins[i].oldest().freed_at <
                                                           state.bins[oldest].oldest().freed_at)) {
            oldest = i;
          }
        }
        if (oldest < 0) {
          break;
        }
        victims[count++] = {state.bins[oldest].take_oldest(), oldest};
        state.cached.subtract(size_class_capacity(oldest));
      }
    }
    if (count == 0) {
      return;
    }
    std::lock_guard lock(state.source_mutex);
    for (size_t i = 0; i < count; ++i) {
      state.source.give_back(victims[i].first, victims[i].second);
    }
  }
}

// Whether the system has room for `size` more bytes, so that we fail here and
// not later, when the pages are touched. The source is locked.
bool admit(size_t size) {
  // What was handed out but not yet touched does not show in the available memory.
  if (size > total_memory() || state.active.get() + state.cached.get() > total_memory() - size) {
    return false;
  }
  if (state.handed_out + size > state.headroom / 8) {
    state.headroom = available_memory();
    state.handed_out = 0;
  }
  const size_t spare = std::min<size_t>(state.headroom / 32, size_t{256} << 20);
  if (size > state.headroom - spare) {
    return false;
  }
  state.handed_out += size;
  return true;
}

// Human-readable, in the units of the limits people set.
std::string gigabytes(size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f GB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

[[noreturn]] void refuse(size_t size) {
  throw AllocationError("[malloc] cannot allocate " + std::to_string(size) + " bytes (" +
                        gigabytes(size) + "): " + gigabytes(available_memory()) + " of " +
                        gigabytes(total_memory()) + " are available, arrays hold " +
                        gigabytes(state.active.get()));
}

void count_active(size_t capacity) {
  state.active.add(capacity);
  if (state.active.get() > state.peak.get()) {
    state.peak.set(state.active.get());
  }
}

// A block that no free one could serve; counted. Frees cached blocks of other
// classes when memory is short.
void* allocate_fresh(int size_class, size_t size) {
  const size_t capacity = size_class_capacity(size_class);
  cache_limit();  // an error in its setting must not wait for `free`
  const size_t held = state.active.get() + state.cached.get();
  if (held + capacity > memory_limit()) {
    const size_t excess = held + capacity - memory_limit();
    shrink_cache(state.cached.get() - std::min(state.cached.get(), excess));
  }
  for (int attempt = 0; attempt < 3; ++attempt) {
    {
      std::lock_guard source_lock(state.source_mutex);
      void* block = nullptr;
      if (!admit(std::max<size_t>(size, 4096))) {
        // nothing to be had
      } else if (PageSource::is_small(size_class)) {
        PageSource::Run run = state.source.take_small(size_class);
        block = run.begin;
        if (block != nullptr && run.begin + capacity < run.end) {
          std::lock_guard lock(state.lock);
          PageSource::Run& uncut = state.uncut[size_class];
          if (uncut.begin == uncut.end) {
            uncut = {run.begin + capacity, run.end};
            run.end = run.begin + capacity;
          }
        }
        // Another thread brought a run meanwhile.
        for (char* rest = run.begin + capacity; block != nullptr && rest < run.end;
             rest += capacity) {
          state.source.give_back(rest, size_class);
        }
      } else {
        block = state.source.take(size_class);
      }
      if (block != nullptr) {
        std::lock_guard lock(state.lock);
        count_active(capacity);
        return block;
      }
    }
    const size_t cached = state.cached.get();
    shrink_cache(attempt == 0 ? cached - std::min(cached, capacity) : 0);
  }
  refuse(size);
}

void* allocate(size_t size) {
  if (size > kLargestRequest) [[unlikely]] {
    refuse(size);
  }
  const int size_class = size_class_index(size);
  const size_t capacity = size_class_capacity(size_class);
  void* block = nullptr;
  state.lock.lock();
  if (Bin& bin = state.bins[size_class]; !bin.empty()) [[likely]] {
    block = bin.take_youngest();
    state.cached.subtract(capacity);
  } else if (size_class < kPowerClasses &&
             state.uncut[size_class].begin != state.uncut[size_class].end) {
    block = state.uncut[size_class].begin;
    state.uncut[size_class].begin += capacity;
  }
  if (block != nullptr) [[likely]] {
    count_active(capacity);
    state.lock.unlock();
    unpoison(block, capacity);
    return block;
  }
  state.lock.unlock();
  return allocate_fresh(size_class, size);
}

void deallocate(void* block) {
  if (block == nullptr) {
    return;
  }
  const int size_class = state.source.class_of(block);
  if (size_class < 0) [[unlikely]] {
    throw std::invalid_argument("[free] the buffer was not allocated by this allocator");
  }
  const size_t capacity = size_class_capacity(size_class);
  const size_t limit = cache_limit();
  bool cached = false;
  if (capacity <= limit) [[likely]] {
    poison(block, capacity);
    std::lock_guard lock(state.lock);
    state.active.subtract(capacity);
    cached = state.bins[size_class].put(block, ++state.now);
    if (cached) {
      state.cached.add(capacity);
    }
  } else {
    std::lock_guard lock(state.lock);
    state.active.subtract(capacity);
  }
  if (!cached) [[unlikely]] {
    std::lock_guard lock(state.source_mutex);
    state.source.give_back(block, size_class);
  } else if (state.cached.get() > limit) [[unlikely]] {
    shrink_cache(limit);
  }
}

class CpuAllocator final : public allocator::Allocator {
 public:
  allocator::Buffer malloc(size_t size) override { return allocator::Buffer{allocate(size)}; }
  void free(allocator::Buffer buffer) override { deallocate(buffer.ptr()); }
  size_t size(allocator::Buffer buffer) const override {
    const int size_class = state.source.class_of(buffer.ptr());
    return size_class < 0 ? 0 : size_class_capacity(size_class);
  }
  // Elements must be aligned; 16 bytes is what every malloc gives.
  allocator::Buffer make_buffer(void* ptr, size_t /* size */) override {
    return allocator::Buffer{reinterpret_cast<uintptr_t>(ptr) % 16 == 0 ? ptr : nullptr};
  }
};

}  // namespace

namespace allocator {

Allocator& allocator() {
  static CpuAllocator* instance = new CpuAllocator;  // never destroyed: arrays may outlive it
  return *instance;
}

bool can_reuse_alien_buffer(void* /* ptr */) {
  return true;
}

}  // namespace allocator

size_t get_active_memory() {
  return state.active.get();
}

size_t get_peak_memory() {
  return state.peak.get();
}

void reset_peak_memory() {
  std::lock_guard lock(state.lock);
  state.peak.set(0);
}

size_t get_cache_memory() {
  return state.cached.get();
}

size_t set_memory_limit(size_t limit) {
  const size_t before = memory_limit();
  state.memory_limit.store(std::min(limit, kUnknown - 1));
  return before;
}

size_t get_memory_limit() {
  return memory_limit();
}

size_t set_cache_limit(size_t limit) {
  detail::drain_streams();
  const size_t before = cache_limit();
  state.cache_limit.store(std::min(limit, kUnknown - 1));
  shrink_cache(limit);
  return before;
}

void clear_cache() {
  if (get_cache_memory() > 0) {
    detail::drain_streams();
  }
  shrink_cache(0);
}

size_t set_wired_limit(size_t /* limit */) {
  return 0;
}

}  // namespace mlx::core
