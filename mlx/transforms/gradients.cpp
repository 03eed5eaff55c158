// value_and_grad over the vjp walker.
#include <algorithm>
#include <string>

#include "mlx/transforms.h"
#include "mlx/utils.h"

namespace mlx::core {

ValueAndGradFn value_and_grad(const VectorFunction& fun, const std::vector<int>& argnums) {
  if (argnums.empty()) {
    throw std::invalid_argument("[grad] at least one argument number is needed");
  }
  return [fun, argnums](const std::vector<array>& inputs) {
    std::vector<int> sorted;
    const int count = static_cast<int>(inputs.size());
    for (int argnum : argnums) {
      const int index = argnum < 0 ? argnum + count : argnum;
      if (index < 0 || index >= count) {
        throw std::invalid_argument("[grad] argument number " + std::to_string(argnum) +
                                    " is out of range for a function of " +
                                    std::to_string(count) + " arrays");
      }
      sorted.push_back(index);
    }
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
      throw std::invalid_argument("[grad] an argument number is given twice");
    }

    std::vector<array> primals;
    for (int index : sorted) {
      primals.push_back(inputs[index]);
    }
    // All outputs are computed in the trace; only the first is differentiated.
    std::vector<array> outputs;
    auto first_output = [&](const std::vector<array>& traced) {
      std::vector<array> arguments = inputs;
      for (size_t i = 0; i < sorted.size(); ++i) {
        arguments[sorted[i]] = traced[i];
      }
      outputs = fun(arguments);
      if (outputs.empty()) {
        throw std::invalid_argument("[grad] the function returned no array");
      }
      if (outputs[0].ndim() != 0) {
        std::ostringstream message;
        message << "[grad] the function must return a scalar of shape (): got shape "
                << outputs[0].shape();
        throw std::invalid_argument(message.str());
      }
      return std::vector<array>{outputs[0]};
    };
    // The dtype of the loss is known only after tracing; vjp casts the seed.
    auto [value, gradients] =
        vjp(VectorFunction(first_output), primals, std::vector<array>{array(1.0f)});
    outputs[0] = value[0];
    return std::make_pair(outputs, gradients);
  };
}

}  // namespace mlx::core
