// Reverse and forward differentiation: the walkers behind vjp and jvp. The
// rules themselves belong to the primitives.
#include <string>
#include <unordered_map>

#include "mlx/core/graph_ops.h"
#include "mlx/core/graph_walk.h"
#include "mlx/core/node.h"
#include "mlx/core/tracing.h"
#include "mlx/transforms.h"
#include "mlx/utils.h"

namespace mlx::core {

namespace {

std::string text(const Shape& shape) {
  std::ostringstream os;
  os << shape;
  return os.str();
}

// A copy of the primal that the trace can recognise, on the primal's own stream.
std::vector<array> mark_primals(const std::vector<array>& primals) {
  std::vector<array> marked;
  marked.reserve(primals.size());
  for (const array& primal : primals) {
    array source = primal;
    // A copy left over from an earlier call stands for what it copied.
    while (source.has_primitive() && !source.is_tracer() && source.node()->tracer &&
           graph_ops::is_copy(source.primitive()) && source.node()->inputs().size() == 1) {
      array inner = source.node()->inputs()[0];
      source = inner;
    }
    const Stream stream =
        source.has_primitive() ? source.primitive().stream() : default_stream(default_device());
    array copy = graph_ops::copy(source, stream);
    copy.set_tracer(true);
    marked.push_back(std::move(copy));
  }
  return marked;
}

Stream stream_for(const array& a) {
  return a.has_primitive() ? a.primitive().stream() : default_stream(default_device());
}

bool is_stop_gradient(const array& a) {
  return a.has_primitive() && graph_ops::is_stop_gradient(a.primitive());
}

class Cotangents {
 public:
  void add(const array& a, const array& cotangent, Stream s) {
    auto [entry, fresh] = by_node_.try_emplace(a.node(), cotangent);
    if (!fresh) {
      entry->second = graph_ops::add(entry->second, cotangent, s);
    }
  }
  // Takes the cotangent of `a` out, zeros when nothing contributed.
  array take(const array& a, Stream s, bool& any) {
    auto entry = by_node_.find(a.node());
    if (entry == by_node_.end()) {
      return graph_ops::zeros(a.shape(), a.dtype(), s);
    }
    any = true;
    array cotangent = std::move(entry->second);
    by_node_.erase(entry);
    return cotangent;
  }

