// Events: counters by which a stream tells others, and the host, how far it is.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "mlx/api.h"
#include "mlx/error.h"
#include "mlx/stream.h"

namespace mlx::core {

/// Copies share the counter and the error; each has its own target value.
class MLX_API Event {
 public:
  /// An invalid event: it can only be assigned to and asked whether it is valid.
  Event() = default;
  explicit Event(Stream stream) : stream_(stream), state_(std::make_shared<State>()) {}

  /// Blocks until the counter reaches the value; rethrows an attached error.
  void wait();
  /// Makes `stream` wait, in its turn.
  void wait(Stream stream);
  /// Sets the counter to the value when `stream` gets there.
  void signal(Stream stream);
  bool is_signaled() const;

  /// Attaches the error, if there is one.
  void set_error(Error& err);
  /// The attached error, or null.
  Error* load_error() const;
  /// Throws an attached error as std::runtime_error, once.
  void check_error();

  bool valid() const { return state_ != nullptr; }
  uint64_t value() const { return value_; }
  void set_value(uint64_t v) { value_ = v; }
  const Stream& stream() const {
    if (!valid()) {
      throw std::runtime_error("[Event::stream] the event is invalid");
    }
    return *stream_;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable reached;
    uint64_t counter = 0;
    Error error;
  };

  State& state() const;
  void raise_counter();

  std::optional<Stream> stream_;
  std::shared_ptr<State> state_;
  uint64_t value_ = 0;
};

}  // namespace mlx::core
