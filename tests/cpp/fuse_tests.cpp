// The elementwise engine: every op on every dtype against a scalar reference, in
// every instruction-set tier of this CPU; strides, broadcasting and row ends;
// fused programs against instructions run one by one.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "mlx/core/cpu_tier.h"
#include "mlx/core/parallel.h"
#include "mlx/fuse/compile.h"
#include "mlx/fuse/engine.h"

using namespace mlx::core;
using namespace mlx::core::fuse;
using Val = Dtype::Val;

namespace {

constexpr Val all_dtypes[] = {Val::bool_,    Val::uint8,    Val::uint16,  Val::uint32,
                              Val::uint64,   Val::int8,     Val::int16,   Val::int32,
                              Val::int64,    Val::float16,  Val::float32, Val::float64,
                              Val::bfloat16, Val::complex64};
const char* const dtype_names[] = {"bool", "u8",  "u16", "u32", "u64", "i8",   "i16",
                                   "i32",  "i64", "f16", "f32", "f64", "bf16", "c64"};
std::string label(Op op) {
  return mlx::core::fuse::name(op);
}
std::string label(Val v) {
  return dtype_names[static_cast<int>(v)];
}

bool is_integer(Val v) {
  return v >= Val::uint8 && v <= Val::int64;
}
bool is_float(Val v) {
  return v >= Val::float16 && v <= Val::bfloat16;
}
bool is_signed(Val v) {
  return v >= Val::int8 && v <= Val::int64;
}
int bytes_of(Val v) {
  return item_size(storage_of(v));
}

/// One element of any dtype: an integer, or a complex number in double.
struct Scalar {
  __int128 i = 0;
  double re = 0, im = 0;
};

float half_to_float(uint16_t h) {
  float16_t x;
  std::memcpy(&x, &h, 2);
  return static_cast<float>(x);
}
float bf16_to_float(uint16_t h) {
  const uint32_t bits = static_cast<uint32_t>(h) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

struct Buffer {
  Val dtype;
  std::vector<uint8_t> data;
  Buffer(Val d, int64_t n) : dtype(d), data(static_cast<size_t>(n) * bytes_of(d)) {}
  void* at(int64_t k) { return data.data() + k * bytes_of(dtype); }
  const void* at(int64_t k) const { return data.data() + k * bytes_of(dtype); }

  template <class T>
  T raw(int64_t k) const {
    T x;
    std::memcpy(&x, at(k), sizeof(T));
    return x;
  }
  template <class T>
  void set_raw(int64_t k, T x) {
    std::memcpy(at(k), &x, sizeof(T));
  }

  Scalar get(int64_t k) const {
    Scalar s;
    switch (dtype) {
      case Val::bool_:
        s.i = raw<uint8_t>(k);
        break;
      case Val::uint8:
        s.i = raw<uint8_t>(k);
        break;
      case Val::uint16:
        s.i = raw<uint16_t>(k);
        break;
      case Val::uint32:
        s.i = raw<uint32_t>(k);
        break;
      case Val::uint64:
        s.i = raw<uint64_t>(k);
        break;
      case Val::int8:
        s.i = raw<int8_t>(k);
        break;
      case Val::int16:
        s.i = raw<int16_t>(k);
        break;
      case Val::int32:
        s.i = raw<int32_t>(k);
        break;
      case Val::int64:
        s.i = raw<int64_t>(k);
        break;
      case Val::float16:
        s.re = half_to_float(raw<uint16_t>(k));
        break;
      case Val::bfloat16:
        s.re = bf16_to_float(raw<uint16_t>(k));
        break;
      case Val::float32:
        s.re = raw<float>(k);
        break;
      case Val::float64:
        s.re = raw<double>(k);
        break;
      case Val::complex64: {
        float parts[2];
        std::memcpy(parts, at(k), 8);
        s.re = parts[0];
        s.im = parts[1];
        break;
      }
    }
    return s;
  }

  void set_integer(int64_t k, __int128 x) {
    const uint64_t low = static_cast<uint64_t>(x);
    std::memcpy(at(k), &low, bytes_of(dtype));
  }
  void set_float(int64_t k, double x) {
    switch (dtype) {
      case Val::float16:
        set_raw(k, float16_t(static_cast<float>(x)));
        break;
      case Val::bfloat16:
        set_raw(k, bfloat16_t(static_cast<float>(x)));
        break;
      case Val::float32:
        set_raw(k, static_cast<float>(x));
        break;
      default:
        set_raw(k, x);
        break;
    }
  }
  void set_complex(int64_t k, double re, double im) {
    const float parts[2] = {static_cast<float>(re), static_cast<float>(im)};
    std::memcpy(at(k), parts, 8);
  }
};

std::mt19937_64& generator() {
  static std::mt19937_64 g(20240607);
  return g;
}
double uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator());
}
uint64_t bits() {
  return generator()();
}

