// Float64 vector math: exp, log and their cores, which math.h also uses inside
// delicate float32 functions. Accuracy: 2 ULP. Included through math.h or alone.
// Polynomials are minimax fits of our own (Remez, relative error).
#pragma once

#include "mlx/simd/simd.h"

namespace mlx::core::MLX_SIMD_NAMESPACE {

/// 2^n for integral n held as doubles with |n| <= 1022.
template <class D, class V = VecOf<D>>
HWY_INLINE V exp2_int_f64(D d, V n) {
  const hn::RebindToUnsigned<D> du;
  // 1.5 * 2^52 puts the integer into the low mantissa bits.
  const V magic = hn::Set(d, 6755399441055744.0);
  const auto bits = hn::BitCast(du, hn::Add(n, magic));
  return hn::BitCast(d, hn::Add(hn::ShiftLeft<52>(bits), hn::Set(du, 0x3FF0000000000000ull)));
}

/// exp(r) * 2^n split into r and n; no overflow handling.
template <class D, class V = VecOf<D>>
HWY_INLINE V exp_reduce_f64(D d, V x, V& n) {
  const V magic = hn::Set(d, 6755399441055744.0);
  n = hn::Sub(hn::MulAdd(x, hn::Set(d, 1.4426950408889634), magic), magic);
  // ln 2 in two parts; the first has 21 trailing zero bits, so n * hi is exact.
  V r = hn::NegMulAdd(n, hn::Set(d, 6.93147180369123816490e-01), x);
  r = hn::NegMulAdd(n, hn::Set(d, 1.90821492927058770002e-10), r);
  V q = hn::Set(d, 2.5111203976307891e-08);
  q = hn::MulAdd(q, r, hn::Set(d, 2.7634156569503639e-07));
  q = hn::MulAdd(q, r, hn::Set(d, 2.7557239244458533e-06));
  q = hn::MulAdd(q, r, hn::Set(d, 2.4801483304779087e-05));
  q = hn::MulAdd(q, r, hn::Set(d, 0.00019841269889351839));
  q = hn::MulAdd(q, r, hn::Set(d, 0.0013888888951411171));
  q = hn::MulAdd(q, r, hn::Set(d, 0.0083333333333212942));
  q = hn::MulAdd(q, r, hn::Set(d, 0.041666666666510123));
  q = hn::MulAdd(q, r, hn::Set(d, 0.16666666666666674));
  q = hn::MulAdd(q, r, hn::Set(d, 0.5));
  return hn::Add(hn::MulAdd(hn::Mul(r, r), q, r), hn::Set(d, 1.0));
}

/// exp for |x| <= 700.
template <class D, class V = VecOf<D>>
HWY_INLINE V exp_core_f64(D d, V x) {
  V n;
  const V p = exp_reduce_f64(d, x, n);
  return hn::Mul(p, exp2_int_f64(d, n));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V exp_f64(D d, V x) {
  // Min and Max return the second operand when one is NaN.
  const V clamped = hn::Max(hn::Set(d, -746.0), hn::Min(hn::Set(d, 710.0), x));
  V n;
  const V p = exp_reduce_f64(d, clamped, n);
  const V n1 = hn::Round(hn::Mul(n, hn::Set(d, 0.5)));
  const V n2 = hn::Sub(n, n1);
  return hn::Mul(hn::Mul(p, exp2_int_f64(d, n1)), exp2_int_f64(d, n2));
}

/// ln x for positive, finite, normal x.
template <class D, class V = VecOf<D>>
HWY_INLINE V log_core_f64(D d, V x, V exponent_bias) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  // Mantissa in [sqrt(1/2), sqrt(2)).
  const auto shifted = hn::Sub(bits, hn::Set(du, 0x3FE6A09E667F3BCDull));
  // Exponent: arithmetic shift right by 52, through a logical one.
  const auto biased = hn::ShiftRight<52>(hn::Add(shifted, hn::Set(du, 1023ull << 52)));
  const auto e_bits = hn::Sub(biased, hn::Set(du, 1023));
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<52>(e_bits)));
  const V two52 = hn::Set(d, 4503599627370496.0);
  V e = hn::Sub(hn::BitCast(d, hn::Or(biased, hn::BitCast(du, two52))), two52);
  e = hn::Sub(hn::Sub(e, hn::Set(d, 1023.0)), exponent_bias);
  const V f = hn::Sub(m, hn::Set(d, 1.0));
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));
  const V z = hn::Mul(s, s);
  V q = hn::Set(d, 0.1479906552551479);
  q = hn::MulAdd(q, z, hn::Set(d, 0.15313755820953759));
  q = hn::MulAdd(q, z, hn::Set(d, 0.18183575162917479));
  q = hn::MulAdd(q, z, hn::Set(d, 0.22222198378530247));
  q = hn::MulAdd(q, z, hn::Set(d, 0.28571428744140859));
  q = hn::MulAdd(q, z, hn::Set(d, 0.39999999999407493));
  q = hn::MulAdd(q, z, hn::Set(d, 0.66666666666667351));
  // log m = 2s + s z q = f - (f^2/2 - s (f^2/2 + z q)), the form of fdlibm.
  const V half_f2 = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5));
  const V inner =
      hn::MulAdd(s, hn::MulAdd(z, q, half_f2), hn::Mul(e, hn::Set(d, 1.90821492927058770002e-10)));
  return hn::MulAdd(e, hn::Set(d, 6.93147180369123816490e-01), hn::Sub(f, hn::Sub(half_f2, inner)));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V log_f64(D d, V x) {
  const V tiny = hn::Set(d, 2.2250738585072014e-308);
  const auto subnormal = hn::Lt(x, tiny);
  const V scaled = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 18014398509481984.0)), x);
  const V bias = hn::IfThenElseZero(subnormal, hn::Set(d, 54.0));
  V r = log_core_f64(d, scaled, bias);
  const V inf = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7FF0000000000000ull));
  const V nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7FF8000000000000ull));
  const V zero = hn::Zero(d);
  r = hn::IfThenElse(hn::Lt(x, inf), r, x);  // +inf and NaN give themselves
  r = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(inf), r);
  return hn::IfThenElse(hn::Lt(x, zero), nan, r);
}

}  // namespace mlx::core::MLX_SIMD_NAMESPACE
