// Kernels for products with few rows: dot products and sums of scaled rows that
// read the large operand where it lies.
#pragma once

#include "mlx/ops/matmul/gemm_lanes-inl.h"

namespace mlx::core::gemm {
namespace {

// How dot products of one storage type step through k: the types of x and of
// vectors, and one multiply-add of a vector each of x and w.
template <typename S>
struct Dot {
  using W = S;
  using X = Accumulator<S>;
  using Sum = Accumulator<S>;
  using D = Tag<Sum>;
  using Vec = hn::Vec<D>;
  using SumVec = Vec;
  static constexpr int64_t kStep = kLanes<Sum>;
  static Vec load_x(const X* p) { return hn::LoadU(D(), p); }
  static Vec load_x_first(const X* p, int64_t count) { return load_wide_first(D(), p, count); }
  static Vec load_w(const W* p) { return load_wide(D(), p); }
  static Vec load_w_first(const W* p, int64_t count) { return load_wide_first(D(), p, count); }
  static Vec step(Vec x, Vec w, Vec sum) { return hn::MulAdd(x, w, sum); }
  static Vec zero() { return hn::Zero(D()); }
  static Vec add(Vec a, Vec b) { return hn::Add(a, b); }
  static Sum total(Vec v) { return hn::GetLane(hn::SumOfLanes(D(), v)); }
};

// X rows of x against W rows of w, U accumulators each. The order of additions
// depends on k and U only, never on how many rows share a call.
template <class P, int X, int W, int U>
inline void dot_block(const typename P::X* x, int64_t x_row, const typename P::W* w, int64_t w_row,
                      int64_t k, typename P::Sum* sums, int64_t sums_row, bool accumulate,
                      int64_t sums_step = 1) {
  using Vec = typename P::Vec;
  typename P::SumVec sum[X][W][U];
  MLX_UNROLL for (int i = 0; i < X; ++i) {
    MLX_UNROLL for (int j = 0; j < W; ++j) {
      MLX_UNROLL for (int u = 0; u < U; ++u) sum[i][j][u] = P::zero();
    }
  }
  int64_t s = 0;
  for (; s + U * P::kStep <= k; s += U * P::kStep) {
    MLX_UNROLL for (int u = 0; u < U; ++u) {
      const int64_t at = s + u * P::kStep;
      Vec xv[X];
      MLX_UNROLL for (int i = 0; i < X; ++i) xv[i] = P::load_x(x + i * x_row + at);
      MLX_UNROLL for (int j = 0; j < W; ++j) {
        const Vec wv = P::load_w(w + j * w_row + at);
        MLX_UNROLL for (int i = 0; i < X; ++i) sum[i][j][u] = P::step(xv[i], wv, sum[i][j][u]);
      }
    }
  }
  for (; s < k; s += P::kStep) {
    const int64_t count = k - s < P::kStep ? k - s : P::kStep;
    MLX_UNROLL for (int j = 0; j < W; ++j) {
      const Vec wv = P::load_w_first(w + j * w_row + s, count);
      MLX_UNROLL for (int i = 0; i < X; ++i) {
        sum[i][j][0] = P::step(P::load_x_first(x + i * x_row + s, count), wv, sum[i][j][0]);
      }
    }
  }
  MLX_UNROLL for (int i = 0; i < X; ++i) {
    MLX_UNROLL for (int j = 0; j < W; ++j) {
      MLX_UNROLL for (int step = U / 2; step > 0; step /= 2) {
        MLX_UNROLL for (int u = 0; u < step; ++u) {
          sum[i][j][u] = P::add(sum[i][j][u], sum[i][j][u + step]);
        }
      }
      const typename P::Sum total = P::total(sum[i][j][0]);
      typename P::Sum* p = sums + i * sums_row + j * sums_step;
      *p = accumulate ? *p + total : total;
    }
  }
}

constexpr int kDotRows = kWide ? 4 : 3;
constexpr int kDotColumns = kWide ? 6 : 4;
// Rows of w that one row of x meets at a time. The hardware fetches ahead within
// a page only, so a core gets more out of memory when it reads several places.
constexpr int kStreams = 4;

template <class P, int X>
inline void dots_of(const typename P::X* x, int64_t x_row, const typename P::W* w, int64_t w_row,
                    int64_t w_rows, int64_t k, typename P::Sum* sums, int64_t sums_row,
                    bool accumulate) {
  int64_t j = 0;
  for (; j + kDotColumns <= w_rows; j += kDotColumns) {
    dot_block<P, X, kDotColumns, 1>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row,
                                    accumulate);
  }
  for (; j < w_rows; ++j) {
    dot_block<P, X, 1, 1>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row, accumulate);
  }
}