/// A mix of plain values, wide magnitudes and special values.
double any_float(Val dtype) {
  static const double specials[] = {
      0.0,    -0.0,    1.0,  -1.0,         INFINITY,      -INFINITY,   NAN,   0.5,
      2.0,    -2.0,    3.0,  1e-40,        -1e-40,        1e30,        -1e30, 88.0,
      -104.0, 65504.0, 1e-7, 2147483648.0, -2147483904.0, 4294967296.0};
  switch (bits() % 8) {
    case 0:
      return specials[bits() % (sizeof(specials) / sizeof(double))];
    case 1:
      return uniform(-1, 1);
    case 2:
      return std::round(uniform(-20, 20));
    case 3: {
      const double limit = dtype == Val::float16 ? 4 : dtype == Val::float64 ? 200 : 37;
      return std::copysign(std::pow(10.0, uniform(-limit, limit)), uniform(-1, 1));
    }
    default:
      return uniform(-12, 12);
  }
}

void fill(Buffer& b, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    if (b.dtype == Val::bool_) {
      b.set_integer(k, bits() & 1);
    } else if (is_integer(b.dtype)) {
      const uint64_t r = bits();
      const uint64_t value = r % 3 == 0 ? bits() : r % 3 == 1 ? bits() % 41 - 20 : bits() % 7;
      b.set_integer(k, r % 16 == 0 ? (uint64_t{1} << (8 * bytes_of(b.dtype) - 1)) : value);
    } else if (b.dtype == Val::complex64) {
      b.set_complex(k, any_float(Val::float32), any_float(Val::float32));
    } else {
      b.set_float(k, any_float(b.dtype));
    }
  }
}

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

std::vector<int> tiers() {
  std::vector<int> result;
#if defined(MLX_SINGLE_TIER_v3)
  result.push_back(1);
#else
  const int best = std::min(2, static_cast<int>(best_cpu_tier()));
  for (int t = 0; t <= best; ++t) result.push_back(t);
#endif
  return result;
}

struct TierScope {
  explicit TierScope(int tier) { set_engine_tier_for_tests(tier); }
  ~TierScope() { set_engine_tier_for_tests(-1); }
};

const int64_t dense_stride[] = {1};

