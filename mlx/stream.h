// Streams: queues of work on a device. Work itself is queued in scheduler.h.
#pragma once

#include <tuple>
#include <vector>

#include "mlx/api.h"
#include "mlx/device.h"

namespace mlx::core {

struct MLX_API Stream {
  int index;
  Device device;

  explicit Stream(int index, Device device) : index(index), device(device) {}

  bool operator==(const Stream&) const = default;
  bool operator<(const Stream& rhs) const {
    return std::tie(device, index) < std::tie(rhs.device, rhs.index);
  }
};

/// A token, in an index space of its own, that every thread maps to a stream of
/// its own; see stream_from_thread_local_stream.
struct MLX_API ThreadLocalStream : public Stream {
  using Stream::Stream;
};

/// The calling thread's default stream of the device, made on first use.
MLX_API Stream default_stream(Device d);

/// Makes `s` the calling thread's default stream of `s.device`.
MLX_API void set_default_stream(Stream s);

MLX_API Stream new_stream(Device d);

/// A stream that any thread may use, unprotected against concurrent use.
MLX_API Stream new_thread_unsafe_stream(Device d);

MLX_API ThreadLocalStream new_thread_local_stream(Device d);

MLX_API Stream stream_from_thread_local_stream(ThreadLocalStream tls);

/// Every stream made so far, in order of creation.
MLX_API std::vector<Stream> get_streams();

/// Waits for the default stream of the default device.
MLX_API void synchronize();

/// Waits until the work queued on `s` so far is done; rethrows its error once.
MLX_API void synchronize(Stream s);
MLX_API void synchronize(ThreadLocalStream s);

/// Drops the calling thread's streams and its compile cache.
MLX_API void clear_streams();

}  // namespace mlx::core
