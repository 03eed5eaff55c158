// bfloat16 matrix products with the AVX-512 bf16 dot instruction. A panel
// element is a pair of consecutive k. The instruction treats subnormal inputs
// and sums as zero; products are exact, sums round in float32.
#include "mlx/ops/matmul/gemm_kernels-inl.h"

namespace mlx::core::gemm {
namespace {

template <int R, int V>
void pair_tile(int64_t steps, const void* a, int64_t a_row, int64_t a_step, const void* b,
               int64_t b_step, void* c, int64_t c_row, int64_t columns, bool accumulate) {
  const int64_t row_bytes = a_row * 4;
  RowPointers<R> rows(a, row_bytes);
  const uint32_t* bp = static_cast<const uint32_t*>(b);
  __m512 sum[R][V];
  MLX_UNROLL for (int r = 0; r < R; ++r) {
    MLX_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = _mm512_setzero_ps();
  }
  for (int64_t s = 0; s < steps; ++s) {
    __m512i bv[V];
    MLX_UNROLL for (int v = 0; v < V; ++v) bv[v] = _mm512_loadu_si512(bp + 16 * v);
    MLX_UNROLL for (int r = 0; r < R; ++r) {
      int pair;
      std::memcpy(&pair, rows.at[r / 3] + (r % 3) * row_bytes, 4);
      const __m512i av = _mm512_set1_epi32(pair);
      MLX_UNROLL for (int v = 0; v < V; ++v) {
        sum[r][v] = _mm512_dpbf16_ps(sum[r][v], (__m512bh)av, (__m512bh)bv[v]);
      }
    }
    rows.advance(a_step * 4);
    bp += b_step;
  }
  const int64_t last = columns - (V - 1) * 16;
  const __mmask16 mask = static_cast<__mmask16>((1u << last) - 1);
  float* out = static_cast<float*>(c);
  MLX_UNROLL for (int r = 0; r < R; ++r) {
    MLX_UNROLL for (int v = 0; v < V; ++v) {
      float* p = out + r * c_row + v * 16;
      const __mmask16 m = v == V - 1 ? mask : static_cast<__mmask16>(0xffff);
      if (accumulate) sum[r][v] = _mm512_add_ps(sum[r][v], _mm512_maskz_loadu_ps(m, p));
      _mm512_mask_storeu_ps(p, m, sum[r][v]);
    }
  }
}

// Dot products of few rows; x keeps the storage type.
struct PairDot {
  using W = BFloat;
  using X = BFloat;
  using Sum = float;
  using Vec = __m512i;
  using SumVec = __m512;
  static constexpr int64_t kStep = 32;
  static Vec load_x(const X* p) { return _mm512_loadu_si512(p); }
  static Vec load_x_first(const X* p, int64_t count) {
    return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((uint64_t(1) << count) - 1), p);
  }
  static Vec load_w(const W* p) { return load_x(p); }
  static Vec load_w_first(const W* p, int64_t count) { return load_x_first(p, count); }
  static SumVec step(Vec x, Vec w, SumVec sum) {
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)w);
  }
  static SumVec zero() { return _mm512_setzero_ps(); }
  static SumVec add(SumVec a, SumVec b) { return _mm512_add_ps(a, b); }
  static Sum total(SumVec v) { return _mm512_reduce_add_ps(v); }
};

void copy_rows(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows, int64_t k,
               int64_t pitch, void* x) {
  const BFloat* from = static_cast<const BFloat*>(src);
  BFloat* to = static_cast<BFloat*>(x);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t s = 0; s < k; ++s) to[r * pitch + s] = from[r * row_stride + s * k_stride];
  }
}

inline uint32_t pair_of(BFloat even, BFloat odd) {
  return uint32_t(even.bits) | uint32_t(odd.bits) << 16;
}

// out[i] = (even[i], odd[i]) for i < count; `odd` may be null (zeros).
inline void interleave_run(const BFloat* even, const BFloat* odd, int64_t count, uint32_t* out) {
  for (int64_t i = 0; i < count; i += 16) {
    const int64_t left = count - i;
    const __mmask16 m = left >= 16 ? 0xffff : static_cast<__mmask16>((1u << left) - 1);
    __m512i pairs = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, even + i));
    if (odd != nullptr) {
      const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, odd + i));
      pairs = _mm512_or_si512(pairs, _mm512_slli_epi32(high, 16));
    }
    _mm512_mask_storeu_epi32(out + i, m, pairs);
  }
}