void run_one(Op op, Val in, Val out, const std::vector<const Buffer*>& operands, Buffer& result,
             int64_t n) {
  std::vector<Input> inputs;
  for (const Buffer* b : operands) inputs.push_back({b->data.data(), b->dtype, dense_stride});
  const Instruction instruction{op, in, out, {0, 1, 2}};
  const Output output{static_cast<uint16_t>(operands.size()), result.data.data(), dense_stride};
  run({1, &n, static_cast<int>(inputs.size()), inputs.data(), 1, &instruction, 1, &output});
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
      // Cancellation near zero: judged against the larger operand.
      const Real high = x > y ? x : y;
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

TEST_CASE("fused programs equal instructions run one by one, bit for bit") {
  struct Family {
    Val dtype;
    std::vector<Op> unary, binary;
  };
  const std::vector<Op> float_unary{Op::Abs,   Op::Negative, Op::Square, Op::Exp, Op::Sin,
                                    Op::Tanh,  Op::Sigmoid,  Op::Floor,  Op::Erf, Op::Sign,
                                    Op::Log1p, Op::Rsqrt,    Op::Cos};
  const std::vector<Op> float_binary{Op::Add,       Op::Subtract, Op::Multiply, Op::Divide,
                                     Op::Maximum,   Op::Minimum,  Op::Power,    Op::ArcTan2,
                                     Op::Remainder, Op::LogAddExp};
  const std::vector<Op> int_unary{Op::Abs, Op::Negative, Op::Square, Op::BitwiseInvert};
  const std::vector<Op> int_binary{Op::Add,         Op::Subtract,   Op::Multiply,  Op::Maximum,
                                   Op::FloorDivide, Op::BitwiseXor, Op::LeftShift, Op::Remainder};
  const std::vector<Family> families{{Val::float32, float_unary, float_binary},
                                     {Val::float16, float_unary, float_binary},
                                     {Val::bfloat16, float_unary, float_binary},
                                     {Val::float64, float_unary, float_binary},
                                     {Val::int32, int_unary, int_binary},
                                     {Val::uint8, int_unary, int_binary},
                                     {Val::int16, int_unary, int_binary},
                                     {Val::int64, int_unary, int_binary},
                                     {Val::complex64,
                                      {Op::Exp, Op::Negative, Op::Conjugate, Op::Sin},
                                      {Op::Add, Op::Multiply, Op::Subtract, Op::Divide}}};
  const Op compares[] = {Op::Less, Op::GreaterEqual, Op::Equal, Op::NotEqual};
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (const Family& family : families) {
      for (int trial = 0; trial < 12; ++trial) {
        const Val v = family.dtype;
        const int64_t n = 1 + static_cast<int64_t>(bits() % 700);
        const int inputs = 1 + static_cast<int>(bits() % 4);
        const int length = 1 + static_cast<int>(bits() % (trial < 2 ? 64 : 12));
        std::vector<Buffer> values;
        values.reserve(inputs + length);
        for (int i = 0; i < inputs; ++i) {
          values.emplace_back(i == 0 || bits() % 4 ? v : Val::bool_, n);
          fill(values.back(), n);
        }
        std::vector<Instruction> code;
        const auto pick = [&](Val want) {
          for (;;) {
            const size_t k = bits() % values.size();
            if (values[k].dtype == want) return static_cast<uint16_t>(k);
          }
        };
        bool have_bool = false;
        for (const Buffer& b : values) have_bool |= b.dtype == Val::bool_;
        for (int k = 0; k < length; ++k) {
          Instruction i{Op::Copy, v, v, {pick(v), 0, 0}};
          const uint64_t kind = bits() % 8;
          if (kind == 0) {
            i.op = compares[bits() % (v == Val::complex64 ? 4 : 4)];
            i.args[1] = pick(v);
            i.out = Val::bool_;
            have_bool = true;
          } else if (kind == 1 && have_bool) {
            i.op = Op::Select;
            i.args[0] = pick(Val::bool_);
            i.args[1] = pick(v);
            i.args[2] = pick(v);
          } else if (kind == 2 && have_bool) {
            i.op = bits() & 1 ? Op::LogicalAnd : Op::BitwiseXor;
            i.in = i.out = Val::bool_;
            i.args[0] = pick(Val::bool_);
            i.args[1] = pick(Val::bool_);
          } else if (kind == 3 && have_bool) {
            i.op = Op::Cast;
            i.in = Val::bool_;
            i.args[0] = pick(Val::bool_);
          } else if (kind < 6) {
            i.op = family.binary[bits() % family.binary.size()];
            i.args[1] = pick(v);
          } else {
            i.op = family.unary[bits() % family.unary.size()];
          }
          REQUIRE(supported(i.op, i.in, i.out));
          std::vector<const Buffer*> operands;
          for (int j = 0; j < arity(i.op); ++j) operands.push_back(&values[i.args[j]]);
          Buffer result(i.out, n);
          run_one(i.op, i.in, i.out, operands, result, n);
          code.push_back(i);
          values.push_back(std::move(result));
        }
        // Outputs: the last value and some others.
        std::vector<Input> in;
        for (int i = 0; i < inputs; ++i) {
          in.push_back({values[i].data.data(), values[i].dtype, dense_stride});
        }
        std::vector<Buffer> results;
        std::vector<uint16_t> ids;
        for (int k = inputs + length - 1; k >= inputs && ids.size() < 5; --k) {
          if (k == inputs + length - 1 || bits() % 3 == 0) {
            ids.push_back(static_cast<uint16_t>(k));
            results.emplace_back(values[k].dtype, n);
          }
        }
        std::vector<Output> out;
        for (size_t o = 0; o < ids.size(); ++o) {
          out.push_back({ids[o], results[o].data.data(), dense_stride});
        }
        run({1, &n, inputs, in.data(), length, code.data(), static_cast<int>(out.size()),
             out.data()});
        for (size_t o = 0; o < ids.size(); ++o) {
          for (int64_t k = 0; k < n; ++k) {
            const Scalar a = results[o].get(k), b = values[ids[o]].get(k);
            if (std::isnan(a.re) && std::isnan(b.re)) continue;
            if (std::isnan(a.im) && std::isnan(b.im)) continue;
            REQUIRE_MESSAGE(std::memcmp(results[o].at(k), values[ids[o]].at(k),
                                        bytes_of(results[o].dtype)) == 0,
                            label(v), " value ", ids[o], " of ", inputs, "+", length);
          }
        }
      }
    }
  }
}

