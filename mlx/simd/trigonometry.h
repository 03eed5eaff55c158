// Float32 trigonometric and hyperbolic functions and their inverses, for tier
// files. Accuracy and special values as in math.h.
#pragma once

#include <cmath>

#include "mlx/simd/math.h"

namespace mlx::core::MLX_SIMD_NAMESPACE {

/// Largest |x| of sin_fast, cos_fast, tan_fast. Beyond it lanes go through libm.
inline constexpr float trig_limit = has_fma ? 200000.0f : 6000.0f;

/// x = q pi/2 + r with |r| <= pi/4 (a little more for large x); returns r and
/// the low bits of q.
template <class D, class V = VecOf<D>, class VI = hn::Vec<hn::RebindToSigned<D>>>
HWY_INLINE V reduce_trig(D d, V x, VI& quadrant) {
  const hn::RebindToSigned<D> di;
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 0.636619772f), magic);
  quadrant = hn::BitCast(di, shifted);
  const V q = hn::Sub(shifted, magic);
  V r;
  if constexpr (has_fma) {
    r = hn::NegMulAdd(q, hn::Set(d, 1.57079637f), x);
    r = hn::NegMulAdd(q, hn::Set(d, -4.37113883e-08f), r);
    r = hn::NegMulAdd(q, hn::Set(d, -1.71512451e-15f), r);
  } else {
    // pi/2 in parts of 12 bits: the products are exact.
    r = hn::Sub(x, hn::Mul(q, hn::Set(d, 1.5703125f)));
    r = hn::Sub(r, hn::Mul(q, hn::Set(d, 0.0004837512969970703f)));
    r = hn::Sub(r, hn::Mul(q, hn::Set(d, 7.549533620476723e-08f)));
    r = hn::Sub(r, hn::Mul(q, hn::Set(d, 2.5632829192545614e-12f)));
    r = hn::Sub(r, hn::Mul(q, hn::Set(d, 6.123234262925839e-17f)));
  }
  return r;
}

template <class D, class V>
HWY_INLINE V sin_kernel(D d, V r, V z) {
  const V s = polynomial(d, z, 2.71419913e-06f, -0.000198388807f, 0.00833332818f, -0.166666672f);
  return hn::MulAdd(hn::Mul(r, z), s, r);
}
template <class D, class V>
HWY_INLINE V cos_kernel(D d, V z) {
  const V c = polynomial(d, z, 2.43942704e-05f, -0.00138869649f, 0.0416666381f);
  const V half = hn::Mul(z, hn::Set(d, 0.5f));
  return hn::MulAdd(hn::Mul(z, z), c, hn::Sub(hn::Set(d, 1.0f), half));
}

/// sin(x + shift pi/2) for |x| <= trig_limit.
template <int shift, class D, class V = VecOf<D>>
HWY_INLINE V sin_shifted(D d, V x) {
  const hn::RebindToSigned<D> di;
  hn::Vec<decltype(di)> quadrant;
  const V r = reduce_trig(d, x, quadrant);
  if constexpr (shift != 0) quadrant = hn::Add(quadrant, hn::Set(di, shift));
  const V z = hn::Mul(r, r);
  const V s = sin_kernel(d, r, z);
  const V c = cos_kernel(d, z);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quadrant, hn::Set(di, 1)), hn::Set(di, 1)));
  const V sign = hn::BitCast(d, hn::ShiftLeft<30>(hn::And(quadrant, hn::Set(di, 2))));
  return hn::Xor(hn::IfThenElse(odd, c, s), sign);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V sin_fast(D d, V x) {
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, sin_shifted<0>(d, x));  // keeps -0
}
template <class D, class V = VecOf<D>>
HWY_INLINE V cos_fast(D d, V x) {
  return sin_shifted<1>(d, x);
}
/// tan(r) for |r| <= pi/4, in float32 or float64 lanes.
template <class D, class V = VecOf<D>>
HWY_INLINE V tan_kernel(D d, V r) {
  const V z = hn::Mul(r, r);
  const V t = polynomial(d, z, 0.00498469779f, -0.0011741916f, 0.0118562207f, 0.0208797008f,
                         0.0541394949f, 0.133319482f, 0.333333701f);
  return hn::MulAdd(hn::Mul(r, z), t, r);
}
template <class D, class V = VecOf<D>>
HWY_INLINE V tan_fast(D d, V x) {
  const hn::RebindToSigned<D> di;
  hn::Vec<decltype(di)> quadrant;
  const V r = reduce_trig(d, x, quadrant);
  V y;
  if constexpr (has_fma) {
    y = tan_kernel(d, r);
  } else {
    // The roundings of reduction and polynomial would add up to 2.7 ULP.
    const V q = hn::ConvertTo(d, hn::Sub(quadrant, hn::Set(di, 0x4B400000)));
    y = in_f64(d, x, q, [](auto dd, auto v, auto k) HWY_ATTR {
      const auto high = hn::NegMulAdd(k, hn::Set(dd, 1.57079632673412561417), v);
      return tan_kernel(dd, hn::NegMulAdd(k, hn::Set(dd, 6.07710050650619224932e-11), high));
    });
  }
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(quadrant, hn::Set(di, 1)), hn::Set(di, 1)));
  const V result = hn::IfThenElse(odd, hn::Div(hn::Set(d, -1.0f), y), y);
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);  // keeps -0
}

