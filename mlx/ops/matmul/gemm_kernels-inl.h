// Vector code shared by the tier objects of matrix products: conversions,
// packing, the register tile, and the kernels for few rows. Included once by
// each tier file; everything is local to that object.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "mlx/ops/matmul/gemm_kernels.h"

#if HWY_ARCH_X86
#include <immintrin.h>
#endif

#if defined(__clang__)
#define MLX_UNROLL _Pragma("unroll")
#else
#define MLX_UNROLL _Pragma("GCC unroll 32")
#endif

namespace mlx::core::gemm {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// AVX-512 and SVE have 32 vector registers and cheap masks.
#if HWY_TARGET <= HWY_AVX3
#define MLX_GEMM_WIDE 1
constexpr bool kWide = true;
#else
#define MLX_GEMM_WIDE 0
constexpr bool kWide = false;
#endif

struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Complex {
  float re, im;
};

template <typename S>
struct AccumulatorOf {
  using type = float;
};
template <>
struct AccumulatorOf<double> {
  using type = double;
};
template <typename S>
using Accumulator = typename AccumulatorOf<S>::type;

// ---- conversions ---------------------------------------------------------

inline float bits_to_float(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}
inline uint32_t float_to_bits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}

inline float widen_one(float x) { return x; }
inline double widen_one(double x) { return x; }
inline float widen_one(BFloat x) { return bits_to_float(uint32_t(x.bits) << 16); }
inline float widen_one(Half x) {
  const uint32_t sign = uint32_t(x.bits & 0x8000) << 16;
  const uint32_t rest = x.bits & 0x7fff;
  if (rest >= 0x7c00) return bits_to_float(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest < 0x400) {
    const float magnitude = static_cast<float>(rest) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bits_to_float(sign | ((rest << 13) + (112u << 23)));
}

inline void narrow_one(float x, float& out) { out = x; }
inline void narrow_one(double x, double& out) { out = x; }
inline void narrow_one(float x, BFloat& out) {
  const uint32_t bits = float_to_bits(x);
  if ((bits & 0x7fffffff) > 0x7f800000) {
    out.bits = uint16_t((bits >> 16 & 0x8000) | 0x7fc0);
  } else {
    out.bits = uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}
inline void narrow_one(float x, Half& out) {
  const uint32_t bits = float_to_bits(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  uint32_t half;
  if (magnitude > 0x7f800000) {
    half = 0x7e00;
  } else if (magnitude >= 0x477ff000) {  // rounds to 2^16 or more
    half = 0x7c00;
  } else if (magnitude < 0x38800000) {  // below 2^-14: let the adder round to 2^-24
    half = float_to_bits(bits_to_float(magnitude) + 0.5f) - 0x3f000000;
  } else {
    half = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  }
  out.bits = uint16_t(sign | half);
}

// A full vector of accumulator type from contiguous storage.
template <class D>
inline hn::Vec<D> load_wide(D d, const float* p) {
  return hn::LoadU(d, p);
}
template <class D>
inline hn::Vec<D> load_wide(D d, const double* p) {
  return hn::LoadU(d, p);
}
template <class D>
inline hn::Vec<D> load_wide(D d, const BFloat* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::Rebind<uint32_t, D> d32;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(
                            d32, hn::LoadU(d16, reinterpret_cast<const uint16_t*>(p)))));
}
template <class D>
inline hn::Vec<D> load_wide(D d, const Half* p) {
#if HWY_ARCH_X86 && HWY_TARGET == HWY_SSE4
  alignas(64) float lanes[HWY_MAX_BYTES / 4];
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = widen_one(p[i]);
  return hn::Load(d, lanes);
#else
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(p)));
#endif
}

