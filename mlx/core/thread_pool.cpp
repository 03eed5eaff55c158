// The process-wide thread pool: one region at a time, chunks claimed by
// compare-and-swap, the caller takes part and waits only for claimed chunks.
// Workers spin briefly after work, then sleep on a futex.
#include "mlx/core/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "mlx/core/cgroup.h"
#include "mlx/core/fork.h"
#include "mlx/core/futex.h"
#include "mlx/core/settings.h"

namespace mlx::core {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr int kMaxThreads = 1024;
// Work, in nanoseconds, from which a region is worth sharing.
constexpr double kHotWork = 2e3;
constexpr double kColdWork = 100e3;
constexpr double kCrowdedWork = 2e6;
constexpr double kChunkWork = 1e3;
constexpr auto kSpin = microseconds(50);
// Evidence that other threads want our CPUs: the scheduler gave the CPU of one of
// ours to somebody else for a while, which shows as a gap in its spinning ...
constexpr auto kPreemptionGap = microseconds(25);
// ... or as a worker that is this much later than its chunk explains. When the
// time lost that way passes kTolerableLoss, nobody spins for a while. A share of
// 1 / kToleratedShare is forgotten: interrupts, short visits and the time that a
// hypervisor takes cost less than running serially.
constexpr auto kLateWorker = microseconds(200);
constexpr auto kTolerableLoss = std::chrono::milliseconds(3);
constexpr int kToleratedShare = 10;
constexpr auto kCrowdedPeriod = std::chrono::milliseconds(20);

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// True in workers and in a caller that runs a parallel region.
constinit thread_local bool in_region = false;

// The state of the current region in one word, so that a claim needs nothing
// else: generation (40 bits), next chunk (12), number of chunks (12).
struct Ticket {
  static constexpr int kBits = 12;
  static constexpr uint64_t kMaxChunks = (uint64_t{1} << kBits) - 1;
  static constexpr uint64_t kOneClaim = uint64_t{1} << kBits;

  static uint64_t make(uint64_t generation, uint64_t chunks) {
    return generation << (2 * kBits) | chunks;
  }
  static uint64_t next(uint64_t ticket) { return ticket >> kBits & kMaxChunks; }
  static uint64_t chunks(uint64_t ticket) { return ticket & kMaxChunks; }
  static bool has_work(uint64_t ticket) { return next(ticket) < chunks(ticket); }
};

class Pool {
 public:
  // The caller must hold the region (try_enter).
  void run(int64_t count, int64_t chunk_size, uint64_t chunks, int wake,
           FunctionRef<void(int64_t, int64_t)> body);

  bool try_enter() { return !busy_.exchange(true, std::memory_order_acquire); }
  void leave() { busy_.store(false, std::memory_order_release); }

  /// Brings the number of workers to `threads - 1`; the region is held.
  void resize(int threads);
  int workers() const { return static_cast<int>(workers_.size()); }
  int awake() const { return workers() - sleepers_.load(std::memory_order_relaxed); }
  void wake(int count);
  void stop();

  /// Whether a region with this much work should wake the workers: because it
  /// pays by itself, or because much like it ran serially lately.
  bool worth_waking(double nanoseconds);

  Pool* of_parent_process = nullptr;  // keeps it reachable for leak checkers

 private:
  struct Job {
    int64_t count;
    int64_t chunk_size;
    const FunctionRef<void(int64_t, int64_t)>* body;
  };

  static void* worker_main(void* pool);
  uint32_t participate();
  void run_chunk(uint64_t index);
  bool spin_for_work();
  void sleep();
  bool crowded(Clock::time_point now) const {
    return now.time_since_epoch().count() < crowded_until_.load(std::memory_order_relaxed);
  }
  void note_lost_time(Clock::time_point now, Clock::duration lost);
  void wait_for(uint32_t finished, Clock::time_point start, uint32_t own);

  static constexpr uint32_t kCallerSleeps = uint32_t{1} << 31;