template <class D, class V = VecOf<D>>
HWY_INLINE bool trig_is_fast(D d, V x) {
  return hn::AllFalse(d, hn::Gt(hn::Abs(x), hn::Set(d, trig_limit)));
}

/// Lane by lane through libm, which is right for arguments of any size.
template <class D, class V = VecOf<D>>
static HWY_NOINLINE V by_libm(D d, V x, double (*f)(double)) {
  alignas(64) float buffer[vector_bytes / sizeof(float)];
  hn::StoreU(x, d, buffer);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    buffer[i] = static_cast<float>(f(static_cast<double>(buffer[i])));
  return hn::LoadU(d, buffer);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V sin(D d, V x) {
  return HWY_LIKELY(trig_is_fast(d, x)) ? sin_fast(d, x) : by_libm(d, x, ::sin);
}
template <class D, class V = VecOf<D>>
HWY_INLINE V cos(D d, V x) {
  return HWY_LIKELY(trig_is_fast(d, x)) ? cos_fast(d, x) : by_libm(d, x, ::cos);
}
template <class D, class V = VecOf<D>>
HWY_INLINE V tan(D d, V x) {
  return HWY_LIKELY(trig_is_fast(d, x)) ? tan_fast(d, x) : by_libm(d, x, ::tan);
}

/// (asin(s) - s) / s^3 for 0 <= s <= 1/2, z = s^2.
template <class D, class V>
HWY_INLINE V asin_polynomial(D d, V z) {
  return polynomial(d, z, 0.0375292748f, 0.0144299176f, 0.0318098888f, 0.0445167124f, 0.0750050545f,
                    0.166666597f);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V asin(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  const V a = hn::Abs(x);
  const auto big = hn::Gt(a, half);
  const V z = hn::IfThenElse(big, hn::Mul(hn::Sub(hn::Set(d, 1.0f), a), half), hn::Mul(a, a));
  const V s = hn::IfThenElse(big, hn::Sqrt(z), a);
  const V tail = hn::Mul(hn::Mul(s, z), asin_polynomial(d, z));
  // pi/2 - 2 (s + tail), with pi/2 in two parts.
  const V far = hn::Sub(hn::Sub(hn::Set(d, 1.57079637f), hn::Add(s, s)),
                        hn::Sub(hn::Add(tail, tail), hn::Set(d, -4.37113883e-08f)));
  return xor_sign(d, hn::IfThenElse(big, far, hn::Add(s, tail)), x);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V acos(D d, V x) {
  const V half = hn::Set(d, 0.5f);
  const V a = hn::Abs(x);
  const auto big = hn::Gt(a, half);
  const V z = hn::IfThenElse(big, hn::Mul(hn::Sub(hn::Set(d, 1.0f), a), half), hn::Mul(a, a));
  const V s = hn::IfThenElse(big, hn::Sqrt(z), a);
  const V p = hn::MulAdd(hn::Mul(s, z), asin_polynomial(d, z), s);
  const V centre =
      hn::Sub(hn::Set(d, 1.57079637f), hn::Sub(xor_sign(d, p, x), hn::Set(d, -4.37113883e-08f)));
  const V twice = hn::Add(p, p);
  const V mirrored = hn::Sub(hn::Set(d, 3.14159274f), hn::Sub(twice, hn::Set(d, -8.74227766e-08f)));
  const V side = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), mirrored, twice);
  return hn::IfThenElse(big, side, centre);
}

/// atan(t) for 0 <= t <= 1.
template <class D, class V>
HWY_INLINE V atan_kernel(D d, V t) {
  const V z = hn::Mul(t, t);
  const V p = polynomial(d, z, -0.00179361482f, 0.0109145744f, -0.0311777871f, 0.0579575375f,
                         -0.0840344727f, 0.109521851f, -0.142642424f, 0.199985489f, -0.333332986f);
  return hn::MulAdd(hn::Mul(t, z), p, t);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V atan(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  const auto big = hn::Gt(a, one);
  const V t = hn::Div(hn::IfThenElse(big, one, a), hn::IfThenElse(big, a, one));
  const V p = atan_kernel(d, t);
  const V far = hn::Sub(hn::Set(d, 1.57079637f), hn::Sub(p, hn::Set(d, -4.37113883e-08f)));
  return xor_sign(d, hn::IfThenElse(big, far, p), x);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V atan2(D d, V y, V x) {
  const V zero = hn::Zero(d);
  const V ax = hn::Abs(x);
  const V ay = hn::Abs(y);
  const V high = hn::Max(ax, ay);
  const V low = hn::Min(ax, ay);
  V t = hn::Div(low, high);
  t = hn::IfThenElse(hn::Eq(high, zero), zero, t);
  // Equal infinities lie on the diagonal.
  t = hn::IfThenElse(hn::Eq(low, high), hn::IfThenElse(hn::Eq(high, zero), zero, hn::Set(d, 1.0f)),
                     t);
  V p = atan_kernel(d, t);
  const V far = hn::Sub(hn::Set(d, 1.57079637f), hn::Sub(p, hn::Set(d, -4.37113883e-08f)));
  p = hn::IfThenElse(hn::Gt(ay, ax), far, p);
  const V mirrored = hn::Sub(hn::Set(d, 3.14159274f), hn::Sub(p, hn::Set(d, -8.74227766e-08f)));
  const V negative = hn::CopySign(hn::Set(d, 1.0f), x);  // the sign of -0 counts
  p = hn::IfThenElse(hn::Lt(negative, zero), mirrored, p);
  const V r = hn::CopySign(p, y);
  return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::Add(x, y), r);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V sinh(D d, V x) {
  const V a = hn::Abs(x);
  const V z = hn::Mul(x, x);
  const V p = polynomial(d, z, 2.81695111e-06f, 0.000198361595f, 0.0083333496f, 0.166666672f);
  const V small = hn::MulAdd(hn::Mul(x, z), p, x);
  const V e = half_exp(d, a);
  const V large = xor_sign(d, hn::Sub(e, hn::Div(hn::Set(d, 0.25f), e)), x);
  return hn::IfThenElse(hn::Gt(a, hn::Set(d, 1.0f)), large, small);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V cosh(D d, V x) {
  const V e = half_exp(d, hn::Abs(x));
  return hn::Add(e, hn::Div(hn::Set(d, 0.25f), e));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V asinh(D d, V x) {
  const V a = hn::Abs(x);
  const V r = in_f64(d, a, [](auto dd, auto v) HWY_ATTR {
    const auto v2 = hn::Mul(v, v);
    const auto root = hn::Sqrt(hn::Add(v2, hn::Set(dd, 1.0)));
    const auto l = log_core_f64(dd, hn::Add(v, root), hn::Zero(dd));
    const auto small = hn::NegMulAdd(hn::Mul(v, v2), hn::Set(dd, 0.16666666666666666), v);
    return hn::IfThenElse(hn::Lt(v, hn::Set(dd, 1.0e-4)), small, l);
  });
  return hn::IfThenElse(hn::Lt(a, infinity(d)), xor_sign(d, r, x), x);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V acosh(D d, V x) {
  const V r = in_f64(d, x, [](auto dd, auto v) HWY_ATTR {
    const auto one = hn::Set(dd, 1.0);
    const auto root = hn::Sqrt(hn::Mul(hn::Sub(v, one), hn::Add(v, one)));
    return log_core_f64(dd, hn::Add(v, root), hn::Zero(dd));
  });
  const V y = hn::IfThenElse(hn::Lt(x, infinity(d)), r, x);
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, 1.0f)), quiet_nan(d), y);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V atanh(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  V r = in_f64(d, a, [](auto dd, auto v) HWY_ATTR {
    const auto unit = hn::Set(dd, 1.0);
    const auto ratio = hn::Div(hn::Add(unit, v), hn::Sub(unit, v));
    const auto l = hn::Mul(log_core_f64(dd, ratio, hn::Zero(dd)), hn::Set(dd, 0.5));
    const auto small = hn::MulAdd(hn::Mul(v, hn::Mul(v, v)), hn::Set(dd, 0.33333333333333331), v);
    return hn::IfThenElse(hn::Lt(v, hn::Set(dd, 1.0e-4)), small, l);
  });
  r = hn::IfThenElse(hn::Eq(a, one), infinity(d), r);
  r = hn::IfThenElse(hn::Le(a, one), r, quiet_nan(d));
  return xor_sign(d, r, x);
}

}  // namespace mlx::core::MLX_SIMD_NAMESPACE
