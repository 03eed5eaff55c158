// Evaluation of graphs: what the planner of fused groups and debugging tools
// see of it. The algorithm is in eval.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mlx/array.h"
#include "mlx/core/node.h"

namespace mlx::core::detail {

// Flags that evaluation keeps in Node::schedule while it has claimed the node.
enum ScheduleFlag : uint8_t {
  // The value must be stored: someone outside the tape can ask for it.
  kKeep = 1,
  // The graph must outlive evaluation: the node belongs to a running trace.
  kRetain = 2,
};

// A step of a plan: a range of Plan::members. More than one member: a fused
// group, in execution order, the last one its root.
struct Step {
  uint32_t begin;
  uint32_t count;
};

struct Plan {
  std::vector<Node*> members;
  std::vector<Step> steps;
  void clear() {
    members.clear();
    steps.clear();
  }
};

// Groups the nodes of a tape, given in execution order, into steps. Nodes
// already carry their flags, and `index`: their place on the tape; once a step
// runs, `index` is free for it. Defined in mlx/fuse/plan.cpp.
void plan_steps(std::span<Node* const> tape, Plan& plan);

// False while a node is computed whose inputs a running trace still needs.
// Whoever would overwrite an input asks.
bool donation_allowed();

// Computes a fused group: allocates and fills the stored members. The inputs of
// the group are available. Defined in mlx/fuse/plan.cpp.
void run_fused(std::span<Node* const> members);

// Computes elementwise nodes of one element each, given in execution order,
// without a program, and stores the last one and those to keep. The inputs from
// elsewhere are available. False, with nothing changed, where some node needs
// the engine. Throws AllocationError. Defined in mlx/fuse/plan.cpp.
bool run_numbers(std::span<Node* const> nodes);

/// Names of the primitives that eval(outputs) would run, in order; nothing is
/// evaluated. (Graphs of one-element nodes run depth first, whatever it says.) For debugging and tests of MLX_BFS_MAX_WIDTH.
MLX_API std::vector<std::string> evaluation_order(std::span<const array> outputs);

/// Whether evaluation fuses elementwise nodes (MLX_CPU_FUSION). Returns the previous state.
MLX_API bool set_fusion(bool on);
bool fusion_enabled();

}  // namespace mlx::core::detail
