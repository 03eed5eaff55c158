// float16_t for compilers without a native one: IEEE binary16 storage, computed
// in float. Vector code converts in mlx/simd, not here.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace mlx::core {

struct _MLX_Float16 {
  uint16_t bits_;

  _MLX_Float16() = default;
  _MLX_Float16(const _MLX_Float16&) = default;
  _MLX_Float16& operator=(const _MLX_Float16&) = default;
  _MLX_Float16(const float& x) : bits_(from_float(x)) {}

  _MLX_Float16& operator=(const float& x) {
    bits_ = from_float(x);
    return *this;
  }
  _MLX_Float16& operator=(std::vector<bool>::reference x) {
    bits_ = x ? 0x3C00 : 0;
    return *this;
  }

  operator float() const { return to_float(bits_); }

  // Rounds to nearest, ties to even. NaN becomes the quiet NaN of that sign.
  static uint16_t from_float(float x) {
    constexpr uint32_t kOverflow = 0x47800000;      // 2^16
    constexpr uint32_t kSmallestNormal = 0x38800000;  // 2^-14
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t sign = (bits >> 16) & 0x8000;
    if (magnitude >= kOverflow) {
      return static_cast<uint16_t>(sign | (magnitude > 0x7f800000 ? 0x7E00 : 0x7C00));
    }
    if (magnitude < kSmallestNormal) {
      // One ulp of 0.5f is 2^-24, the half's subnormal step: the sum rounds for us.
      const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000));
    }
    // Rebias the exponent by 15 - 127 and round at bit 13; a carry moves up correctly.
    const uint32_t rounded = magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1);
    return static_cast<uint16_t>(sign | (rounded >> 13));
  }

  static float to_float(uint16_t half) {
    uint32_t magnitude = static_cast<uint32_t>(half & 0x7fff) << 13;
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
    const uint32_t exponent = magnitude & 0x0f800000;
    magnitude += 112u << 23;
    if (exponent == 0x0f800000) {
      magnitude += 112u << 23;  // infinity or NaN
    } else if (exponent == 0) {
      // Subnormal: read it as 2^-14 (1 + mantissa) and take the 2^-14 off.
      const float shifted = std::bit_cast<float>(magnitude + (1u << 23));
      magnitude = std::bit_cast<uint32_t>(shifted - 0x1p-14f);
    }
    return std::bit_cast<float>(magnitude | sign);
  }
};

#if defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC)
using float16_t = ::float16_t;
#else
using float16_t = _MLX_Float16;
#endif

#define MLX_HALF_TYPE _MLX_Float16
#include "mlx/types/half_operators.inc"
#undef MLX_HALF_TYPE

}  // namespace mlx::core
