// Base of primitives that are described by a few constructor arguments: keeps
// them, compares them, hands them out as state().
#pragma once

#include <tuple>
#include <utility>

#include "mlx/core/primitive.h"

namespace mlx::core {

/// State types need ==. `state()` is the value itself, a pair or a tuple.
template <typename... State>
class StatefulPrimitive : public BuiltinPrimitive {
 public:
  explicit StatefulPrimitive(Stream stream, State... state)
      : BuiltinPrimitive(stream), state_(std::move(state)...) {}

  // Called for equal dynamic types only.
  bool is_equivalent(const Primitive& other) const override {
    return state_ == static_cast<const StatefulPrimitive&>(other).state_;
  }

  auto state() const {
    if constexpr (sizeof...(State) == 1) {
      return get<0>();
    } else if constexpr (sizeof...(State) == 2) {
      return std::pair(get<0>(), get<1>());
    } else {
      return state_;
    }
  }

 protected:
  template <size_t I>
  const auto& get() const {
    return std::get<I>(state_);
  }

 private:
  std::tuple<State...> state_;
};

}  // namespace mlx::core

#define MLX_DEFINE_EVALUATE()                                                                      \
  void evaluate(std::span<const ::mlx::core::array> inputs, std::span<::mlx::core::array> outputs) \
      override;

#define MLX_DEFINE_OUTPUT_SHAPES()                                                             \
  std::vector<::mlx::core::Shape> output_shapes(const std::vector<::mlx::core::array>& inputs) \
      override;
