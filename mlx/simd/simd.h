// The Highway vocabulary of tier files: namespace per instruction-set tier,
// proof that the object has the target its flags promise, loads and stores that
// convert 16-bit floats to float32 lanes. Vector math is in math.h.
//
// Only `*.tier.cpp` files include this. Everything here is forced inline or has
// internal linkage, so that no tier shares a symbol with another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#if defined(MLX_TIER_v2)
static_assert(HWY_STATIC_TARGET == HWY_SSE4, "tier v2 needs -march=x86-64-v2 -maes -mpclmul");
#elif defined(MLX_TIER_v3)
static_assert(HWY_STATIC_TARGET == HWY_AVX2, "tier v3 needs -march=x86-64-v3 -maes -mpclmul");
#elif defined(MLX_TIER_v4)
static_assert(HWY_STATIC_TARGET == HWY_AVX3, "tier v4 needs -march=x86-64-v4 -maes -mpclmul");
#elif defined(MLX_TIER_neon)
static_assert(HWY_STATIC_TARGET == HWY_NEON, "tier neon needs NEON");
#else
#error "simd.h is for tier files, which are compiled with -DMLX_TIER=..."
#endif

#define MLX_TIER_PASTE_NOW(a, b) a##_##b
#define MLX_TIER_PASTE(a, b) MLX_TIER_PASTE_NOW(a, b)
/// MLX_TIER_SYMBOL(reduce_kernels) is reduce_kernels_v4 in tier v4.
#define MLX_TIER_SYMBOL(name) MLX_TIER_PASTE(name, MLX_TIER)
#define MLX_SIMD_NAMESPACE MLX_TIER_SYMBOL(simd)

// simd_v4 and so on; tier files say `namespace simd = mlx::core::MLX_SIMD_NAMESPACE;`.
namespace mlx::core::MLX_SIMD_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Full = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Full<T>>;
template <class D>
using VecOf = hn::Vec<D>;

#if HWY_TARGET == HWY_AVX3
inline constexpr size_t vector_bytes = 64;
#elif HWY_TARGET == HWY_AVX2
inline constexpr size_t vector_bytes = 32;
#else
inline constexpr size_t vector_bytes = 16;
#endif

/// Lanes of T in one full vector, known at compile time in every tier.
template <class T>
inline constexpr size_t lanes = vector_bytes / sizeof(T);

/// True in tiers whose MulAdd rounds once.
#if HWY_TARGET == HWY_SSE4
inline constexpr bool has_fma = false;
#else
inline constexpr bool has_fma = true;
#endif

// ---------------------------------------------------------------- bfloat16

/// Rounds float32 lanes to the nearest bfloat16 (ties to even) and keeps them as
/// float32. NaN stays a (quiet) NaN.
template <class D, class V = VecOf<D>>
HWY_INLINE V round_bf16(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFFu)));
  const auto top = hn::Set(du, 0xFFFF0000u);
  const V value = hn::BitCast(d, hn::And(rounded, top));
  const V nan = hn::BitCast(d, hn::And(hn::Or(bits, hn::Set(du, 0x00400000u)), top));
  return hn::IfThenElse(hn::IsNaN(x), nan, value);
}

template <class D, class V = VecOf<D>>
HWY_INLINE V load_bf16(D d, const uint16_t* p) {
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> d16;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(d16, p))));
}

/// Stores lanes that already are bfloat16 values (see round_bf16).
template <class D, class V = VecOf<D>>
HWY_INLINE void store_rounded_bf16(D d, V x, uint16_t* p) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToUnsigned<D> du;
  const hn::Rebind<uint16_t, D> d16;
  const auto high = hn::ShiftRight<16>(hn::BitCast(du, x));
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, high)), d16, p);
}

template <class D, class V = VecOf<D>>
HWY_INLINE void store_bf16(D d, V x, uint16_t* p) {
  store_rounded_bf16(d, round_bf16(d, x), p);
}

// ---------------------------------------------------------------- float16

#if HWY_TARGET == HWY_SSE4

// No F16C below AVX: the same results by integer arithmetic.

