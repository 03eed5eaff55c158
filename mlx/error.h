// A thread-safe slot for the message of a deferred error.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace mlx::core {

class Error {
 public:
  using Message = std::shared_ptr<std::string>;

  void set_message(Message msg) {
    std::lock_guard lock(mutex_);
    message_ = std::move(msg);
  }

  bool valid() const {
    std::lock_guard lock(mutex_);
    return message_ != nullptr;
  }

  /// Takes over the message of `ptr` if it has one; says whether it had.
  bool store_if_valid(const Error* ptr) {
    if (ptr == nullptr || ptr == this) {
      return false;
    }
    Message msg = ptr->load();
    if (msg == nullptr) {
      return false;
    }
    set_message(std::move(msg));
    return true;
  }

  /// Throws std::runtime_error with the message, once, and clears it.
  void check() {
    Message msg;
    {
      std::lock_guard lock(mutex_);
      msg = std::move(message_);
      message_ = nullptr;
    }
    if (msg != nullptr) {
      throw std::runtime_error(*msg);
    }
  }

 private:
  Message load() const {
    std::lock_guard lock(mutex_);
    return message_;
  }

  mutable std::mutex mutex_;
  Message message_;
};

}  // namespace mlx::core