namespace {

struct Strided {
  std::vector<int64_t> strides;
  int64_t offset;  // of the first element in the buffer
};

/// A random view of `shape`: dense, permuted, broadcast, reversed or spread.
Strided random_view(const std::vector<int64_t>& shape, int64_t& size, bool output) {
  const int n = static_cast<int>(shape.size());
  std::vector<int> order(n);
  for (int k = 0; k < n; ++k) order[k] = k;
  if (bits() % 2) std::shuffle(order.begin(), order.end(), generator());
  Strided view{std::vector<int64_t>(n), 0};
  int64_t stride = bits() % 4 == 0 ? 2 : 1;
  for (int k = n - 1; k >= 0; --k) {
    const int d = order[k];
    if (!output && bits() % 4 == 0) {
      view.strides[d] = 0;
      continue;
    }
    view.strides[d] = stride;
    stride *= shape[d];
    if (bits() % 8 == 0) {
      view.offset += view.strides[d] * (shape[d] - 1);
      view.strides[d] = -view.strides[d];
    }
  }
  size = stride + 1;
  return view;
}

}  // namespace

TEST_CASE("strides, broadcasting, reversed and permuted views, row ends") {
  for (int tier : tiers()) {
    TierScope scope(tier);
    for (int trial = 0; trial < 300; ++trial) {
      const Val types[] = {Val::float32, Val::float16, Val::int8, Val::float64, Val::complex64};
      const Val v = types[trial % 5];
      std::vector<int64_t> shape(1 + bits() % 4);
      for (int64_t& s : shape) s = bits() % 3 == 0 ? 1 + bits() % 150 : 1 + bits() % 7;
      int64_t total = 1;
      for (int64_t s : shape) total *= s;
      int64_t size[4];
      Strided view[4];
      for (int k = 0; k < 4; ++k) view[k] = random_view(shape, size[k], k == 3);
      Buffer c(Val::bool_, size[0]), x(v, size[1]), y(v, size[2]), got(v, size[3]);
      fill(c, size[0]);
      fill(x, size[1]);
      fill(y, size[2]);
      const Input in[] = {{c.at(view[0].offset), Val::bool_, view[0].strides.data()},
                          {x.at(view[1].offset), v, view[1].strides.data()},
                          {y.at(view[2].offset), v, view[2].strides.data()}};
      // where(c, x - y, -y)
      const Instruction code[] = {{Op::Subtract, v, v, {1, 2, 0}},
                                  {Op::Negative, v, v, {2, 0, 0}},
                                  {Op::Select, v, v, {0, 3, 4}}};
      const Output out[] = {{5, got.at(view[3].offset), view[3].strides.data()}};
      run({static_cast<int>(shape.size()), shape.data(), 3, in, 3, code, 1, out});

      // The same elements, gathered one by one.
      Buffer fc(Val::bool_, total), fx(v, total), fy(v, total), want(v, total);
      std::vector<int64_t> index(shape.size(), 0);
      std::vector<int64_t> where(total);
      for (int64_t k = 0; k < total; ++k) {
        int64_t at[4];
        for (int j = 0; j < 4; ++j) {
          at[j] = view[j].offset;
          for (size_t d = 0; d < shape.size(); ++d) at[j] += index[d] * view[j].strides[d];
        }
        std::memcpy(fc.at(k), c.at(at[0]), 1);
        std::memcpy(fx.at(k), x.at(at[1]), bytes_of(v));
        std::memcpy(fy.at(k), y.at(at[2]), bytes_of(v));
        where[k] = at[3];
        for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
          if (++index[d] < shape[d]) break;
          index[d] = 0;
        }
      }
      const Input flat[] = {{fc.at(0), Val::bool_, dense_stride},
                            {fx.at(0), v, dense_stride},
                            {fy.at(0), v, dense_stride}};
      const Output flat_out[] = {{5, want.at(0), dense_stride}};
      run({1, &total, 3, flat, 3, code, 1, flat_out});
      for (int64_t k = 0; k < total; ++k) {
        const Scalar a = got.get(where[k]), b = want.get(k);
        if (std::isnan(a.re) || std::isnan(a.im)) {
          REQUIRE((std::isnan(b.re) || std::isnan(b.im)));
          continue;
        }
        REQUIRE_MESSAGE(std::memcmp(got.at(where[k]), want.at(k), bytes_of(v)) == 0, label(v));
      }
    }
  }
}

