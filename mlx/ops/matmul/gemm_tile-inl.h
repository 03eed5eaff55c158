// The register tiles: a few rows times a few vectors of columns, kept in
// registers over all of k.
#pragma once

#include "mlx/ops/matmul/gemm_lanes-inl.h"

namespace mlx::core::gemm {
namespace {

// Rows of A are addressed from every third row, which x86 address modes reach
// with one stride register.
template <int R>
struct RowPointers {
  static constexpr int kGroups = (R + 2) / 3;
  const char* at[kGroups];
  RowPointers(const void* a, int64_t row_bytes) {
    MLX_UNROLL for (int g = 0; g < kGroups; ++g) {
      at[g] = static_cast<const char*>(a) + 3 * g * row_bytes;
    }
  }
  void advance(int64_t bytes) { MLX_UNROLL for (int g = 0; g < kGroups; ++g) at[g] += bytes; }
};

template <typename T, int R, int V>
void tile(int64_t steps, const void* a, int64_t a_row, int64_t a_step, const void* b,
          int64_t b_step, void* c, int64_t c_row, int64_t columns, bool accumulate) {
  const Tag<T> d;
  using Vec = hn::Vec<Tag<T>>;
  constexpr int64_t kSize = sizeof(T);
  constexpr int64_t kWidth = kLanes<T>;
  const int64_t last = columns - (V - 1) * kWidth;  // columns of the last vector
  [[maybe_unused]] const auto mask = hn::FirstN(d, static_cast<size_t>(last));
  const int64_t row_bytes = a_row * kSize;
  RowPointers<R> rows(a, row_bytes);
  const T* bp = static_cast<const T*>(b);
  Vec sum[R][V];
  MLX_UNROLL for (int r = 0; r < R; ++r) {
    MLX_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  }
  if (accumulate) {
    const T* line = static_cast<const T*>(c);
    MLX_UNROLL for (int r = 0; r < R; ++r) {
      MLX_UNROLL for (int v = 0; v < V; ++v) hwy::Prefetch(line + r * c_row + v * kWidth);
    }
  }
  for (int64_t s = 0; s < steps; ++s) {
    Vec bv[V];
    MLX_UNROLL for (int v = 0; v < V; ++v) {
      if constexpr (kWide) {
        bv[v] =
            v == V - 1 ? hn::MaskedLoad(mask, d, bp + v * kWidth) : hn::LoadU(d, bp + v * kWidth);
      } else {
        bv[v] = hn::LoadU(d, bp + v * kWidth);
      }
    }
    MLX_UNROLL for (int r = 0; r < R; ++r) {
      const Vec av = hn::Set(d, *reinterpret_cast<const T*>(rows.at[r / 3] + (r % 3) * row_bytes));
      MLX_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(av, bv[v], sum[r][v]);
    }
    rows.advance(a_step * kSize);
    bp += b_step;
  }
  T* out = static_cast<T*>(c);
  MLX_UNROLL for (int r = 0; r < R; ++r) {
    MLX_UNROLL for (int v = 0; v < V; ++v) {
      T* p = out + r * c_row + v * kWidth;
      if (v < V - 1 || last == kWidth) {
        if (accumulate) sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, p));
        hn::StoreU(sum[r][v], d, p);
      } else {
        if (accumulate) sum[r][v] = hn::Add(sum[r][v], load_wide_first(d, p, last));
        store_narrow_first(d, sum[r][v], p, last);
      }
    }
  }
}

// complex64: panels of B hold real parts, then imaginary; A and C are interleaved.
template <int R, int V>
void complex_tile(int64_t steps, const void* a, int64_t a_row, int64_t a_step, const void* b,
                  int64_t b_step, void* c, int64_t c_row, int64_t columns, bool accumulate) {
  const Tag<float> d;
  using Vec = hn::Vec<Tag<float>>;
  constexpr int64_t kWidth = kLanes<float>;
  const int64_t row_bytes = a_row * int64_t(sizeof(Complex));
  RowPointers<R> rows(a, row_bytes);
  const float* bp = static_cast<const float*>(b);
  Vec re[R][V], im[R][V];
  MLX_UNROLL for (int r = 0; r < R; ++r) {
    MLX_UNROLL for (int v = 0; v < V; ++v) re[r][v] = im[r][v] = hn::Zero(d);
  }
  for (int64_t s = 0; s < steps; ++s) {
    Vec br[V], bi[V];
    MLX_UNROLL for (int v = 0; v < V; ++v) {
      br[v] = hn::LoadU(d, bp + v * kWidth);
      bi[v] = hn::LoadU(d, bp + (V + v) * kWidth);
    }
    MLX_UNROLL for (int r = 0; r < R; ++r) {
      const float* ap = reinterpret_cast<const float*>(rows.at[r / 3] + (r % 3) * row_bytes);
      const Vec ar = hn::Set(d, ap[0]);
      const Vec ai = hn::Set(d, ap[1]);
      MLX_UNROLL for (int v = 0; v < V; ++v) {
        re[r][v] = hn::NegMulAdd(ai, bi[v], hn::MulAdd(ar, br[v], re[r][v]));
        im[r][v] = hn::MulAdd(ai, br[v], hn::MulAdd(ar, bi[v], im[r][v]));
      }
    }
    rows.advance(a_step * int64_t(sizeof(Complex)));
    bp += 2 * b_step;
  }
  float* out = static_cast<float*>(c);
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      alignas(64) float lanes[2 * kWidth];
      hn::StoreInterleaved2(re[r][v], im[r][v], d, lanes);
      const int64_t count = 2 * (columns - v * kWidth < kWidth ? columns - v * kWidth : kWidth);
      float* p = out + 2 * (r * c_row + v * kWidth);
      for (int64_t i = 0; i < count; ++i) p[i] = accumulate ? p[i] + lanes[i] : lanes[i];
    }
  }
}

}  // namespace
}  // namespace mlx::core::gemm