template <class P>
void dots(const void* x_, int64_t x_row, int64_t x_rows, const void* w_, int64_t w_row,
          int64_t w_rows, int64_t k, void* sums_, int64_t sums_row, bool accumulate) {
  const auto* x = static_cast<const typename P::X*>(x_);
  const auto* w = static_cast<const typename P::W*>(w_);
  auto* sums = static_cast<typename P::Sum*>(sums_);
  if (x_rows == 1) {
    const int64_t each = w_rows / kStreams;  // long runs: every stream has its own part
    for (int64_t j = 0; j < each; ++j) {
      dot_block<P, 1, kStreams, 2>(x, x_row, w + j * w_row, each * w_row, k, sums + j, sums_row,
                                   accumulate, each);
    }
    for (int64_t j = each * kStreams; j < w_rows; ++j) {
      dot_block<P, 1, 1, 2>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row, accumulate);
    }
    return;
  }
  for (int64_t i = 0; i < x_rows;) {
    const int64_t left = x_rows - i;
    const auto* xi = x + i * x_row;
    auto* si = sums + i * sums_row;
    if (left >= kDotRows) {
      dots_of<P, kDotRows>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += kDotRows;
    } else if (left == 3) {
      dots_of<P, 3>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += 3;
    } else if (left == 2) {
      dots_of<P, 2>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += 2;
    } else {
      dots_of<P, 1>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += 1;
    }
  }
}

template <typename S, int X, int K>
inline void axpy_block(const Accumulator<S>* x, int64_t x_row, int64_t x_step, const S* w,
                       int64_t w_step, Accumulator<S>* y, int64_t y_row, int64_t count) {
  using A = Accumulator<S>;
  const Tag<A> d;
  using Vec = hn::Vec<Tag<A>>;
  constexpr int64_t kWidth = kLanes<A>;
  Vec xv[X][K];
  MLX_UNROLL for (int i = 0; i < X; ++i) {
    MLX_UNROLL for (int s = 0; s < K; ++s) xv[i][s] = hn::Set(d, x[i * x_row + s * x_step]);
  }
  for (int64_t j = 0; j < count; j += kWidth) {  // y is padded to whole vectors
    Vec wv[K];
    // The next rows: where many rows of x make runs short, the hardware does not
    // foresee them.
    if (K > 1 && X > 1) {
      MLX_UNROLL for (int s = 0; s < K; ++s) hwy::Prefetch(w + (K + s) * w_step + j);
    }
    if (j + kWidth <= count) {
      MLX_UNROLL for (int s = 0; s < K; ++s) wv[s] = load_wide(d, w + s * w_step + j);
    } else {
      MLX_UNROLL for (int s = 0; s < K; ++s) {
        wv[s] = load_wide_first(d, w + s * w_step + j, count - j);
      }
    }
    MLX_UNROLL for (int i = 0; i < X; ++i) {
      Vec yv = hn::LoadU(d, y + i * y_row + j);
      MLX_UNROLL for (int s = 0; s < K; ++s) yv = hn::MulAdd(xv[i][s], wv[s], yv);
      hn::StoreU(yv, d, y + i * y_row + j);
    }
  }
}

template <typename S, int X>
inline void axpys_of(const Accumulator<S>* x, int64_t x_row, const S* w, int64_t w_step, int64_t k,
                     Accumulator<S>* y, int64_t y_row, int64_t count) {
  constexpr int kSteps = X == 1 ? (kWide ? 16 : 8) : kWide ? 4 : 2;
  int64_t s = 0;
  if constexpr (X == 1) {
    const int64_t each = k / kSteps;  // long runs, as in `dots`
    for (; s < each; ++s) {
      axpy_block<S, X, kSteps>(x + s, x_row, each, w + s * w_step, each * w_step, y, y_row, count);
    }
    s = each * kSteps;
  }
  for (; s + kSteps <= k; s += kSteps) {
    axpy_block<S, X, kSteps>(x + s, x_row, 1, w + s * w_step, w_step, y, y_row, count);
  }
  for (; s < k; ++s) axpy_block<S, X, 1>(x + s, x_row, 1, w + s * w_step, w_step, y, y_row, count);
}

// Rows of w that all rows of x use before the next ones are fetched.
constexpr int64_t kSharedSteps = 4;

template <typename S>
void axpys(const void* x_, int64_t x_row, int64_t x_rows, const void* w_, int64_t w_step, int64_t k,
           void* y_, int64_t y_row, int64_t count) {
  using A = Accumulator<S>;
  const int64_t chunk = x_rows <= 4 ? k : kSharedSteps;
  for (int64_t s = 0; s < k; s += chunk) {
    const S* w = static_cast<const S*>(w_) + s * w_step;
    const int64_t steps = k - s < chunk ? k - s : chunk;
    for (int64_t i = 0; i < x_rows;) {
      const A* x = static_cast<const A*>(x_) + i * x_row + s;
      A* y = static_cast<A*>(y_) + i * y_row;
      const int64_t left = x_rows - i;
      if (left >= 4) {
        axpys_of<S, 4>(x, x_row, w, w_step, steps, y, y_row, count);
        i += 4;
      } else if (left >= 2) {
        axpys_of<S, 2>(x, x_row, w, w_step, steps, y, y_row, count);
        i += 2;
      } else {
        axpys_of<S, 1>(x, x_row, w, w_step, steps, y, y_row, count);
        i += 1;
      }
    }
  }
}

}  // namespace
}  // namespace mlx::core::gemm
