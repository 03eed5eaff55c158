// A plain pool of threads with a task queue, for blocking work such as reading
// files. Numerical loops use mlx/core/parallel.h instead.
#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

class ThreadPool {
 public:
  explicit ThreadPool(size_t threads) { start(threads); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Finishes what is queued.
  ~ThreadPool() { stop(); }

  /// Queues `f(args...)`; the future holds its result or exception.
  template <class F, class... Args>
  auto enqueue(F&& f, Args&&... args) -> std::future<typename std::invoke_result_t<F, Args...>> {
    using Result = typename std::invoke_result_t<F, Args...>;
    auto task = std::make_shared<std::packaged_task<Result()>>(
        std::bind(std::forward<F>(f), std::forward<Args>(args)...));
    std::future<Result> result = task->get_future();
    {
      std::lock_guard lock(mutex_);
      if (stopping_) {
        throw std::runtime_error("[ThreadPool::enqueue] the pool is stopped");
      }
      tasks_.emplace([task] { (*task)(); });
    }
    ready_.notify_one();
    return result;
  }

  /// Finishes what is queued, then goes on with another number of threads.
  void resize(size_t threads) {
    if (threads != workers_.size()) {
      stop();
      start(threads);
    }
  }

 private:
  void start(size_t threads) {
    {
      std::lock_guard lock(mutex_);
      stopping_ = false;
    }
    for (size_t i = 0; i < threads; ++i) {
      workers_.emplace_back([this] { work(); });
    }
  }

  void stop() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    ready_.notify_all();
    for (std::thread& worker : workers_) {
      worker.join();
    }
    workers_.clear();
  }

  void work() {
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) {
          return;
        }
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> workers_;
  bool stopping_ = false;
};
