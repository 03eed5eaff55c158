// The part of a graph that depends on given arrays, in topological order: what
// differentiation and vectorisation walk over. Iterative, so that the length of
// a chain does not matter.
#pragma once

#include <unordered_map>
#include <vector>

#include "mlx/array.h"
#include "mlx/core/graph_ops.h"
#include "mlx/core/node.h"

namespace mlx::core {

class DependentGraph {
 public:
  // `sources` are the arrays that matter; `outputs` where the walk begins. With
  // `cut_gradients` the walk does not pass stop_gradient.
  DependentGraph(const std::vector<array>& sources, const std::vector<array>& outputs,
                 bool cut_gradients) {
    for (const array& source : sources) {
      depends_[source.node()] = true;
    }
    struct Frame {
      Node* node;
      size_t next_input;
      bool depends;
    };
    std::vector<Frame> stack;
    // Starts the walk of a node unless it is known or ends the walk.
    auto enter = [&](Node* node) {
      if (!depends_.try_emplace(node, false).second) {
        return false;
      }
      if (!node->primitive || !borrow(node).is_tracer() ||
          (cut_gradients && graph_ops::is_stop_gradient(*node->primitive))) {
        return false;
      }
      stack.push_back({node, 0, false});
      return true;
    };
    for (const array& output : outputs) {
      enter(output.node()->representative());
      while (!stack.empty()) {
        Frame& frame = stack.back();
        const std::span<array> inputs = frame.node->inputs();
        if (frame.next_input == inputs.size()) {
          if (frame.depends) {
            depends_[frame.node] = true;
            order_.push_back(frame.node);
          }
          stack.pop_back();
          continue;
        }
        Node* input = inputs[frame.next_input].node()->representative();
        if (!enter(input)) {  // known by now; otherwise it is walked first
          frame.depends |= depends_[input];
          ++frame.next_input;
        }
      }
    }
  }

  // Producers before consumers; the sources themselves are not in it.
  const std::vector<Node*>& order() const { return order_; }

  bool depends(const array& a) const {
    auto entry = depends_.find(a.node()->representative());
    return entry != depends_.end() && entry->second;
  }

 private:
  std::unordered_map<Node*, bool> depends_;
  std::vector<Node*> order_;
};

}  // namespace mlx::core
