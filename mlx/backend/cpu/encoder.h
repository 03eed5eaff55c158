// How a primitive's eval_cpu hands its work to the stream it belongs to.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/scheduler.h"

namespace mlx::core::cpu {

/// Dispatches that upstream counts as one task; kept for source compatibility.
constexpr int DISPATCHES_PER_TASK = 10;

/// Commands for one stream. Inside eval_cpu the calling thread is the one that
/// runs the stream, so a command runs at once; elsewhere it is queued. Write
/// commands as if they ran later: raw pointers, shapes and strides by value.
struct MLX_API CommandEncoder {
  CommandEncoder(Stream stream) : stream_(stream) {}
  CommandEncoder(const CommandEncoder&) = delete;
  CommandEncoder& operator=(const CommandEncoder&) = delete;
  CommandEncoder(CommandEncoder&&) = delete;
  CommandEncoder& operator=(CommandEncoder&&) = delete;

  /// Declare what the commands read and write; nothing to do on the CPU.
  void set_input_array(const array& a) { (void)a; }
  void set_output_array(array& a) { (void)a; }

  /// Keeps an array until the commands dispatched after it have run.
  void add_temporary(array arr) { temporaries_.push_back(std::move(arr)); }
  void add_temporaries(std::vector<array> arrays) {
    for (array& arr : arrays) {
      temporaries_.push_back(std::move(arr));
    }
  }
  std::vector<array>& temporaries() { return temporaries_; }

  /// Runs `f(args...)` on the stream.
  template <class F, class... Args>
  void dispatch(F&& f, Args&&... args) {
    if (runs_stream()) {
      std::invoke(std::forward<F>(f), std::forward<Args>(args)...);
    } else {
      scheduler::enqueue(stream_,
                         [task = std::bind(std::forward<F>(f), std::forward<Args>(args)...),
                          keep = temporaries_]() mutable { task(); });
    }
  }

 private:
  // The calling thread is executing this stream's work.
  bool runs_stream() const;

  Stream stream_;
  std::vector<array> temporaries_;
};

/// The calling thread's encoder for the stream; throws std::runtime_error when
/// there is no such stream.
MLX_API CommandEncoder& get_command_encoder(Stream s);

/// Drops the temporaries of the calling thread's encoder; evaluation does so
/// when a primitive's eval_cpu has returned.
void release_temporaries(Stream s);

/// The calling thread's encoders by index of stream.
MLX_API std::unordered_map<int, CommandEncoder>& get_command_encoders();

}  // namespace mlx::core::cpu