template <class D>
inline void store_narrow(D d, hn::Vec<D> v, float* p) {
  hn::StoreU(v, d, p);
}
template <class D>
inline void store_narrow(D d, hn::Vec<D> v, double* p) {
  hn::StoreU(v, d, p);
}
template <class D>
inline void store_narrow(D d, hn::Vec<D> v, BFloat* p) {
  const hn::Rebind<uint16_t, D> d16;
  const hn::Rebind<uint32_t, D> d32;
  const auto bits = hn::BitCast(d32, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
  const auto rounded =
      hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7fff))));
  const auto quiet = hn::Or(hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 0x8000)),
                            hn::Set(d32, 0x7fc0));
  const auto is_nan = hn::MaskFromVec(hn::BitCast(d32, hn::VecFromMask(d, hn::Ne(v, v))));
  const hn::Rebind<int32_t, D> i32;
  const auto words = hn::IfThenElse(is_nan, quiet, rounded);
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(i32, words)), d16, reinterpret_cast<uint16_t*>(p));
}
template <class D>
inline void store_narrow(D d, hn::Vec<D> v, Half* p) {
#if HWY_ARCH_X86 && HWY_TARGET == HWY_SSE4
  alignas(64) float lanes[HWY_MAX_BYTES / 4];
  hn::Store(v, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) narrow_one(lanes[i], p[i]);
#else
  const hn::Rebind<hwy::float16_t, D> d16;
  hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(p));
#endif
}

// The first `count` < lanes values, zeros after.
template <class D, typename S>
inline hn::Vec<D> load_wide_first(D d, const S* p, int64_t count) {
  if constexpr (kWide && sizeof(S) == sizeof(hn::TFromD<D>)) {
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d,
                          reinterpret_cast<const hn::TFromD<D>*>(p));
  } else {
    alignas(64) S lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)] = {};
    for (int64_t i = 0; i < count; ++i) lanes[i] = p[i];
    return load_wide(d, lanes);
  }
}

template <class D, typename S>
inline void store_narrow_first(D d, hn::Vec<D> v, S* p, int64_t count) {
  if constexpr (kWide && sizeof(S) == sizeof(hn::TFromD<D>)) {
    hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(count)), d,
                     reinterpret_cast<hn::TFromD<D>*>(p));
  } else {
    alignas(64) S lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
    store_narrow(d, v, lanes);
    for (int64_t i = 0; i < count; ++i) p[i] = lanes[i];
  }
}

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
constexpr int kLanes = HWY_MAX_BYTES / static_cast<int>(sizeof(T));

// ---- register tile -------------------------------------------------------

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
  void advance(int64_t bytes) {
    MLX_UNROLL for (int g = 0; g < kGroups; ++g) at[g] += bytes;
  }
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
        bv[v] = v == V - 1 ? hn::MaskedLoad(mask, d, bp + v * kWidth) : hn::LoadU(d, bp + v * kWidth);
      } else {
        bv[v] = hn::LoadU(d, bp + v * kWidth);
      }
    }
    MLX_UNROLL for (int r = 0; r < R; ++r) {
      const Vec av =
          hn::Set(d, *reinterpret_cast<const T*>(rows.at[r / 3] + (r % 3) * row_bytes));
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

// ---- packing -------------------------------------------------------------

template <typename S>
void convert_run(const S* src, int64_t count, Accumulator<S>* dst) {
  const Tag<Accumulator<S>> d;
  constexpr int64_t kWidth = kLanes<Accumulator<S>>;
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) hn::StoreU(load_wide(d, src + i), d, dst + i);
  for (; i < count; ++i) dst[i] = widen_one(src[i]);
}

