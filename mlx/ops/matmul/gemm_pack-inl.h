// Copies between matrices of any strides and the panels that tiles walk, and
// the way back: scaling, adding and rounding of sums.
#pragma once

#include "mlx/ops/matmul/gemm_lanes-inl.h"

namespace mlx::core::gemm {
namespace {

// A run of values; what is left over at its end is converted in two vectors that
// overlap, where it can be.
template <typename S>
void convert_run(const S* src, int64_t count, Accumulator<S>* dst) {
  const Tag<Accumulator<S>> d;
  constexpr int64_t kWidth = kLanes<Accumulator<S>>;
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) hn::StoreU(load_wide(d, src + i), d, dst + i);
  if (i == count) return;
  if (count >= kWidth) {
    hn::StoreU(load_wide(d, src + count - kWidth), d, dst + count - kWidth);
    return;
  }
  const hn::Half<Tag<Accumulator<S>>> half;
  constexpr int64_t kHalf = kWidth / 2;
  if (count >= kHalf) {
    hn::StoreU(load_wide(half, src), half, dst);
    hn::StoreU(load_wide(half, src + count - kHalf), half, dst + count - kHalf);
    return;
  }
  for (; i < count; ++i) dst[i] = widen_one(src[i]);
}

// The same while asking for another run of the same length.
template <typename S>
void convert_run_ahead(const S* src, int64_t count, const S* next, Accumulator<S>* dst) {
  constexpr int64_t kLine = 64 / sizeof(S);
  int64_t i = 0;
  for (; i + kLine <= count; i += kLine) {
    hwy::Prefetch(next + i);
    convert_run(src + i, kLine, dst + i);
  }
  convert_run(src + i, count - i, dst + i);
}

template <typename S>
void pack_rows(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows, int64_t k,
               bool by_step, int64_t pitch, void* dst) {
  const S* from = static_cast<const S*>(src);
  auto* to = static_cast<Accumulator<S>*>(dst);
  if (by_step) {
    for (int64_t s = 0; s < k; ++s) convert_run(from + s * k_stride, rows, to + s * rows);
  } else if (k_stride == 1) {
    // Rows are far apart: the hardware starts anew in each of them.
    for (int64_t r = 0; r < rows; ++r) {
      convert_run_ahead(from + r * row_stride, k, from + (r + 2) * row_stride, to + r * pitch);
    }
  } else {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t s = 0; s < k; ++s) {
        to[r * pitch + s] = widen_one(from[r * row_stride + s * k_stride]);
      }
    }
  }
}

template <typename S>
void widen_rows(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows, int64_t k,
                int64_t pitch, void* x) {
  pack_rows<S>(src, row_stride, k_stride, rows, k, false, pitch, x);
}

// Transposes `kBlock` source rows (columns of B) of `kBlock` k values.
template <typename S, hwy::EnableIf<sizeof(Accumulator<S>) == 4>* = nullptr>
inline void transpose_block(const S* from, int64_t column_stride, float* to, int64_t width) {
  const hn::FixedTag<float, 4> d;
  const auto r0 = load_wide(d, from);
  const auto r1 = load_wide(d, from + column_stride);
  const auto r2 = load_wide(d, from + 2 * column_stride);
  const auto r3 = load_wide(d, from + 3 * column_stride);
  const auto t0 = hn::InterleaveLower(d, r0, r2);
  const auto t1 = hn::InterleaveLower(d, r1, r3);
  const auto t2 = hn::InterleaveUpper(d, r0, r2);
  const auto t3 = hn::InterleaveUpper(d, r1, r3);
  hn::StoreU(hn::InterleaveLower(d, t0, t1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, t0, t1), d, to + width);
  hn::StoreU(hn::InterleaveLower(d, t2, t3), d, to + 2 * width);
  hn::StoreU(hn::InterleaveUpper(d, t2, t3), d, to + 3 * width);
}
inline void transpose_block(const double* from, int64_t column_stride, double* to, int64_t width) {
  const hn::FixedTag<double, 2> d;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + column_stride);
  hn::StoreU(hn::InterleaveLower(d, r0, r1), d, to);
  hn::StoreU(hn::InterleaveUpper(d, r0, r1), d, to + width);
}

// Rows of short runs that packing asks for in advance.
constexpr int64_t kRowsAhead = 8;

