// Hand-written loops of the limits program, compiled once per tier.
#include "bench/limits/kernels.h"

#include <hwy/cache_control.h>

#include "mlx/simd/math.h"
#include "mlx/simd/simd.h"

namespace mlx::bench {
namespace {

namespace simd = mlx::core::MLX_SIMD_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;
const simd::Full<float> df;
const simd::Full<double> dd;
using VF = simd::Vec<float>;
using VD = simd::Vec<double>;
constexpr int64_t L = simd::lanes<float>;

// Enough independent chains to hide the latency of one multiply-add, few enough
// to stay in registers in every tier.
constexpr int chains = 12;

double fma_f32(int64_t iterations) {
  VF s0 = hn::Zero(df), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0, s8 = s0,
     s9 = s0, s10 = s0, s11 = s0;
  VF x = hn::Set(df, 1.0f), y = hn::Set(df, 0.5f);
  for (int64_t i = 0; i < iterations; ++i) {
    asm volatile("" : "+x"(x.raw), "+x"(y.raw));
    s0 = hn::MulAdd(x, y, s0), s1 = hn::MulAdd(x, y, s1), s2 = hn::MulAdd(x, y, s2);
    s3 = hn::MulAdd(x, y, s3), s4 = hn::MulAdd(x, y, s4), s5 = hn::MulAdd(x, y, s5);
    s6 = hn::MulAdd(x, y, s6), s7 = hn::MulAdd(x, y, s7), s8 = hn::MulAdd(x, y, s8);
    s9 = hn::MulAdd(x, y, s9), s10 = hn::MulAdd(x, y, s10), s11 = hn::MulAdd(x, y, s11);
    asm volatile(""
                 : "+x"(s0.raw), "+x"(s1.raw), "+x"(s2.raw), "+x"(s3.raw), "+x"(s4.raw),
                   "+x"(s5.raw));
    asm volatile(""
                 : "+x"(s6.raw), "+x"(s7.raw), "+x"(s8.raw), "+x"(s9.raw), "+x"(s10.raw),
                   "+x"(s11.raw));
  }
  return static_cast<double>(iterations) * chains * simd::lanes<float> * 2;
}

double fma_f64(int64_t iterations) {
  VD s0 = hn::Zero(dd), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0, s8 = s0,
     s9 = s0, s10 = s0, s11 = s0;
  VD x = hn::Set(dd, 1.0), y = hn::Set(dd, 0.5);
  for (int64_t i = 0; i < iterations; ++i) {
    asm volatile("" : "+x"(x.raw), "+x"(y.raw));
    s0 = hn::MulAdd(x, y, s0), s1 = hn::MulAdd(x, y, s1), s2 = hn::MulAdd(x, y, s2);
    s3 = hn::MulAdd(x, y, s3), s4 = hn::MulAdd(x, y, s4), s5 = hn::MulAdd(x, y, s5);
    s6 = hn::MulAdd(x, y, s6), s7 = hn::MulAdd(x, y, s7), s8 = hn::MulAdd(x, y, s8);
    s9 = hn::MulAdd(x, y, s9), s10 = hn::MulAdd(x, y, s10), s11 = hn::MulAdd(x, y, s11);
    asm volatile(""
                 : "+x"(s0.raw), "+x"(s1.raw), "+x"(s2.raw), "+x"(s3.raw), "+x"(s4.raw),
                   "+x"(s5.raw));
    asm volatile(""
                 : "+x"(s6.raw), "+x"(s7.raw), "+x"(s8.raw), "+x"(s9.raw), "+x"(s10.raw),
                   "+x"(s11.raw));
  }
  return static_cast<double>(iterations) * chains * simd::lanes<double> * 2;
}

// Four streams: the prefetcher of a core stops at every page, and the misses of the others hide
// that. Matters where caches feed part of the array; memory alone is slower than one stream.
float read(const float* a, int64_t n) {
  const int64_t quarter = n / 4 / (2 * L) * (2 * L);
  VF s0 = hn::Zero(df), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (const float* p = a; p < a + quarter; p += 2 * L) {
    s0 = hn::Add(s0, hn::Load(df, p));
    s1 = hn::Add(s1, hn::Load(df, p + L));
    s2 = hn::Add(s2, hn::LoadU(df, p + quarter));
    s3 = hn::Add(s3, hn::LoadU(df, p + quarter + L));
    s4 = hn::Add(s4, hn::LoadU(df, p + 2 * quarter));
    s5 = hn::Add(s5, hn::LoadU(df, p + 2 * quarter + L));
    s6 = hn::Add(s6, hn::LoadU(df, p + 3 * quarter));
    s7 = hn::Add(s7, hn::LoadU(df, p + 3 * quarter + L));
  }
  for (int64_t i = 4 * quarter; i < n; i += L) s0 = hn::Add(s0, hn::Load(df, a + i));
  s0 = hn::Add(hn::Add(s0, s4), hn::Add(s1, s5));
  s2 = hn::Add(hn::Add(s2, s6), hn::Add(s3, s7));
  return hn::GetLane(hn::SumOfLanes(df, hn::Add(s0, s2)));
}

void write(float* out, int64_t n) {
  const VF x = hn::Set(df, 1.0f);
  for (int64_t i = 0; i < n; i += L) hn::Stream(x, df, out + i);
  hwy::FlushStream();
}

void copy(const float* a, float* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 4 * L) {
    const VF x0 = hn::Load(df, a + i), x1 = hn::Load(df, a + i + L);
    const VF x2 = hn::Load(df, a + i + 2 * L), x3 = hn::Load(df, a + i + 3 * L);
    hn::Stream(x0, df, out + i);
    hn::Stream(x1, df, out + i + L);
    hn::Stream(x2, df, out + i + 2 * L);
    hn::Stream(x3, df, out + i + 3 * L);
  }
  hwy::FlushStream();
}

void add(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 2 * L) {
    const VF x0 = hn::Add(hn::Load(df, a + i), hn::Load(df, b + i));
    const VF x1 = hn::Add(hn::Load(df, a + i + L), hn::Load(df, b + i + L));
    hn::Stream(x0, df, out + i);
    hn::Stream(x1, df, out + i + L);
  }
  hwy::FlushStream();
}

