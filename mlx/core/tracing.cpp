// The thread-local tracing state.
#include "mlx/core/tracing.h"

namespace mlx::core::detail {

TracingState& tracing_state() {
  static thread_local TracingState state;
  return state;
}

constinit thread_local int tracing_count = 0;

InTracing::InTracing(bool dynamic, bool grad) {
  TracingState& state = tracing_state();
  state.stack.emplace_back(dynamic, grad);
  ++state.depth;
  ++tracing_count;
}

InTracing::~InTracing() {
  TracingState& state = tracing_state();
  state.stack.pop_back();
  --state.depth;
  --tracing_count;
}

RetainGraph::RetainGraph() {
  ++tracing_state().retain;
  ++tracing_count;
}

RetainGraph::~RetainGraph() {
  --tracing_state().retain;
  --tracing_count;
}

}  // namespace mlx::core::detail
