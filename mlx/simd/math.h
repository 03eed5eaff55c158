// Float32 vector math for tier files: exponentials, logarithms, error function.
// Trigonometry and hyperbolics are in trigonometry.h. Every function is within
// 2.5 ULP over the whole range, also where the tier has no fused multiply-add;
// NaN, infinities, signed zeros and subnormals come out as in C.
//
// Polynomials are minimax fits of our own (Remez, relative error).
#pragma once

#include "mlx/simd/math_f64.h"
#include "mlx/simd/simd.h"

namespace mlx::core::MLX_SIMD_NAMESPACE {

// Min and Max of x86 return the second operand when either is NaN, those of
// NEON return NaN: with the variable second, NaN passes through in both.
template <class D, class V = VecOf<D>>
HWY_INLINE V clamp_keep_nan(D d, V x, float low, float high) {
  return hn::Max(hn::Set(d, low), hn::Min(hn::Set(d, high), x));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V infinity(D d) {
  return hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7F800000u));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V quiet_nan(D d) {
  return hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7FC00000u));
}

/// x with the sign of y flipped in: x for y >= +0, -x for y <= -0.
template <class D, class V = VecOf<D>>
HWY_INLINE V xor_sign(D d, V x, V y) {
  return hn::Xor(x, hn::And(y, hn::SignBit(d)));
}

/// Horner's scheme, highest coefficient first.
template <class D, class V>
HWY_INLINE V horner(D, V, V sum) {
  return sum;
}
template <class D, class V, class... Rest>
HWY_INLINE V horner(D d, V x, V sum, float c, Rest... rest) {
  using T = hn::TFromD<D>;
  return horner(d, x, hn::MulAdd(sum, x, hn::Set(d, static_cast<T>(c))), rest...);
}
template <class D, class V, class... Rest>
HWY_INLINE V polynomial(D d, V x, float first, float second, Rest... rest) {
  using T = hn::TFromD<D>;
  return horner(d, x, hn::Set(d, static_cast<T>(first)), second, rest...);
}

/// p * 2^n for integral n in [-252, 254]; `n` is given as the sum n + 1.5 * 2^23
/// that rounding by addition leaves behind.
template <class D, class V = VecOf<D>>
HWY_INLINE V scale_by_magic(D d, V p, V n_plus_magic) {
#if HWY_TARGET == HWY_AVX3
  const V n = hn::Sub(n_plus_magic, hn::Set(d, 12582912.0f));
  if constexpr (sizeof(V) == 64) {
    return V{_mm512_scalef_ps(p.raw, n.raw)};
  } else if constexpr (sizeof(V) == 32) {
    return V{_mm256_scalef_ps(p.raw, n.raw)};
  } else {
    return V{_mm_scalef_ps(p.raw, n.raw)};
  }
#else
  // Two factors, so that overflow and subnormal results round once.
  const hn::RebindToSigned<D> di;
  const auto n = hn::Sub(hn::BitCast(di, n_plus_magic), hn::Set(di, 0x4B400000));
  const auto n1 = hn::ShiftRight<1>(n);
  const auto n2 = hn::Sub(n, n1);
  const auto one = hn::Set(di, 0x3F800000);
  const V s1 = hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(n1), one));
  const V s2 = hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(n2), one));
  return hn::Mul(hn::Mul(p, s1), s2);
#endif
}

/// x = n ln2 + r with |r| <= 0.35; returns r, and n + 1.5 * 2^23.
template <class D, class V = VecOf<D>>
HWY_INLINE V reduce_exp(D d, V x, V& n_plus_magic) {
  const V magic = hn::Set(d, 12582912.0f);
  n_plus_magic = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(n_plus_magic, magic);
  // The first part of ln 2 has 9 significant bits fewer: n * part is exact.
  const V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  return hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
}

/// exp(r) for |r| <= 0.35.
template <class D, class V = VecOf<D>>
HWY_INLINE V exp_kernel(D d, V r) {
  const V q =
      polynomial(d, r, 0.00138131436f, 0.00836941879f, 0.041668456f, 0.166665152f, 0.49999994f);
  return hn::Add(hn::MulAdd(hn::Mul(r, r), q, r), hn::Set(d, 1.0f));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V exp(D d, V x) {
  V n;
  const V r = reduce_exp(d, clamp_keep_nan(d, x, -104.0f, 89.0f), n);
  return scale_by_magic(d, exp_kernel(d, r), n);
}

/// The same for |x| <= 87, where neither x nor the result needs care.
template <class D, class V = VecOf<D>>
HWY_INLINE V exp_of_moderate(D d, V x) {
  const hn::RebindToSigned<D> di;
  V n;
  const V r = reduce_exp(d, x, n);
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, n));
  const V scale = hn::BitCast(d, hn::Add(exponent, hn::Set(di, 0x3F800000)));
  return hn::Mul(exp_kernel(d, r), scale);
}

