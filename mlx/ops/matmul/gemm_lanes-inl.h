// Loads, stores and conversions of the storage types of matrix products, for one
// instruction-set tier: float16 and bfloat16 compute in float32 lanes.
#pragma once

#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"

#if HWY_ARCH_X86
#include <immintrin.h>
#endif

#if defined(__clang__)
#define MLX_UNROLL _Pragma("unroll")
#else
#define MLX_UNROLL _Pragma("GCC unroll 32")
#endif

namespace mlx::core::gemm {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// AVX-512 has 32 vector registers and cheap masks.
#if HWY_TARGET <= HWY_AVX3
constexpr bool kWide = true;
#else
constexpr bool kWide = false;
#endif

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Complex {
  float re, im;
};

template <typename S>
struct AccumulatorOf {
  using type = float;
};
template <>
struct AccumulatorOf<double> {
  using type = double;
};
template <typename S>
using Accumulator = typename AccumulatorOf<S>::type;

inline float bits_to_float(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
inline uint32_t float_to_bits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}

inline float widen_one(float x) {
  return x;
}
inline double widen_one(double x) {
  return x;
}
inline float widen_one(BFloat x) {
  return bits_to_float(uint32_t(x.bits) << 16);
}
inline float widen_one(Half x) {
  const uint32_t sign = uint32_t(x.bits & 0x8000) << 16;
  const uint32_t rest = x.bits & 0x7fff;
  if (rest >= 0x7c00) return bits_to_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest < 0x400) {
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bits_to_float(sign | ((rest << 13) + (112u << 23)));
}

inline void narrow_one(float x, float& out) {
  out = x;
}
inline void narrow_one(double x, double& out) {
  out = x;
}
inline void narrow_one(float x, BFloat& out) {
  const uint32_t bits = float_to_bits(x);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    out.bits = uint16_t((bits >> 16 & 0x8000) | 0x7fc0);
  } else {
    out.bits = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}
inline void narrow_one(float x, Half& out) {
  const uint32_t bits = float_to_bits(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  uint32_t half;
  if (magnitude > 0x7f800000) {
    half = 0x7e00;
  } else if (magnitude >= 0x477ff000) {  // rounds to 2^16 or more
    half = 0x7c00;
  } else if (magnitude < 0x38800000) {  // below 2^-14: let the adder round to 2^-24
    half = float_to_bits(bits_to_float(magnitude) + 0.5f) - 0x3f000000;
  } else {
    half = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  }
  out.bits = uint16_t(sign | half);
}

// A full vector of accumulator type from contiguous storage.
template <class D>
inline hn::Vec<D> load_wide(D d, const float* p) {
  return hn::LoadU(d, p);
}
template <class D>
inline hn::Vec<D> load_wide(D d, const double* p) {
  return hn::LoadU(d, p);
}
template <class D>
inline hn::Vec<D> load_wide(D d, const BFloat* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::Rebind<uint32_t, D> d32;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(
                            d32, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p)))));
}
template <class D>
inline hn::Vec<D> load_wide(D d, const Half* p) {
#if HWY_ARCH_X86 && HWY_TARGET == HWY_SSE4
  alignas(64) float lanes[HWY_MAX_BYTES / 4];
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = widen_one(p[i]);
  return hn::Load(d, lanes);
#else
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(p)));
#endif
}

template <class D>
inline void store_narrow(D d, hn::Vec<D> v, float* p) {
  hn::StoreU(v, d, p);
}
template <class D>
inline void store_narrow(D d, hn::Vec<D> v, double* p) {
  hn::StoreU(v, d, p);
}
template <class D>
inline void store_narrow(D d, hn::Vec<D> v, BFloat* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::Rebind<uint32_t, D> d32;
  const auto bits = hn::BitCast(d32, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7fff))));
  const auto quiet =
      hn::Or(hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 0x8000)), hn::Set(d32, 0x7fc0));
  const auto is_nan = hn::MaskFromVec(hn::BitCast(d32, hn::VecFromMask(d, hn::Ne(v, v))));
  const hn::Rebind<int32_t, D> i32;
  const auto words = hn::IfThenElse(is_nan, quiet, rounded);
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(i32, words)), d16, reinterpret_cast<uint16_t*>(p));
}
template <class D>
inline void store_narrow(D d, hn::Vec<D> v, Half* p) {
#if HWY_ARCH_X86 && HWY_TARGET == HWY_SSE4
  alignas(64) float lanes[HWY_MAX_BYTES / 4];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) narrow_one(lanes[i], p[i]);
#else
  const hn::Rebind<hwy::float16_t, D> d16;
  hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(p));
#endif
}

// The first `count` < lanes values, zeros after.
template <class D, typename S>
inline hn::Vec<D> load_wide_first(D d, const S* p, int64_t count) {
  if constexpr (kWide && sizeof(S) == sizeof(hn::TFromD<D>)) {
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d,
                          reinterpret_cast<const hn::TFromD<D>*>(p));
  } else {
    alignas(64) S lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)] = {};
    for (int64_t i = 0; i < count; ++i) lanes[i] = p[i];
    return load_wide(d, lanes);
  }
}

template <class D, typename S>
inline void store_narrow_first(D d, hn::Vec<D> v, S* p, int64_t count) {
  if constexpr (kWide && sizeof(S) == sizeof(hn::TFromD<D>)) {
    hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d,
                     reinterpret_cast<hn::TFromD<D>*>(p));
  } else {
    alignas(64) S lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
    store_narrow(d, v, lanes);
    for (int64_t i = 0; i < count; ++i) p[i] = lanes[i];
  }
}

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
constexpr int kLanes = HWY_MAX_BYTES / static_cast<int>(sizeof(T));

}  // namespace
}  // namespace mlx::core::gemm