TEST_CASE("an output may take the memory of an input") {
  const int64_t n = 5000;
  Buffer x(Val::float32, n), y(Val::float32, n), sum(Val::float32, n), difference(Val::float32, n);
  for (int64_t k = 0; k < n; ++k) {
    x.set_float(k, uniform(-1, 1));
    y.set_float(k, uniform(-1, 1));
  }
  const Instruction code[] = {{Op::Add, Val::float32, Val::float32, {0, 1, 0}},
                              {Op::Subtract, Val::float32, Val::float32, {0, 1, 0}}};
  const auto go = [&](void* first, void* second) {
    const Input in[] = {{x.at(0), Val::float32, dense_stride},
                        {y.at(0), Val::float32, dense_stride}};
    const Output out[] = {{2, first, dense_stride}, {3, second, dense_stride}};
    run({1, &n, 2, in, 2, code, 2, out});
  };
  go(sum.at(0), difference.at(0));
  go(x.at(0), y.at(0));
  CHECK(x.data == sum.data);
  CHECK(y.data == difference.data);
}

TEST_CASE("large programs run in parallel and with streaming stores, with the same bits") {
  const int64_t n = (int64_t{5} << 20) + 77;
  Buffer x(Val::float32, n), many(Val::float32, n), one(Val::float32, n);
  for (int64_t k = 0; k < n; ++k) x.set_float(k, std::sin(static_cast<double>(k)));
  const float scale = 2.5f;
  const int64_t zero[] = {0};
  const Input in[] = {{x.at(0), Val::float32, dense_stride}, {&scale, Val::float32, zero}};
  const Instruction code[] = {{Op::Multiply, Val::float32, Val::float32, {0, 1, 0}},
                              {Op::Exp, Val::float32, Val::float32, {2, 0, 0}}};
  const Output out[] = {{3, many.at(0), dense_stride}};
  run({1, &n, 2, in, 2, code, 1, out});
  const int before = set_num_threads(1);
  for (int64_t begin = 0; begin < n; begin += 4097) {  // small, misaligned pieces
    const int64_t m = std::min<int64_t>(4097, n - begin);
    const Input piece[] = {{x.at(begin), Val::float32, dense_stride}, in[1]};
    const Output to[] = {{3, one.at(begin), dense_stride}};
    run({1, &m, 2, piece, 2, code, 1, to});
  }
  set_num_threads(before);
  CHECK(many.data == one.data);
}

TEST_CASE("programs that break the rules are refused") {
  const int64_t n = 4;
  float x[4] = {}, y[4] = {};
  const Input in[] = {{x, Val::float32, dense_stride}};
  const Output out[] = {{1, y, dense_stride}};
  const auto go = [&](Instruction i) { run({1, &n, 1, in, 1, &i, 1, out}); };
  CHECK_THROWS_AS(go({Op::BitwiseInvert, Val::float32, Val::float32, {0, 0, 0}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(go({Op::Add, Val::int32, Val::int32, {0, 0, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(go({Op::Exp, Val::float32, Val::float32, {1, 0, 0}}), std::invalid_argument);
  CHECK(!supported(Op::BitwiseAnd, Val::float32, Val::float32));
  CHECK(!supported(Op::Erf, Val::complex64, Val::complex64));
  CHECK(supported(Op::Power, Val::int8, Val::int8));
}