 private:
  std::unordered_map<Node*, array> by_node_;
};

}  // namespace

std::pair<std::vector<array>, std::vector<array>> vjp(const VectorFunction& fun,
                                                      const std::vector<array>& primals,
                                                      const std::vector<array>& cotangents) {
  detail::InTracing tracing(false, true);
  const std::vector<array> marked = mark_primals(primals);
  std::vector<array> outputs = fun(marked);

  Cotangents pending;
  size_t next = 0;
  for (const array& output : outputs) {
    if (is_stop_gradient(output)) {
      continue;
    }
    if (next == cotangents.size()) {
      throw std::invalid_argument("[vjp] there are more outputs than the " +
                                  std::to_string(cotangents.size()) + " cotangents given");
    }
    const array& cotangent = cotangents[next++];
    if (cotangent.shape() != output.shape()) {
      std::string message = "[vjp] the cotangent of shape " + text(cotangent.shape()) +
                            " does not match the output of shape " + text(output.shape());
      if (output.size() == 1) {
        message += "; grad needs a function with a scalar output of shape ()";
      }
      throw std::invalid_argument(message);
    }
    pending.add(output, graph_ops::astype(cotangent, output.dtype(), stream_for(output)),
                stream_for(output));
  }

  const DependentGraph graph(marked, outputs, true);
  const std::vector<Node*>& order = graph.order();
  for (auto step = order.rbegin(); step != order.rend(); ++step) {
    Node* node = *step;
    const std::shared_ptr<Primitive> primitive = node->primitive;
    const Stream stream = primitive->stream();
    const std::vector<array> node_outputs = borrow(node).outputs();
    std::vector<array> node_cotangents;
    bool any = false;
    for (const array& output : node_outputs) {
      node_cotangents.push_back(pending.take(output, stream, any));
    }
    if (!any) {
      continue;
    }
    const std::span<array> inputs = node->inputs();
    const std::vector<array> node_primals(inputs.begin(), inputs.end());
    std::vector<int> argnums;
    for (size_t i = 0; i < node_primals.size(); ++i) {
      if (graph.depends(node_primals[i])) {
        argnums.push_back(static_cast<int>(i));
      }
    }
    std::vector<array> contributions;
    {
      detail::RetainGraph retain;
      contributions = primitive->vjp(node_primals, node_cotangents, argnums, node_outputs);
      if (contributions.size() != argnums.size()) {
        throw std::invalid_argument(std::string("[vjp] the rule of ") + primitive->name() +
                                    " returned " + std::to_string(contributions.size()) +
                                    " cotangents for " + std::to_string(argnums.size()) +
                                    " inputs");
      }
      for (size_t i = 0; i < argnums.size(); ++i) {
        const array& primal = node_primals[argnums[i]];
        if (contributions[i].shape() != primal.shape()) {
          throw std::invalid_argument(std::string("[vjp] the rule of ") + primitive->name() +
                                      " returned a cotangent of shape " +
                                      text(contributions[i].shape()) + " for an input of shape " +
                                      text(primal.shape()));
        }
        pending.add(primal, contributions[i], stream);
      }
    }
  }

  std::vector<array> gradients;
  gradients.reserve(marked.size());
  for (const array& primal : marked) {
    const Stream stream = primal.primitive_ptr() ? primal.primitive().stream()
                                                 : default_stream(default_device());
    bool any = false;
    array gradient = pending.take(primal, stream, any);
    if (any && gradient.dtype() != primal.dtype()) {
      gradient = graph_ops::astype(gradient, primal.dtype(), stream);
    }
    gradients.push_back(std::move(gradient));
  }
  return {std::move(outputs), std::move(gradients)};
}

std::pair<array, array> vjp(const std::function<array(const array&)>& fun, const array& primal,
                            const array& cotangent) {
  auto [outputs, gradients] = vjp(
      VectorFunction([&](const std::vector<array>& inputs) { return std::vector<array>{fun(inputs[0])}; }),
      std::vector<array>{primal}, std::vector<array>{cotangent});
  return {outputs[0], gradients[0]};
}

std::pair<std::vector<array>, std::vector<array>> jvp(const VectorFunction& fun,
                                                      const std::vector<array>& primals,
                                                      const std::vector<array>& tangents) {
  if (primals.size() != tangents.size()) {
    throw std::invalid_argument("[jvp] " + std::to_string(primals.size()) + " primals need as many tangents: got " +
                                std::to_string(tangents.size()));
  }
  for (size_t i = 0; i < primals.size(); ++i) {
    if (primals[i].shape() != tangents[i].shape()) {
      throw std::invalid_argument("[jvp] the tangent of shape " + text(tangents[i].shape()) +
                                  " does not match the primal of shape " +
                                  text(primals[i].shape()));
    }
  }
  detail::InTracing tracing(false, true);
  const std::vector<array> marked = mark_primals(primals);
  std::vector<array> outputs = fun(marked);

  std::unordered_map<Node*, array> by_node;
  for (size_t i = 0; i < marked.size(); ++i) {
    by_node.insert_or_assign(marked[i].node(), tangents[i]);
  }
  const DependentGraph graph(marked, outputs, true);
  for (Node* node : graph.order()) {
    const std::shared_ptr<Primitive> primitive = node->primitive;
    const std::span<array> inputs = node->inputs();
    const std::vector<array> node_primals(inputs.begin(), inputs.end());
    std::vector<array> node_tangents;
    std::vector<int> argnums;
    for (size_t i = 0; i < node_primals.size(); ++i) {
      auto entry = by_node.find(node_primals[i].node());
      if (entry != by_node.end()) {
        argnums.push_back(static_cast<int>(i));
        node_tangents.push_back(entry->second);
      }
    }
    if (argnums.empty()) {
      continue;
    }
    const std::vector<array> node_outputs = borrow(node).outputs();
    const std::vector<array> results = primitive->jvp(node_primals, node_tangents, argnums);
    for (size_t i = 0; i < results.size() && i < node_outputs.size(); ++i) {
      by_node.insert_or_assign(node_outputs[i].node(), results[i]);
    }
  }

  std::vector<array> output_tangents;
  output_tangents.reserve(outputs.size());
  for (const array& output : outputs) {
    auto entry = by_node.find(output.node());
    output_tangents.push_back(
        entry != by_node.end() && !is_stop_gradient(output)
            ? entry->second
            : graph_ops::zeros(output.shape(), output.dtype(), stream_for(output)));
  }
  return {std::move(outputs), std::move(output_tangents)};
}

std::pair<array, array> jvp(const std::function<array(const array&)>& fun, const array& primal,
                            const array& tangent) {
  auto [outputs, tangents] = jvp(
      VectorFunction([&](const std::vector<array>& inputs) { return std::vector<array>{fun(inputs[0])}; }),
      std::vector<array>{primal}, std::vector<array>{tangent});
  return {outputs[0], tangents[0]};
}

}  // namespace mlx::core
