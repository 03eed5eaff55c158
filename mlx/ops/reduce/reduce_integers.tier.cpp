// Reductions of bool and integer arrays, one object per tier: plain loops for
// the compiler to vectorise. Sums and products wrap in the output's dtype.
#include "mlx/ops/reduce/kernels.h"
#include "mlx/simd/simd.h"

#pragma GCC optimize("O3")

namespace mlx::core {

namespace {

struct Sum {
  template <class A>
  static A apply(A a, A b) {
    return static_cast<A>(a + b);
  }
};
struct Prod {
  template <class A>
  static A apply(A a, A b) {
    return static_cast<A>(a * b);
  }
};
struct Min {
  template <class A>
  static A apply(A a, A b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <class A>
  static A apply(A a, A b) {
    return a < b ? b : a;
  }
};
struct All {
  template <class A>
  static A apply(A a, A b) {
    return a & b;
  }
};
struct Any {
  template <class A>
  static A apply(A a, A b) {
    return a | b;
  }
};

template <bool kTruth, class A, class T>
inline A lane(T v) {
  if constexpr (kTruth) {
    return static_cast<A>(v != 0);
  } else {
    return static_cast<A>(v);
  }
}

// A is unsigned where sums and products may wrap.
template <class T, class A, class Op, bool kTruth>
void row(const void* x_, int64_t n, void* accumulator) {
  const T* x = static_cast<const T*>(x_);
  constexpr int64_t lanes = 64;
  if (n < lanes) {
    A total = lane<kTruth, A>(x[0]);
    for (int64_t i = 1; i < n; ++i) {
      total = Op::apply(total, lane<kTruth, A>(x[i]));
    }
    *static_cast<A*>(accumulator) = total;
    return;
  }
  A totals[lanes];
  for (int64_t k = 0; k < lanes; ++k) {
    totals[k] = lane<kTruth, A>(x[k]);
  }
  int64_t i = lanes;
  for (; i + lanes <= n; i += lanes) {
    for (int64_t k = 0; k < lanes; ++k) {
      totals[k] = Op::apply(totals[k], lane<kTruth, A>(x[i + k]));
    }
  }
  for (; i < n; ++i) {
    totals[0] = Op::apply(totals[0], lane<kTruth, A>(x[i]));
  }
  for (int64_t k = 1; k < lanes; ++k) {
    totals[0] = Op::apply(totals[0], totals[k]);
  }
  *static_cast<A*>(accumulator) = totals[0];
}

template <class T, class A, class Op, bool kTruth>
void columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n, void* accumulator) {
  const T* x = static_cast<const T*>(x_);
  A* __restrict__ acc = static_cast<A*>(accumulator);
  for (int64_t j = 0; j < n; ++j) {
    acc[j] = lane<kTruth, A>(x[offsets[0] + j]);
  }
  for (int64_t r = 1; r < rows; ++r) {
    const T* __restrict__ p = x + offsets[r];
    for (int64_t j = 0; j < n; ++j) {
      acc[j] = Op::apply(acc[j], lane<kTruth, A>(p[j]));
    }
  }
}

template <class A, class Op>
void combine(void* accumulator, const void* other, int64_t n) {
  A* a = static_cast<A*>(accumulator);
  const A* b = static_cast<const A*>(other);
  for (int64_t i = 0; i < n; ++i) {
    a[i] = Op::apply(a[i], b[i]);
  }
}

template <class A>
void store(const void* accumulator, int64_t n, void* out, int64_t stride) {
  const A* a = static_cast<const A*>(accumulator);
  for (int64_t i = 0; i < n; ++i) {
    static_cast<A*>(out)[i * stride] = a[i];
  }
}

template <class T, bool kMin>
int64_t arg_row(const void* x_, int64_t n) {
  const T* x = static_cast<const T*>(x_);
  constexpr int64_t block = 4096;
  int64_t best_block = 0;
  T best = x[0];
  for (int64_t start = 0; start < n; start += block) {
    T value;
    const int64_t length = n - start < block ? n - start : block;
    if constexpr (kMin) {
      row<T, T, Min, false>(x + start, length, &value);
    } else {
      row<T, T, Max, false>(x + start, length, &value);
    }
    if (kMin ? value < best : best < value) {
      best = value;
      best_block = start;
    }
  }
  for (int64_t i = best_block; i < n; ++i) {
    if (x[i] == best) {
      return i;
    }
  }
  return 0;
}

template <class T, bool kMin>
void arg_columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n, uint32_t* out) {
  const T* x = static_cast<const T*>(x_);
  constexpr int64_t tile = 64;
  for (int64_t j = 0; j < n; j += tile) {
    const int64_t count = n - j < tile ? n - j : tile;
    T best[tile];
    uint32_t index[tile];
    for (int64_t k = 0; k < count; ++k) {
      best[k] = x[offsets[0] + j + k];
      index[k] = 0;
    }
    for (int64_t r = 1; r < rows; ++r) {
      const T* p = x + offsets[r] + j;
      for (int64_t k = 0; k < count; ++k) {
        const bool takes = kMin ? p[k] < best[k] : best[k] < p[k];
        best[k] = takes ? p[k] : best[k];
        index[k] = takes ? static_cast<uint32_t>(r) : index[k];
      }
    }
    for (int64_t k = 0; k < count; ++k) {
      out[j + k] = index[k];
    }
  }
}

template <class T, class A, class Op, bool kTruth = false>
constexpr ReduceKernel kernel() {
  return {sizeof(A), row<T, A, Op, kTruth>, columns<T, A, Op, kTruth>, combine<A, Op>, store<A>};
}

// Total: the unsigned type as wide as the dtype of sums.
template <class T, class Total>
constexpr void fill(ReduceIntegerKernels& table, int dtype) {
  table.reduce[static_cast<int>(ReduceOp::And)][dtype] = kernel<T, uint8_t, All, true>();
  table.reduce[static_cast<int>(ReduceOp::Or)][dtype] = kernel<T, uint8_t, Any, true>();
  table.reduce[static_cast<int>(ReduceOp::Sum)][dtype] = kernel<T, Total, Sum>();
  table.reduce[static_cast<int>(ReduceOp::Prod)][dtype] = kernel<T, Total, Prod>();
  table.reduce[static_cast<int>(ReduceOp::Min)][dtype] = kernel<T, T, Min>();
  table.reduce[static_cast<int>(ReduceOp::Max)][dtype] = kernel<T, T, Max>();
  table.arg_min[dtype] = {arg_row<T, true>, arg_columns<T, true>};
  table.arg_max[dtype] = {arg_row<T, false>, arg_columns<T, false>};
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
  return table;
}

}  // namespace

extern const ReduceIntegerKernels MLX_TIER_SYMBOL(reduce_integer_kernels);
constexpr ReduceIntegerKernels MLX_TIER_SYMBOL(reduce_integer_kernels) = make_table();

}  // namespace mlx::core
