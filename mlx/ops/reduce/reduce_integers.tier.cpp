// Reductions of bool and integer arrays, and the truth of elements of any dtype,
// one object per tier. Columns are plain loops for the compiler to vectorise. Sums
// and products wrap in the output's dtype.
#include "mlx/ops/reduce/rows.h"

#pragma GCC optimize("O3")

namespace mlx::core {

namespace {

// Operations on single elements in plain loops, and on vectors in rows.
namespace integer {

struct Sum {
  template <class A>
  static A apply(A a, A b) {
    return static_cast<A>(a + b);
  }
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Add(a, b);
  }
  template <class L>
  static constexpr L identity = 0;
};
struct Prod {
  template <class A>
  static A apply(A a, A b) {
    return static_cast<A>(a * b);
  }
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Mul(a, b);
  }
  template <class L>
  static constexpr L identity = 1;
};
template <bool kMin>
struct Extreme {
  template <class A>
  static bool beats(A a, A b) {
    return kMin ? a < b : b < a;
  }
  template <class A>
  static A apply(A a, A b) {
    return beats(b, a) ? b : a;
  }
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return kMin ? hn::Min(a, b) : hn::Max(a, b);
  }
  template <class L>
  static constexpr L identity = kMin ? hwy::HighestValue<L>() : hwy::LowestValue<L>();
};
struct All {
  template <class A>
  static A apply(A a, A b) {
    return static_cast<A>(a & b);
  }
};
struct Any {
  template <class A>
  static A apply(A a, A b) {
    return static_cast<A>(a | b);
  }
};

}  // namespace integer

using integer::All;
using integer::Any;

// float16 or bfloat16, of which only the truth is wanted here.
struct Half {
  uint16_t bits;
};
inline bool truth(Half v) {
  return (v.bits & 0x7FFF) != 0;
}
template <class T>
inline bool truth(T v) {
  return v != 0;
}

template <class T>
constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

// Unsigned integers as wide as T: truths are combined in these, so that no vector changes its
// width.
template <size_t kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using type = uint64_t;
};
template <class T>
using Truth = typename UnsignedOf<sizeof(T)>::type;

constexpr int64_t kLanes = 64;

// The truth of a row: lanes that met a zero, or something else.
template <class T, class Op>
struct TruthChains {
  using Memory = T;
  using Lane = uint8_t;
  using D = simd::Full<Truth<T>>;
  using V = simd::Vec<Truth<T>>;
  static constexpr bool kAll = std::is_same_v<Op, All>;
  static constexpr int64_t lanes = simd::lanes<Truth<T>>;
  static constexpr int64_t width = 2 * lanes;
  V found;

  HWY_INLINE TruthChains() { found = hn::Zero(D()); }
  static HWY_INLINE V bits(const T* p) {
    const D d;
    const auto v = hn::LoadU(d, reinterpret_cast<const Truth<T>*>(p));
    // The sign of a zero does not count.
    return is_float<T>
               ? hn::And(v, hn::Set(d, static_cast<Truth<T>>(static_cast<Truth<T>>(-1) >> 1)))
               : v;
  }
  HWY_INLINE void step(const T* p) {
    const D d;
    const auto v = bits(p);
    const auto w = bits(p + lanes);
    if constexpr (kAll) {
      const auto zeros = hn::Or(hn::Eq(v, hn::Zero(d)), hn::Eq(w, hn::Zero(d)));
      found = hn::Or(found, hn::VecFromMask(d, zeros));
    } else {
      found = hn::Or(found, hn::Or(v, w));
    }
  }
  // The first element again in the place of those that are not there.
  HWY_INLINE void tail(const T* p, int64_t n) {
    if (n == 0) {
      return;
    }
    alignas(64) T memory[width];
    for (int64_t i = 0; i < width; ++i) {
      memory[i] = p[i < n ? i : 0];
    }
    step(memory);
  }
  HWY_INLINE void merge(const TruthChains& other) { found = hn::Or(found, other.found); }
  HWY_INLINE Lane total() const {
    const D d;
    return hn::AllTrue(d, hn::Eq(found, hn::Zero(d))) ? kAll : !kAll;
  }
};

