// Work on the CPU streams: each runs its tasks in order, on a thread of its own
// or on that of a blocking evaluation. The queues are in core/stream.cpp.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <queue>
#include <set>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "mlx/api.h"
#include "mlx/device.h"
#include "mlx/event.h"
#include "mlx/stream.h"
#include "mlx/utils.h"

namespace mlx::core::scheduler {

class MLX_API Scheduler {
 public:
  Scheduler();
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler(Scheduler&&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  Scheduler& operator=(Scheduler&&) = delete;

  /// Runs `task` on the stream after everything queued before it. What it throws
  /// becomes the stream's error, which synchronize() rethrows.
  void enqueue(Stream s, std::function<void()> task);
  /// Runs `task` on the stream; an error of the event becomes the stream's.
  void wait_event(Stream s, Event event, std::function<void(Event&)> task);
  /// Runs `task` on the stream; the stream's error is attached to the event.
  void signal_event(Stream s, Event event, std::function<void(Event&)> task);
  /// Rethrows the stream's error, once.
  void check_error(Stream s);

  void notify_new_task(const Stream& stream);
  void notify_task_completion(const Stream& stream);
  int n_active_tasks() const;
  /// Blocks until one of the tasks that are active now completes.
  void wait_for_one();

 private:
  mutable std::mutex mutex_;
  std::condition_variable completed_;
  int active_ = 0;
};

MLX_API Scheduler& scheduler();

template <typename F>
inline void enqueue(Stream s, F&& f) {
  scheduler().enqueue(s, std::forward<F>(f));
}
template <typename F>
inline void wait_event(Stream s, Event event, F&& f) {
  scheduler().wait_event(s, std::move(event), std::forward<F>(f));
}
template <typename F>
inline void signal_event(Stream s, Event event, F&& f) {
  scheduler().signal_event(s, std::move(event), std::forward<F>(f));
}
inline void check_error(Stream s) {
  scheduler().check_error(s);
}
inline int n_active_tasks() {
  return scheduler().n_active_tasks();
}
inline void notify_new_task(const Stream& stream) {
  scheduler().notify_new_task(stream);
}
inline void notify_task_completion(const Stream& stream) {
  scheduler().notify_task_completion(stream);
}
inline void wait_for_one() {
  scheduler().wait_for_one();
}

}  // namespace mlx::core::scheduler