  alignas(64) std::atomic<uint64_t> ticket_{0};
  // Chunks finished by workers, and whether the caller sleeps on it.
  alignas(64) std::atomic<uint32_t> finished_{0};
  // Written by the caller before the ticket opens the region, read by others
  // only between a claim and the report of its end.
  alignas(64) Job job_{};
  std::atomic<uint64_t> lowest_failure_{Ticket::kMaxChunks};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;

  alignas(64) std::atomic<bool> busy_{false};
  uint64_t generation_ = 0;
  std::vector<pthread_t> workers_;
  double missed_ = 0;
  Clock::time_point missed_at_{};

  alignas(64) std::atomic<uint32_t> wake_epoch_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<Clock::rep> crowded_until_{0};
  std::mutex crowd_mutex_;  // guards what follows
  Clock::duration crowded_period_{};
  Clock::duration lost_time_{};
  Clock::time_point lost_time_noted_{};
};

void Pool::run(int64_t count, int64_t chunk_size, uint64_t chunks, int wake_count,
               FunctionRef<void(int64_t, int64_t)> body) {
  job_ = {count, chunk_size, &body};
  finished_.store(0, std::memory_order_relaxed);
  ticket_.store(Ticket::make(++generation_, chunks), std::memory_order_release);
  if (wake_count > 0) {
    wake(wake_count);
  }
  in_region = true;
  const Clock::time_point start = Clock::now();
  const uint32_t own = participate();
  if (own < chunks) {
    wait_for(static_cast<uint32_t>(chunks) - own, start, own);
  }
  in_region = false;
  if (lowest_failure_.load(std::memory_order_relaxed) != Ticket::kMaxChunks) [[unlikely]] {
    std::exception_ptr failure = std::move(failure_);
    failure_ = nullptr;
    lowest_failure_.store(Ticket::kMaxChunks, std::memory_order_relaxed);
    leave();
    std::rethrow_exception(std::move(failure));
  }
  leave();
}

// Claims and runs chunks until none is left; returns how many.
uint32_t Pool::participate() {
  uint32_t done = 0;
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  while (Ticket::has_work(ticket)) {
    if (ticket_.compare_exchange_weak(ticket, ticket + Ticket::kOneClaim, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
      run_chunk(Ticket::next(ticket));
      ++done;
      ticket = ticket_.load(std::memory_order_acquire);
      // A region with an unreported chunk cannot end, so this is still the same.
    }
  }
  return done;
}

void Pool::run_chunk(uint64_t index) {
  // Chunks above a failed one are skipped, as a serial loop would.
  if (index > lowest_failure_.load(std::memory_order_relaxed)) [[unlikely]] {
    return;
  }
  const int64_t begin = static_cast<int64_t>(index) * job_.chunk_size;
  const int64_t end = job_.count - begin > job_.chunk_size ? begin + job_.chunk_size : job_.count;
  try {
    (*job_.body)(begin, end);
  } catch (...) {
    std::lock_guard lock(failure_mutex_);
    if (index < lowest_failure_.load(std::memory_order_relaxed)) {
      lowest_failure_.store(index, std::memory_order_relaxed);
      failure_ = std::current_exception();
    }
  }
}

// Waits for the chunks that workers have claimed. How long the caller's own took
// since `start` tells when a worker must have lost its CPU.
void Pool::wait_for(uint32_t finished, Clock::time_point start, uint32_t own) {
  const auto complete = [&](uint32_t value) { return (value & ~kCallerSleeps) == finished; };
  for (int i = 0; i < 32; ++i) {
    if (complete(finished_.load(std::memory_order_acquire))) {
      return;
    }
    pause();
  }
  const Clock::time_point waiting = Clock::now();
  const auto chunk_time = (waiting - start) / std::max(own, uint32_t{1});
  const auto limit = crowded(waiting) ? Clock::duration(microseconds(2)) : Clock::duration(kSpin);
  Clock::time_point now = waiting;
  for (; now - waiting < limit; now = Clock::now()) {
    for (int i = 0; i < 16; ++i) {
      if (complete(finished_.load(std::memory_order_acquire))) {
        return;
      }
      pause();
    }
  }
  finished_.fetch_or(kCallerSleeps, std::memory_order_relaxed);
  for (;;) {
    const uint32_t value = finished_.load(std::memory_order_acquire);
    if (complete(value)) {
      break;
    }
    futex_wait(finished_, value);
  }
  now = Clock::now();
  if (now - waiting > kLateWorker + 4 * chunk_time) {
    note_lost_time(now, now - waiting - chunk_time);
  }
}

void* Pool::worker_main(void* argument) {
  auto& pool = *static_cast<Pool*>(argument);
  in_region = true;
  for (;;) {
    if (const uint32_t done = pool.participate()) {
      const uint32_t before = pool.finished_.fetch_add(done, std::memory_order_acq_rel);
      if (before & kCallerSleeps) {
        futex_wake(pool.finished_, 1);
      }
    }
    if (pool.stopping_.load(std::memory_order_acquire)) {
      return nullptr;
    }
    if (!pool.spin_for_work()) {
      pool.sleep();
    }
  }
}

// The time this thread was ready to run but the scheduler preferred others, since
// the last look. Zero after a long pause, where one cannot tell.
Clock::duration time_lost(Clock::time_point now) {
  struct Look {
    long switches;
    Clock::time_point at;
    Clock::duration used;  // CPU time
  };
  thread_local Look last{};
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  const auto duration = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + microseconds(t.tv_usec);
  };
  const Look before = last;
  last = {usage.ru_nivcsw, now, duration(usage.ru_utime) + duration(usage.ru_stime)};
  if (last.switches == before.switches || now - before.at > kCrowdedPeriod / 2) {
    return Clock::duration::zero();
  }
  const Clock::duration used = last.used - before.used;
  return std::max(now - before.at - used, Clock::duration::zero());
}

// True when there is work, or none is to come.
bool Pool::spin_for_work() {
  const auto arrived = [&] {
    return Ticket::has_work(ticket_.load(std::memory_order_relaxed)) ||
           stopping_.load(std::memory_order_relaxed);
  };
  const Clock::time_point start = Clock::now();
  if (crowded(start)) {
    return arrived();
  }
  bool checked = false;
  for (Clock::time_point last = start;;) {
    for (int i = 0; i < 8; ++i) {
      if (arrived()) {
        return true;
      }
      pause();
    }
    const Clock::time_point now = Clock::now();
    const bool gap = now - last > kPreemptionGap;
    if (gap || (!checked && now - start > kSpin / 4)) {
      checked = true;
      note_lost_time(now, time_lost(now));
      if (crowded(now)) {
        return false;
      }
    }
    if (now - start > kSpin) {
      return false;
    }
    last = Clock::now();
  }
}

void Pool::sleep() {
  const uint32_t epoch = wake_epoch_.load(std::memory_order_acquire);
  sleepers_.fetch_add(1, std::memory_order_relaxed);
  if (!Ticket::has_work(ticket_.load(std::memory_order_acquire)) &&
      !stopping_.load(std::memory_order_acquire)) {
    futex_wait(wake_epoch_, epoch);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

void Pool::wake(int count) {
  wake_epoch_.fetch_add(1, std::memory_order_acq_rel);
  futex_wake(wake_epoch_, count);
}

void Pool::note_lost_time(Clock::time_point now, Clock::duration lost) {
  if (lost <= Clock::duration::zero()) {
    return;
  }
  std::lock_guard lock(crowd_mutex_);
  const Clock::duration until(crowded_until_.load(std::memory_order_relaxed));
  const Clock::duration time = now.time_since_epoch();
  if (time < until) {
    return;
  }
  const Clock::duration forgotten = (now - lost_time_noted_) / kToleratedShare;
  lost_time_ = std::max(lost_time_ - forgotten, Clock::duration::zero()) + lost;
  lost_time_noted_ = now;
  if (lost_time_ < kTolerableLoss) {
    return;
  }
  lost_time_ = Clock::duration::zero();
  // Evidence soon after the last period means that it was too short.
  const Clock::duration shortest = kCrowdedPeriod;
  crowded_period_ =
      time - until < 2 * crowded_period_ ? std::min(2 * crowded_period_, 32 * shortest) : shortest;
  crowded_until_.store((time + crowded_period_).count(), std::memory_order_relaxed);
}

bool Pool::worth_waking(double nanoseconds) {
  if (nanoseconds >= kCrowdedWork) {
    return true;
  }
  const Clock::time_point now = Clock::now();
  if (crowded(now)) {
    return false;  // a woken worker would wait for a CPU, and the caller for the worker
  }
  if (nanoseconds >= kColdWork) {
    return true;
  }
  if (awake() > 0) {
    return false;
  }
  if (now - missed_at_ > std::chrono::nanoseconds(static_cast<int64_t>(2 * kColdWork))) {
    missed_ = 0;
  }
  missed_ += nanoseconds;
  missed_at_ = now;
  if (missed_ < kColdWork) {
    return false;
  }
  missed_ = 0;
  return true;
}

void Pool::stop() {
  stopping_.store(true, std::memory_order_release);
  wake(std::numeric_limits<int>::max());
  for (pthread_t worker : workers_) {
    pthread_join(worker, nullptr);
  }
  workers_.clear();
  stopping_.store(false, std::memory_order_relaxed);
}

void Pool::resize(int threads) {
  const int wanted = threads - 1;
  if (workers() == wanted) [[likely]] {
    return;
  }
  if (workers() > wanted) {
    stop();
  }
  workers_.reserve(wanted);
  // Signals are for the threads of the program, not for ours.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (workers() < wanted) {
    pthread_t worker;
    if (pthread_create(&worker, nullptr, worker_main, this) != 0) {
      break;  // the system gives no more threads: fewer will do
    }
    pthread_setname_np(worker, "mlx-worker");
    workers_.push_back(worker);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// The pool is made on first use and never destroyed: threads of the program may
// still use it while static objects are destroyed. In a forked child it is
// replaced, because its workers are not there.
constinit std::atomic<Pool*> current_pool{nullptr};
constinit Pool* pool_of_parent_process = nullptr;
constinit std::atomic<int> requested_threads{0};  // 0: not yet known
constinit std::atomic<bool> at_exit{false};

constexpr ForkHandlers kForkHandlers = {
    nullptr,
    nullptr,
    [] { pool_of_parent_process = current_pool.exchange(nullptr, std::memory_order_relaxed); },
};
[[maybe_unused]] const bool fork_handled = set_fork_handlers(ForkLevel::pool, kForkHandlers);

// Between exit() and the end of the process everything runs serially.
void join_workers() {
  at_exit.store(true, std::memory_order_relaxed);
  Pool* pool = current_pool.load(std::memory_order_acquire);
  if (pool == nullptr || in_region) {
    return;
  }
  while (!pool->try_enter()) {
    usleep(50);
  }
  pool->stop();  // the region stays taken: whoever comes now finds it busy
}

// Registered early, so that it runs late: after the streams have been drained.
[[maybe_unused]] const bool joins_at_exit = std::atexit(join_workers) == 0;

Pool& pool() {
  Pool* pool = current_pool.load(std::memory_order_acquire);
  if (pool == nullptr) [[unlikely]] {
    auto* fresh = new Pool;
    fresh->of_parent_process = pool_of_parent_process;
    if (current_pool.compare_exchange_strong(pool, fresh, std::memory_order_acq_rel)) {
      return *fresh;
    }
    delete fresh;
  }
  return *pool;
}

// 0 when no setting limits the threads.
int thread_limit_from_settings() {
  const auto threads = settings::value<settings::Name::num_threads>();
  return static_cast<int>(std::min<int64_t>(threads.value_or(0), kMaxThreads));
}

int initial_threads() {
  const int setting = thread_limit_from_settings();
  return std::clamp(setting > 0 ? setting : available_cpus(), 1, kMaxThreads);
}

}  // namespace

int available_cpus() {
  int cpus = 0;
  for (int size = 1024; size <= 1 << 20 && cpus == 0; size *= 2) {
    cpu_set_t* set = CPU_ALLOC(size);
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(size), set) == 0) {
      cpus = CPU_COUNT_S(CPU_ALLOC_SIZE(size), set);
    }
    CPU_FREE(set);
  }
  if (cpus == 0) {
    cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  }
  if (const auto quota = Cgroups().cpu_quota()) {
    cpus = std::min(cpus, static_cast<int>(std::ceil(*quota)));
  }
  return std::max(cpus, 1);
}

int num_threads() {
  int threads = requested_threads.load(std::memory_order_relaxed);
  if (threads == 0) [[unlikely]] {
    const int initial = initial_threads();
    if (requested_threads.compare_exchange_strong(threads, initial, std::memory_order_relaxed)) {
      threads = initial;
    }
  }
  return threads;
}

int set_num_threads(int threads) {
  const int before = num_threads();
  requested_threads.store(std::clamp(threads, 1, kMaxThreads), std::memory_order_relaxed);
  return before;  // the pool adapts at the next region
}

void wake_workers() {
  const int threads = num_threads();
  if (threads == 1 || in_region || at_exit.load(std::memory_order_relaxed)) {
    return;
  }
  Pool& workers = pool();
  if (workers.try_enter()) {
    workers.resize(threads);
    const int asleep = workers.workers() - workers.awake();
    if (asleep > 0) {
      workers.wake(asleep);
    }
    workers.leave();
  }
}

void parallel_for(int64_t count, double nanoseconds_per_item,
                  FunctionRef<void(int64_t begin, int64_t end)> body, int64_t alignment) {
  if (count <= 0) {
    return;
  }
  alignment = std::max<int64_t>(alignment, 1);
  const double work = static_cast<double>(count) * nanoseconds_per_item;
  // `!(>=)` also sends NaN the serial way.
  if (!(work >= kHotWork) || count <= alignment || in_region) {
    return body(0, count);
  }
  const int threads = num_threads();
  if (threads == 1 || at_exit.load(std::memory_order_relaxed)) {
    return body(0, count);
  }
  Pool& shared = pool();
  if (!shared.try_enter()) {
    return body(0, count);
  }
  if (shared.workers() > threads - 1) [[unlikely]] {
    shared.resize(threads);  // the number was lowered
  }
  // Workers that sleep, or were never started, cost more to get than those awake.
  int helpers = std::min(shared.awake(), threads - 1);
  int wake = 0;
  if (helpers < threads - 1 && (helpers == 0 || work >= kColdWork) && shared.worth_waking(work)) {
    shared.resize(threads);
    wake = shared.workers() - shared.awake();
    helpers = shared.workers();
  }
  if (helpers == 0) {
    shared.leave();
    return body(0, count);
  }
  // Few chunks for short work, more for long work, where a thread that loses
  // its CPU should not hold everybody up.
  const double per_thread = work < kColdWork ? 2 : work < 20 * kColdWork ? 4 : 8;
  const double wanted = std::min(
      {(helpers + 1) * per_thread, work / kChunkWork, static_cast<double>(Ticket::kMaxChunks)});
  const int64_t units = (count - 1) / alignment + 1;
  const int64_t pieces = std::min(units, static_cast<int64_t>(wanted));
  const int64_t chunk_size = ((units - 1) / pieces + 1) * alignment;
  const auto chunks = static_cast<uint64_t>((count - 1) / chunk_size + 1);
  shared.run(count, chunk_size, chunks, wake, body);
}

}  // namespace mlx::core
