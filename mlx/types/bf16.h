// bfloat16_t for compilers without a native one: the upper half of a float,
// computed in float. Vector code converts in mlx/simd, not here.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace mlx::core {

struct _MLX_BFloat16 {
  uint16_t bits_;

  _MLX_BFloat16() = default;
  _MLX_BFloat16(const _MLX_BFloat16&) = default;
  _MLX_BFloat16& operator=(const _MLX_BFloat16&) = default;
  _MLX_BFloat16(const float& x) : bits_(from_float(x)) {}

  _MLX_BFloat16& operator=(const float& x) {
    bits_ = from_float(x);
    return *this;
  }
  _MLX_BFloat16& operator=(std::vector<bool>::reference x) {
    bits_ = x ? 0x3F80 : 0;
    return *this;
  }

  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16); }

  // Rounds to nearest, ties to even. NaN becomes the positive quiet NaN.
  static uint16_t from_float(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
    return x != x ? uint16_t{0x7FC0} : static_cast<uint16_t>(rounded >> 16);
  }
};

#if defined(__ARM_FEATURE_BF16)
using bfloat16_t = ::bfloat16_t;
#else
using bfloat16_t = _MLX_BFloat16;
#endif

#define MLX_HALF_TYPE _MLX_BFloat16
#include "mlx/types/half_operators.inc"
#undef MLX_HALF_TYPE

}  // namespace mlx::core
