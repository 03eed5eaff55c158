// Vectorisation: traces a function on placeholders and rebuilds the graph with
// batched inputs. The batching rules belong to the primitives.
#include <string>
#include <unordered_map>

#include "mlx/core/graph_ops.h"
#include "mlx/core/graph_walk.h"
#include "mlx/core/node.h"
#include "mlx/transforms.h"
#include "mlx/transforms_impl.h"
#include "mlx/utils.h"

namespace mlx::core {

namespace detail {

std::pair<std::vector<array>, std::vector<array>> vmap_trace(const VectorFunction& fun,
                                                             const std::vector<array>& inputs,
                                                             const std::vector<int>& in_axes) {
  if (in_axes.size() != inputs.size()) {
    throw std::invalid_argument("[vmap] " + std::to_string(inputs.size()) +
                                " inputs need as many in_axes: got " +
                                std::to_string(in_axes.size()));
  }
  ShapeElem batch = -1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (in_axes[i] < 0) {
      continue;
    }
    if (inputs[i].ndim() == 0 || in_axes[i] >= static_cast<int>(inputs[i].ndim())) {
      throw std::invalid_argument("[vmap] in_axes " + std::to_string(in_axes[i]) +
                                  " is out of range for an input with " +
                                  std::to_string(inputs[i].ndim()) + " dimensions");
    }
    const ShapeElem size = inputs[i].shape()[in_axes[i]];
    if (batch >= 0 && size != batch) {
      throw std::invalid_argument("[vmap] the mapped axes differ in size: " +
                                  std::to_string(batch) + " and " + std::to_string(size));
    }
    batch = size;
  }
  if (batch < 0) {
    throw std::invalid_argument("[vmap] at least one input needs a mapped axis");
  }

  InTracing tracing;
  std::vector<array> placeholders;
  placeholders.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (in_axes[i] < 0) {
      placeholders.push_back(inputs[i]);
      continue;
    }
    Shape shape = inputs[i].shape();
    shape.erase(shape.begin() + in_axes[i]);
    placeholders.push_back(make_placeholder(std::move(shape), inputs[i].dtype()));
  }
  std::vector<array> outputs = fun(placeholders);
  return {std::move(placeholders), std::move(outputs)};
}

