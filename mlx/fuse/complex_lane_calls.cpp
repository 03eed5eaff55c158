// Complex functions, lane by lane. They compute in double precision, so that
// intermediate results neither overflow nor lose what float32 can show.
#include <cmath>
#include <complex>
#include <limits>

#include "mlx/fuse/lane_calls.h"

namespace mlx::core::fuse {

LaneCall find_complex_lane_call(Op op);

namespace {

using Complex = std::complex<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;

template <Complex (*f)(Complex)>
void each(void* a, const void*, size_t count) {
  float* re = static_cast<float*>(a);
  float* im = re + count;
  for (size_t i = 0; i < count; ++i) {
    const Complex r = f(Complex(re[i], im[i]));
    re[i] = static_cast<float>(r.real());
    im[i] = static_cast<float>(r.imag());
  }
}
template <Complex (*f)(Complex, Complex)>
void each2(void* a, const void* b, size_t count) {
  float* re = static_cast<float*>(a);
  float* im = re + count;
  const float* re2 = static_cast<const float*>(b);
  const float* im2 = re2 + count;
  for (size_t i = 0; i < count; ++i) {
    const Complex r = f(Complex(re[i], im[i]), Complex(re2[i], im2[i]));
    re[i] = static_cast<float>(r.real());
    im[i] = static_cast<float>(r.imag());
  }
}

Complex sign(Complex z) {
  if (z == Complex(0)) return z;
  const double modulus = std::hypot(z.real(), z.imag());
  return Complex(z.real() / modulus, z.imag() / modulus);
}
Complex sqrt(Complex z) {
  return std::sqrt(z);
}
Complex rsqrt(Complex z) {
  return 1.0 / std::sqrt(z);
}
Complex reciprocal(Complex z) {
  return 1.0 / z;
}
Complex exp(Complex z) {
  return std::exp(z);
}
Complex log(Complex z) {
  return std::log(z);
}
Complex scaled_log(Complex z, double factor) {
  const Complex l = std::log(z);
  return Complex(l.real() * factor, l.imag() * factor);
}
Complex log2(Complex z) {
  return scaled_log(z, 1.4426950408889634074);
}
Complex log10(Complex z) {
  return scaled_log(z, 0.43429448190325182765);
}
Complex log1p(Complex z) {
  const double x = z.real(), y = z.imag();
  if (!(std::fabs(x) < 0.5 && std::fabs(y) < 0.5)) return std::log(Complex(1 + x, y));
  // |1 + z|^2 - 1, without the cancellation.
  return Complex(0.5 * std::log1p(x * (2 + x) + y * y), std::atan2(y, 1 + x));
}
Complex sin(Complex z) {
  return std::sin(z);
}
Complex cos(Complex z) {
  return std::cos(z);
}
Complex tan(Complex z) {
  return std::tan(z);
}
Complex asin(Complex z) {
  return std::asin(z);
}
Complex acos(Complex z) {
  return std::acos(z);
}
Complex atan(Complex z) {
  return std::atan(z);
}
Complex sinh(Complex z) {
  return std::sinh(z);
}
Complex cosh(Complex z) {
  return std::cosh(z);
}
Complex tanh(Complex z) {
  return std::tanh(z);
}
Complex asinh(Complex z) {
  return std::asinh(z);
}
Complex acosh(Complex z) {
  return std::acosh(z);
}
Complex atanh(Complex z) {
  return std::atanh(z);
}

Complex divide(Complex a, Complex b) {
  return a / b;
}

bool has_nan(Complex z) {
  return std::isnan(z.real()) || std::isnan(z.imag());
}

Complex power(Complex base, Complex exponent) {
  if (exponent == Complex(0)) return Complex(1);
  if (has_nan(base) || has_nan(exponent)) return Complex(nan, nan);
  if (base == Complex(0)) {
    if (exponent.real() > 0) return Complex(0);
    return Complex(nan, nan);
  }
  const double n = exponent.real();
  if (exponent.imag() == 0 && std::fabs(n) <= 128 && n == std::trunc(n)) {
    Complex result(1), square = base;
    for (int e = static_cast<int>(std::fabs(n)); e != 0; e >>= 1) {
      if (e & 1) result *= square;
      square *= square;
    }
    return n < 0 ? 1.0 / result : result;
  }
  return std::exp(exponent * std::log(base));
}

bool less(Complex a, Complex b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

Complex logaddexp(Complex a, Complex b) {
  if (has_nan(a) || has_nan(b)) return Complex(nan, nan);
  const Complex high = less(a, b) ? b : a;
  const Complex low = less(a, b) ? a : b;
  if (low.real() == -infinity || high.real() == infinity) return high;
  const Complex sum = high + log1p(std::exp(low - high));
  // The principal value, as of log(exp(a) + exp(b)).
  return Complex(sum.real(), std::remainder(sum.imag(), 2 * pi));
}

}  // namespace

LaneCall find_complex_lane_call(Op op) {
  switch (op) {
    case Op::Sign:
      return each<sign>;
    case Op::Sqrt:
      return each<sqrt>;
    case Op::Rsqrt:
      return each<rsqrt>;
    case Op::Reciprocal:
      return each<reciprocal>;
    case Op::Exp:
      return each<exp>;
    case Op::Log:
      return each<log>;
    case Op::Log2:
      return each<log2>;
    case Op::Log10:
      return each<log10>;
    case Op::Log1p:
      return each<log1p>;
    case Op::Sin:
      return each<sin>;
    case Op::Cos:
      return each<cos>;
    case Op::Tan:
      return each<tan>;
    case Op::ArcSin:
      return each<asin>;
    case Op::ArcCos:
      return each<acos>;
    case Op::ArcTan:
      return each<atan>;
    case Op::Sinh:
      return each<sinh>;
    case Op::Cosh:
      return each<cosh>;
    case Op::Tanh:
      return each<tanh>;
    case Op::ArcSinh:
      return each<asinh>;
    case Op::ArcCosh:
      return each<acosh>;
    case Op::ArcTanh:
      return each<atanh>;
    case Op::Divide:
      return each2<divide>;
    case Op::Power:
      return each2<power>;
    case Op::LogAddExp:
      return each2<logaddexp>;
    default:
      return nullptr;
  }
}

}  // namespace mlx::core::fuse
