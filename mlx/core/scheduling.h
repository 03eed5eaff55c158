// Streams as evaluation sees them: a queue of tasks each, executed by one
// thread at a time. The public face is mlx/stream.h and mlx/scheduler.h.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "mlx/stream.h"

namespace mlx::core::detail {

/// How often the calling thread has called clear_streams: what else belongs to a
/// thread resets itself when this has changed.
uint64_t times_streams_cleared();

struct StreamState {
  explicit StreamState(Stream s) : stream(s) {}

  Stream stream;
  std::deque<std::function<void()>> queue;
  // The executor token: whoever set it runs the stream's work, be it the
  // stream's own thread or a thread inside a blocking eval.
  bool running = false;
  std::thread::id runner;
  bool thread_started = false;
  bool retired = false;  // by clear_streams
  // The first error of an asynchronous task that nobody has been told of.
  std::exception_ptr error;
  std::condition_variable wake;
};

// One mutex guards all queues, tokens, claims of nodes and their epochs.
struct Scheduling {
  std::mutex mutex;
  // Signalled when nodes, batches or queues make progress and someone waits.
  std::condition_variable progress;
  std::atomic<int> waiters{0};
  uint64_t epoch = 0;
  int live_threads = 0;
  bool shutting_down = false;
  std::vector<StreamState*> streams;  // by index; never shrinks

  // The state of an existing stream; throws std::runtime_error for others.
  // Needs the mutex.
  StreamState& state(const Stream& s);
  // Needs the mutex; starts the stream's thread on first use.
  void enqueue(StreamState& state, std::function<void()> task);
  // Wakes the stream's thread if there is work for it. Needs the mutex.
  void release_token(StreamState& state);

  template <typename Predicate>
  void wait(std::unique_lock<std::mutex>& lock, Predicate&& done) {
    waiters.fetch_add(1);
    progress.wait(lock, done);
    waiters.fetch_sub(1);
  }
  void notify() {
    if (waiters.load() > 0) {
      progress.notify_all();
    }
  }
};

Scheduling& scheduling();

/// Runs `task` on the thread of `s`, after everything queued before it.
void enqueue(const Stream& s, std::function<void()> task);

/// Blocks until all queues are empty.
void drain_streams();

}  // namespace mlx::core::detail