template <typename S>
void pack_columns(const void* src, int64_t k_stride, int64_t column_stride, int64_t columns,
                  int64_t width, int64_t k, void* dst) {
  using A = Accumulator<S>;
  const S* from = static_cast<const S*>(src);
  A* to = static_cast<A*>(dst);
  if (column_stride == 1) {
    const Tag<A> d;
    constexpr int64_t kWidth = kLanes<A>;
    for (int64_t s = 0; s < k; ++s) {
      const S* line = from + s * k_stride;
      A* out = to + s * width;
      for (int64_t i = 0; i < columns; i += 64 / int64_t(sizeof(S))) {
        hwy::Prefetch(line + kRowsAhead * k_stride + i);
      }
      int64_t j = 0;
      for (; j + kWidth <= columns; j += kWidth) hn::StoreU(load_wide(d, line + j), d, out + j);
      if (j < columns) {
        hn::StoreU(load_wide_first(d, line + j, columns - j), d, out + j);
        j += kWidth;
      }
      for (; j < width; ++j) out[j] = 0;
    }
    return;
  }
  int64_t j = 0;
  if (k_stride == 1) {
    constexpr int64_t kBlock = 16 / sizeof(A);
    for (; j + kBlock <= columns; j += kBlock) {
      const S* corner = from + j * column_stride;
      int64_t s = 0;
      for (; s + kBlock <= k; s += kBlock) {
        for (int64_t i = 0; i < kBlock; ++i) {
          hwy::Prefetch(corner + (kBlock + i) * column_stride + s);
        }
        transpose_block(corner + s, column_stride, to + s * width + j, width);
      }
      for (; s < k; ++s) {
        for (int64_t i = 0; i < kBlock; ++i) {
          to[s * width + j + i] = widen_one(corner[i * column_stride + s]);
        }
      }
    }
  }
  for (; j < width; ++j) {
    for (int64_t s = 0; s < k; ++s) {
      to[s * width + j] = j < columns ? widen_one(from[s * k_stride + j * column_stride]) : A(0);
    }
  }
}

inline void pack_complex_rows(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows,
                              int64_t k, bool by_step, int64_t pitch, void* dst) {
  const Complex* from = static_cast<const Complex*>(src);
  Complex* to = static_cast<Complex*>(dst);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t s = 0; s < k; ++s) {
      to[by_step ? s * rows + r : r * pitch + s] = from[r * row_stride + s * k_stride];
    }
  }
}

inline void pack_complex_columns(const void* src, int64_t k_stride, int64_t column_stride,
                                 int64_t columns, int64_t width, int64_t k, void* dst) {
  const Complex* from = static_cast<const Complex*>(src);
  float* to = static_cast<float*>(dst);
  for (int64_t s = 0; s < k; ++s) {
    float* out = to + 2 * s * width;
    for (int64_t j = 0; j < width; ++j) {
      const Complex z = j < columns ? from[s * k_stride + j * column_stride] : Complex{0, 0};
      out[j] = z.re;
      out[width + j] = z.im;
    }
  }
}

template <typename S>
void finish(const void* sums, int64_t sums_row, void* out, int64_t out_row, int64_t out_column,
            const void* c0, int64_t c0_row, int64_t c0_column, int64_t rows, int64_t columns,
            double alpha, double beta) {
  using A = Accumulator<S>;
  const A al = static_cast<A>(alpha);
  const A be = static_cast<A>(beta);
  const Tag<A> d;
  constexpr int64_t kWidth = kLanes<A>;
  const auto av = hn::Set(d, al);
  const auto bv = hn::Set(d, be);
  const bool vectors = out_column == 1 && (c0 == nullptr || c0_column == 1 || c0_column == 0);
  for (int64_t r = 0; r < rows; ++r) {
    const A* s = static_cast<const A*>(sums) + r * sums_row;
    S* o = static_cast<S*>(out) + r * out_row;
    const S* c = c0 == nullptr ? nullptr : static_cast<const S*>(c0) + r * c0_row;
    int64_t j = 0;
    if (vectors) {
      for (; j + kWidth <= columns; j += kWidth) {
        auto v = hn::Mul(av, hn::LoadU(d, s + j));
        if (c != nullptr) {
          const auto cv = c0_column == 1 ? load_wide(d, c + j) : hn::Set(d, A(widen_one(*c)));
          v = hn::MulAdd(bv, cv, v);
        }
        store_narrow(d, v, o + j);
      }
      if (j < columns) {  // same arithmetic as a full vector
        auto v = hn::Mul(av, load_wide_first(d, s + j, columns - j));
        if (c != nullptr) {
          const auto cv = c0_column == 1 ? load_wide_first(d, c + j, columns - j)
                                         : hn::Set(d, A(widen_one(*c)));
          v = hn::MulAdd(bv, cv, v);
        }
        store_narrow_first(d, v, o + j, columns - j);
      }
    } else {
      const hn::CappedTag<A, 1> one;
      for (; j < columns; ++j) {
        auto v = hn::Mul(hn::Set(one, al), hn::Set(one, s[j]));
        if (c != nullptr)
          v = hn::MulAdd(hn::Set(one, be), hn::Set(one, A(widen_one(c[j * c0_column]))), v);
        narrow_one(hn::GetLane(v), o[j * out_column]);
      }
    }
  }
}

inline void finish_complex(const void* sums, int64_t sums_row, void* out, int64_t out_row,
                           int64_t out_column, const void* c0, int64_t c0_row, int64_t c0_column,
                           int64_t rows, int64_t columns, double alpha, double beta) {
  const float al = static_cast<float>(alpha);
  const float be = static_cast<float>(beta);
  for (int64_t r = 0; r < rows; ++r) {
    const Complex* s = static_cast<const Complex*>(sums) + r * sums_row;
    Complex* o = static_cast<Complex*>(out) + r * out_row;
    const Complex* c = c0 == nullptr ? nullptr : static_cast<const Complex*>(c0) + r * c0_row;
    for (int64_t j = 0; j < columns; ++j) {
      Complex z{al * s[j].re, al * s[j].im};
      if (c != nullptr) {
        z.re += be * c[j * c0_column].re;
        z.im += be * c[j * c0_column].im;
      }
      o[j * out_column] = z;
    }
  }
}

}  // namespace
}  // namespace mlx::core::gemm
