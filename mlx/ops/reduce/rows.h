// How dtypes sit in memory and in lanes, and reductions of contiguous rows. For
// the tier files of this family only.
//
// A core that reads one stream waits for memory at every page; with four
// streams it hardly does. So rows come four at a time, and a long row that comes
// alone is read as four quarters. Either way a row is cut and combined the same.
#pragma once

#include <type_traits>

#include "mlx/ops/reduce/kernels.h"
#include "mlx/simd/simd.h"

namespace mlx::core {

namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = MLX_SIMD_NAMESPACE;

struct F32 {
  using Memory = float;
  using Lane = float;
  using D = simd::Full<float>;
  static HWY_INLINE simd::Vec<float> load(D d, const float* p) { return hn::LoadU(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<float> v, float* p) { hn::StoreU(v, d, p); }
};
struct F64 {
  using Memory = double;
  using Lane = double;
  using D = simd::Full<double>;
  static HWY_INLINE simd::Vec<double> load(D d, const double* p) { return hn::LoadU(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<double> v, double* p) { hn::StoreU(v, d, p); }
};
struct F16 {
  using Memory = uint16_t;
  using Lane = float;
  using D = simd::Full<float>;
  static constexpr int16_t infinity = 0x7C00;
  static HWY_INLINE simd::Vec<float> load(D d, const uint16_t* p) { return simd::load_f16(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<float> v, uint16_t* p) { simd::store_f16(d, v, p); }
};
struct BF16 {
  using Memory = uint16_t;
  using Lane = float;
  using D = simd::Full<float>;
  static constexpr int16_t infinity = 0x7F80;
  static HWY_INLINE simd::Vec<float> load(D d, const uint16_t* p) { return simd::load_bf16(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<float> v, uint16_t* p) { simd::store_bf16(d, v, p); }
};

// Integers of type M that accumulate in L, which is as wide or wider, and unsigned where sums wrap.
template <class M, class L>
struct Integer {
  using Memory = M;
  using Lane = L;
  using D = simd::Full<L>;
  static constexpr bool is_signed = M(-1) < M(0);

