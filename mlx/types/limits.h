// numeric_limits for the element types, the 16-bit floats included.
#pragma once

#include <limits>

#include "mlx/types/half_types.h"

namespace mlx::core {

template <typename T>
struct numeric_limits;

template <>
struct numeric_limits<float> : public std::numeric_limits<float> {};

template <>
struct numeric_limits<double> : public std::numeric_limits<double> {};

template <>
struct numeric_limits<float16_t> {
  static constexpr float16_t lowest() { return std::bit_cast<float16_t>(uint16_t{0xFBFF}); }
  static constexpr float16_t min() { return std::bit_cast<float16_t>(uint16_t{0x0400}); }
  static constexpr float16_t max() { return std::bit_cast<float16_t>(uint16_t{0x7BFF}); }
  static constexpr float16_t epsilon() { return std::bit_cast<float16_t>(uint16_t{0x1400}); }
  static constexpr float16_t infinity() { return std::bit_cast<float16_t>(uint16_t{0x7C00}); }
};

template <>
struct numeric_limits<bfloat16_t> {
  static constexpr bfloat16_t lowest() { return std::bit_cast<bfloat16_t>(uint16_t{0xFF7F}); }
  static constexpr bfloat16_t min() { return std::bit_cast<bfloat16_t>(uint16_t{0x0080}); }
  static constexpr bfloat16_t max() { return std::bit_cast<bfloat16_t>(uint16_t{0x7F7F}); }
  static constexpr bfloat16_t epsilon() { return std::bit_cast<bfloat16_t>(uint16_t{0x3C00}); }
  static constexpr bfloat16_t infinity() { return std::bit_cast<bfloat16_t>(uint16_t{0x7F80}); }
};

}  // namespace mlx::core
