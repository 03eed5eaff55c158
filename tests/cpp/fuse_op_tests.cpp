// The elementwise engine, op by op: every op on every dtype against a scalar
// reference, and every cast, in every instruction-set tier of this CPU.
#include <complex>

#include "doctest/doctest.h"
#include "fuse_testing.h"

using namespace fuse_testing;

namespace {

__int128 wrap(__int128 x, Val v) {
  const int width = 8 * bytes_of(v);
  unsigned __int128 low =
      static_cast<unsigned __int128>(x) & ((static_cast<unsigned __int128>(1) << width) - 1);
  if (is_signed(v) && (low >> (width - 1)) != 0) {
    return static_cast<__int128>(low) - (static_cast<__int128>(1) << width);
  }
  return static_cast<__int128>(low);
}

__int128 floor_divide(__int128 a, __int128 b) {
  if (b == 0) return 0;
  __int128 q = a / b;
  if (a % b != 0 && (a < 0) != (b < 0)) --q;
  return q;
}

/// Exact result on integers (and bool as 0, 1), before wrapping.
__int128 integer_reference(Op op, __int128 a, __int128 b, Val v) {
  const int width = 8 * bytes_of(v);
  switch (op) {
    case Op::Copy:
    case Op::Conjugate:
    case Op::Real:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
      return a;
    case Op::Abs:
      return a < 0 ? -a : a;
    case Op::Negative:
      return -a;
    case Op::Sign:
      return (a > 0) - (a < 0);
    case Op::Square:
      return static_cast<__int128>(static_cast<unsigned __int128>(a) * a);
    case Op::LogicalNot:
      return a == 0;
    case Op::BitwiseInvert:
      return v == Val::bool_ ? !a : ~a;
    case Op::Add:
      return v == Val::bool_ ? (a | b) : a + b;
    case Op::Subtract:
      return v == Val::bool_ ? (a ^ b) : a - b;
    case Op::Multiply:
      return static_cast<__int128>(static_cast<unsigned __int128>(a) * b);
    case Op::FloorDivide:
      return floor_divide(a, b);
    case Op::Remainder:
      return b == 0 ? a : a - floor_divide(a, b) * b;
    case Op::Power: {
      if (b < 0) return 0;
      unsigned __int128 r = 1;
      unsigned __int128 s = static_cast<unsigned __int128>(a);
      for (unsigned __int128 e = b; e != 0; e >>= 1, s *= s) {
        if (e & 1) r *= s;
      }
      return static_cast<__int128>(r);
    }
    case Op::Maximum:
      return a > b ? a : b;
    case Op::Minimum:
      return a < b ? a : b;
    case Op::BitwiseAnd:
    case Op::LogicalAnd:
      return a & b;
    case Op::BitwiseOr:
    case Op::LogicalOr:
      return a | b;
    case Op::BitwiseXor:
      return a ^ b;
    case Op::LeftShift:
      return b < 0 || b >= width ? 0
                                 : static_cast<__int128>(static_cast<unsigned __int128>(a) << b);
    case Op::RightShift:
      return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> b;
    case Op::Equal:
    case Op::NaNEqual:
      return a == b;
    case Op::NotEqual:
      return a != b;
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Greater:
      return a > b;
    case Op::GreaterEqual:
      return a >= b;
    default:
      return -12345;
  }
}

using Real = long double;

Real erfinv_reference(Real a) {
  if (!(std::fabs(a) <= 1)) return NAN;
  if (std::fabs(a) == 1) return std::copysign(static_cast<Real>(INFINITY), a);
  const Real m = std::fabs(a);
  if (m < 1e-10L) return a * 0.886226925452758013649L;
  Real low = 0, high = 40;
  for (int i = 0; i < 200; ++i) {
    const Real middle = (low + high) / 2;
    const bool below = m < 0.5L ? std::erf(middle) < m : std::erfc(middle) > 1 - m;
    (below ? low : high) = middle;
  }
  return std::copysign((low + high) / 2, a);
}

Real floored_remainder(Real x, Real y) {
  if (y == 0) return NAN;
  const Real r = std::fmod(x, y);
  if (r == 0) return std::copysign(Real{0}, y);
  return (r < 0) != (y < 0) ? r + y : r;
}

/// Result on floats in extended precision. `exact` ops give the right dtype.
Real float_reference(Op op, Real a, Real b) {
  switch (op) {
    case Op::Copy:
    case Op::Conjugate:
    case Op::Real:
      return a;
    case Op::Abs:
      return std::fabs(a);
    case Op::Negative:
      return -a;
    case Op::Sign:
      return std::isnan(a) ? a : a > 0 ? 1 : a < 0 ? -1 : a;
    case Op::Square:
      return a * a;
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Rsqrt:
      return 1 / std::sqrt(a);
    case Op::Reciprocal:
      return 1 / a;
    case Op::Exp:
      return std::exp(a);
    case Op::Expm1:
      return std::expm1(a);
    case Op::Log:
      return std::log(a);
    case Op::Log2:
      return std::log2(a);
    case Op::Log10:
      return std::log10(a);
    case Op::Log1p:
      return std::log1p(a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::ArcSin:
      return std::asin(a);
    case Op::ArcCos:
      return std::acos(a);
    case Op::ArcTan:
      return std::atan(a);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::ArcSinh:
      return std::asinh(a);
    case Op::ArcCosh:
      return std::acosh(a);
    case Op::ArcTanh:
      return std::atanh(a);
    case Op::Erf:
      return std::erf(a);
    case Op::ErfInv:
      return erfinv_reference(a);
    case Op::Sigmoid:
      return a < 0 ? std::exp(a) / (1 + std::exp(a)) : 1 / (1 + std::exp(-a));
    case Op::Floor:
      return std::floor(a);
    case Op::Ceil:
      return std::ceil(a);
    case Op::Trunc:
      return std::trunc(a);
    case Op::Round:
      return std::nearbyint(a);
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::Divide:
      return a / b;
    case Op::FloorDivide: {
      if (b == 0) return a / b;
      if (std::isinf(b) && std::isfinite(a)) return a == 0 || (a < 0) == (b < 0) ? 0 : -1;
      const Real r = floored_remainder(a, b);
      return std::isnan(r) ? r : std::nearbyint((a - r) / b);
    }
    case Op::Remainder:
      return floored_remainder(a, b);
    case Op::Power:
      return std::pow(a, b);
    case Op::Maximum:
      return std::isnan(a) || std::isnan(b) ? NAN : a > b ? a : b;
    case Op::Minimum:
      return std::isnan(a) || std::isnan(b) ? NAN : a < b ? a : b;
    case Op::LogAddExp: {
      if (std::isnan(a) || std::isnan(b)) return NAN;
      const Real high = a > b ? a : b, low = a > b ? b : a;
      if (std::isinf(high)) return high;
      return high + std::log1p(std::exp(low - high));
    }
    case Op::ArcTan2:
      return std::atan2(a, b);
    case Op::Equal:
      return a == b;
    case Op::NaNEqual:
      return a == b || (std::isnan(a) && std::isnan(b));
    case Op::NotEqual:
      return a != b;
    case Op::Less:
      return a < b;
    case Op::LessEqual:
      return a <= b;
    case Op::Greater:
      return a > b;
    case Op::GreaterEqual:
      return a >= b;
    default:
      return -12345;
  }
}

using Complex = std::complex<double>;
Complex complex_reference(Op op, Complex a, Complex b) {
  switch (op) {
    case Op::Copy:
      return a;
    case Op::Abs:
      return std::abs(a);
    case Op::Negative:
      return -a;
    case Op::Sign:
      return a == 0.0 ? a : a / std::abs(a);
    case Op::Square:
      return a * a;
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Rsqrt:
      return 1.0 / std::sqrt(a);
    case Op::Reciprocal:
      return 1.0 / a;
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Log2:
      return std::log(a) / std::log(2.0);
    case Op::Log10:
      return std::log10(a);
    case Op::Log1p:
      return std::abs(a) < 1e-4 ? a - a * a / 2.0 : std::log(1.0 + a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::ArcSin:
      return std::asin(a);
    case Op::ArcCos:
      return std::acos(a);
    case Op::ArcTan:
      return std::atan(a);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::ArcSinh:
      return std::asinh(a);
    case Op::ArcCosh:
      return std::acosh(a);
    case Op::ArcTanh:
      return std::atanh(a);
    case Op::Round:
      return Complex(std::nearbyint(a.real()), std::nearbyint(a.imag()));
    case Op::Conjugate:
      return std::conj(a);
    case Op::Real:
      return a.real();
    case Op::Imag:
      return a.imag();
    case Op::Add:
      return a + b;
    case Op::Subtract:
      return a - b;
    case Op::Multiply:
      return a * b;
    case Op::Divide:
      return a / b;
    case Op::Power:
      return std::pow(a, b);
    case Op::Maximum:
      return a.real() > b.real() || (a.real() == b.real() && a.imag() >= b.imag()) ? a : b;
    case Op::Minimum:
      return a.real() < b.real() || (a.real() == b.real() && a.imag() <= b.imag()) ? a : b;
    case Op::LogAddExp:
      return std::log(std::exp(a) + std::exp(b));
    case Op::Equal:
    case Op::NaNEqual:
      return a == b;
    case Op::NotEqual:
      return a != b;
    case Op::Less:
      return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
    case Op::LessEqual:
      return a.real() < b.real() || (a.real() == b.real() && a.imag() <= b.imag());
    case Op::Greater:
      return a.real() > b.real() || (a.real() == b.real() && a.imag() > b.imag());
    case Op::GreaterEqual:
      return a.real() > b.real() || (a.real() == b.real() && a.imag() >= b.imag());
    default:
      return -12345;
  }
}

/// Distance in units of the last place of the dtype at the reference.
double ulps(Real reference, double got, Val v) {
  if (std::isnan(reference)) return std::isnan(got) ? 0 : 1e30;
  if (std::isnan(got)) return 1e30;
  int mantissa = 24, least = -149, top = 128;
  if (v == Val::float16) mantissa = 11, least = -24, top = 16;
  if (v == Val::bfloat16) mantissa = 8, least = -133, top = 128;
  if (v == Val::float64) mantissa = 53, least = -1074, top = 1024;
  const Real over = std::ldexp(Real{1}, top);  // first power beyond the range
  if (std::isinf(reference) && std::isinf(got)) return (reference > 0) == (got > 0) ? 0 : 1e30;
  Real g = got;
  if (std::isinf(got)) g = std::copysign(over, static_cast<Real>(got));
  if (std::fabs(reference) > over) reference = std::copysign(over, reference);
  int e = 0;
  std::frexp(reference, &e);
  if (reference == 0) e = least + mantissa;
  const Real unit = std::ldexp(Real{1}, std::max(e - mantissa, least));
  return static_cast<double>(std::fabs(g - reference) / unit);
}

double allowed_ulps(Op op, Val v) {
  switch (op) {
    case Op::Copy:
    case Op::Abs:
    case Op::Negative:
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
    case Op::Maximum:
    case Op::Minimum:
    case Op::Conjugate:
    case Op::Real:
      return 0;
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Square:
    case Op::Sqrt:
    case Op::Reciprocal:
      return 0.501;
    case Op::FloorDivide:
    case Op::Remainder:
      return 0.501;
    default:
      break;
  }
  if (v == Val::float32) return op == Op::ErfInv ? 4.0 : 2.5;
  if (v == Val::float64) return 2.0;
  return 0.51;
}

Op op_at(int k) {
  return static_cast<Op>(k);
}

void check_float(Op op, Val v, const Buffer& a, const Buffer& b, const Buffer& got, int64_t n) {
  double worst = 0;
  int64_t where = 0;
  for (int64_t k = 0; k < n; ++k) {
    const Real x = a.get(k).re, y = b.get(k).re;
    const Real want = float_reference(op, x, y);
    if (got.dtype == Val::bool_) {
      REQUIRE_MESSAGE((got.get(k).i != 0) == (want != 0), label(op), " ", label(v));
      continue;
    }
    double distance = ulps(want, got.get(k).re, v);
    if (op == Op::LogAddExp) {
      // The difference of the operands is rounded to their magnitude.
      const Real high = std::max(std::fabs(x), std::fabs(y));
      if (std::isfinite(high)) {
        distance = std::min(
            distance, static_cast<double>(std::fabs(got.get(k).re - want)) / std::ldexp(1.0, -23) /
                          std::max<double>(1e-300, std::fabs(static_cast<double>(high))));
        if (v != Val::float32 && std::fabs(want) < std::fabs(high)) distance = 0;
      }
    }
    if ((op == Op::FloorDivide) && std::fabs(want) > 1e6L) continue;
    if (distance > worst) worst = distance, where = k;
  }
  CHECK_MESSAGE(worst <= allowed_ulps(op, v), label(op), " ", label(v), " of ",
                static_cast<double>(a.get(where).re), ", ", static_cast<double>(b.get(where).re),
                " gave ", got.get(where).re, " for ",
                static_cast<double>(float_reference(op, a.get(where).re, b.get(where).re)), ": ",
                worst, " ULP");
}

void check_complex(Op op, const Buffer& a, const Buffer& b, const Buffer& got, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const Complex x(a.get(k).re, a.get(k).im), y(b.get(k).re, b.get(k).im);
    if (!std::isfinite(x.real() + x.imag() + y.real() + y.imag())) continue;
    const Complex want = complex_reference(op, x, y);
    if (got.dtype == Val::bool_) {
      REQUIRE_MESSAGE((got.get(k).i != 0) == (want != 0.0), label(op));
      continue;
    }
    Complex g(got.get(k).re, got.get(k).im);
    if (op == Op::LogAddExp) {  // the imaginary part counts modulo 2 pi
      const double turn = 6.283185307179586;
      g.imag(g.imag() - turn * std::round((g.imag() - want.imag()) / turn));
    }
    const double size = std::abs(want);
    if (!std::isfinite(size) || size > 1e37 || size < 1e-37) continue;
    // Operands of a cancelling sum bound its error.
    double scale = size;
    if (op == Op::Multiply || op == Op::Square)
      scale = std::abs(x) * std::abs(op == Op::Square ? x : y);
    if (op == Op::Add || op == Op::Subtract) scale = std::abs(x) + std::abs(y);
    if (op == Op::LogAddExp) scale += std::abs(x) + std::abs(y);
    if (op == Op::Power) scale *= 1 + std::abs(y * std::log(x));
    if (scale > 1e37) continue;
    CHECK_MESSAGE(std::abs(g - want) <= 4e-7 * scale, label(op), " complex of ", x.real(), "+",
                  x.imag(), "i, ", y.real(), "+", y.imag(), "i gave ", g.real(), "+", g.imag(),
                  "i for ", want.real(), "+", want.imag(), "i");
  }
}

}  // namespace

TEST_CASE("every op on every dtype agrees with the reference in every tier") {
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (int k = 0; k < op_count; ++k) {
      const Op op = op_at(k);
      if (op == Op::Cast || op == Op::Select) continue;
      for (Val v : all_dtypes) {
        const Val out = result_dtype(op, v);
        if (!supported(op, v, out)) continue;
        CAPTURE(tier);
        CAPTURE(label(op));
        CAPTURE(label(v));
        for (int64_t n : {1, 19, 1000}) {
          Buffer a(v, n), b(v, n), got(out, n);
          fill(a, n);
          fill(b, n);
          std::vector<const Buffer*> operands{&a};
          if (arity(op) == 2) operands.push_back(&b);
          run_one(op, v, out, operands, got, n);
          if (v == Val::complex64) {
            check_complex(op, a, b, got, n);
          } else if (is_float(v)) {
            check_float(op, v, a, b, got, n);
          } else {
            for (int64_t i = 0; i < n; ++i) {
              const __int128 want = integer_reference(op, a.get(i).i, b.get(i).i, v);
              const __int128 wrapped = out == Val::bool_ ? (want != 0) : wrap(want, out);
              REQUIRE_MESSAGE(got.get(i).i == wrapped, label(op), " ", label(v), " of ",
                              static_cast<long long>(a.get(i).i), ", ",
                              static_cast<long long>(b.get(i).i), " gave ",
                              static_cast<long long>(got.get(i).i), " for ",
                              static_cast<long long>(wrapped));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("casts between all dtypes saturate, wrap and round") {
  const int64_t n = 600;
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (Val from : all_dtypes) {
      for (Val to : all_dtypes) {
        Buffer a(from, n), got(to, n);
        fill(a, n);
        run_one(Op::Cast, from, to, {&a}, got, n);
        for (int64_t k = 0; k < n; ++k) {
          CAPTURE(tier);
          CAPTURE(label(from));
          CAPTURE(label(to));
          const Scalar x = a.get(k), g = got.get(k);
          const bool from_float = is_float(from) || from == Val::complex64;
          CAPTURE(x.re);
          CAPTURE(static_cast<long long>(x.i));
          if (to == Val::bool_) {
            const bool want = from_float ? !(x.re == 0 && x.im == 0) : x.i != 0;
            REQUIRE((g.i != 0) == want);
            REQUIRE((g.i == 0 || g.i == 1));
          } else if (is_integer(to)) {
            __int128 want = 0;
            if (from_float) {
              const int width = 8 * bytes_of(to);
              const __int128 high =
                  (static_cast<__int128>(1) << (is_signed(to) ? width - 1 : width)) - 1;
              const __int128 low = is_signed(to) ? -high - 1 : 0;
              if (std::isnan(x.re))
                want = 0;
              else if (x.re >= 1e20)
                want = high;
              else if (x.re <= -1e20)
                want = low;
              else
                want = std::min(high, std::max(low, static_cast<__int128>(x.re)));
            } else {
              want = wrap(x.i, to);
            }
            REQUIRE(g.i == want);
          } else {
            // Through float32 for 16-bit floats and complex parts.
            double want = from_float ? x.re : static_cast<double>(static_cast<long double>(x.i));
            if (to != Val::float64) {
              want = from_float ? static_cast<float>(x.re)
                                : static_cast<float>(static_cast<long double>(x.i));
            }
            Buffer rounded(to == Val::complex64 ? Val::float32 : to, 1);
            rounded.set_float(0, want);
            const double r = rounded.get(0).re;
            REQUIRE((g.re == r || (std::isnan(g.re) && std::isnan(r))));
            REQUIRE(std::signbit(g.re) == std::signbit(r));
            if (to == Val::complex64) {
              const double im = from == Val::complex64 ? x.im : 0.0;
              REQUIRE((g.im == im || (std::isnan(g.im) && std::isnan(im))));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("select picks by condition for every dtype") {
  const int64_t n = 333;
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (Val v : all_dtypes) {
      Buffer c(Val::bool_, n), x(v, n), y(v, n), got(v, n);
      fill(c, n);
      fill(x, n);
      fill(y, n);
      run_one(Op::Select, v, v, {&c, &x, &y}, got, n);
      for (int64_t k = 0; k < n; ++k) {
        const Buffer& from = c.get(k).i ? x : y;
        if (is_float(v) && std::isnan(from.get(k).re)) continue;
        REQUIRE_MESSAGE(std::memcmp(got.at(k), from.at(k), bytes_of(v)) == 0, label(v));
      }
    }
  }
}
