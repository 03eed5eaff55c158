// softmax and logsumexp of contiguous rows, hand-fused, one object per tier.
// 16-bit floats are computed in float32.
#include "hwy/cache_control.h"
#include "mlx/ops/reduce/rows.h"
#include "mlx/simd/math.h"
#include "mlx/simd/math_f64.h"

namespace mlx::core {

namespace {

HWY_INLINE simd::Vec<float> exp_of(simd::Full<float> d, simd::Vec<float> v) {
  return simd::exp(d, v);
}
HWY_INLINE simd::Vec<double> exp_of(simd::Full<double> d, simd::Vec<double> v) {
  return simd::exp_f64(d, v);
}
HWY_INLINE simd::Vec<float> log_of(simd::Full<float> d, simd::Vec<float> v) {
  return simd::log(d, v);
}
HWY_INLINE simd::Vec<double> log_of(simd::Full<double> d, simd::Vec<double> v) {
  return simd::log_f64(d, v);
}

template <class T>
constexpr typename T::Lane lowest = static_cast<typename T::Lane>(-__builtin_inf());

template <class T>
HWY_INLINE void store_part(typename T::D d, LaneVec<T> v, typename T::Memory* p, int64_t n) {
  if constexpr (masked_load_is_safe<T>) {
    hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(n)), d, p);
  } else {
    alignas(64) typename T::Memory memory[lanes_of<T>];
    T::store(d, v, memory);
    for (int64_t i = 0; i < n; ++i) {
      p[i] = memory[i];
    }
  }
}

// The largest element; NaN if there is one.
template <class T>
HWY_INLINE typename T::Lane row_max(const typename T::Memory* x, int64_t n) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<Lane>;
  auto m0 = hn::Set(d, lowest<T>), m1 = m0, m2 = m0, m3 = m0;
  auto nan = hn::Zero(d);  // becomes NaN lanes
  int64_t i = 0;
  auto mark = [&](auto v) HWY_ATTR { nan = hn::Or(nan, hn::VecFromMask(d, hn::IsNaN(v))); };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto v0 = T::load(d, x + i);
    const auto v1 = T::load(d, x + i + lanes);
    const auto v2 = T::load(d, x + i + 2 * lanes);
    const auto v3 = T::load(d, x + i + 3 * lanes);
    m0 = hn::Max(m0, v0);
    m1 = hn::Max(m1, v1);
    m2 = hn::Max(m2, v2);
    m3 = hn::Max(m3, v3);
    mark(v0);
    mark(v1);
    mark(v2);
    mark(v3);
  }
  for (; i + lanes <= n; i += lanes) {
    const auto v = T::load(d, x + i);
    m0 = hn::Max(m0, v);
    mark(v);
  }
  if (i < n) {
    const auto v = load_part<T>(d, x + i, n - i, lowest<T>);
    m0 = hn::Max(m0, v);
    mark(v);
  }
  if (!hn::AllTrue(d, hn::Eq(nan, hn::Zero(d)))) {
    return static_cast<Lane>(__builtin_nan(""));
  }
  m0 = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  return fold(d, m0, [](auto, auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
}

// The sum of exp(x - largest); with kKeep the powers go to `powers`.
template <class T, bool kKeep>
HWY_INLINE typename T::Lane sum_of_powers(const typename T::Memory* x, int64_t n,
                                          typename T::Lane largest, typename T::Lane* powers) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<Lane>;
  const auto shift = hn::Set(d, largest);
  auto s0 = hn::Zero(d), s1 = hn::Zero(d), s2 = hn::Zero(d), s3 = hn::Zero(d);
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto e0 = exp_of(d, hn::Sub(T::load(d, x + i), shift));
    const auto e1 = exp_of(d, hn::Sub(T::load(d, x + i + lanes), shift));
    const auto e2 = exp_of(d, hn::Sub(T::load(d, x + i + 2 * lanes), shift));
    const auto e3 = exp_of(d, hn::Sub(T::load(d, x + i + 3 * lanes), shift));
    if (kKeep) {
      hn::StoreU(e0, d, powers + i);
      hn::StoreU(e1, d, powers + i + lanes);
      hn::StoreU(e2, d, powers + i + 2 * lanes);
      hn::StoreU(e3, d, powers + i + 3 * lanes);
    }
    s0 = hn::Add(s0, e0);
    s1 = hn::Add(s1, e1);
    s2 = hn::Add(s2, e2);
    s3 = hn::Add(s3, e3);
  }
  for (; i < n; i += lanes) {
    const int64_t count = n - i < lanes ? n - i : lanes;
    const auto v = count == lanes ? T::load(d, x + i) : load_part<T>(d, x + i, count, lowest<T>);
    const auto e = exp_of(d, hn::Sub(v, shift));
    if (kKeep) {
      alignas(64) Lane values[lanes];
      hn::StoreU(e, d, values);
      for (int64_t k = 0; k < count; ++k) {
        powers[i + k] = values[k];
      }
    }
    s0 = hn::Add(s0, e);
  }
  return fold_with<Sum>(d, hn::Add(hn::Add(s0, s2), hn::Add(s1, s3)));
}