void where(const uint8_t* c, const float* a, const float* b, float* out, int64_t n) {
  const hn::Rebind<uint8_t, decltype(df)> d8;
  const hn::RebindToSigned<decltype(df)> di;
  for (int64_t i = 0; i < n; i += L) {
    const auto wide = hn::PromoteTo(di, hn::LoadU(d8, c + i));
    const auto mask = hn::RebindMask(df, hn::Ne(wide, hn::Zero(di)));
    hn::Stream(hn::IfThenElse(mask, hn::Load(df, a + i), hn::Load(df, b + i)), df, out + i);
  }
  hwy::FlushStream();
}

void narrow(const float* a, uint16_t* out, int64_t n) {
  // Converted in a line of L1, from where full vectors stream out.
  HWY_ALIGN uint16_t line[4 * L];
  const simd::Full<uint16_t> d16;
  for (int64_t i = 0; i < n; i += 4 * L) {
    for (int64_t j = 0; j < 4 * L; j += L) simd::store_f16(df, hn::Load(df, a + i + j), line + j);
    for (int64_t j = 0; j < 4 * L; j += 2 * L)
      hn::Stream(hn::Load(d16, line + j), d16, out + i + j);
  }
  hwy::FlushStream();
}

void widen(const uint16_t* a, float* out, int64_t n) {
  for (int64_t i = 0; i < n; i += L) hn::Stream(simd::load_f16(df, a + i), df, out + i);
  hwy::FlushStream();
}

void exp(const float* a, float* out, int64_t n) {
  for (int64_t i = 0; i < n; i += 2 * L) {
    const VF x0 = simd::exp(df, hn::Load(df, a + i));
    const VF x1 = simd::exp(df, hn::Load(df, a + i + L));
    hn::Stream(x0, df, out + i);
    hn::Stream(x1, df, out + i + L);
  }
  hwy::FlushStream();
}

