// The two 16-bit float types together: mixed arithmetic and the type traits
// that know about them.
#pragma once

#if defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC)
#include <arm_fp16.h>
#endif
#if defined(__ARM_FEATURE_BF16)
#include <arm_bf16.h>
#endif

#include <type_traits>

#include "mlx/types/bf16.h"
#include "mlx/types/fp16.h"

namespace mlx::core {

#if !defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC) || !defined(__ARM_FEATURE_BF16)
#define MLX_MIXED_HALF_ARITHMETIC(op)                            \
  inline float operator op(float16_t a, bfloat16_t b) {          \
    return static_cast<float>(a) op static_cast<float>(b);       \
  }                                                              \
  inline float operator op(bfloat16_t a, float16_t b) {          \
    return static_cast<float>(a) op static_cast<float>(b);       \
  }
MLX_MIXED_HALF_ARITHMETIC(+)
MLX_MIXED_HALF_ARITHMETIC(-)
MLX_MIXED_HALF_ARITHMETIC(*)
MLX_MIXED_HALF_ARITHMETIC(/)
#undef MLX_MIXED_HALF_ARITHMETIC
#endif

template <typename T>
inline constexpr bool is_complex = requires(const T& x) { x.real(); };

template <typename T>
inline constexpr bool is_floating_point_v =
    std::is_floating_point_v<T> || std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

template <typename T>
inline constexpr bool is_signed_v =
    std::is_signed_v<T> || std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

}  // namespace mlx::core