// A row that fits in registers.
template <class T>
struct ShortRow {
  using Lane = typename T::Lane;
  using V = LaneVec<T>;
  static constexpr int64_t longest = 4 * lanes_of<T>;
  V v[4];
  Lane largest;

  HWY_INLINE ShortRow(const typename T::Memory* x, int64_t n) {
    constexpr int64_t lanes = lanes_of<T>;
    const typename T::D d;
    auto top = hn::Set(d, lowest<T>);
    auto nan = hn::MaskFromVec(hn::Zero(d));
    for (int64_t i = 0; i * lanes < n; ++i) {
      const int64_t rest = n - i * lanes;
      v[i] = rest >= lanes ? T::load(d, x + i * lanes)
                           : load_part<T>(d, x + i * lanes, rest, lowest<T>);
      top = hn::Max(top, v[i]);
      nan = hn::Or(nan, hn::IsNaN(v[i]));
    }
    largest = hn::AllFalse(d, nan)
                  ? fold(d, top, [](auto, auto a, auto b) HWY_ATTR { return hn::Max(a, b); })
                  : static_cast<Lane>(__builtin_nan(""));
  }
  // Elements become powers.
  HWY_INLINE Lane sum_of_powers(int64_t n) {
    const typename T::D d;
    const auto shift = hn::Set(d, largest);
    auto sum = hn::Zero(d);
    for (int64_t i = 0; i * lanes_of<T> < n; ++i) {
      v[i] = exp_of(d, hn::Sub(v[i], shift));
      sum = hn::Add(sum, v[i]);
    }
    return fold_with<Sum>(d, sum);
  }
};

template <class T>
void softmax(const void* x_, int64_t n, void* out_, void* scratch, bool streaming) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<Lane>;
  const auto* x = static_cast<const typename T::Memory*>(x_);
  auto* out = static_cast<typename T::Memory*>(out_);
  if (n <= ShortRow<T>::longest) {
    ShortRow<T> row(x, n);
    const auto scale = hn::Set(d, Lane(1) / row.sum_of_powers(n));
    for (int64_t i = 0; i * lanes < n; ++i) {
      const auto v = hn::Mul(row.v[i], scale);
      const int64_t rest = n - i * lanes;
      if (rest >= lanes) {
        T::store(d, v, out + i * lanes);
      } else {
        store_part<T>(d, v, out + i * lanes, rest);
      }
    }
    return;
  }
  auto* powers = static_cast<Lane*>(scratch);
  const Lane largest = row_max<T>(x, n);
  const Lane total = sum_of_powers<T, true>(x, n, largest, powers);
  const auto scale = hn::Set(d, Lane(1) / total);
  int64_t i = 0;
  if constexpr (sizeof(typename T::Memory) == sizeof(Lane)) {
    if (streaming && reinterpret_cast<uintptr_t>(out) % simd::vector_bytes == 0) {
      for (; i + lanes <= n; i += lanes) {
        hn::Stream(hn::Mul(hn::LoadU(d, powers + i), scale), d, out + i);
      }
    }
  }
  for (; i + lanes <= n; i += lanes) {
    T::store(d, hn::Mul(hn::LoadU(d, powers + i), scale), out + i);
  }
  if (i < n) {
    alignas(64) Lane values[lanes] = {};
    for (int64_t k = 0; i + k < n; ++k) {
      values[k] = powers[i + k];
    }
    store_part<T>(d, hn::Mul(hn::LoadU(d, values), scale), out + i, n - i);
  }
  if (streaming) {
    hwy::FlushStream();
  }
}

template <class T>
void logsumexp(const void* x_, int64_t n, void* out) {
  using Lane = typename T::Lane;
  const typename T::D d;
  const auto* x = static_cast<const typename T::Memory*>(x_);
  const bool is_short = n <= ShortRow<T>::longest;
  ShortRow<T> row(x, is_short ? n : 0);
  const Lane largest = is_short ? row.largest : row_max<T>(x, n);
  Lane result = largest;
  const bool infinite = largest - largest != 0;  // NaN, too
  if (!infinite) {
    const Lane total =
        is_short ? row.sum_of_powers(n) : sum_of_powers<T, false>(x, n, largest, nullptr);
    result = largest + hn::GetLane(log_of(d, hn::Set(d, total)));
  }
  store_part<T>(d, hn::Set(d, result), static_cast<typename T::Memory*>(out), 1);
}

constexpr SoftKernels make_table() {
  SoftKernels table{};
  table.soft[9] = {softmax<F16>, logsumexp<F16>};  // the order of Dtype::Val
  table.soft[10] = {softmax<F32>, logsumexp<F32>};
  table.soft[11] = {softmax<F64>, logsumexp<F64>};
  table.soft[12] = {softmax<BF16>, logsumexp<BF16>};
  return table;
}

}  // namespace

extern const SoftKernels MLX_TIER_SYMBOL(soft_kernels);
constexpr SoftKernels MLX_TIER_SYMBOL(soft_kernels) = make_table();

}  // namespace mlx::core
