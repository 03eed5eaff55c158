// Per-thread state of the transformations: whether one is tracing, and whether
// graphs must outlive their evaluation.
#pragma once

#include <utility>
#include <vector>

#include "mlx/api.h"

namespace mlx::core::detail {

struct TracingState {
  std::vector<std::pair<bool, bool>> stack;  // (dynamic, grad)
  int depth = 0;
  int retain = 0;
  int exporting = 0;
};

// One thread-local object; a function, so that it works across libraries.
MLX_API TracingState& tracing_state();

// depth + retain, for the library's own code: making a node asks, and
// initial-exec makes the answer one load.
extern constinit thread_local int tracing_count __attribute__((tls_model("initial-exec")));

struct InTracing {
  MLX_API explicit InTracing(bool dynamic = false, bool grad = false);
  MLX_API ~InTracing();
  InTracing(const InTracing&) = delete;
  InTracing& operator=(const InTracing&) = delete;

  static bool in_tracing() { return tracing_state().depth > 0; }
  static bool in_dynamic_tracing() {
    const TracingState& state = tracing_state();
    return state.depth > 0 && state.stack.front().first;
  }
  static bool in_grad_tracing() {
    const TracingState& state = tracing_state();
    return state.depth > 0 && state.stack.back().second;
  }
};

struct InExportTracing {
  InExportTracing() { ++tracing_state().exporting; }
  ~InExportTracing() { --tracing_state().exporting; }
  InExportTracing(const InExportTracing&) = delete;
  InExportTracing& operator=(const InExportTracing&) = delete;
  static bool in_export_tracing() { return tracing_state().exporting > 0; }
};

/// While one exists, every array counts as a tracer on this thread.
struct RetainGraph {
  MLX_API RetainGraph();
  MLX_API ~RetainGraph();
  RetainGraph(const RetainGraph&) = delete;
  RetainGraph& operator=(const RetainGraph&) = delete;
  static bool retain_graph() { return tracing_state().retain > 0; }
};

inline bool in_tracing() { return InTracing::in_tracing(); }
inline bool in_export_tracing() { return InExportTracing::in_export_tracing(); }
inline bool in_dynamic_tracing() { return InTracing::in_dynamic_tracing(); }
inline bool in_grad_tracing() { return InTracing::in_grad_tracing(); }
inline bool retain_graph() { return RetainGraph::retain_graph(); }
/// Either of the two: only then can an array be an effective tracer.
inline bool tracing_active() { return tracing_count != 0; }

}  // namespace mlx::core::detail