  static HWY_INLINE simd::Vec<L> load(D d, const M* p) {
    if constexpr (sizeof(M) == sizeof(L)) {
      return hn::LoadU(d, reinterpret_cast<const L*>(p));
    } else {
      // By the sign of the elements; the accumulator takes the bits.
      const auto v = hn::LoadU(hn::Rebind<M, D>(), p);
      if constexpr (is_signed) {
        return hn::BitCast(d, hn::PromoteTo(hn::RebindToSigned<D>(), v));
      } else {
        return hn::PromoteTo(d, v);
      }
    }
  }
};

template <class T>
using LaneVec = simd::Vec<typename T::Lane>;
template <class T>
constexpr int64_t lanes_of = simd::lanes<typename T::Lane>;

// Operations on lanes; `identity` fills incomplete vectors.
struct Sum {
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Add(a, b);
  }
  // An accumulator and four rows.
  template <class D, class V>
  static HWY_INLINE V apply4(D, V a, V v0, V v1, V v2, V v3) {
    return hn::Add(a, hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)));
  }
  template <class L>
  static constexpr L identity = 0;
};
struct Prod {
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Mul(a, b);
  }
  template <class D, class V>
  static HWY_INLINE V apply4(D, V a, V v0, V v1, V v2, V v3) {
    return hn::Mul(a, hn::Mul(hn::Mul(v0, v1), hn::Mul(v2, v3)));
  }
  template <class L>
  static constexpr L identity = 1;
};
template <class D, class V>
HWY_INLINE V nan_where(D d, hn::Mask<D> mask, V v) {
  return hn::IfThenElse(mask, hn::Set(d, static_cast<hn::TFromD<D>>(__builtin_nan(""))), v);
}
// The instructions for the extremes lose NaN, which is looked for beside them.
template <bool kMin>
struct Extreme {
  template <class V>
  static HWY_INLINE V pick(V a, V b) {
    return kMin ? hn::Min(a, b) : hn::Max(a, b);
  }
  template <class V>
  static HWY_INLINE auto beats(V a, V b) {
    return kMin ? hn::Lt(a, b) : hn::Lt(b, a);
  }
  template <class L>
  static bool beats_scalar(L a, L b) {
    return kMin ? a < b : b < a;
  }
  template <class D, class V>
  static HWY_INLINE V apply(D d, V a, V b) {
    return nan_where(d, hn::Or(hn::IsNaN(a), hn::IsNaN(b)), pick(a, b));
  }
  template <class D, class V>
  static HWY_INLINE V apply4(D d, V a, V v0, V v1, V v2, V v3) {
    const auto nan01 = hn::Or(hn::IsNaN(v0), hn::IsNaN(v1));
    const auto nan23 = hn::Or(hn::IsNaN(v2), hn::IsNaN(v3));
    const auto nan = hn::Or(hn::IsNaN(a), hn::Or(nan01, nan23));
    return nan_where(d, nan, pick(a, pick(pick(v0, v1), pick(v2, v3))));
  }
  template <class L>
  static constexpr L identity = static_cast<L>(kMin ? __builtin_inf() : -__builtin_inf());
};
using Min = Extreme<true>;
using Max = Extreme<false>;

// Masked loads of 32 and 64 bits do not touch memory outside the mask.
template <class T>
constexpr bool masked_load_is_safe = sizeof(typename T::Memory) == sizeof(typename T::Lane) &&
                                     sizeof(typename T::Lane) >= 4 && simd::vector_bytes >= 32;

// A vector of n < lanes elements, the rest filled.
template <class T>
HWY_INLINE LaneVec<T> load_part(typename T::D d, const typename T::Memory* p, int64_t n,
                                typename T::Lane fill) {
  constexpr int64_t lanes = lanes_of<T>;
  const auto rest = hn::Set(d, fill);
  const auto mask = hn::FirstN(d, static_cast<size_t>(n));
  if constexpr (masked_load_is_safe<T>) {
    return hn::IfThenElse(
        mask, hn::MaskedLoad(mask, d, reinterpret_cast<const typename T::Lane*>(p)), rest);
  } else {
    alignas(64) typename T::Memory memory[lanes] = {};
    for (int64_t i = 0; i < n; ++i) {
      memory[i] = p[i];
    }
    return hn::IfThenElse(mask, T::load(d, memory), rest);
  }
}

template <class T>
HWY_INLINE typename T::Lane element(const typename T::Memory* p) {
  if constexpr (sizeof(typename T::Memory) == sizeof(typename T::Lane)) {
    return *p;
  } else {
    const typename T::D d;
    return hn::GetLane(load_part<T>(d, p, 1, 0));
  }
}

// Lanes combined by halves, in a fixed order.
template <class D, class V, class F>
HWY_INLINE hn::TFromD<D> fold(D d, V v, F combine) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return fold(half, combine(half, hn::LowerHalf(half, v), hn::UpperHalf(half, v)), combine);
  }
}

template <class Op, class D, class V>
HWY_INLINE hn::TFromD<D> fold_with(D d, V v) {
  return fold(d, v, [](auto half, auto a, auto b) HWY_ATTR { return Op::apply(half, a, b); });
}

// What is known of a row so far: two chains of vectors, `width` elements a step.
template <class T, class Op>
struct Chains {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  using V = LaneVec<T>;
  static constexpr int64_t width = 2 * lanes_of<T>;
  V a, b;

  HWY_INLINE Chains() { a = b = hn::Set(typename T::D(), Op::template identity<Lane>); }
  HWY_INLINE void step(const Memory* p) {
    const typename T::D d;
    a = Op::apply(d, a, T::load(d, p));
    b = Op::apply(d, b, T::load(d, p + lanes_of<T>));
  }
  // Fewer than `width` elements.
  HWY_INLINE void tail(const Memory* p, int64_t n) {
    const typename T::D d;
    if (n >= lanes_of<T>) {
      a = Op::apply(d, a, T::load(d, p));
      p += lanes_of<T>;
      n -= lanes_of<T>;
    }
    if (n > 0) {
      b = Op::apply(d, b, load_part<T>(d, p, n, Op::template identity<Lane>));
    }
  }
  HWY_INLINE void merge(const Chains& other) {
    const typename T::D d;
    a = Op::apply(d, a, other.a);
    b = Op::apply(d, b, other.b);
  }
  HWY_INLINE Lane total() const {
    const typename T::D d;
    return fold_with<Op>(d, Op::apply(d, a, b));
  }
};

