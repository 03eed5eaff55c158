// The thread-local tracing state.
#include "mlx/core/tracing.h"

namespace mlx::core::detail {

TracingState& tracing_state() {
  static thread_local TracingState state;
  return state;
}

}  // namespace mlx::core::detail