template <typename S>
void pack_rows(const void* src, int64_t row_stride, int64_t k_stride, int64_t rows, int64_t k,
               bool by_step, int64_t pitch, void* dst) {
  const S* from = static_cast<const S*>(src);
  auto* to = static_cast<Accumulator<S>*>(dst);
  if (by_step) {
    for (int64_t s = 0; s < k; ++s) convert_run(from + s * k_stride, rows, to + s * rows);
  } else if (k_stride == 1) {
    for (int64_t r = 0; r < rows; ++r) convert_run(from + r * row_stride, k, to + r * pitch);
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
      to[s * width + j] =
          j < columns ? widen_one(from[s * k_stride + j * column_stride]) : A(0);
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

// ---- rounding and epilogue -----------------------------------------------

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
        if (c != nullptr) v = hn::MulAdd(hn::Set(one, be), hn::Set(one, A(widen_one(c[j * c0_column]))), v);
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

// ---- few rows ------------------------------------------------------------

// X rows of x against W rows of w, U accumulators each. The order of additions
// depends on k and U only, never on how many rows share a call.
template <typename S, int X, int W, int U>
inline void dot_block(const Accumulator<S>* x, int64_t x_row, const S* w, int64_t w_row, int64_t k,
                      Accumulator<S>* sums, int64_t sums_row, bool accumulate) {
  using A = Accumulator<S>;
  const Tag<A> d;
  using Vec = hn::Vec<Tag<A>>;
  constexpr int64_t kWidth = kLanes<A>;
  Vec sum[X][W][U];
  MLX_UNROLL for (int i = 0; i < X; ++i) {
    MLX_UNROLL for (int j = 0; j < W; ++j) {
      MLX_UNROLL for (int u = 0; u < U; ++u) sum[i][j][u] = hn::Zero(d);
    }
  }
  int64_t s = 0;
  for (; s + U * kWidth <= k; s += U * kWidth) {
    MLX_UNROLL for (int u = 0; u < U; ++u) {
      Vec xv[X];
      MLX_UNROLL for (int i = 0; i < X; ++i) xv[i] = hn::LoadU(d, x + i * x_row + s + u * kWidth);
      MLX_UNROLL for (int j = 0; j < W; ++j) {
        const Vec wv = load_wide(d, w + j * w_row + s + u * kWidth);
        MLX_UNROLL for (int i = 0; i < X; ++i) sum[i][j][u] = hn::MulAdd(xv[i], wv, sum[i][j][u]);
      }
    }
  }
  for (; s < k; s += kWidth) {
    const int64_t count = k - s < kWidth ? k - s : kWidth;
    MLX_UNROLL for (int j = 0; j < W; ++j) {
      const Vec wv = count == kWidth ? load_wide(d, w + j * w_row + s)
                                     : load_wide_first(d, w + j * w_row + s, count);
      MLX_UNROLL for (int i = 0; i < X; ++i) {
        const Vec xv = count == kWidth ? hn::LoadU(d, x + i * x_row + s)
                                       : load_wide_first(d, x + i * x_row + s, count);
        sum[i][j][0] = hn::MulAdd(xv, wv, sum[i][j][0]);
      }
    }
  }
  MLX_UNROLL for (int i = 0; i < X; ++i) {
    MLX_UNROLL for (int j = 0; j < W; ++j) {
      MLX_UNROLL for (int step = U / 2; step > 0; step /= 2) {
        MLX_UNROLL for (int u = 0; u < step; ++u) {
          sum[i][j][u] = hn::Add(sum[i][j][u], sum[i][j][u + step]);
        }
      }
      const A total = hn::GetLane(hn::SumOfLanes(d, sum[i][j][0]));
      A* p = sums + i * sums_row + j;
      *p = accumulate ? *p + total : total;
    }
  }
}

constexpr int kDotRows = kWide ? 4 : 3;
constexpr int kDotColumns = kWide ? 6 : 4;
// Above this many values x no longer shares the first-level cache with w.
constexpr int64_t kOneRowLimit = 4096;

template <typename S, int X>
inline void dots_of(const Accumulator<S>* x, int64_t x_row, const S* w, int64_t w_row,
                    int64_t w_rows, int64_t k, Accumulator<S>* sums, int64_t sums_row,
                    bool accumulate) {
  int64_t j = 0;
  for (; j + kDotColumns <= w_rows; j += kDotColumns) {
    dot_block<S, X, kDotColumns, 1>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row,
                                    accumulate);
  }
  for (; j < w_rows; ++j) {
    dot_block<S, X, 1, 1>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row, accumulate);
  }
}

template <typename S>
void dots(const void* x_, int64_t x_row, int64_t x_rows, const void* w_, int64_t w_row,
          int64_t w_rows, int64_t k, void* sums_, int64_t sums_row, bool accumulate) {
  using A = Accumulator<S>;
  const A* x = static_cast<const A*>(x_);
  const S* w = static_cast<const S*>(w_);
  A* sums = static_cast<A*>(sums_);
  if (x_rows == 1) {
    int64_t j = 0;
    if (k > kOneRowLimit) {
      for (; j + 4 <= w_rows; j += 4) {
        dot_block<S, 1, 4, 2>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row, accumulate);
      }
      for (; j < w_rows; ++j) {
        dot_block<S, 1, 1, 2>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row, accumulate);
      }
    }
    for (; j < w_rows; ++j) {
      dot_block<S, 1, 1, 8>(x, x_row, w + j * w_row, w_row, k, sums + j, sums_row, accumulate);
    }
    return;
  }
  for (int64_t i = 0; i < x_rows;) {
    const int64_t left = x_rows - i;
    const A* xi = x + i * x_row;
    A* si = sums + i * sums_row;
    if (left >= kDotRows) {
      dots_of<S, kDotRows>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += kDotRows;
    } else if (left == 3) {
      dots_of<S, 3>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += 3;
    } else if (left == 2) {
      dots_of<S, 2>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += 2;
    } else {
      dots_of<S, 1>(xi, x_row, w, w_row, w_rows, k, si, sums_row, accumulate);
      i += 1;
    }
  }
}

