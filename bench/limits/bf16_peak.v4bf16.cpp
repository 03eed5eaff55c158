// Peak of the bf16 dot product, the unit that a bf16 matmul runs on.
#include <immintrin.h>

#include "bench/limits/kernels.h"

namespace mlx::bench {

double bf16_dot_peak(int64_t iterations) {
  // Enough independent chains to hide the latency of one dot product.
  constexpr int chains = 16;
  __m512 sum[chains];
#pragma GCC unroll 16
  for (auto& s : sum) s = _mm512_setzero_ps();
  const __m512i ones = _mm512_set1_epi16(0x3f80);
  for (int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 16
    for (auto& s : sum) {
      s = _mm512_dpbf16_ps(s, (__m512bh)ones, (__m512bh)ones);
      asm volatile("" : "+v"(s));  // keeps the compiler from merging equal chains
    }
  }
  return static_cast<double>(iterations) * chains * 32 * 2;
}

}  // namespace mlx::bench
