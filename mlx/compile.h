// Compilation of functions of arrays. For now it is in its disabled mode: a
// compiled function is the function itself. The evaluator fuses chains of
// elementwise operations whether or not a function is compiled.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"

namespace mlx::core {

enum class CompileMode { disabled, no_simplify, no_fuse, enabled };

/// A function with the results of `fun`. `shapeless`: one trace may serve inputs
/// of all shapes.
MLX_API std::function<std::vector<array>(const std::vector<array>&)> compile(
    std::function<std::vector<array>(const std::vector<array>&)> fun, bool shapeless = false);
MLX_API std::function<std::vector<array>(const std::vector<array>&)> compile(
    std::vector<array> (*fun)(const std::vector<array>&), bool shapeless = false);

/// Lambdas without captures are functions.
template <typename F,
          typename = std::enable_if_t<std::is_convertible_v<F, decltype(+std::declval<F>())>>>
std::function<std::vector<array>(const std::vector<array>&)> compile(F&& f,
                                                                     bool shapeless = false) {
  return compile(+f, shapeless);
}

/// Turn compilation off and on for the whole process, over MLX_DISABLE_COMPILE.
/// Neither has an effect yet.
MLX_API void disable_compile();
MLX_API void enable_compile();
MLX_API void set_compile_mode(CompileMode mode);

}  // namespace mlx::core