template <typename S, int X, int K>
inline void axpy_block(const Accumulator<S>* x, int64_t x_row, const S* w, int64_t w_step,
                       Accumulator<S>* y, int64_t y_row, int64_t count) {
  using A = Accumulator<S>;
  const Tag<A> d;
  using Vec = hn::Vec<Tag<A>>;
  constexpr int64_t kWidth = kLanes<A>;
  Vec xv[X][K];
  MLX_UNROLL for (int i = 0; i < X; ++i) {
    MLX_UNROLL for (int s = 0; s < K; ++s) xv[i][s] = hn::Set(d, x[i * x_row + s]);
  }
  for (int64_t j = 0; j < count; j += kWidth) {  // y is padded to whole vectors
    Vec wv[K];
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
  constexpr int kSteps = kWide ? 4 : (X == 1 ? 4 : 2);
  int64_t s = 0;
  for (; s + kSteps <= k; s += kSteps) {
    axpy_block<S, X, kSteps>(x + s, x_row, w + s * w_step, w_step, y, y_row, count);
  }
  for (; s < k; ++s) axpy_block<S, X, 1>(x + s, x_row, w + s * w_step, w_step, y, y_row, count);
}

// Rows of w that all rows of x use before the next ones are fetched.
constexpr int64_t kSharedSteps = 4;

template <typename S>
void axpys(const void* x_, int64_t x_row, int64_t x_rows, const void* w_, int64_t w_step,
           int64_t k, void* y_, int64_t y_row, int64_t count) {
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

// ---- tables --------------------------------------------------------------

template <typename T, int V, int... R>
constexpr void fill_tiles(PanelKernels& table, std::integer_sequence<int, R...>) {
  ((table.tile[V - 1][R] = &tile<T, R + 1, V>), ...);
}
template <int V, int... R>
constexpr void fill_complex_tiles(PanelKernels& table, std::integer_sequence<int, R...>) {
  ((table.tile[V - 1][R] = &complex_tile<R + 1, V>), ...);
}

template <typename S>
constexpr void fill_skinny(PanelKernels& table) {
  table.widen = &widen_rows<S>;
  table.dots = &dots<S>;
  table.axpys = &axpys<S>;
}

template <typename S>
constexpr PanelKernels real_kernels() {
  using A = Accumulator<S>;
  PanelKernels table{};
  table.tile_rows = kWide ? 14 : 6;
  table.tile_vectors = 2;
  table.lanes = kLanes<A>;
  table.k_unit = 1;
  table.storage_bytes = sizeof(S);
  table.panel_bytes = sizeof(A);
  table.accumulator_bytes = sizeof(A);
  table.block_k = sizeof(A) == 4 ? 256 : 192;
  table.reads_unpacked_b = sizeof(S) == sizeof(A);
  table.masks_columns = kWide;
  table.pack_rows = &pack_rows<S>;
  table.pack_columns = &pack_columns<S>;
  table.finish = &finish<S>;
  fill_tiles<A, 1>(table, std::make_integer_sequence<int, kWide ? 14 : 6>{});
  fill_tiles<A, 2>(table, std::make_integer_sequence<int, kWide ? 14 : 6>{});
  fill_skinny<S>(table);
  return table;
}

constexpr PanelKernels complex_kernels() {
  PanelKernels table{};
  constexpr int kRows = kWide ? 6 : 4;
  table.tile_rows = kRows;
  table.tile_vectors = kWide ? 2 : 1;
  table.lanes = kLanes<float>;
  table.k_unit = 1;
  table.storage_bytes = table.panel_bytes = table.accumulator_bytes = sizeof(Complex);
  table.block_k = 192;
  table.pack_rows = &pack_complex_rows;
  table.pack_columns = &pack_complex_columns;
  table.finish = &finish_complex;
  fill_complex_tiles<1>(table, std::make_integer_sequence<int, kRows>{});
  if constexpr (kWide) fill_complex_tiles<2>(table, std::make_integer_sequence<int, kRows>{});
  return table;
}

}  // namespace
}  // namespace mlx::core::gemm
