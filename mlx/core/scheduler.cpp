// The public scheduler and events, over the queues of stream.cpp.
#include "mlx/scheduler.h"

#include <algorithm>

#include "mlx/core/scheduling.h"

namespace mlx::core {

namespace {

// The stream's pending error, which stays pending.
std::exception_ptr pending_error(const Stream& s) {
  detail::Scheduling& sched = detail::scheduling();
  std::lock_guard lock(sched.mutex);
  return sched.state(s).error;
}

}  // namespace

Event::State& Event::state() const {
  if (!valid()) {
    throw std::runtime_error("[Event] the event is invalid");
  }
  return *state_;
}

void Event::raise_counter() {
  State& s = state();
  {
    std::lock_guard lock(s.mutex);
    s.counter = std::max(s.counter, value_);
  }
  s.reached.notify_all();
}

void Event::wait() {
  State& s = state();
  {
    std::unique_lock lock(s.mutex);
    s.reached.wait(lock, [&] { return s.counter >= value_; });
  }
  check_error();
}

void Event::wait(Stream stream) {
  scheduler::wait_event(stream, *this, [](Event& event) { event.wait(); });
}

void Event::signal(Stream stream) {
  scheduler::signal_event(stream, *this, [](Event& event) { event.raise_counter(); });
}

bool Event::is_signaled() const {
  State& s = state();
  std::lock_guard lock(s.mutex);
  return s.counter >= value_;
}

void Event::set_error(Error& err) {
  state().error.store_if_valid(&err);
}

Error* Event::load_error() const {
  return valid() && state_->error.valid() ? &state_->error : nullptr;
}

void Event::check_error() {
  state().error.check();
}

namespace scheduler {

Scheduler::Scheduler() {
  is_main_thread();
}
Scheduler::~Scheduler() = default;

Scheduler& scheduler() {
  static Scheduler* instance = new Scheduler;  // leaked: tasks may outlive static destructors
  return *instance;
}

void Scheduler::enqueue(Stream s, std::function<void()> task) {
  detail::enqueue(s, std::move(task));
}

void Scheduler::wait_event(Stream s, Event event, std::function<void(Event&)> task) {
  enqueue(s, [event = std::move(event), task = std::move(task)]() mutable {
    task(event);
    event.check_error();
  });
}

void Scheduler::signal_event(Stream s, Event event, std::function<void(Event&)> task) {
  enqueue(s, [s, event = std::move(event), task = std::move(task)]() mutable {
    if (const std::exception_ptr pending = pending_error(s)) {
      Error error;
      try {
        std::rethrow_exception(pending);
      } catch (const std::exception& e) {
        error.set_message(std::make_shared<std::string>(e.what()));
      } catch (...) {
        error.set_message(std::make_shared<std::string>("a task of the stream failed"));
      }
      event.set_error(error);
    }
    task(event);
  });
}

void Scheduler::check_error(Stream s) {
  std::exception_ptr error;
  {
    detail::Scheduling& sched = detail::scheduling();
    std::lock_guard lock(sched.mutex);
    std::swap(error, sched.state(s).error);
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

void Scheduler::notify_new_task(const Stream&) {
  std::lock_guard lock(mutex_);
  ++active_;
}

void Scheduler::notify_task_completion(const Stream&) {
  {
    std::lock_guard lock(mutex_);
    --active_;
  }
  completed_.notify_all();
}

int Scheduler::n_active_tasks() const {
  std::lock_guard lock(mutex_);
  return active_;
}

void Scheduler::wait_for_one() {
  std::unique_lock lock(mutex_);
  const int active = active_;
  completed_.wait(lock, [&] { return active_ == 0 || active_ < active; });
}

}  // namespace scheduler

}  // namespace mlx::core
