// Streams: the registry, default streams per thread, the queues and their
// threads, and what happens to them at fork and exit.
#include "mlx/stream.h"

#include <pthread.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "mlx/core/fork.h"
#include "mlx/core/per_thread.h"
#include "mlx/core/scheduling.h"
#include "mlx/utils.h"

namespace mlx::core {

namespace detail {

namespace {

// A stream's thread goes away after this long without work.
constexpr auto kIdleLife = std::chrono::seconds(10);

void run_stream(StreamState* state) {
  Scheduling& sched = scheduling();
  std::unique_lock lock(sched.mutex);
  auto ready = [&] { return (!state->queue.empty() && !state->running) || sched.shutting_down; };
  while (true) {
    if (!state->wake.wait_for(lock, kIdleLife, ready) ||
        (sched.shutting_down && state->queue.empty())) {
      break;
    }
    if (state->queue.empty() || state->running) {
      continue;
    }
    std::function<void()> task = std::move(state->queue.front());
    state->queue.pop_front();
    state->running = true;
    state->runner = std::this_thread::get_id();
    lock.unlock();
    std::exception_ptr error;
    try {
      task();
    } catch (...) {
      error = std::current_exception();
    }
    task = nullptr;  // what it holds dies outside the lock
    lock.lock();
    state->running = false;
    if (error && !state->error) {
      state->error = error;
    }
    sched.notify();
  }
  state->thread_started = false;
  --sched.live_threads;
  sched.notify();
}

void stop_all_threads() {
  Scheduling& sched = scheduling();
  std::unique_lock lock(sched.mutex);
  sched.shutting_down = true;
  for (StreamState* state : sched.streams) {
    state->wake.notify_all();
  }
  // Threads end when their queues are empty. A token held by a thread that the
  // exit cut short would never come back, so do not wait for ever.
  sched.waiters.fetch_add(1);
  sched.progress.wait_for(lock, std::chrono::seconds(60), [&] { return sched.live_threads == 0; });
  sched.waiters.fetch_sub(1);
}

Scheduling* make_scheduling() {
  auto* sched = new Scheduling;  // leaked: arrays may die after static destructors
  std::atexit(stop_all_threads);
  return sched;
}

bool on_a_stream(const Scheduling& sched) {
  for (const StreamState* state : sched.streams) {
    if (state->running && state->runner == std::this_thread::get_id()) {
      return true;
    }
  }
  return false;
}

void fork_prepare() {
  Scheduling& sched = scheduling();
  std::unique_lock lock(sched.mutex);
  if (!on_a_stream(sched)) {
    sched.wait(lock, [&] {
      for (const StreamState* state : sched.streams) {
        if (state->running || !state->queue.empty()) {
          return false;
        }
      }
      return true;
    });
  }
  lock.release();
}

void fork_parent() { scheduling().mutex.unlock(); }

void fork_child() {
  Scheduling& sched = scheduling();
  // The other threads are gone; so is whoever waited.
  sched.live_threads = 0;
  sched.waiters.store(0);
  new (&sched.progress) std::condition_variable;
  for (StreamState* state : sched.streams) {
    state->thread_started = false;
    new (&state->wake) std::condition_variable;
  }
  sched.mutex.unlock();
}

const ForkHandlers fork_handlers{fork_prepare, fork_parent, fork_child};
[[maybe_unused]] const bool fork_handlers_set =
    set_fork_handlers(ForkLevel::streams, fork_handlers);

}  // namespace

Scheduling& scheduling() {
  static Scheduling* sched = make_scheduling();
  return *sched;
}

StreamState& Scheduling::state(const Stream& s) {
  if (s.index < 0 || static_cast<size_t>(s.index) >= streams.size() ||
      !(streams[s.index]->stream == s)) {
    throw std::runtime_error("[eval] there is no stream with index " + std::to_string(s.index) +
                             " on that device");
  }
  StreamState& found = *streams[s.index];
  if (found.retired) {
    throw std::runtime_error("[eval] stream " + std::to_string(s.index) +
                             " was destroyed by clear_streams");
  }
  return found;
}

void Scheduling::enqueue(StreamState& state, std::function<void()> task) {
  state.queue.push_back(std::move(task));
  if (!state.thread_started) {
    state.thread_started = true;
    ++live_threads;
    std::thread(run_stream, &state).detach();
  } else {
    state.wake.notify_one();
  }
}

void Scheduling::release_token(StreamState& state) {
  state.running = false;
  if (!state.queue.empty()) {
    state.wake.notify_one();
  }
}

void enqueue(const Stream& s, std::function<void()> task) {
  Scheduling& sched = scheduling();
  std::lock_guard lock(sched.mutex);
  sched.enqueue(sched.state(s), std::move(task));
}

void drain_streams() {
  Scheduling& sched = scheduling();
  std::unique_lock lock(sched.mutex);
  if (on_a_stream(sched)) {
    return;
  }
  sched.wait(lock, [&] {
    for (const StreamState* state : sched.streams) {
      if (state->running || !state->queue.empty()) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace detail

namespace {

void require_device(const Device& d, const char* who) {
  if (d.type == Device::gpu) {
    throw std::invalid_argument(std::string("[") + who + "] there is no GPU backend in this build");
  }
}

Stream register_stream(Device d) {
  detail::Scheduling& sched = detail::scheduling();
  std::lock_guard lock(sched.mutex);
  const Stream stream(static_cast<int>(sched.streams.size()), d);
  sched.streams.push_back(new detail::StreamState(stream));  // leaked with the registry
  return stream;
}

constinit thread_local const Stream* cached_default
    __attribute__((tls_model("initial-exec"))) = nullptr;

struct ThreadStreams {
  std::optional<Stream> default_stream;
  std::vector<std::pair<int, Stream>> of_tokens;
  std::vector<Stream> made;

  ~ThreadStreams() { cached_default = nullptr; }
};

ThreadStreams& thread_streams() { return per_thread<ThreadStreams>(); }

thread_local uint64_t times_cleared = 0;

}  // namespace

uint64_t detail::times_streams_cleared() {
  return times_cleared;
}

Stream default_stream(Device d) {
  if (cached_default != nullptr && d.type == Device::cpu && d.index == 0) [[likely]] {
    return *cached_default;
  }
  require_device(d, "default_stream");
  if (d.index != 0) {
    throw std::out_of_range("[default_stream] there is no CPU device with index " +
                            std::to_string(d.index));
  }
  ThreadStreams& streams = thread_streams();
  if (!streams.default_stream) {
    streams.default_stream = register_stream(d);
    streams.made.push_back(*streams.default_stream);
  }
  cached_default = &*streams.default_stream;
  return *cached_default;
}

void set_default_stream(Stream s) {
  require_device(s.device, "set_default_stream");
  ThreadStreams& streams = thread_streams();
  streams.default_stream = s;
  cached_default = &*streams.default_stream;
}

Stream new_stream(Device d) {
  require_device(d, "new_stream");
  const Stream stream = register_stream(d);
  thread_streams().made.push_back(stream);
  return stream;
}

Stream new_thread_unsafe_stream(Device d) {
  require_device(d, "new_thread_unsafe_stream");
  return register_stream(d);
}

ThreadLocalStream new_thread_local_stream(Device d) {
  static std::atomic<int> count{0};
  return ThreadLocalStream(count.fetch_add(1), d);
}

Stream stream_from_thread_local_stream(ThreadLocalStream tls) {
  require_device(tls.device, "stream_from_thread_local_stream");
  ThreadStreams& streams = thread_streams();
  for (const auto& [token, stream] : streams.of_tokens) {
    if (token == tls.index && stream.device == tls.device) {
      return stream;
    }
  }
  const Stream stream = new_stream(tls.device);
  streams.of_tokens.emplace_back(tls.index, stream);
  return stream;
}

std::vector<Stream> get_streams() {
  detail::Scheduling& sched = detail::scheduling();
  std::lock_guard lock(sched.mutex);
  std::vector<Stream> all;
  for (const detail::StreamState* state : sched.streams) {
    if (!state->retired) {
      all.push_back(state->stream);
    }
  }
  return all;
}

void synchronize(Stream s) {
  require_device(s.device, "synchronize");
  detail::Scheduling& sched = detail::scheduling();
  std::exception_ptr error;
  {
    std::unique_lock lock(sched.mutex);
    detail::StreamState& state = sched.state(s);
    if (!(state.running && state.runner == std::this_thread::get_id())) {
      sched.wait(lock, [&] { return !state.running && state.queue.empty(); });
    }
    std::swap(error, state.error);
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

void synchronize(ThreadLocalStream s) { synchronize(stream_from_thread_local_stream(s)); }
void synchronize() { synchronize(default_stream(default_device())); }

void clear_streams() {
  detail::drain_streams();
  ++times_cleared;
  detail::Scheduling& sched = detail::scheduling();
  std::lock_guard lock(sched.mutex);
  ThreadStreams& streams = thread_streams();
  for (const Stream& stream : streams.made) {
    sched.streams[stream.index]->retired = true;
  }
  streams.made.clear();
  streams.of_tokens.clear();
}

Stream to_stream(StreamOrDevice s, Device default_) {
  switch (s.index()) {
    case 0:
      return default_stream(default_);
    case 1:
      return *std::get_if<1>(&s);
    case 2:
      return stream_from_thread_local_stream(*std::get_if<2>(&s));
    case 3:
      return default_stream(*std::get_if<3>(&s));
    default:
      return default_stream(*std::get_if<4>(&s));
  }
}

Stream to_stream(StreamOrDevice s) { return to_stream(s, default_device()); }

namespace {

Stream context_stream(const StreamOrDevice& s) {
  if (std::holds_alternative<std::monostate>(s)) {
    throw std::runtime_error("[StreamContext] a stream or a device is needed");
  }
  return to_stream(s);
}

}  // namespace

StreamContext::StreamContext(StreamOrDevice s) : saved_(default_stream(default_device())) {
  const Stream inner = context_stream(s);
  set_default_device(inner.device);
  set_default_stream(inner);
}

StreamContext::~StreamContext() {
  set_default_device(saved_.device);
  set_default_stream(saved_);
}

}  // namespace mlx::core