template <class D, class V = VecOf<D>>
HWY_INLINE V round_f16(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const V a = hn::Abs(x);
  const auto odd = hn::And(hn::ShiftRight<13>(bits), hn::Set(du, 1u));
  const V normal =
      hn::BitCast(d, hn::And(hn::Add(hn::BitCast(du, a), hn::Add(odd, hn::Set(du, 0xFFFu))),
                             hn::Set(du, 0xFFFFE000u)));
  // Below 2^-14 the spacing is 2^-24, that of float32 in [0.5, 1).
  const V half = hn::Set(d, 0.5f);
  const V tiny = hn::Sub(hn::Add(hn::Min(a, half), half), half);
  const V inf = hn::BitCast(d, hn::Set(du, 0x7F800000u));
  V r = hn::IfThenElse(hn::Lt(a, hn::Set(d, 6.103515625e-5f)), tiny, normal);
  r = hn::IfThenElse(hn::Ge(r, hn::Set(d, 65536.0f)), inf, r);
  const auto nan_bits = hn::And(hn::Or(bits, hn::Set(du, 0x00400000u)), hn::Set(du, 0xFFFFE000u));
  return hn::IfThenElse(hn::IsNaN(x), hn::BitCast(d, nan_bits), hn::CopySign(r, x));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V load_f16(D d, const uint16_t* p) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> d16;
  const auto h = hn::PromoteTo(du, hn::LoadU(d16, p));
  const auto magnitude = hn::And(h, hn::Set(du, 0x7FFFu));
  const auto sign = hn::ShiftLeft<16>(hn::And(h, hn::Set(du, 0x8000u)));
  const auto shifted = hn::ShiftLeft<13>(magnitude);
  const V normal = hn::BitCast(d, hn::Add(shifted, hn::Set(du, 112u << 23)));
  const V tiny =
      hn::Mul(hn::ConvertTo(d, hn::BitCast(di, magnitude)), hn::Set(d, 5.9604644775390625e-8f));
  const V special = hn::BitCast(d, hn::Add(shifted, hn::Set(du, 224u << 23)));
  const auto signed_magnitude = hn::BitCast(di, magnitude);
  V r = hn::IfThenElse(hn::RebindMask(d, hn::Lt(signed_magnitude, hn::Set(di, 0x0400))), tiny,
                       normal);
  r = hn::IfThenElse(hn::RebindMask(d, hn::Gt(signed_magnitude, hn::Set(di, 0x7BFF))), special, r);
  const auto quiet = hn::IfThenElseZero(
      hn::RebindMask(du, hn::Gt(signed_magnitude, hn::Set(di, 0x7C00))), hn::Set(du, 0x00400000u));
  return hn::BitCast(d, hn::Or(hn::Or(hn::BitCast(du, r), quiet), sign));
}

/// Stores lanes that already are float16 values (see round_f16).
template <class D, class V = VecOf<D>>
HWY_INLINE void store_rounded_f16(D d, V x, uint16_t* p) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> d16;
  const V a = hn::Abs(x);
  const auto bits = hn::BitCast(du, a);
  const auto normal = hn::ShiftRight<13>(hn::Sub(bits, hn::Set(du, 112u << 23)));
  const auto tiny = hn::BitCast(
      du, hn::ConvertTo(di, hn::Mul(hn::Min(a, hn::Set(d, 1.0f)), hn::Set(d, 16777216.0f))));
  const auto special = hn::ShiftRight<13>(hn::Sub(bits, hn::Set(du, 224u << 23)));
  auto r = hn::IfThenElse(hn::RebindMask(du, hn::Lt(a, hn::Set(d, 6.103515625e-5f))), tiny, normal);
  r = hn::IfThenElse(hn::RebindMask(du, hn::Lt(a, hn::Set(d, 65536.0f))), r, special);
  const auto sign = hn::And(hn::ShiftRight<16>(hn::BitCast(du, x)), hn::Set(du, 0x8000u));
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(di, hn::Or(r, sign))), d16, p);
}

template <class D, class V = VecOf<D>>
HWY_INLINE void store_f16(D d, V x, uint16_t* p) {
  store_rounded_f16(d, round_f16(d, x), p);
}

#else

/// Rounds float32 lanes to the nearest float16 (ties to even) and keeps them as
/// float32.
template <class D, class V = VecOf<D>>
HWY_INLINE V round_f16(D d, V x) {
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::DemoteTo(d16, x));
}

template <class D, class V = VecOf<D>>
HWY_INLINE V load_f16(D d, const uint16_t* p) {
  const hn::Rebind<hwy::float16_t, D> d16;
  const hn::Rebind<uint16_t, D> du16;
  return hn::PromoteTo(d, hn::BitCast(d16, hn::LoadU(du16, p)));
}

template <class D, class V = VecOf<D>>
HWY_INLINE void store_f16(D, V x, uint16_t* p) {
  const hn::Rebind<hwy::float16_t, D> d16;
  const hn::Rebind<uint16_t, D> du16;
  hn::StoreU(hn::BitCast(du16, hn::DemoteTo(d16, x)), du16, p);
}

template <class D, class V = VecOf<D>>
HWY_INLINE void store_rounded_f16(D d, V x, uint16_t* p) {
  store_f16(d, x, p);
}

#endif

}  // namespace mlx::core::MLX_SIMD_NAMESPACE