template <class T, bool kMin>
struct FloatExtreme {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  using V = LaneVec<T>;
  using Op = Extreme<kMin>;
  static constexpr int64_t width = 2 * lanes_of<T>;
  V a, b, nan;  // `nan` has bits set in lanes that met one

  HWY_INLINE FloatExtreme() {
    const typename T::D d;
    a = b = hn::Set(d, Op::template identity<Lane>);
    nan = hn::Zero(d);
  }
  HWY_INLINE void step(const Memory* p) {
    const typename T::D d;
    take(T::load(d, p), T::load(d, p + lanes_of<T>));
  }
  HWY_INLINE void take(V v, V w) {
    const typename T::D d;
    a = Op::pick(a, v);
    b = Op::pick(b, w);
    nan = hn::Or(nan, hn::VecFromMask(d, hn::Or(hn::IsNaN(v), hn::IsNaN(w))));
  }
  HWY_INLINE void tail(const Memory* p, int64_t n) {
    const typename T::D d;
    const auto fill = hn::Set(d, Op::template identity<Lane>);
    if (n >= lanes_of<T>) {
      take(T::load(d, p), fill);
      p += lanes_of<T>;
      n -= lanes_of<T>;
    }
    if (n > 0) {
      take(fill, load_part<T>(d, p, n, Op::template identity<Lane>));
    }
  }
  HWY_INLINE void merge(const FloatExtreme& other) {
    a = Op::pick(a, other.a);
    b = Op::pick(b, other.b);
    nan = hn::Or(nan, other.nan);
  }
  HWY_INLINE Lane total() const {
    const typename T::D d;
    // Set bits are a NaN themselves.
    if (!hn::AllFalse(d, hn::IsNaN(nan))) {
      return static_cast<Lane>(__builtin_nan(""));
    }
    return fold(d, Op::pick(a, b), [](auto, auto v, auto w) HWY_ATTR { return Op::pick(v, w); });
  }
};
template <class T>
struct Chains<T, Min> : FloatExtreme<T, true> {};
template <class T>
struct Chains<T, Max> : FloatExtreme<T, false> {};

// 16-bit floats are ordered like the integers of their bits, negative ones
// backwards; the largest magnitude tells of NaN. No conversion to float32.
template <class T, bool kMin>
struct HalfExtreme {
  using Lane = float;
  using Memory = uint16_t;
  using D16 = simd::Full<int16_t>;
  using V = simd::Vec<int16_t>;
  using Op = Extreme<kMin>;
  static constexpr int64_t lanes = simd::lanes<int16_t>;
  static constexpr int64_t width = 2 * lanes;
  V best, magnitude;

  HWY_INLINE HalfExtreme() {
    const D16 d;
    best = hn::Set(d, static_cast<int16_t>(kMin ? 0x7FFF : -0x8000));
    magnitude = hn::Zero(d);
  }
  HWY_INLINE void take(V bits) {
    const D16 d;
    const auto low = hn::Set(d, int16_t{0x7FFF});
    best = Op::pick(best, hn::Xor(bits, hn::And(hn::ShiftRight<15>(bits), low)));
    magnitude = hn::Max(magnitude, hn::And(bits, low));
  }
  HWY_INLINE void step(const Memory* p) {
    const D16 d;
    const auto* bits = reinterpret_cast<const int16_t*>(p);
    take(hn::LoadU(d, bits));
    take(hn::LoadU(d, bits + lanes));
  }
  HWY_INLINE void tail(const Memory* p, int64_t n) {
    if (n == 0) {
      return;
    }
    alignas(64) Memory memory[width];
    for (int64_t i = 0; i < width; ++i) {
      memory[i] = p[i < n ? i : 0];
    }
    step(memory);
  }
  HWY_INLINE void merge(const HalfExtreme& other) {
    best = Op::pick(best, other.best);
    magnitude = hn::Max(magnitude, other.magnitude);
  }
  HWY_INLINE Lane total() const {
    const D16 d;
    const auto larger = [](auto, auto a, auto b) HWY_ATTR { return hn::Max(a, b); };
    if (fold(d, magnitude, larger) > T::infinity) {
      return __builtin_nanf("");
    }
    const int16_t key = fold(d, best, [](auto, auto a, auto b) HWY_ATTR { return Op::pick(a, b); });
    const auto bits = static_cast<Memory>(key < 0 ? key ^ 0x7FFF : key);
    return element<T>(&bits);
  }
};
template <>
struct Chains<F16, Min> : HalfExtreme<F16, true> {};
template <>
struct Chains<F16, Max> : HalfExtreme<F16, false> {};
template <>
struct Chains<BF16, Min> : HalfExtreme<BF16, true> {};
template <>
struct Chains<BF16, Max> : HalfExtreme<BF16, false> {};

