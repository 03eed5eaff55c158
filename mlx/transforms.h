// Function transformations: evaluation, differentiation, vectorisation.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"

namespace mlx::core {

/// Schedules the computation of `outputs` and returns.
MLX_API void async_eval(std::vector<array> outputs);

template <typename... Arrays, typename = enable_for_arrays_t<Arrays...>>
void async_eval(Arrays&&... outputs) {
  async_eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

/// Computes `outputs` and waits for them.
MLX_API void eval(std::vector<array> outputs);
/// The same without copies of the handles.
MLX_API void eval(std::span<const array> outputs);

template <typename... Arrays, typename = enable_for_arrays_t<Arrays...>>
void eval(Arrays&&... outputs) {
  eval(std::vector<array>{std::forward<Arrays>(outputs)...});
}

using VectorFunction = std::function<std::vector<array>(const std::vector<array>&)>;

/// Outputs of `fun` at `primals` and the product of `cotangents` with its
/// Jacobian: one array per primal, zeros where nothing depends on it. Outputs of
/// stop_gradient take no cotangent. Throws std::invalid_argument for missing
/// cotangents and for shapes that differ from those of the outputs.
MLX_API std::pair<std::vector<array>, std::vector<array>> vjp(
    const VectorFunction& fun, const std::vector<array>& primals,
    const std::vector<array>& cotangents);
MLX_API std::pair<array, array> vjp(const std::function<array(const array&)>& fun,
                                    const array& primal, const array& cotangent);

/// Outputs of `fun` at `primals` and the product of its Jacobian with `tangents`.
MLX_API std::pair<std::vector<array>, std::vector<array>> jvp(
    const VectorFunction& fun, const std::vector<array>& primals,
    const std::vector<array>& tangents);
MLX_API std::pair<array, array> jvp(const std::function<array(const array&)>& fun,
                                    const array& primal, const array& tangent);

using ValueAndGradFn = std::function<std::pair<std::vector<array>, std::vector<array>>(
    const std::vector<array>&)>;
using SimpleValueAndGradFn =
    std::function<std::pair<array, std::vector<array>>(const std::vector<array>&)>;

/// A function that returns the outputs of `fun` and the gradient of the first
/// one, a scalar, with respect to the inputs `argnums` (ascending).
MLX_API ValueAndGradFn value_and_grad(const VectorFunction& fun, const std::vector<int>& argnums);

inline ValueAndGradFn value_and_grad(const VectorFunction& fun, int argnum = 0) {
  return value_and_grad(fun, std::vector<int>{argnum});
}

inline std::function<std::pair<array, array>(const array&)> value_and_grad(
    const std::function<array(const array&)>& fun) {
  auto both = value_and_grad(
      VectorFunction([fun](const std::vector<array>& inputs) { return std::vector<array>{fun(inputs[0])}; }),
      std::vector<int>{0});
  return [both](const array& input) {
    auto [values, grads] = both({input});
    return std::make_pair(values[0], grads[0]);
  };
}

inline SimpleValueAndGradFn value_and_grad(
    const std::function<array(const std::vector<array>&)>& fun, const std::vector<int>& argnums) {
  auto both = value_and_grad(
      VectorFunction([fun](const std::vector<array>& inputs) { return std::vector<array>{fun(inputs)}; }),
      argnums);
  return [both](const std::vector<array>& inputs) {
    auto [values, grads] = both(inputs);
    return std::make_pair(values[0], grads);
  };
}

inline SimpleValueAndGradFn value_and_grad(
    const std::function<array(const std::vector<array>&)>& fun, int argnum = 0) {
  return value_and_grad(fun, std::vector<int>{argnum});
}

inline std::function<std::vector<array>(const std::vector<array>&)> grad(
    const std::function<array(const std::vector<array>&)>& fun, const std::vector<int>& argnums) {
  auto both = value_and_grad(fun, argnums);
  return [both](const std::vector<array>& inputs) { return both(inputs).second; };
}

inline std::function<std::vector<array>(const std::vector<array>&)> grad(
    const std::function<array(const std::vector<array>&)>& fun, int argnum = 0) {
  return grad(fun, std::vector<int>{argnum});
}

inline std::function<array(const array&)> grad(const std::function<array(const array&)>& fun) {
  auto both = value_and_grad(fun);
  return [both](const array& input) { return both(input).second; };
}

/// `fun` over one more axis of its inputs: an axis of -1 is not mapped, empty
/// lists mean axis 0 everywhere.
MLX_API std::function<array(const array&)> vmap(const std::function<array(const array&)>& fun,
                                                int in_axis = 0, int out_axis = 0);
MLX_API std::function<array(const array&, const array&)> vmap(
    const std::function<array(const array&, const array&)>& fun, int in_axis_a = 0,
    int in_axis_b = 0, int out_axis = 0);
MLX_API VectorFunction vmap(const VectorFunction& fun, const std::vector<int>& in_axes = {},
                            const std::vector<int>& out_axes = {});

}  // namespace mlx::core
