// Steps that move values between memory, slots and registers. No arithmetic;
// conversions inside lanes are in adjust_steps.tier.cpp.
#include <type_traits>

#include "hwy/cache_control.h"
#include "mlx/fuse/step_functions.h"

namespace mlx::core::fuse {
namespace {

using simd::lanes;

// ------------------------------------------------------------------ control

void finish_step(MLX_STEP) {}

void run_groups(const Step* steps, State* state, size_t groups, size_t group_bytes) {
  const Bytes zero = hn::Zero(Full<uint8_t>());
  const StepRun first = reinterpret_cast<StepRun>(steps->run);
  const size_t end = groups * group_bytes;
  for (size_t offset = 0; offset < end; offset += group_bytes) {
    state->offset = offset;
    first(zero, zero, zero, zero, steps, state);
  }
}

void copy_padded(uint8_t* to, const uint8_t* from, size_t bytes) {
  const Full<uint8_t> t;
  constexpr size_t n = simd::vector_bytes;
  for (size_t done = 0; done < 4 * n; done += n) {
    if (done + n <= bytes) {
      hn::StoreU(hn::LoadU(t, from + done), t, to + done);
    } else if (done >= bytes) {
      hn::StoreU(hn::Zero(t), t, to + done);
    } else {
#if HWY_TARGET == HWY_AVX3
      const auto some = hn::FirstN(t, bytes - done);
      hn::StoreU(hn::MaskedLoad(some, t, from + done), t, to + done);
#else
      hn::StoreU(hn::Zero(t), t, to + done);
      for (size_t i = done; i < bytes; ++i) to[i] = from[i];
#endif
    }
  }
}

void flush() {
  hwy::FlushStream();
}

void write_group(uint8_t* p, Bytes a, Bytes b, Bytes c, Bytes d) {
  const Full<uint8_t> t;
  hn::StoreU(a, t, p);
  hn::StoreU(b, t, p + simd::vector_bytes);
  hn::StoreU(c, t, p + 2 * simd::vector_bytes);
  hn::StoreU(d, t, p + 3 * simd::vector_bytes);
}

void spill_step(MLX_STEP) {
  uint8_t* p = const_cast<uint8_t*>(step->operand[0]);
  const Full<uint8_t> t;
  hn::StoreU(a, t, p);
  hn::StoreU(b, t, p + simd::vector_bytes);
  hn::StoreU(c, t, p + 2 * simd::vector_bytes);
  hn::StoreU(d, t, p + 3 * simd::vector_bytes);
  MLX_NEXT;
}

void reload_step(MLX_STEP) {
  const uint8_t* p = step->operand[0];
  a = load<uint8_t>(p, 0);
  b = load<uint8_t>(p, 1);
  c = load<uint8_t>(p, 2);
  d = load<uint8_t>(p, 3);
  MLX_NEXT;
}

void call1_step(MLX_STEP) {
  uint8_t* p = state->scratch;
  write_group(p, a, b, c, d);
  step->call(p, nullptr, step->count);
  a = load<uint8_t>(p, 0);
  b = load<uint8_t>(p, 1);
  c = load<uint8_t>(p, 2);
  d = load<uint8_t>(p, 3);
  MLX_NEXT;
}

void call2_step(MLX_STEP) {
  uint8_t* p = state->scratch;
  write_group(p, a, b, c, d);
  step->call(p, operand(step, state, 0), step->count);
  a = load<uint8_t>(p, 0);
  b = load<uint8_t>(p, 1);
  c = load<uint8_t>(p, 2);
  d = load<uint8_t>(p, 3);
  MLX_NEXT;
}

// ------------------------------------------------------------------ loads

/// Where elements of type S lie that fill lanes of `lane` bytes.
template <class S, size_t lane>
HWY_INLINE const S* element(const Step* step, const State* state) {
  const size_t offset = state->offset & step->mask[0];
  return reinterpret_cast<const S*>(step->operand[0]) + offset / lane;
}

void load_same_width(MLX_STEP) {
  const uint8_t* p = operand(step, state, 0);
  a = load<uint8_t>(p, 0);
  b = load<uint8_t>(p, 1);
  c = load<uint8_t>(p, 2);
  d = load<uint8_t>(p, 3);
  MLX_NEXT;
}

/// Four vectors of R(p), R(p + lanes), ...
template <class R, class S, class T>
void load_step(MLX_STEP) {
  const S* p = element<S, sizeof(T)>(step, state);
  constexpr size_t n = lanes<T>;
  a = bytes(R::read(p));
  b = bytes(R::read(p + n));
  c = bytes(R::read(p + 2 * n));
  d = bytes(R::read(p + 3 * n));
  MLX_NEXT;
}

template <class S, class T>
HWY_INLINE Vec<T> widen(const S* p) {
  const Full<T> t;
  if constexpr (sizeof(T) == sizeof(S)) {
    return hn::LoadU(t, reinterpret_cast<const T*>(p));
  } else if constexpr (sizeof(T) == 8 && sizeof(S) < 4) {
    using Middle = std::conditional_t<(S(-1) < S(0)), int32_t, uint32_t>;
    const hn::Rebind<Middle, Full<T>> middle;
    const hn::Rebind<S, Full<T>> s;
    return hn::PromoteTo(t, hn::PromoteTo(middle, hn::LoadU(s, p)));
  } else {
    const hn::Rebind<S, Full<T>> s;
    return hn::PromoteTo(t, hn::LoadU(s, p));
  }
}

template <class S, class T>
struct Widen {
  static HWY_INLINE Vec<T> read(const S* p) { return widen<S, T>(p); }
};
template <class T>
struct ReadBool {
  static HWY_INLINE Vec<T> read(const uint8_t* p) {
    const Full<T> t;
    return hn::VecFromMask(t, hn::Ne(widen<uint8_t, T>(p), hn::Zero(t)));
  }
};
struct ReadF16 {
  static HWY_INLINE Vec<float> read(const uint16_t* p) { return simd::load_f16(Full<float>(), p); }
};
struct ReadBf16 {
  static HWY_INLINE Vec<float> read(const uint16_t* p) { return simd::load_bf16(Full<float>(), p); }
};
using Half = hn::Half<Full<float>>;
/// Past the accumulator, which goes on as it is.
template <class R>
void load_half_to_slot(MLX_STEP) {
  const uint16_t* p = element<uint16_t, 4>(step, state);
  constexpr size_t n = lanes<float>;
  write_group(const_cast<uint8_t*>(step->operand[1]), bytes(R::read(p)), bytes(R::read(p + n)),
              bytes(R::read(p + 2 * n)), bytes(R::read(p + 3 * n)));
  MLX_NEXT;
}
struct ReadF32AsF64 {
  static HWY_INLINE Vec<double> read(const float* p) {
    return hn::PromoteTo(Full<double>(), hn::LoadU(Half(), p));
  }
};
struct ReadF16AsF64 {
  static HWY_INLINE Vec<double> read(const uint16_t* p) {
    return hn::PromoteTo(Full<double>(), simd::load_f16(Half(), p));
  }
};
struct ReadBf16AsF64 {
  static HWY_INLINE Vec<double> read(const uint16_t* p) {
    return hn::PromoteTo(Full<double>(), simd::load_bf16(Half(), p));
  }
};

void load_complex(MLX_STEP) {
  const float* p = element<float, 2>(step, state);
  const Full<float> t;
  Vec<float> x0, x1, y0, y1;
  hn::LoadInterleaved2(t, p, x0, y0);
  hn::LoadInterleaved2(t, p + 2 * lanes<float>, x1, y1);
  a = bytes(x0);
  b = bytes(x1);
  c = bytes(y0);
  d = bytes(y1);
  MLX_NEXT;
}
/// Real values of a complex program: two vectors.
template <class R, class S>
void load_pair(MLX_STEP) {
  const S* p = element<S, 4>(step, state);
  a = bytes(R::read(p));
  b = bytes(R::read(p + lanes<float>));
  c = d = hn::Zero(Full<uint8_t>());
  MLX_NEXT;
}

StepRun find_complex_load(Storage storage) {
  using S = Storage;
  switch (storage) {
    case S::c64:
      return load_complex;
    case S::f32:
      return load_pair<Widen<float, float>, float>;
    case S::u32:
    case S::i32:
      return load_pair<Widen<uint32_t, uint32_t>, uint32_t>;
    case S::bool_:
      return load_pair<ReadBool<uint32_t>, uint8_t>;
    case S::u8:
      return load_pair<Widen<uint8_t, uint32_t>, uint8_t>;
    case S::i8:
      return load_pair<Widen<int8_t, int32_t>, int8_t>;
    case S::u16:
      return load_pair<Widen<uint16_t, uint32_t>, uint16_t>;
    case S::i16:
      return load_pair<Widen<int16_t, int32_t>, int16_t>;
    case S::f16:
      return load_pair<ReadF16, uint16_t>;
    case S::bf16:
      return load_pair<ReadBf16, uint16_t>;
    default:
      return nullptr;
  }
}

StepFunction find_load(Width width, Storage storage) {
  using S = Storage;
  StepRun f = nullptr;
  switch (width) {
    case Width::w8:
      if (storage == S::u8 || storage == S::i8) f = load_same_width;
      if (storage == S::bool_) f = load_step<ReadBool<uint8_t>, uint8_t, uint8_t>;
      break;
    case Width::w16:
      switch (storage) {
        case S::u16:
        case S::i16:
          f = load_same_width;
          break;
        case S::bool_:
          f = load_step<ReadBool<uint16_t>, uint8_t, uint16_t>;
          break;
        case S::u8:
          f = load_step<Widen<uint8_t, uint16_t>, uint8_t, uint16_t>;
          break;
        case S::i8:
          f = load_step<Widen<int8_t, int16_t>, int8_t, int16_t>;
          break;
        default:
          break;
      }
      break;
    case Width::w32:
      switch (storage) {
        case S::u32:
        case S::i32:
        case S::f32:
          f = load_same_width;
          break;
        case S::bool_:
          f = load_step<ReadBool<uint32_t>, uint8_t, uint32_t>;
          break;
        case S::u8:
          f = load_step<Widen<uint8_t, uint32_t>, uint8_t, uint32_t>;
          break;
        case S::i8:
          f = load_step<Widen<int8_t, int32_t>, int8_t, int32_t>;
          break;
        case S::u16:
          f = load_step<Widen<uint16_t, uint32_t>, uint16_t, uint32_t>;
          break;
        case S::i16:
          f = load_step<Widen<int16_t, int32_t>, int16_t, int32_t>;
          break;
        case S::f16:
          f = load_step<ReadF16, uint16_t, float>;
          break;
        case S::bf16:
          f = load_step<ReadBf16, uint16_t, float>;
          break;
        default:
          break;
      }
      break;
    case Width::w64:
      switch (storage) {
        case S::u64:
        case S::i64:
        case S::f64:
          f = load_same_width;
          break;
        case S::bool_:
          f = load_step<ReadBool<uint64_t>, uint8_t, uint64_t>;
          break;
        case S::u8:
          f = load_step<Widen<uint8_t, uint64_t>, uint8_t, uint64_t>;
          break;
        case S::i8:
          f = load_step<Widen<int8_t, int64_t>, int8_t, int64_t>;
          break;
        case S::u16:
          f = load_step<Widen<uint16_t, uint64_t>, uint16_t, uint64_t>;
          break;
        case S::i16:
          f = load_step<Widen<int16_t, int64_t>, int16_t, int64_t>;
          break;
        case S::u32:
          f = load_step<Widen<uint32_t, uint64_t>, uint32_t, uint64_t>;
          break;
        case S::i32:
          f = load_step<Widen<int32_t, int64_t>, int32_t, int64_t>;
          break;
        case S::f32:
          f = load_step<ReadF32AsF64, float, double>;
          break;
        case S::f16:
          f = load_step<ReadF16AsF64, uint16_t, double>;
          break;
        case S::bf16:
          f = load_step<ReadBf16AsF64, uint16_t, double>;
          break;
        default:
          break;
      }
      break;
    case Width::complex:
      f = find_complex_load(storage);
      break;
  }
  return reinterpret_cast<StepFunction>(f);
}

StepFunction find_load_to_slot(Width width, Storage storage) {
  StepRun f = nullptr;
  if (width == Width::w32 && storage == Storage::f16) f = load_half_to_slot<ReadF16>;
  if (width == Width::w32 && storage == Storage::bf16) f = load_half_to_slot<ReadBf16>;
  return reinterpret_cast<StepFunction>(f);
}

// ------------------------------------------------------------------ stores

// The last store of a group returns instead of going on to a step that does.
#define MLX_AFTER                         \
  if constexpr (after == After::finish) { \
    return;                               \
  } else {                                \
    MLX_NEXT;                             \
  }

template <class S, size_t lane>
HWY_INLINE S* target(const Step* step, const State* state) {
  return const_cast<S*>(element<S, lane>(step, state));
}

template <After after>
void store_same_width(MLX_STEP) {
  write_group(const_cast<uint8_t*>(operand(step, state, 0)), a, b, c, d);
  MLX_AFTER
}
template <After after>
void stream_same_width(MLX_STEP) {
  const Full<uint8_t> t;
  uint8_t* p = const_cast<uint8_t*>(operand(step, state, 0));
  hn::Stream(a, t, p);
  hn::Stream(b, t, p + simd::vector_bytes);
  hn::Stream(c, t, p + 2 * simd::vector_bytes);
  hn::Stream(d, t, p + 3 * simd::vector_bytes);
  MLX_AFTER
}

/// Four vectors through W::write.
template <class W, class S, class T, After after>
void store_step(MLX_STEP) {
  S* p = target<S, sizeof(T)>(step, state);
  constexpr size_t n = lanes<T>;
  W::write(as<T>(a), p);
  W::write(as<T>(b), p + n);
  W::write(as<T>(c), p + 2 * n);
  W::write(as<T>(d), p + 3 * n);
  MLX_AFTER
}

/// Two vectors become one, for all-or-nothing streaming of 16-bit floats.
template <class N, bool streaming, After after>
void store_half_step(MLX_STEP) {
  const Full<uint16_t> t;
  uint16_t* p = target<uint16_t, 4>(step, state);
  const auto low = hn::Combine(t, N::narrow(as<float>(b)), N::narrow(as<float>(a)));
  const auto high = hn::Combine(t, N::narrow(as<float>(d)), N::narrow(as<float>(c)));
  if constexpr (streaming) {
    hn::Stream(low, t, p);
    hn::Stream(high, t, p + lanes<uint16_t>);
  } else {
    hn::StoreU(low, t, p);
    hn::StoreU(high, t, p + lanes<uint16_t>);
  }
  MLX_AFTER
}
template <bool rounds>
struct NarrowBf16 {
  static HWY_INLINE auto narrow(Vec<float> x) {
    if constexpr (rounds) x = simd::round_bf16(Full<float>(), x);
    const hn::Rebind<uint16_t, Full<float>> d16;
    const auto high = hn::ShiftRight<16>(hn::BitCast(Full<uint32_t>(), x));
    return hn::DemoteTo(d16, hn::BitCast(Full<int32_t>(), high));
  }
};
#if HWY_TARGET == HWY_SSE4
template <bool rounds>
struct WriteF16 {
  static HWY_INLINE void write(Vec<float> x, uint16_t* p) {
    if constexpr (rounds) {
      simd::store_f16(Full<float>(), x, p);
    } else {
      simd::store_rounded_f16(Full<float>(), x, p);
    }
  }
};
#else
// The instruction rounds, and leaves alone what is rounded.
struct NarrowF16 {
  static HWY_INLINE auto narrow(Vec<float> x) {
    const hn::Rebind<hwy::float16_t, Full<float>> d16;
    const hn::Rebind<uint16_t, Full<float>> du16;
    return hn::BitCast(du16, hn::DemoteTo(d16, x));
  }
};
#endif

/// Lanes whose values already fit the narrower type.
template <class S, class T>
struct Narrow {
  static HWY_INLINE void write(Vec<T> x, S* p) {
    const hn::Rebind<S, Full<T>> s;
    hn::StoreU(hn::DemoteTo(s, x), s, p);
  }
};
template <class T>
struct WriteBool {
  static HWY_INLINE void write(Vec<T> x, uint8_t* p) {
    const Full<T> t;
    const auto bit = hn::And(x, hn::Set(t, T(1)));
    if constexpr (sizeof(T) == 1) {
      hn::StoreU(bit, t, p);
    } else {
      const hn::Rebind<uint8_t, Full<T>> s;
      hn::StoreU(hn::DemoteTo(s, bit), s, p);
    }
  }
};

/// 64-bit lanes to narrower integers, through scratch: the low bits.
template <class S, uint64_t keep, After after>
void store_low_bits(MLX_STEP) {
  S* p = target<S, 8>(step, state);
  write_group(state->scratch, a, b, c, d);
  const uint64_t* from = reinterpret_cast<const uint64_t*>(state->scratch);
  for (size_t i = 0; i < 4 * lanes<uint64_t>; ++i) p[i] = static_cast<S>(from[i] & keep);
  MLX_AFTER
}
struct WriteF64AsF32 {
  static HWY_INLINE void write(Vec<double> x, float* p) {
    hn::StoreU(hn::DemoteTo(Half(), x), Half(), p);
  }
};
struct WriteF64AsF16 {
  static HWY_INLINE void write(Vec<double> x, uint16_t* p) {
    simd::store_rounded_f16(Half(), hn::DemoteTo(Half(), x), p);
  }
};
struct WriteF64AsBf16 {
  static HWY_INLINE void write(Vec<double> x, uint16_t* p) {
    simd::store_rounded_bf16(Half(), hn::DemoteTo(Half(), x), p);
  }
};

template <After after>
void store_complex(MLX_STEP) {
  float* p = target<float, 2>(step, state);
  const Full<float> t;
  hn::StoreInterleaved2(as<float>(a), as<float>(c), t, p);
  hn::StoreInterleaved2(as<float>(b), as<float>(d), t, p + 2 * lanes<float>);
  MLX_AFTER
}
template <class W, class S, class T, After after>
void store_pair(MLX_STEP) {
  S* p = target<S, 4>(step, state);
  W::write(as<T>(a), p);
  W::write(as<T>(b), p + lanes<float>);
  MLX_AFTER
}
struct WriteSame {
  static HWY_INLINE void write(Vec<uint32_t> x, uint32_t* p) { hn::StoreU(x, Full<uint32_t>(), p); }
};
struct WriteBf16 {
  static HWY_INLINE void write(Vec<float> x, uint16_t* p) {
    simd::store_rounded_bf16(Full<float>(), x, p);
  }
};
struct WriteF16Pair {
  static HWY_INLINE void write(Vec<float> x, uint16_t* p) {
    simd::store_rounded_f16(Full<float>(), x, p);
  }
};
template <bool rounds, After after>
StepRun store_f16() {
#if HWY_TARGET == HWY_SSE4
  return store_step<WriteF16<rounds>, uint16_t, float, after>;
#else
  return store_half_step<NarrowF16, false, after>;
#endif
}

template <After after>
StepRun find_complex_store(Storage storage) {
  using S = Storage;
  switch (storage) {
    case S::c64:
      return store_complex<after>;
    case S::f32:
    case S::u32:
    case S::i32:
      return store_pair<WriteSame, uint32_t, uint32_t, after>;
    case S::bool_:
      return store_pair<WriteBool<int32_t>, uint8_t, int32_t, after>;
    case S::u8:
      return store_pair<Narrow<uint8_t, int32_t>, uint8_t, int32_t, after>;
    case S::i8:
      return store_pair<Narrow<int8_t, int32_t>, int8_t, int32_t, after>;
    case S::u16:
      return store_pair<Narrow<uint16_t, int32_t>, uint16_t, int32_t, after>;
    case S::i16:
      return store_pair<Narrow<int16_t, int32_t>, int16_t, int32_t, after>;
    case S::f16:
      return store_pair<WriteF16Pair, uint16_t, float, after>;
    case S::bf16:
      return store_pair<WriteBf16, uint16_t, float, after>;
    default:
      return nullptr;
  }
}

template <After after>
StepFunction find_store(Width width, Storage storage, bool rounds) {
  using S = Storage;
  StepRun f = nullptr;
  if (rounds) {
    if (width == Width::w32 && storage == S::f16) f = store_f16<true, after>();
    if (width == Width::w32 && storage == S::bf16) {
      f = store_half_step<NarrowBf16<true>, false, after>;
    }
    return reinterpret_cast<StepFunction>(f);
  }
  switch (width) {
    case Width::w8:
      if (storage == S::u8 || storage == S::i8) f = store_same_width<after>;
      if (storage == S::bool_) f = store_step<WriteBool<uint8_t>, uint8_t, uint8_t, after>;
      break;
    case Width::w16:
      switch (storage) {
        case S::u16:
        case S::i16:
          f = store_same_width<after>;
          break;
        case S::bool_:
          f = store_step<WriteBool<int16_t>, uint8_t, int16_t, after>;
          break;
        case S::u8:
          f = store_step<Narrow<uint8_t, int16_t>, uint8_t, int16_t, after>;
          break;
        case S::i8:
          f = store_step<Narrow<int8_t, int16_t>, int8_t, int16_t, after>;
          break;
        default:
          break;
      }
      break;
    case Width::w32:
      switch (storage) {
        case S::u32:
        case S::i32:
        case S::f32:
          f = store_same_width<after>;
          break;
        case S::bool_:
          f = store_step<WriteBool<int32_t>, uint8_t, int32_t, after>;
          break;
        case S::u8:
          f = store_step<Narrow<uint8_t, int32_t>, uint8_t, int32_t, after>;
          break;
        case S::i8:
          f = store_step<Narrow<int8_t, int32_t>, int8_t, int32_t, after>;
          break;
        case S::u16:
          f = store_step<Narrow<uint16_t, int32_t>, uint16_t, int32_t, after>;
          break;
        case S::i16:
          f = store_step<Narrow<int16_t, int32_t>, int16_t, int32_t, after>;
          break;
        case S::f16:
          f = store_f16<false, after>();
          break;
        case S::bf16:
          f = store_half_step<NarrowBf16<false>, false, after>;
          break;
        default:
          break;
      }
      break;
    case Width::w64:
      switch (storage) {
        case S::u64:
        case S::i64:
        case S::f64:
          f = store_same_width<after>;
          break;
        case S::bool_:
          f = store_low_bits<uint8_t, 1, after>;
          break;
        case S::u8:
        case S::i8:
          f = store_low_bits<uint8_t, 0xFF, after>;
          break;
        case S::u16:
        case S::i16:
          f = store_low_bits<uint16_t, 0xFFFF, after>;
          break;
        case S::u32:
        case S::i32:
          f = store_low_bits<uint32_t, 0xFFFFFFFF, after>;
          break;
        case S::f32:
          f = store_step<WriteF64AsF32, float, double, after>;
          break;
        case S::f16:
          f = store_step<WriteF64AsF16, uint16_t, double, after>;
          break;
        case S::bf16:
          f = store_step<WriteF64AsBf16, uint16_t, double, after>;
          break;
        default:
          break;
      }
      break;
    case Width::complex:
      f = find_complex_store<after>(storage);
      break;
  }
  return reinterpret_cast<StepFunction>(f);
}

template <After after>
StepFunction find_stream(Width width, Storage storage, bool rounds) {
  using S = Storage;
  StepRun f = nullptr;
  const bool same =
      (width == Width::w8 && (storage == S::u8 || storage == S::i8)) ||
      (width == Width::w16 && (storage == S::u16 || storage == S::i16)) ||
      (width == Width::w32 && (storage == S::u32 || storage == S::i32 || storage == S::f32)) ||
      (width == Width::w64 && (storage == S::u64 || storage == S::i64 || storage == S::f64));
  if (same && !rounds) f = stream_same_width<after>;
  if (width == Width::w32 && storage == S::bf16) {
    f = rounds ? store_half_step<NarrowBf16<true>, true, after>
               : store_half_step<NarrowBf16<false>, true, after>;
  }
#if HWY_TARGET != HWY_SSE4
  if (width == Width::w32 && storage == S::f16) f = store_half_step<NarrowF16, true, after>;
#endif
  return reinterpret_cast<StepFunction>(f);
}

StepFunction choose_store(Width width, Storage storage, bool rounds, After after) {
  return after == After::next ? find_store<After::next>(width, storage, rounds)
                              : find_store<After::finish>(width, storage, rounds);
}
StepFunction choose_stream(Width width, Storage storage, bool rounds, After after) {
  return after == After::next ? find_stream<After::next>(width, storage, rounds)
                              : find_stream<After::finish>(width, storage, rounds);
}

// ------------------------------------------------------------------ select

template <int which>
void select_step(MLX_STEP) {
  const uint8_t* p = operand(step, state, 0);
  const uint8_t* q = operand(step, state, 1);
  const auto pick = [](Bytes v, Bytes m0, Bytes m1) HWY_ATTR {
    if constexpr (which == 0) return hn::IfVecThenElse(v, m0, m1);
    if constexpr (which == 1) return hn::IfVecThenElse(m0, v, m1);
    if constexpr (which == 2) return hn::IfVecThenElse(m0, m1, v);
  };
  a = pick(a, load<uint8_t>(p, 0), load<uint8_t>(q, 0));
  b = pick(b, load<uint8_t>(p, 1), load<uint8_t>(q, 1));
  c = pick(c, load<uint8_t>(p, 2), load<uint8_t>(q, 2));
  d = pick(d, load<uint8_t>(p, 3), load<uint8_t>(q, 3));
  MLX_NEXT;
}

/// The two condition vectors serve real and imaginary parts.
template <int which>
void complex_select_step(MLX_STEP) {
  const uint8_t* p = operand(step, state, 0);
  const uint8_t* q = operand(step, state, 1);
  const Bytes m0 = which == 0 ? a : load<uint8_t>(p, 0);
  const Bytes m1 = which == 0 ? b : load<uint8_t>(p, 1);
  const auto pick = [&](Bytes m, Bytes v, size_t k) HWY_ATTR {
    if constexpr (which == 0) {
      return hn::IfVecThenElse(m, load<uint8_t>(p, k), load<uint8_t>(q, k));
    }
    if constexpr (which == 1) return hn::IfVecThenElse(m, v, load<uint8_t>(q, k));
    if constexpr (which == 2) return hn::IfVecThenElse(m, load<uint8_t>(q, k), v);
  };
  a = pick(m0, a, 0);
  b = pick(m1, b, 1);
  c = pick(m0, c, 2);
  d = pick(m1, d, 3);
  MLX_NEXT;
}

StepFunction find_select(Width width, SelectForm form) {
  const bool complex = width == Width::complex;
  StepRun f = nullptr;
  switch (form) {
    case SelectForm::condition:
      f = complex ? complex_select_step<0> : select_step<0>;
      break;
    case SelectForm::first:
      f = complex ? complex_select_step<1> : select_step<1>;
      break;
    case SelectForm::second:
      f = complex ? complex_select_step<2> : select_step<2>;
      break;
  }
  return reinterpret_cast<StepFunction>(f);
}

// A cast pointer is no constant expression: even fixed steps are looked up.
StepFunction find_control(Control which) {
  StepRun f = nullptr;
  switch (which) {
    case Control::finish:
      f = finish_step;
      break;
    case Control::spill:
      f = spill_step;
      break;
    case Control::reload:
      f = reload_step;
      break;
    case Control::call1:
      f = call1_step;
      break;
    case Control::call2:
      f = call2_step;
      break;
  }
  return reinterpret_cast<StepFunction>(f);
}

}  // namespace

extern const MemorySteps MLX_TIER_SYMBOL(memory_steps) = {
    simd::vector_bytes, run_groups,        copy_padded,  flush,         find_control,
    find_load,          find_load_to_slot, choose_store, choose_stream, find_select,
};

}  // namespace mlx::core::fuse
