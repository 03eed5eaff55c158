// Encoders of the calling thread, and who runs a stream.
#include "mlx/backend/cpu/encoder.h"

#include "mlx/core/scheduling.h"
#include "mlx/core/per_thread.h"

namespace mlx::core::cpu {

bool CommandEncoder::runs_stream() const {
  detail::Scheduling& sched = detail::scheduling();
  std::lock_guard lock(sched.mutex);
  const detail::StreamState& state = sched.state(stream_);
  return state.running && state.runner == std::this_thread::get_id();
}

std::unordered_map<int, CommandEncoder>& get_command_encoders() {
  return per_thread<std::unordered_map<int, CommandEncoder>>();
}

void release_temporaries(Stream s) {
  auto& encoders = get_command_encoders();
  const auto found = encoders.find(s.index);
  if (found != encoders.end()) {
    found->second.temporaries().clear();
  }
}

CommandEncoder& get_command_encoder(Stream s) {
  auto& encoders = get_command_encoders();
  const auto found = encoders.find(s.index);
  if (found != encoders.end()) {
    return found->second;
  }
  {
    detail::Scheduling& sched = detail::scheduling();
    std::lock_guard lock(sched.mutex);
    sched.state(s);  // throws for a stream that does not exist
  }
  return encoders.try_emplace(s.index, s).first->second;
}

}  // namespace mlx::core::cpu