// Rows end where the truth of all is known.
template <class T, class Op>
void truth_rows(const void* const* x, int64_t count, int64_t n, void* accumulators) {
  constexpr int64_t block = 4096;
  constexpr uint8_t undecided = std::is_same_v<Op, All>;
  auto* totals = static_cast<uint8_t*>(accumulators);
  for (int64_t start = 0; start < n; start += block) {
    const void* blocks[4] = {};
    uint8_t found[4];
    for (int64_t r = 0; r < count; ++r) {
      blocks[r] = static_cast<const T*>(x[r]) + start;
    }
    reduce_rows_by<TruthChains<T, Op>>(blocks, count, n - start < block ? n - start : block, found);
    bool open = false;
    for (int64_t r = 0; r < count; ++r) {
      totals[r] = start == 0 ? found[r] : Op::apply(totals[r], found[r]);
      open |= totals[r] == undecided;
    }
    if (!open) {
      return;
    }
  }
}

// There is no vector instruction to multiply 64 bits in most tiers.
template <class T, class A>
void product_rows(const void* const* x_, int64_t count, int64_t n, void* accumulators) {
  const T* const* x = reinterpret_cast<const T* const*>(x_);
  for (int64_t r = 0; r < count; ++r) {
    A p0 = 1, p1 = 1, p2 = 1, p3 = 1;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      p0 *= static_cast<A>(x[r][i]);
      p1 *= static_cast<A>(x[r][i + 1]);
      p2 *= static_cast<A>(x[r][i + 2]);
      p3 *= static_cast<A>(x[r][i + 3]);
    }
    for (; i < n; ++i) {
      p0 *= static_cast<A>(x[r][i]);
    }
    static_cast<A*>(accumulators)[r] = p0 * p1 * (p2 * p3);
  }
}

// Sums in 64 bits. 32 bits hold those of 8 and 16 bits, because a run is at most 2^16 long.
template <class T>
void wide_sum_rows(const void* const* x, int64_t count, int64_t n, void* accumulators) {
  if constexpr (sizeof(T) >= 4) {
    reduce_rows<Integer<T, uint64_t>, integer::Sum>(x, count, n, accumulators);
  } else {
    uint32_t sums[4];
    reduce_rows<Integer<T, uint32_t>, integer::Sum>(x, count, n, sums);
    for (int64_t r = 0; r < count; ++r) {
      const int64_t sum = T(-1) < T(0) ? static_cast<int64_t>(static_cast<int32_t>(sums[r]))
                                       : static_cast<int64_t>(sums[r]);
      static_cast<int64_t*>(accumulators)[r] = sum;
    }
  }
}

// A is unsigned where sums and products may wrap.
template <class T, class A, class Op>
void columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n, void* accumulator) {
  const T* x = static_cast<const T*>(x_);
  A* __restrict__ acc = static_cast<A*>(accumulator);
  for (int64_t j = 0; j < n; ++j) {
    acc[j] = static_cast<A>(x[offsets[0] + j]);
  }
  const int64_t quarter = (rows - 1) / 4;
  for (int64_t r = 1; r <= quarter; ++r) {
    const T* __restrict__ p0 = x + offsets[r];
    const T* __restrict__ p1 = x + offsets[r + quarter];
    const T* __restrict__ p2 = x + offsets[r + 2 * quarter];
    const T* __restrict__ p3 = x + offsets[r + 3 * quarter];
    for (int64_t j = 0; j < n; ++j) {
      const A low = Op::apply(static_cast<A>(p0[j]), static_cast<A>(p1[j]));
      const A high = Op::apply(static_cast<A>(p2[j]), static_cast<A>(p3[j]));
      acc[j] = Op::apply(acc[j], Op::apply(low, high));
    }
  }
  for (int64_t r = 1 + 4 * quarter; r < rows; ++r) {
    const T* __restrict__ p = x + offsets[r];
    for (int64_t j = 0; j < n; ++j) {
      acc[j] = Op::apply(acc[j], static_cast<A>(p[j]));
    }
  }
}