// n is a multiple of C::width.
template <class C>
HWY_INLINE void four_streams(const typename C::Memory* x0, const typename C::Memory* x1,
                             const typename C::Memory* x2, const typename C::Memory* x3, int64_t n,
                             C* chains) {
  C c0 = chains[0], c1 = chains[1], c2 = chains[2], c3 = chains[3];
  for (int64_t i = 0; i < n; i += C::width) {
    c0.step(x0 + i);
    c1.step(x1 + i);
    c2.step(x2 + i);
    c3.step(x3 + i);
  }
  chains[0] = c0;
  chains[1] = c1;
  chains[2] = c2;
  chains[3] = c3;
}

template <class C>
HWY_INLINE void rest_of_row(const typename C::Memory* x, int64_t begin, int64_t n, C& chains) {
  C c = chains;
  for (; begin + C::width <= n; begin += C::width) {
    c.step(x + begin);
  }
  c.tail(x + begin, n - begin);
  chains = c;
}

// Rows from this length on are four quarters.
constexpr int64_t kQuartered = 1024;

template <class C>
HWY_INLINE typename C::Lane total_of_quarters(C& c0, C& c1, C& c2, C& c3) {
  c0.merge(c2);
  c1.merge(c3);
  c0.merge(c1);
  return c0.total();
}

template <class C>
HWY_INLINE void reduce_rows_by(const void* const* rows, int64_t count, int64_t n,
                               void* accumulators) {
  using Memory = typename C::Memory;
  auto* totals = static_cast<typename C::Lane*>(accumulators);
  const auto* const* x = reinterpret_cast<const Memory* const*>(rows);
  const int64_t quarter = n < kQuartered ? 0 : n / 4 / C::width * C::width;
  if (count == 4 && quarter == 0) {
    const int64_t steps = n / C::width * C::width;
    C chains[4];
    four_streams(x[0], x[1], x[2], x[3], steps, chains);
    for (int r = 0; r < 4; ++r) {
      rest_of_row(x[r], steps, n, chains[r]);
      totals[r] = chains[r].total();
    }
    return;
  }
  if (count == 4) {
    C chains[4][4];  // [quarter][row]
    for (int q = 0; q < 3; ++q) {
      const int64_t at = q * quarter;
      four_streams(x[0] + at, x[1] + at, x[2] + at, x[3] + at, quarter, chains[q]);
    }
    const int64_t last = 3 * quarter;
    const int64_t steps = (n - last) / C::width * C::width;
    four_streams(x[0] + last, x[1] + last, x[2] + last, x[3] + last, steps, chains[3]);
    for (int r = 0; r < 4; ++r) {
      rest_of_row(x[r], last + steps, n, chains[3][r]);
      totals[r] = total_of_quarters(chains[0][r], chains[1][r], chains[2][r], chains[3][r]);
    }
    return;
  }
  if (quarter == 0) {
    for (int64_t r = 0; r < count; ++r) {
      C chain;
      rest_of_row(x[r], 0, n, chain);
      totals[r] = chain.total();
    }
    return;
  }
  for (int64_t r = 0; r < count; ++r) {
    C chains[4];
    four_streams(x[r], x[r] + quarter, x[r] + 2 * quarter, x[r] + 3 * quarter, quarter, chains);
    rest_of_row(x[r], 4 * quarter, n, chains[3]);
    totals[r] = total_of_quarters(chains[0], chains[1], chains[2], chains[3]);
  }
}

template <class T, class Op>
void reduce_rows(const void* const* rows, int64_t count, int64_t n, void* accumulators) {
  reduce_rows_by<Chains<T, Op>>(rows, count, n, accumulators);
}

}  // namespace

}  // namespace mlx::core