HWY_INLINE VF gelu_of(VF t) {
  const VF cubic = hn::MulAdd(hn::Mul(hn::Set(df, 0.044715f), hn::Mul(t, t)), t, t);
  const VF h = simd::tanh(df, hn::Mul(hn::Set(df, 0.7978845608f), cubic));
  return hn::Mul(hn::Mul(hn::Set(df, 0.5f), t), hn::Add(hn::Set(df, 1.0f), h));
}

void gelu(const float* a, const float* w, const float* b, float* out, int64_t rows,
          int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = a + r * columns;
    float* to = out + r * columns;
    for (int64_t i = 0; i < columns; i += 2 * L) {
      const VF x0 =
          gelu_of(hn::MulAdd(hn::Load(df, row + i), hn::Load(df, w + i), hn::Load(df, b + i)));
      const VF x1 = gelu_of(
          hn::MulAdd(hn::Load(df, row + i + L), hn::Load(df, w + i + L), hn::Load(df, b + i + L)));
      hn::Stream(x0, df, to + i);
      hn::Stream(x1, df, to + i + L);
    }
  }
  hwy::FlushStream();
}

float row_max(const float* row, int64_t columns) {
  VF m0 = hn::Load(df, row), m1 = m0, m2 = m0, m3 = m0;
  for (int64_t i = 0; i < columns; i += 4 * L) {
    m0 = hn::Max(m0, hn::Load(df, row + i));
    m1 = hn::Max(m1, hn::Load(df, row + i + L));
    m2 = hn::Max(m2, hn::Load(df, row + i + 2 * L));
    m3 = hn::Max(m3, hn::Load(df, row + i + 3 * L));
  }
  return hn::GetLane(hn::MaxOfLanes(df, hn::Max(hn::Max(m0, m1), hn::Max(m2, m3))));
}

void logsumexp(const float* a, float* out, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = a + r * columns;
    const VF top = hn::Set(df, row_max(row, columns));
    VF s0 = hn::Zero(df), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t i = 0; i < columns; i += 4 * L) {
      s0 = hn::Add(s0, simd::exp(df, hn::Sub(hn::Load(df, row + i), top)));
      s1 = hn::Add(s1, simd::exp(df, hn::Sub(hn::Load(df, row + i + L), top)));
      s2 = hn::Add(s2, simd::exp(df, hn::Sub(hn::Load(df, row + i + 2 * L), top)));
      s3 = hn::Add(s3, simd::exp(df, hn::Sub(hn::Load(df, row + i + 3 * L), top)));
    }
    const VF sum = hn::SumOfLanes(df, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
    out[r] = hn::GetLane(hn::Add(top, simd::log(df, sum)));
  }
}

void softmax(const float* a, float* out, int64_t rows, int64_t columns) {
  constexpr int64_t longest = 8192;
  alignas(64) float scratch[longest];
  if (columns > longest) return;
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = a + r * columns;
    float* to = out + r * columns;
    const VF top = hn::Set(df, row_max(row, columns));
    VF s0 = hn::Zero(df), s1 = s0;
    for (int64_t i = 0; i < columns; i += 2 * L) {
      const VF e0 = simd::exp(df, hn::Sub(hn::Load(df, row + i), top));
      const VF e1 = simd::exp(df, hn::Sub(hn::Load(df, row + i + L), top));
      s0 = hn::Add(s0, e0);
      s1 = hn::Add(s1, e1);
      hn::Store(e0, df, scratch + i);
      hn::Store(e1, df, scratch + i + L);
    }
    const VF scale = hn::Div(hn::Set(df, 1.0f), hn::SumOfLanes(df, hn::Add(s0, s1)));
    for (int64_t i = 0; i < columns; i += L) {
      hn::Stream(hn::Mul(hn::Load(df, scratch + i), scale), df, to + i);
    }
  }
  hwy::FlushStream();
}

}  // namespace

extern const LimitKernels MLX_TIER_SYMBOL(limit_kernels) = {
    fma_f32, fma_f64, read, write, copy, add, where, narrow, widen, exp, gelu, logsumexp, softmax,
};

}  // namespace mlx::bench