/// exp(x) / 2 without overflow up to exp(x) = 2^129: for sinh and cosh.
template <class D, class V = VecOf<D>>
HWY_INLINE V half_exp(D d, V x) {
  V n;
  const V r = reduce_exp(d, clamp_keep_nan(d, x, -104.0f, 90.0f), n);
  return scale_by_magic(d, exp_kernel(d, r), hn::Sub(n, hn::Set(d, 1.0f)));
}

/// exp(x) - 1 for x in [-18, 90].
template <class D, class V = VecOf<D>>
HWY_INLINE V expm1_core(D d, V x) {
  const hn::RebindToSigned<D> di;
  V n;
  const V r = reduce_exp(d, x, n);
  const V q = polynomial(d, r, 0.00019908906f, 0.00139497826f, 0.00833328441f, 0.0416662246f,
                         0.166666672f, 0.5f);
  const V p = hn::MulAdd(hn::Mul(r, r), q, r);
  // s = 2^(n-1); 2 (s p + (s - 1/2)) does not overflow early.
  const auto bits = hn::ShiftLeft<23>(hn::BitCast(di, n));
  const V s = hn::BitCast(d, hn::Add(bits, hn::Set(di, 0x3F000000)));
  const V y = hn::MulAdd(s, p, hn::Sub(s, hn::Set(d, 0.5f)));
  return hn::Add(y, y);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V expm1(D d, V x) {
  const V y = expm1_core(d, clamp_keep_nan(d, x, -18.0f, 89.0f));
  // Keeps -0 and subnormals, and reaches +inf.
  return hn::IfThenElse(hn::Eq(y, hn::Zero(d)), x, y);
}

/// ln(m) for m = 1 + f in [sqrt(1/2), sqrt(2)], plus e ln2.
template <class D, class V = VecOf<D>>
HWY_INLINE V log_kernel(D d, V f, V e) {
  const V p = polynomial(d, f, 0.0693734884f, -0.118510149f, 0.118909739f, -0.12376935f,
                         0.142167777f, -0.166695029f, 0.200022027f, -0.249999836f, 0.333333135f);
  const V f2 = hn::Mul(f, f);
  V low = hn::Mul(hn::Mul(f2, f), p);
  low = hn::MulAdd(e, hn::Set(d, -2.12194440e-4f), low);
  low = hn::NegMulAdd(hn::Set(d, 0.5f), f2, low);
  return hn::MulAdd(e, hn::Set(d, 0.693359375f), hn::Add(f, low));
}

/// Splits positive finite x into m * 2^e, m in [sqrt(1/2), sqrt(2)).
template <class D, class V = VecOf<D>>
HWY_INLINE V split_exponent(D d, V x, V& e) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto ei = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3F3504F3)));
  e = hn::ConvertTo(d, ei);
  return hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(ei)));
}

/// Gives a logarithm its values at zero, below zero, at +inf and NaN.
template <class D, class V = VecOf<D>>
HWY_INLINE V finish_log(D d, V x, V r) {
  const V zero = hn::Zero(d);
  const V inf = infinity(d);
  r = hn::IfThenElse(hn::Lt(x, inf), r, x);
  r = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(inf), r);
  return hn::IfThenElse(hn::Lt(x, zero), quiet_nan(d), r);
}

/// As split_exponent, for subnormal x too.
template <class D, class V = VecOf<D>>
HWY_INLINE V split_exponent_any(D d, V x, V& e) {
  const auto subnormal = hn::Lt(x, hn::Set(d, 1.17549435e-38f));
  const V scaled = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 8388608.0f)), x);
  const V m = split_exponent(d, scaled, e);
  e = hn::Sub(e, hn::IfThenElseZero(subnormal, hn::Set(d, 23.0f)));
  return m;
}

