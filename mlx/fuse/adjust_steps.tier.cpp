// Steps that convert between the representations of one lane class: casts and
// the rounding of 16-bit floats.
#include "mlx/fuse/step_functions.h"
#include "mlx/simd/simd.h"

namespace mlx::core::fuse {
namespace {

using Half = hn::Half<Full<float>>;

struct RoundF16 {
  template <class D, class V>
  static HWY_INLINE V call(D d, V x) {
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      return simd::round_f16(d, x);
    } else {
      return hn::PromoteTo(d, simd::round_f16(Half(), hn::DemoteTo(Half(), x)));
    }
  }
};
struct RoundBf16 {
  template <class D, class V>
  static HWY_INLINE V call(D d, V x) {
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      return simd::round_bf16(d, x);
    } else {
      return hn::PromoteTo(d, simd::round_bf16(Half(), hn::DemoteTo(Half(), x)));
    }
  }
};
struct RoundF32 {
  template <class D, class V>
  static HWY_INLINE V call(D d, V x) {
    return hn::PromoteTo(d, hn::DemoteTo(Half(), x));
  }
};
struct MaskToOne {
  template <class D, class V>
  static HWY_INLINE V call(D d, V x) {
    return hn::And(x, hn::Set(d, hn::TFromD<D>(1)));
  }
};
struct Nonzero {
  template <class D, class V>
  static HWY_INLINE V call(D d, V x) {
    return hn::VecFromMask(d, hn::Not(hn::Eq(x, hn::Zero(d))));  // hn::Ne may fail for NaN
  }
};
template <class S>
struct Wrap {
  template <class D, class V>
  static HWY_INLINE V call(D d, V x) {
    using T = hn::TFromD<D>;
    if constexpr (S(-1) < S(0)) {
      constexpr int shift = 8 * (sizeof(T) - sizeof(S));
      return hn::ShiftRight<shift>(hn::ShiftLeft<shift>(x));
    } else {
      return hn::And(x, hn::Set(d, static_cast<T>(static_cast<S>(-1))));
    }
  }
};

/// Truncates towards zero; the type's limits where the value lies outside, 0
/// for NaN.
template <class S>
struct Saturate {
  template <class D, class V>
  static HWY_INLINE auto call(D d, V x) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    x = hn::IfThenZeroElse(hn::IsNaN(x), x);
    if constexpr (sizeof(S) < sizeof(T) || (sizeof(S) < 4)) {
      const V low = hn::Set(d, static_cast<T>(hwy::LimitsMin<S>()));
      const V high = hn::Set(d, static_cast<T>(hwy::LimitsMax<S>()));
      return hn::ConvertTo(di, hn::Max(low, hn::Min(high, x)));
    } else if constexpr (sizeof(S) == 4 && S(-1) < S(0)) {
      return hn::ConvertTo(di, x);  // saturates on every target
    } else if constexpr (S(-1) < S(0)) {
      // 2^(bits-1): the first value too large. What lies below needs no care,
      // conversion gives the least value.
      const T limit = static_cast<T>(hwy::LimitsMax<S>() / 2 + 1) * 2;
      const auto big = hn::RebindMask(di, hn::Ge(x, hn::Set(d, limit)));
      const auto small = hn::RebindMask(di, hn::Lt(x, hn::Set(d, -limit)));
      auto r = hn::ConvertTo(di, x);
      r = hn::IfThenElse(big, hn::Set(di, hwy::LimitsMax<S>()), r);
      return hn::IfThenElse(small, hn::Set(di, hwy::LimitsMin<S>()), r);
    } else {
      using I = hwy::MakeSigned<S>;
      const T half = static_cast<T>(S(1) << (8 * sizeof(S) - 1));
      x = hn::Max(x, hn::Zero(d));
      const auto upper = hn::Ge(x, hn::Set(d, half));
      const auto high = hn::RebindMask(di, upper);
      const auto over = hn::RebindMask(di, hn::Ge(x, hn::Set(d, half + half)));
      const V reduced = hn::IfThenElse(upper, hn::Sub(x, hn::Set(d, half)), x);
      auto r = hn::ConvertTo(di, reduced);
      r = hn::Xor(r, hn::IfThenElseZero(high, hn::Set(di, hwy::LimitsMin<I>())));
      return hn::IfThenElse(over, hn::Set(di, I(-1)), r);
    }
  }
};

struct ToFloat {
  template <class D, class V>
  static HWY_INLINE auto call(D, V x) {
    using T = hn::TFromD<D>;
    return hn::ConvertTo(Full<hwy::MakeFloat<T>>(), x);
  }
};

/// 64-bit integers to float32 values with one rounding: bits that float64 would
/// round away become one sticky bit first.
struct ToF32 {
  template <class D, class V>
  static HWY_INLINE Vec<double> call(D d, V x) {
    using T = hn::TFromD<D>;
    const Full<double> df;
    const auto low = hn::And(x, hn::Set(d, T(0xFFF)));
    const auto sticky = hn::IfThenElseZero(hn::Ne(low, hn::Zero(d)), hn::Set(d, T(0x800)));
    const auto cut = hn::Or(hn::Sub(x, low), sticky);
    auto big = hn::Gt(x, hn::Set(d, T(1) << 53));
    if constexpr (T(-1) < T(0)) big = hn::Or(big, hn::Lt(x, hn::Set(d, -(T(1) << 53))));
    return RoundF32::call(df, hn::ConvertTo(df, hn::IfThenElse(big, cut, x)));
  }
};