// Eight rows are combined in T's width before they meet the bytes.
template <class T, class Op>
void truth_columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n,
                   void* accumulator) {
  using A = Truth<T>;
  constexpr int64_t group = 8;
  const T* x = static_cast<const T*>(x_);
  uint8_t* __restrict__ acc = static_cast<uint8_t*>(accumulator);
  for (int64_t start = 0; start < rows; start += group) {
    const int64_t end = start + group < rows ? start + group : rows;
    for (int64_t first = 0; first < n; first += kLanes) {
      const int64_t width = n - first < kLanes ? n - first : kLanes;
      A now[kLanes];
      const T* p = x + offsets[start] + first;
      for (int64_t k = 0; k < width; ++k) {
        now[k] = static_cast<A>(truth(p[k]));
      }
      for (int64_t r = start + 1; r < end; ++r) {
        p = x + offsets[r] + first;
        if (width == kLanes) {
          for (int64_t k = 0; k < kLanes; ++k) {
            now[k] = Op::apply(now[k], static_cast<A>(truth(p[k])));
          }
        } else {
          for (int64_t k = 0; k < width; ++k) {
            now[k] = Op::apply(now[k], static_cast<A>(truth(p[k])));
          }
        }
      }
      for (int64_t k = 0; k < width; ++k) {
        const auto truth = static_cast<uint8_t>(now[k]);
        acc[first + k] = start == 0 ? truth : Op::apply(acc[first + k], truth);
      }
    }
  }
}

template <class A, class Op>
void combine(void* accumulator, const void* other, int64_t n) {
  A* __restrict__ a = static_cast<A*>(accumulator);
  const A* __restrict__ b = static_cast<const A*>(other);
  for (int64_t i = 0; i < n; ++i) {
    a[i] = Op::apply(a[i], b[i]);
  }
}

template <class A>
void store(const void* accumulator, int64_t n, void* out) {
  const A* a = static_cast<const A*>(accumulator);
  for (int64_t i = 0; i < n; ++i) {
    static_cast<A*>(out)[i] = a[i];
  }
}

template <class T>
int64_t find_first(const T* x, int64_t n, T value) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Truth<T> hit = 0;
    for (int64_t k = 0; k < kLanes; ++k) {
      hit = static_cast<Truth<T>>(hit | (x[i + k] == value));
    }
    if (hit != 0) {
      break;
    }
  }
  for (; i < n; ++i) {
    if (x[i] == value) {
      return i;
    }
  }
  return 0;
}

template <class T, class Op>
void arg_rows(const void* const* x_, int64_t count, int64_t n, int64_t* found) {
  const T* const* x = reinterpret_cast<const T* const*>(x_);
  constexpr int64_t block = 2048;
  int64_t best_block[4] = {};
  T best[4] = {};
  for (int64_t start = 0; start < n; start += block) {
    const void* blocks[4] = {};
    T values[4];
    for (int64_t r = 0; r < count; ++r) {
      blocks[r] = x[r] + start;
    }
    reduce_rows<Integer<T, T>, Op>(blocks, count, n - start < block ? n - start : block, values);
    for (int64_t r = 0; r < count; ++r) {
      if (start == 0 || Op::beats(values[r], best[r])) {
        best[r] = values[r];
        best_block[r] = start;
      }
    }
  }
  for (int64_t r = 0; r < count; ++r) {
    const int64_t start = best_block[r];
    found[r] = start + find_first(x[r] + start, n - start < block ? n - start : block, best[r]);
  }
}

template <class T, class Op>
void arg_columns(const void* x_, int64_t stride, int64_t rows, int64_t n, void* best_,
                 uint32_t* index_) {
  const T* x = static_cast<const T*>(x_);
  T* __restrict__ best = static_cast<T*>(best_);
  uint32_t* __restrict__ index = index_;
  for (int64_t j = 0; j < n; ++j) {
    best[j] = x[j];
    index[j] = 0;
  }
  // Rows are first compared by fours; most do not beat what is known.
  int64_t r = 1;
  for (; r + 4 <= rows; r += 4) {
    for (int64_t first = 0; first < n; first += kLanes) {
      const int64_t width = n - first < kLanes ? n - first : kLanes;
      const T* p0 = x + r * stride + first;
      const T* p1 = p0 + stride;
      const T* p2 = p1 + stride;
      const T* p3 = p2 + stride;
      Truth<T> better = 0;
      T extreme[kLanes];
      if (width == kLanes) {
        for (int64_t k = 0; k < kLanes; ++k) {
          extreme[k] = Op::apply(Op::apply(p0[k], p1[k]), Op::apply(p2[k], p3[k]));
          better = static_cast<Truth<T>>(better | Op::beats(extreme[k], best[first + k]));
        }
        if (better == 0) {
          continue;
        }
      }
      for (int64_t i = 0; i < 4; ++i) {
        const T* p = p0 + i * stride;
        for (int64_t k = 0; k < width; ++k) {
          const bool takes = Op::beats(p[k], best[first + k]);
          best[first + k] = takes ? p[k] : best[first + k];
          index[first + k] = takes ? static_cast<uint32_t>(r + i) : index[first + k];
        }
      }
    }
  }
  for (; r < rows; ++r) {
    const T* p = x + r * stride;
    for (int64_t j = 0; j < n; ++j) {
      const bool takes = Op::beats(p[j], best[j]);
      best[j] = takes ? p[j] : best[j];
      index[j] = takes ? static_cast<uint32_t>(r) : index[j];
    }
  }
}