template <class D, class V = VecOf<D>>
HWY_INLINE V log(D d, V x) {
  V e;
  const V m = split_exponent_any(d, x, e);
  return finish_log(d, x, log_kernel(d, hn::Sub(m, hn::Set(d, 1.0f)), e));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V log1p(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V u = hn::Add(x, one);
  V e;
  const V m = split_exponent(d, u, e);
  // What the rounding of 1 + x lost, scaled like m: 2^-e from the bits.
  const hn::RebindToSigned<D> di;
  const V lost =
      hn::IfThenElse(hn::Gt(x, one), hn::Sub(one, hn::Sub(u, x)), hn::Sub(x, hn::Sub(u, one)));
  const auto shift = hn::Sub(hn::BitCast(di, u), hn::BitCast(di, m));  // e << 23
  const V inverse = hn::BitCast(d, hn::Sub(hn::Set(di, 0x3F800000), shift));
  // Beyond 2^126 the factor would be subnormal; nothing is lost there anyway.
  const V correction = hn::IfThenElseZero(hn::Lt(u, hn::Set(d, 1.0e30f)), hn::Mul(lost, inverse));
  const V f = hn::Add(hn::Sub(m, one), correction);
  const V r = finish_log(d, u, log_kernel(d, f, e));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, r);
}

/// Runs `f` on the two float64 halves of x: for functions whose float32
/// evaluation would lose too much.
template <class D, class F, class V = VecOf<D>>
HWY_INLINE V in_f64(D d, V x, F f) {
  const hn::Repartition<double, D> dd;
  const hn::Half<D> dh;
  const auto low = f(dd, hn::PromoteTo(dd, hn::LowerHalf(dh, x)));
  const auto high = f(dd, hn::PromoteTo(dd, hn::UpperHalf(dh, x)));
  return hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
}
template <class D, class F, class V = VecOf<D>>
HWY_INLINE V in_f64(D d, V x, V y, F f) {
  const hn::Repartition<double, D> dd;
  const hn::Half<D> dh;
  const auto low =
      f(dd, hn::PromoteTo(dd, hn::LowerHalf(dh, x)), hn::PromoteTo(dd, hn::LowerHalf(dh, y)));
  const auto high =
      f(dd, hn::PromoteTo(dd, hn::UpperHalf(dh, x)), hn::PromoteTo(dd, hn::UpperHalf(dh, y)));
  return hn::Combine(d, hn::DemoteTo(dh, high), hn::DemoteTo(dh, low));
}

