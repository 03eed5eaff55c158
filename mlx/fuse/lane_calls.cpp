// Lane-by-lane functions on integers and float64; complex ones are in
// complex_lane_calls.cpp.
#include "mlx/fuse/lane_calls.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace mlx::core::fuse {

LaneCall find_complex_lane_call(Op op);

namespace {

template <class T, T (*f)(T)>
void each(void* a, const void*, size_t count) {
  T* x = static_cast<T*>(a);
  for (size_t i = 0; i < count; ++i) x[i] = f(x[i]);
}
template <class T, T (*f)(T, T)>
void each2(void* a, const void* b, size_t count) {
  T* x = static_cast<T*>(a);
  const T* y = static_cast<const T*>(b);
  for (size_t i = 0; i < count; ++i) x[i] = f(x[i], y[i]);
}

// ------------------------------------------------------------------ integers

// Quotients are floored; division by zero gives 0 with remainder x; the least
// value over -1 wraps.
template <class T>
T floor_divide(T x, T y) {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return static_cast<T>(-static_cast<std::make_unsigned_t<T>>(x));
    const T q = static_cast<T>(x / y);
    return static_cast<T>(q - ((x % y != 0) && ((x < 0) != (y < 0))));
  } else {
    return static_cast<T>(x / y);
  }
}
template <class T>
T remainder(T x, T y) {
  if (y == 0) return x;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
    const T r = static_cast<T>(x % y);
    return (r != 0 && ((r < 0) != (y < 0))) ? static_cast<T>(r + y) : r;
  } else {
    return static_cast<T>(x % y);
  }
}
template <class T>
T power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) return 0;
  }
  uint64_t result = 1;
  uint64_t square = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1) {
    if (e & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}
template <class T>
T shift_left(T x, T y) {
  using U = std::make_unsigned_t<T>;
  const U count = static_cast<U>(y);
  return count < 8 * sizeof(T) ? static_cast<T>(static_cast<U>(x) << count) : T{0};
}
template <class T>
T shift_right(T x, T y) {
  using U = std::make_unsigned_t<T>;
  constexpr U bits = 8 * sizeof(T);
  const U count = static_cast<U>(y);
  if (count < bits) return static_cast<T>(x >> count);
  return x < 0 ? static_cast<T>(-1) : T{0};
}

template <class T>
LaneCall find_integer(Op op) {
  switch (op) {
    case Op::FloorDivide:
      return each2<T, floor_divide<T>>;
    case Op::Remainder:
      return each2<T, remainder<T>>;
    case Op::Power:
      return each2<T, power<T>>;
    case Op::LeftShift:
      return each2<T, shift_left<T>>;
    case Op::RightShift:
      return each2<T, shift_right<T>>;
    default:
      return nullptr;
  }
}

// ------------------------------------------------------------------ floats

// numpy's rules for floats.
template <class T>
T float_remainder(T x, T y) {
  if (y == 0) return std::numeric_limits<T>::quiet_NaN();
  const T r = std::fmod(x, y);
  if (r == 0) return std::copysign(T{0}, y);
  return (r < 0) != (y < 0) ? r + y : r;
}
template <class T>
T float_floor_divide(T x, T y) {
  if (y == 0) return x / y;
  const T r = std::fmod(x, y);
  T quotient = (x - r) / y;
  if (r != 0 && (r < 0) != (y < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T{0}, x / y);
  const T floored = std::floor(quotient);
  return quotient - floored > T(0.5) ? floored + 1 : floored;
}

double log1p_exp(double gap) {
  return std::log1p(std::exp(gap));
}

double logaddexp(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const double high = a > b ? a : b;
  const double low = a > b ? b : a;
  if (low == high) return high + 0.69314718055994531;
  if (std::isinf(high)) return high;
  return high + log1p_exp(low - high);
}
double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}
/// Newton steps from a closed approximation (Winitzki's), with erfc where erf
/// is close to one.
double erfinv(double a) {
  const double m = std::fabs(a);
  if (!(m <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (m == 1) return std::copysign(std::numeric_limits<double>::infinity(), a);
  if (m < 1e-8) return a * 0.88622692545275801365;
  const double l = std::log((1 - m) * (1 + m));
  const double t = 2 / (3.14159265358979323846 * 0.147) + 0.5 * l;
  double x = std::sqrt(std::sqrt(t * t - l / 0.147) - t);
  for (int i = 0; i < 3; ++i) {
    const double error = m < 0.75 ? std::erf(x) - m : (1 - m) - std::erfc(x);
    const double step = error / (1.12837916709551257390 * std::exp(-x * x));
    x -= step / (1 + x * step);
  }
  return std::copysign(x, a);
}

template <double (*f)(double)>
constexpr LaneCall libm = each<double, f>;

LaneCall find_f64(Op op) {
  switch (op) {
    case Op::Expm1:
      return libm<::expm1>;
    case Op::Log2:
      return libm<::log2>;
    case Op::Log10:
      return libm<::log10>;
    case Op::Log1p:
      return libm<::log1p>;
    case Op::Sin:
      return libm<::sin>;
    case Op::Cos:
      return libm<::cos>;
    case Op::Tan:
      return libm<::tan>;
    case Op::ArcSin:
      return libm<::asin>;
    case Op::ArcCos:
      return libm<::acos>;
    case Op::ArcTan:
      return libm<::atan>;
    case Op::Sinh:
      return libm<::sinh>;
    case Op::Cosh:
      return libm<::cosh>;
    case Op::Tanh:
      return libm<::tanh>;
    case Op::ArcSinh:
      return libm<::asinh>;
    case Op::ArcCosh:
      return libm<::acosh>;
    case Op::ArcTanh:
      return libm<::atanh>;
    case Op::Erf:
      return libm<::erf>;
    case Op::ErfInv:
      return libm<erfinv>;
    case Op::Sigmoid:
      return libm<sigmoid>;
    case Op::Power:
      return each2<double, ::pow>;
    case Op::ArcTan2:
      return each2<double, ::atan2>;
    case Op::LogAddExp:
      return each2<double, logaddexp>;
    case Op::FloorDivide:
      return each2<double, float_floor_divide<double>>;
    case Op::Remainder:
      return each2<double, float_remainder<double>>;
    default:
      return nullptr;
  }
}

LaneCall find_f32(Op op) {
  switch (op) {
    case Op::FloorDivide:
      return each2<float, float_floor_divide<float>>;
    case Op::Remainder:
      return each2<float, float_remainder<float>>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneCall find_lane_call(Op op, Lane lane) {
  switch (lane) {
    case Lane::u8:
      return find_integer<uint8_t>(op);
    case Lane::i8:
      return find_integer<int8_t>(op);
    case Lane::u16:
      return find_integer<uint16_t>(op);
    case Lane::i16:
      return find_integer<int16_t>(op);
    case Lane::u32:
      return find_integer<uint32_t>(op);
    case Lane::i32:
      return find_integer<int32_t>(op);
    case Lane::u64:
      return find_integer<uint64_t>(op);
    case Lane::i64:
      return find_integer<int64_t>(op);
    case Lane::f32:
      return find_f32(op);
    case Lane::f64:
      return find_f64(op);
    case Lane::c64:
      return find_complex_lane_call(op);
    case Lane::mask:
      return nullptr;
  }
  return nullptr;
}

}  // namespace mlx::core::fuse