template <class T, class Op>
void arg_combine(void* best_, uint32_t* index, const void* other_, const uint32_t* other_index,
                 int64_t first_row, int64_t n) {
  T* best = static_cast<T*>(best_);
  const T* other = static_cast<const T*>(other_);
  for (int64_t j = 0; j < n; ++j) {
    if (Op::beats(other[j], best[j])) {
      best[j] = other[j];
      index[j] = static_cast<uint32_t>(first_row) + other_index[j];
    }
  }
}

template <class T, class Op>
constexpr ArgKernel arg_kernel() {
  return {sizeof(T), arg_rows<T, Op>, arg_columns<T, Op>, arg_combine<T, Op>};
}

template <class T, class A, class Op>
constexpr ReduceKernel kernel() {
  if constexpr (sizeof(A) == 8 && std::is_same_v<Op, integer::Prod>) {
    return {sizeof(A), product_rows<T, A>, columns<T, A, Op>, combine<A, Op>, store<A>};
  } else {
    return {sizeof(A), reduce_rows<Integer<T, A>, Op>, columns<T, A, Op>, combine<A, Op>, store<A>};
  }
}

template <class T, class Op>
constexpr ReduceKernel truth_kernel() {
  return {1, truth_rows<T, Op>, truth_columns<T, Op>, combine<uint8_t, Op>, store<uint8_t>};
}

template <class T>
constexpr void fill_truth(ReduceIntegerKernels& table, int dtype) {
  table.reduce[static_cast<int>(ReduceOp::And)][dtype] = truth_kernel<T, All>();
  table.reduce[static_cast<int>(ReduceOp::Or)][dtype] = truth_kernel<T, Any>();
}

// Total: the unsigned type as wide as the dtype of sums.
template <class T, class Total>
constexpr void fill(ReduceIntegerKernels& table, int dtype) {
  fill_truth<T>(table, dtype);
  table.reduce[static_cast<int>(ReduceOp::Sum)][dtype] = kernel<T, Total, integer::Sum>();
  table.wide_sum[dtype] = {sizeof(uint64_t), wide_sum_rows<T>, columns<T, uint64_t, integer::Sum>,
                           combine<uint64_t, integer::Sum>, store<uint64_t>};
  table.reduce[static_cast<int>(ReduceOp::Prod)][dtype] = kernel<T, Total, integer::Prod>();
  table.reduce[static_cast<int>(ReduceOp::Min)][dtype] = kernel<T, T, integer::Extreme<true>>();
  table.reduce[static_cast<int>(ReduceOp::Max)][dtype] = kernel<T, T, integer::Extreme<false>>();
  table.arg_min[dtype] = arg_kernel<T, integer::Extreme<true>>();
  table.arg_max[dtype] = arg_kernel<T, integer::Extreme<false>>();
}

constexpr ReduceIntegerKernels make_table() {
  ReduceIntegerKernels table{};
  fill<uint8_t, uint32_t>(table, 0);  // bool; the order of Dtype::Val
  fill<uint8_t, uint32_t>(table, 1);
  fill<uint16_t, uint32_t>(table, 2);
  fill<uint32_t, uint32_t>(table, 3);
  fill<uint64_t, uint64_t>(table, 4);
  fill<int8_t, uint32_t>(table, 5);
  fill<int16_t, uint32_t>(table, 6);
  fill<int32_t, uint32_t>(table, 7);
  fill<int64_t, uint64_t>(table, 8);
  fill_truth<Half>(table, 9);
  fill_truth<float>(table, 10);
  fill_truth<double>(table, 11);
  fill_truth<Half>(table, 12);
  return table;
}

}  // namespace

extern const ReduceIntegerKernels MLX_TIER_SYMBOL(reduce_integer_kernels);
constexpr ReduceIntegerKernels MLX_TIER_SYMBOL(reduce_integer_kernels) = make_table();

}  // namespace mlx::core