void pack_pair_rows(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows, int64_t k,
                    bool by_step, int64_t pitch, void* dst) {
  const BFloat* from = static_cast<const BFloat*>(src);
  uint32_t* to = static_cast<uint32_t*>(dst);
  if (by_step) {
    for (int64_t s = 0; s < k; s += 2) {
      const BFloat* even = from + s * k_stride;
      interleave_run(even, s + 1 < k ? even + k_stride : nullptr, rows, to + s / 2 * rows);
    }
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    const BFloat* line = from + r * row_stride;
    uint32_t* out = to + r * pitch;
    if (k_stride == 1) {
      std::memcpy(out, line, static_cast<size_t>(k / 2 * 4));
    } else {
      for (int64_t s = 0; s + 1 < k; s += 2) {
        out[s / 2] = pair_of(line[s * k_stride], line[(s + 1) * k_stride]);
      }
    }
    if (k % 2) out[k / 2] = pair_of(line[(k - 1) * k_stride], BFloat{0});
  }
}

void pack_pair_columns(const void* src, int64_t k_stride, int64_t column_stride, int64_t columns,
                       int64_t width, int64_t k, void* dst) {
  const BFloat* from = static_cast<const BFloat*>(src);
  uint32_t* to = static_cast<uint32_t*>(dst);
  const int64_t pairs = (k + 1) / 2;
  if (column_stride == 1) {
    for (int64_t s = 0; s < k; s += 2) {
      const BFloat* even = from + s * k_stride;
      uint32_t* out = to + s / 2 * width;
      interleave_run(even, s + 1 < k ? even + k_stride : nullptr, columns, out);
      for (int64_t j = columns; j < width; ++j) out[j] = 0;
    }
    return;
  }
  int64_t j = 0;
  if (k_stride == 1) {
    for (; j + 4 <= columns; j += 4) {
      const BFloat* corner = from + j * column_stride;
      int64_t s = 0;
      for (; s + 8 <= k; s += 8) {  // pairs are 32-bit values: a 4x4 transpose
        const __m128i r0 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(corner + s));
        const __m128i r1 =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(corner + column_stride + s));
        const __m128i r2 =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(corner + 2 * column_stride + s));
        const __m128i r3 =
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(corner + 3 * column_stride + s));
        const __m128i t0 = _mm_unpacklo_epi32(r0, r2);
        const __m128i t1 = _mm_unpacklo_epi32(r1, r3);
        const __m128i t2 = _mm_unpackhi_epi32(r0, r2);
        const __m128i t3 = _mm_unpackhi_epi32(r1, r3);
        uint32_t* out = to + s / 2 * width + j;
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_unpacklo_epi32(t0, t1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + width), _mm_unpackhi_epi32(t0, t1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 2 * width), _mm_unpacklo_epi32(t2, t3));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 3 * width), _mm_unpackhi_epi32(t2, t3));
      }
      for (; s < k; s += 2) {
        for (int64_t i = 0; i < 4; ++i) {
          const BFloat* at = corner + i * column_stride + s;
          to[s / 2 * width + j + i] = pair_of(at[0], s + 1 < k ? at[1] : BFloat{0});
        }
      }
    }
  }
  for (; j < width; ++j) {
    for (int64_t p = 0; p < pairs; ++p) {
      uint32_t pair = 0;
      if (j < columns) {
        const BFloat* at = from + 2 * p * k_stride + j * column_stride;
        pair = pair_of(at[0], 2 * p + 1 < k ? at[k_stride] : BFloat{0});
      }
      to[p * width + j] = pair;
    }
  }
}

template <int V, int... R>
constexpr void fill_pair_tiles(PanelKernels& table, std::integer_sequence<int, R...>) {
  ((table.tile[V - 1][R] = &pair_tile<R + 1, V>), ...);
}

constexpr PanelKernels pair_kernels() {
  PanelKernels table = real_kernels<BFloat>();
  table.k_unit = 2;
  table.block_k = 512;
  table.reads_unpacked_b = false;
  table.pack_rows = &pack_pair_rows;
  table.pack_columns = &pack_pair_columns;
  table.dot_x_bytes = sizeof(BFloat);
  table.widen_for_dots = &copy_rows;
  table.dots = &dots<PairDot>;
  fill_pair_tiles<1>(table, std::make_integer_sequence<int, 14>{});
  fill_pair_tiles<2>(table, std::make_integer_sequence<int, 14>{});
  return table;
}

}  // namespace

extern constexpr PanelKernels bfloat16_dot_kernels = pair_kernels();

}  // namespace mlx::core::gemm
