// complex64_t and complex128_t: std::complex with the conversions and the
// ordering that arrays need.
#pragma once

#include <complex>

#include "mlx/types/half_types.h"

namespace mlx::core {

struct complex64_t;
struct complex128_t;

template <typename T>
inline constexpr bool can_convert_to_complex64 =
    !std::is_same_v<T, complex64_t> && std::is_convertible_v<T, float>;

template <typename T>
inline constexpr bool can_convert_to_complex128 =
    !std::is_same_v<T, complex128_t> && std::is_convertible_v<T, double>;

struct complex64_t : public std::complex<float> {
  complex64_t() = default;
  complex64_t(float re, float im) : std::complex<float>(re, im) {}
  complex64_t(const std::complex<float>& z) : std::complex<float>(z) {}

  template <typename T, typename = std::enable_if_t<can_convert_to_complex64<T>>>
  complex64_t(const T& x) : std::complex<float>(static_cast<float>(x)) {}

  /// The real part.
  operator float() const { return real(); }
};

struct complex128_t : public std::complex<double> {
  complex128_t() = default;
  complex128_t(double re, double im) : std::complex<double>(re, im) {}
  complex128_t(const std::complex<double>& z) : std::complex<double>(z) {}

  template <typename T, typename = std::enable_if_t<can_convert_to_complex128<T>>>
  complex128_t(const T& x) : std::complex<double>(static_cast<double>(x)) {}

  /// The real part.
  operator float() const { return static_cast<float>(real()); }
};

static_assert(sizeof(complex64_t) == sizeof(std::complex<float>));

// Lexicographic order on (real, imaginary).
inline bool operator>=(const complex64_t& a, const complex64_t& b) {
  return a.real() > b.real() || (a.real() == b.real() && a.imag() >= b.imag());
}
inline bool operator>(const complex64_t& a, const complex64_t& b) {
  return a.real() > b.real() || (a.real() == b.real() && a.imag() > b.imag());
}
inline bool operator<=(const complex64_t& a, const complex64_t& b) { return b >= a; }
inline bool operator<(const complex64_t& a, const complex64_t& b) { return b > a; }

inline complex64_t operator-(const complex64_t& z) { return {-z.real(), -z.imag()}; }

// Floored remainder of each component: the sign follows the divisor.
inline complex64_t operator%(const complex64_t& a, const complex64_t& b) {
  auto floored = [](float x, float y) {
    float r = std::fmod(x, y);
    return r != 0 && ((r < 0) != (y < 0)) ? r + y : r;
  };
  return {floored(a.real(), b.real()), floored(a.imag(), b.imag())};
}

inline complex64_t operator+(const complex64_t& a, const complex64_t& b) {
  return static_cast<std::complex<float>>(a) + static_cast<std::complex<float>>(b);
}
inline complex64_t operator+(const complex64_t& a, const std::complex<float>& b) {
  return static_cast<std::complex<float>>(a) + b;
}
inline complex64_t operator+(const std::complex<float>& a, const complex64_t& b) { return b + a; }

#define MLX_COMPLEX_PLUS(T)                                                                  \
  inline complex64_t operator+(T a, const complex64_t& b) { return complex64_t(a) + b; }     \
  inline complex64_t operator+(const complex64_t& a, T b) { return a + complex64_t(b); }
MLX_COMPLEX_PLUS(bool)
MLX_COMPLEX_PLUS(uint32_t)
MLX_COMPLEX_PLUS(uint64_t)
MLX_COMPLEX_PLUS(int32_t)
MLX_COMPLEX_PLUS(int64_t)
MLX_COMPLEX_PLUS(float16_t)
MLX_COMPLEX_PLUS(bfloat16_t)
MLX_COMPLEX_PLUS(float)
#undef MLX_COMPLEX_PLUS

}  // namespace mlx::core