std::vector<array> vmap_replace(const std::vector<array>& inputs,
                                const std::vector<array>& s_inputs,
                                const std::vector<array>& s_outputs,
                                const std::vector<int>& in_axes,
                                const std::vector<int>& out_axes) {
  if (out_axes.size() != s_outputs.size()) {
    throw std::invalid_argument("[vmap] " + std::to_string(s_outputs.size()) +
                                " outputs need as many out_axes: got " +
                                std::to_string(out_axes.size()));
  }
  struct Batched {
    array value;
    int axis;
  };
  std::unordered_map<Node*, Batched> by_node;
  std::vector<array> sources;
  ShapeElem batch = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (in_axes[i] >= 0) {
      sources.push_back(s_inputs[i]);
      by_node.insert_or_assign(s_inputs[i].node(), Batched{inputs[i], in_axes[i]});
      batch = inputs[i].shape()[in_axes[i]];
    }
  }

  const DependentGraph graph = [&] {
    InTracing tracing;  // placeholders count as tracers while the graph is walked
    return DependentGraph(sources, s_outputs, false);
  }();
  for (Node* node : graph.order()) {
    const std::shared_ptr<Primitive> primitive = node->primitive;
    std::vector<array> batched_inputs;
    std::vector<int> axes;
    for (const array& input : node->inputs()) {
      auto entry = by_node.find(input.node());
      batched_inputs.push_back(entry != by_node.end() ? entry->second.value : input);
      axes.push_back(entry != by_node.end() ? entry->second.axis : -1);
    }
    auto [results, result_axes] = primitive->vmap(batched_inputs, axes);
    const std::vector<array> node_outputs = borrow(node).outputs();
    for (size_t i = 0; i < results.size() && i < node_outputs.size(); ++i) {
      if (result_axes[i] >= 0) {
        by_node.insert_or_assign(node_outputs[i].node(), Batched{results[i], result_axes[i]});
      } else {
        // Turned out independent of the batch; keep one axis for all.
        const Stream stream = primitive->stream();
        const array lifted = graph_ops::expand_dims(results[i], 0, stream);
        Shape shape = lifted.shape();
        shape[0] = batch;
        by_node.insert_or_assign(node_outputs[i].node(),
                                 Batched{graph_ops::broadcast_to(lifted, shape, stream), 0});
      }
    }
  }

  std::vector<array> outputs;
  outputs.reserve(s_outputs.size());
  for (size_t i = 0; i < s_outputs.size(); ++i) {
    const array& traced = s_outputs[i];
    const int ndim = static_cast<int>(traced.ndim()) + 1;
    if (out_axes[i] >= ndim || out_axes[i] < 0) {
      throw std::invalid_argument("[vmap] out_axes " + std::to_string(out_axes[i]) +
                                  " is out of range for an output with " + std::to_string(ndim) +
                                  " dimensions");
    }
    const Stream stream =
        traced.has_primitive() ? traced.primitive().stream() : default_stream(default_device());
    auto entry = by_node.find(traced.node());
    if (entry != by_node.end()) {
      const Batched& result = entry->second;
      outputs.push_back(result.axis == out_axes[i]
                            ? result.value
                            : graph_ops::moveaxis(result.value, result.axis, out_axes[i], stream));
    } else {
      const array lifted = graph_ops::expand_dims(traced, out_axes[i], stream);
      Shape shape = lifted.shape();
      shape[out_axes[i]] = batch;
      outputs.push_back(graph_ops::broadcast_to(lifted, shape, stream));
    }
  }
  return outputs;
}

}  // namespace detail

VectorFunction vmap(const VectorFunction& fun, const std::vector<int>& in_axes,
                    const std::vector<int>& out_axes) {
  auto all_unmapped = [](const std::vector<int>& axes) {
    for (int axis : axes) {
      if (axis >= 0) {
        return false;
      }
    }
    return !axes.empty();
  };
  const bool no_input = all_unmapped(in_axes);
  const bool no_output = all_unmapped(out_axes);
  if (no_input != no_output && (no_input ? out_axes.empty() : in_axes.empty())) {
    throw std::invalid_argument("[vmap] in_axes and out_axes must map at least one axis each");
  }
  return [fun, in_axes, out_axes](const std::vector<array>& inputs) {
    const std::vector<int> in = in_axes.empty() ? std::vector<int>(inputs.size(), 0) : in_axes;
    auto [s_inputs, s_outputs] = detail::vmap_trace(fun, inputs, in);
    const std::vector<int> out =
        out_axes.empty() ? std::vector<int>(s_outputs.size(), 0) : out_axes;
    return detail::vmap_replace(inputs, s_inputs, s_outputs, in, out);
  };
}

std::function<array(const array&)> vmap(const std::function<array(const array&)>& fun,
                                        int in_axis, int out_axis) {
  VectorFunction mapped = vmap(
      VectorFunction([fun](const std::vector<array>& inputs) { return std::vector<array>{fun(inputs[0])}; }),
      std::vector<int>{in_axis}, std::vector<int>{out_axis});
  return [mapped](const array& input) { return mapped({input})[0]; };
}

std::function<array(const array&, const array&)> vmap(
    const std::function<array(const array&, const array&)>& fun, int in_axis_a, int in_axis_b,
    int out_axis) {
  VectorFunction mapped = vmap(VectorFunction([fun](const std::vector<array>& inputs) {
                                 return std::vector<array>{fun(inputs[0], inputs[1])};
                               }),
                               std::vector<int>{in_axis_a, in_axis_b}, std::vector<int>{out_axis});
  return [mapped](const array& a, const array& b) { return mapped({a, b})[0]; };
}

}  // namespace mlx::core