// Float32 values of any size, subnormals included, are normal in float64.
template <class D, class V = VecOf<D>>
HWY_INLINE V log2(D d, V x) {
  const V r = in_f64(d, x, [](auto dd, auto v) HWY_ATTR {
    return hn::Mul(log_core_f64(dd, v, hn::Zero(dd)), hn::Set(dd, 1.4426950408889634));
  });
  return finish_log(d, x, r);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V log10(D d, V x) {
  const V r = in_f64(d, x, [](auto dd, auto v) HWY_ATTR {
    return hn::Mul(log_core_f64(dd, v, hn::Zero(dd)), hn::Set(dd, 0.43429448190325182));
  });
  return finish_log(d, x, r);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = exp(d, hn::Or(x, hn::SignBit(d)));  // exp(-|x|)
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(numerator, hn::Add(one, e));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V tanh(D d, V x) {
  // tanh a = t / (t + 2) with t = exp(2a) - 1; at 9.02 it rounds to 1.
  const V a = hn::Min(hn::Set(d, 9.5f), hn::Abs(x));
  const V t = expm1_core(d, hn::Add(a, a));
  const V y = hn::Div(t, hn::Add(t, hn::Set(d, 2.0f)));
  // Tiny arguments (and zeros) give themselves.
  const V r = hn::IfThenElse(hn::Lt(a, hn::Set(d, 1.0e-5f)), hn::Abs(x), y);
  return xor_sign(d, r, x);
}

/// 1 / sqrt(x), by division: exact to 1 ULP.
template <class D, class V = VecOf<D>>
HWY_INLINE V rsqrt(D d, V x) {
  using T = hn::TFromD<D>;
  return hn::Div(hn::Set(d, T(1)), hn::Sqrt(x));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V erf(D d, V x) {
  const V a = hn::Abs(x);
  const V z = hn::Mul(x, x);
  const V p = polynomial(d, z, -0.000609036302f, 0.00501196319f, -0.0267789084f, 0.112821408f,
                         -0.376125246f, 0.128379151f);
  const V small = hn::MulAdd(x, p, x);
  // 1 - exp(ln erfc a)
  const V b = hn::Min(hn::Set(d, 3.93f), a);
  const V q = polynomial(d, b, -1.67610069e-05f, 0.000374813913f, -0.00383139751f, 0.0240834691f,
                         -0.106454477f, -0.635204792f, -1.12850368f, -5.26766489e-05f);
  V n;
  const V r = reduce_exp(d, q, n);
  const V e = scale_by_magic(d, exp_kernel(d, r), n);
  const V large = xor_sign(d, hn::Sub(hn::Set(d, 1.0f), e), x);
  return hn::IfThenElse(hn::Gt(a, hn::Set(d, 0.9f)), large, small);
}

/// The single-precision rational-free form that upstream's random normals use:
/// t = ln(1 - a^2), then a polynomial in t for each of two ranges.
template <class D, class V = VecOf<D>>
HWY_INLINE V erfinv(D d, V a) {
  const V one = hn::Set(d, 1.0f);
  const V t =
      log(d, has_fma ? hn::NegMulAdd(a, a, one) : hn::Mul(hn::Sub(one, a), hn::Add(one, a)));
  const V tail =
      polynomial(d, t, 3.03697567e-10f, 2.93243101e-8f, 1.22150334e-6f, 2.84108955e-5f,
                 3.93552968e-4f, 3.02698812e-3f, 4.83185798e-3f, -2.64646143e-1f, 8.40016484e-1f);
  const V centre = polynomial(d, t, 5.43877832e-9f, 1.43285448e-7f, 1.22774793e-6f, 1.12963626e-7f,
                              -5.61530760e-5f, -1.47697632e-4f, 2.31468678e-3f, 1.15392581e-2f,
                              -2.32015476e-1f, 8.86226892e-1f);
  const V p = hn::IfThenElse(hn::Gt(hn::Abs(t), hn::Set(d, 6.125f)), tail, centre);
  const V r = hn::Mul(a, p);
  const V edge = hn::CopySign(infinity(d), a);
  return hn::IfThenElse(hn::Eq(hn::Abs(a), hn::Set(d, 1.0f)), edge, r);
}

/// ln(e^a + e^b).
template <class D, class V = VecOf<D>>
HWY_INLINE V logaddexp(D d, V a, V b) {
  const V high = hn::Max(a, b);
  const V low = hn::Min(a, b);
  const V gap = hn::Sub(low, high);  // NaN for equal infinities
  const V r = hn::Add(high, log1p(d, exp(d, gap)));
  const auto degenerate = hn::Or(hn::Eq(hn::Abs(high), infinity(d)), hn::Eq(low, high));
  // Equal values: a + ln 2, which is a for infinities.
  const V equal = hn::IfThenElse(hn::Eq(low, high), hn::Add(high, hn::Set(d, 0.693147182f)), high);
  const V value = hn::IfThenElse(degenerate, equal, r);
  const auto nan = hn::Or(hn::IsNaN(a), hn::IsNaN(b));
  return hn::IfThenElse(nan, hn::Add(a, b), value);
}

/// C's pow.
template <class D, class V = VecOf<D>>
HWY_INLINE V pow(D d, V x, V y) {
  const V one = hn::Set(d, 1.0f);
  const V zero = hn::Zero(d);
  const V inf = infinity(d);
  const V ax = hn::Abs(x);
  const V magnitude = in_f64(d, ax, y, [](auto dd, auto a, auto p) HWY_ATTR {
    const auto big =
        hn::BitCast(dd, hn::Set(hn::RebindToUnsigned<decltype(dd)>(), 0x7FF0000000000000ull));
    auto l = log_core_f64(dd, a, hn::Zero(dd));
    l = hn::IfThenElse(hn::Eq(a, hn::Zero(dd)), hn::Neg(big), l);
    l = hn::IfThenElse(hn::Lt(a, big), l, a);
    const auto t = hn::Mul(l, p);
    return exp_core_f64(dd, hn::Max(hn::Set(dd, -300.0), hn::Min(hn::Set(dd, 300.0), t)));
  });
  const V ay = hn::Abs(y);
  // Floats from 2^24 on are even integers; so is infinity for this purpose.
  const auto integral = hn::Eq(hn::Round(ay), ay);
  const V half_y = hn::Mul(ay, hn::Set(d, 0.5f));
  const auto odd = hn::AndNot(hn::Eq(hn::Round(half_y), half_y), integral);
  V r = hn::IfThenElse(odd, xor_sign(d, magnitude, x), magnitude);
  const auto bad = hn::AndNot(integral, hn::And(hn::Lt(x, zero), hn::Lt(ax, inf)));
  r = hn::IfThenElse(bad, quiet_nan(d), r);
  r = hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::Add(x, y), r);
  const auto unit =
      hn::Or(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), hn::And(hn::Eq(ax, one), hn::Eq(ay, inf)));
  return hn::IfThenElse(unit, one, r);
}

}  // namespace mlx::core::MLX_SIMD_NAMESPACE