void nonzero_complex_step(MLX_STEP) {
  const Full<float> t;
  const auto zero = hn::Zero(t);
  a = mask_bytes(t, hn::Not(hn::And(hn::Eq(as<float>(a), zero), hn::Eq(as<float>(c), zero))));
  b = mask_bytes(t, hn::Not(hn::And(hn::Eq(as<float>(b), zero), hn::Eq(as<float>(d), zero))));
  MLX_NEXT;
}
void clear_imaginary_step(MLX_STEP) {
  c = d = hn::Zero(Full<uint8_t>());
  MLX_NEXT;
}
void imaginary_to_real_step(MLX_STEP) {
  a = c;
  b = d;
  MLX_NEXT;
}
void negate_imaginary_step(MLX_STEP) {
  c = bytes(hn::Neg(as<float>(c)));
  d = bytes(hn::Neg(as<float>(d)));
  MLX_NEXT;
}

template <class I, class U>
StepRun find_integer_adjust(Adjust what) {
  switch (what) {
    case Adjust::mask_to_int:
      return unary_step<MaskToOne, U>;
    case Adjust::nonzero_int:
      return unary_step<Nonzero, U>;
    default:
      break;
  }
  if constexpr (sizeof(U) > 1) {
    if (what == Adjust::wrap_u8) return unary_step<Wrap<uint8_t>, U>;
    if (what == Adjust::wrap_i8) return unary_step<Wrap<int8_t>, I>;
  }
  if constexpr (sizeof(U) > 2) {
    if (what == Adjust::wrap_u16) return unary_step<Wrap<uint16_t>, U>;
    if (what == Adjust::wrap_i16) return unary_step<Wrap<int16_t>, I>;
  }
  if constexpr (sizeof(U) > 4) {
    if (what == Adjust::wrap_u32) return unary_step<Wrap<uint32_t>, U>;
    if (what == Adjust::wrap_i32) return unary_step<Wrap<int32_t>, I>;
  }
  return nullptr;
}

template <class F, class I, class U>
StepRun find_float_adjust(Adjust what) {
  switch (what) {
    case Adjust::round_f16:
      return unary_step<RoundF16, F>;
    case Adjust::round_bf16:
      return unary_step<RoundBf16, F>;
    case Adjust::mask_to_float:
      return unary_step<MaskToOne, F>;
    case Adjust::nonzero_float:
      return unary_step<Nonzero, F>;
    case Adjust::signed_to_float:
      return unary_step<ToFloat, I>;
    case Adjust::unsigned_to_float:
      return unary_step<ToFloat, U>;
    case Adjust::float_to_u8:
      return unary_step<Saturate<uint8_t>, F>;
    case Adjust::float_to_i8:
      return unary_step<Saturate<int8_t>, F>;
    case Adjust::float_to_u16:
      return unary_step<Saturate<uint16_t>, F>;
    case Adjust::float_to_i16:
      return unary_step<Saturate<int16_t>, F>;
    case Adjust::float_to_u32:
      return unary_step<Saturate<uint32_t>, F>;
    case Adjust::float_to_i32:
      return unary_step<Saturate<int32_t>, F>;
    default:
      break;
  }
  if constexpr (sizeof(F) == 8) {
    switch (what) {
      case Adjust::round_f32:
        return unary_step<RoundF32, F>;
      case Adjust::signed_to_f32:
        return unary_step<ToF32, I>;
      case Adjust::unsigned_to_f32:
        return unary_step<ToF32, U>;
      case Adjust::float_to_u64:
        return unary_step<Saturate<uint64_t>, F>;
      case Adjust::float_to_i64:
        return unary_step<Saturate<int64_t>, F>;
      default:
        break;
    }
  }
  return find_integer_adjust<I, U>(what);
}

StepFunction find_adjust(Width width, Adjust what) {
  StepRun f = nullptr;
  switch (width) {
    case Width::w8:
      f = find_integer_adjust<int8_t, uint8_t>(what);
      break;
    case Width::w16:
      f = find_integer_adjust<int16_t, uint16_t>(what);
      break;
    case Width::w32:
      f = find_float_adjust<float, int32_t, uint32_t>(what);
      break;
    case Width::w64:
      f = find_float_adjust<double, int64_t, uint64_t>(what);
      break;
    case Width::complex:
      switch (what) {
        case Adjust::nonzero_complex:
          f = nonzero_complex_step;
          break;
        case Adjust::clear_imaginary:
          f = clear_imaginary_step;
          break;
        case Adjust::imaginary_to_real:
          f = imaginary_to_real_step;
          break;
        case Adjust::negate_imaginary:
          f = negate_imaginary_step;
          break;
        default:
          f = find_float_adjust<float, int32_t, uint32_t>(what);
          break;
      }
      break;
  }
  return reinterpret_cast<StepFunction>(f);
}

}  // namespace

extern const AdjustSteps MLX_TIER_SYMBOL(adjust_steps) = {find_adjust};

}  // namespace mlx::core::fuse
