// Threefry on vectors, one block per lane. Several vectors of blocks
// advance together: the rounds of one block depend on each other.
#include "mlx/ops/random/threefry.h"

#include <cstring>

#include "mlx/simd/simd.h"

namespace mlx::core::threefry {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<uint32_t>;
using DF = hn::ScalableTag<float>;
using V = hn::Vec<D>;

constexpr int64_t kLanes = MLX_SIMD_NAMESPACE::lanes<uint32_t>;
constexpr int kTogether = 4;

template <int kGroup>
HWY_INLINE void group(V (&x)[kTogether], V (&y)[kTogether], const V (&schedule)[3]) {
  constexpr int kParity = kGroup % 2;
  const auto round = [&](auto rotate) HWY_ATTR {
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; ++k) {
      x[k] = hn::Add(x[k], y[k]);
      y[k] = hn::Xor(rotate(y[k]), x[k]);
    }
  };
  round([](V v) { return hn::RotateRight<32 - rotations[kParity][0]>(v); });
  round([](V v) { return hn::RotateRight<32 - rotations[kParity][1]>(v); });
  round([](V v) { return hn::RotateRight<32 - rotations[kParity][2]>(v); });
  round([](V v) { return hn::RotateRight<32 - rotations[kParity][3]>(v); });
  const V injected = hn::Add(schedule[(kGroup + 2) % 3], hn::Set(D(), kGroup + 1));
#pragma GCC unroll 4
  for (int k = 0; k < kTogether; ++k) {
    x[k] = hn::Add(x[k], schedule[(kGroup + 1) % 3]);
    y[k] = hn::Add(y[k], injected);
  }
}

// Calls store(i, x, y) with the vectors of blocks i, i + 1, ... and returns how
// many blocks are done.
template <typename Store>
HWY_INLINE int64_t for_vectors(Words key, uint32_t counter, uint32_t distance, int64_t n,
                               const Store& store) {
  const D d;
  const V schedule[3] = {hn::Set(d, key.first), hn::Set(d, key.second),
                         hn::Set(d, key.first ^ key.second ^ parity)};
  int64_t i = 0;
  for (; i + kTogether * kLanes <= n; i += kTogether * kLanes) {
    V x[kTogether];
    V y[kTogether];
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; ++k) {
      const V count = hn::Iota(d, counter + static_cast<uint32_t>(i + k * kLanes));
      x[k] = hn::Add(count, schedule[0]);
      y[k] = hn::Add(hn::Add(count, hn::Set(d, distance)), schedule[1]);
    }
    group<0>(x, y, schedule);
    group<1>(x, y, schedule);
    group<2>(x, y, schedule);
    group<3>(x, y, schedule);
    group<4>(x, y, schedule);
#pragma GCC unroll 4
    for (int k = 0; k < kTogether; ++k) {
      store(i + k * kLanes, x[k], y[k]);
    }
  }
  return i;
}

HWY_INLINE Words block_at(Words key, uint32_t counter, uint32_t distance, int64_t i) {
  const uint32_t count = counter + static_cast<uint32_t>(i);
  return block(key, {count, count + distance});
}

void words(Words key, uint32_t counter, uint32_t distance, int64_t n, void* first, void* second) {
  auto* a = static_cast<uint8_t*>(first);
  auto* b = static_cast<uint8_t*>(second);
  const hn::Repartition<uint8_t, D> bytes;
  int64_t i = for_vectors(key, counter, distance, n, [&](int64_t at, V x, V y) HWY_ATTR {
    hn::StoreU(hn::BitCast(bytes, x), bytes, a + 4 * at);
    hn::StoreU(hn::BitCast(bytes, y), bytes, b + 4 * at);
  });
  for (; i < n; ++i) {
    const Words result = block_at(key, counter, distance, i);
    std::memcpy(a + 4 * i, &result.first, 4);
    std::memcpy(b + 4 * i, &result.second, 4);
  }
}

// Exact halves, added with one rounding: the nearest float.
HWY_INLINE hn::Vec<DF> to_float(V v) {
  const DF df;
  const hn::RebindToSigned<D> di;
  const auto high = hn::ConvertTo(df, hn::BitCast(di, hn::ShiftRight<16>(v)));
  const auto low = hn::ConvertTo(df, hn::BitCast(di, hn::And(v, hn::Set(D(), 0xFFFF))));
  return hn::Add(hn::Mul(high, hn::Set(df, 65536.0f)), low);
}

void uniforms(Words key, uint32_t counter, uint32_t distance, int64_t n, float limit, float* first,
              float* second) {
  const DF df;
  const auto scale = hn::Set(df, 0x1p-32f);
  const auto highest = hn::Set(df, limit);
  const auto scaled = [&](V v) HWY_ATTR { return hn::Min(hn::Mul(to_float(v), scale), highest); };
  int64_t i = for_vectors(key, counter, distance, n, [&](int64_t at, V x, V y) HWY_ATTR {
    hn::StoreU(scaled(x), df, first + at);
    hn::StoreU(scaled(y), df, second + at);
  });
  const auto scaled_word = [&](uint32_t word) {
    const float u = static_cast<float>(word) * 0x1p-32f;
    return u < limit ? u : limit;
  };
  for (; i < n; ++i) {
    const Words result = block_at(key, counter, distance, i);
    first[i] = scaled_word(result.first);
    second[i] = scaled_word(result.second);
  }
}

}  // namespace

extern constexpr Kernels MLX_TIER_SYMBOL(kernels) = {words, uniforms};

}  // namespace mlx::core::threefry
