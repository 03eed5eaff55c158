// Reductions of floating point arrays, one object per tier. 16-bit floats
// accumulate in float32.
#include "mlx/ops/reduce/kernels.h"
#include "mlx/simd/simd.h"

namespace mlx::core {

namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = MLX_SIMD_NAMESPACE;

// How a dtype sits in memory and in lanes.
struct F32 {
  using Memory = float;
  using Lane = float;
  using D = simd::Full<float>;
  static HWY_INLINE simd::Vec<float> load(D d, const float* p) { return hn::LoadU(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<float> v, float* p) { hn::StoreU(v, d, p); }
};
struct F64 {
  using Memory = double;
  using Lane = double;
  using D = simd::Full<double>;
  static HWY_INLINE simd::Vec<double> load(D d, const double* p) { return hn::LoadU(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<double> v, double* p) { hn::StoreU(v, d, p); }
};
struct F16 {
  using Memory = uint16_t;
  using Lane = float;
  using D = simd::Full<float>;
  static HWY_INLINE simd::Vec<float> load(D d, const uint16_t* p) { return simd::load_f16(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<float> v, uint16_t* p) { simd::store_f16(d, v, p); }
};
struct BF16 {
  using Memory = uint16_t;
  using Lane = float;
  using D = simd::Full<float>;
  static HWY_INLINE simd::Vec<float> load(D d, const uint16_t* p) { return simd::load_bf16(d, p); }
  static HWY_INLINE void store(D d, simd::Vec<float> v, uint16_t* p) { simd::store_bf16(d, v, p); }
};

template <class T>
using LaneVec = simd::Vec<typename T::Lane>;

// Operations on lanes; `identity` fills incomplete vectors.
struct Sum {
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Add(a, b);
  }
  static constexpr double identity = 0;
};
struct Prod {
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::Mul(a, b);
  }
  static constexpr double identity = 1;
};
// NaN in either operand gives NaN: the second operand is chosen when it is NaN,
// and a comparison with a NaN first operand keeps that one.
struct Min {
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), hn::IfThenElse(hn::IsNaN(a), a, b), a);
  }
  static constexpr double identity = __builtin_inf();
};
struct Max {
  template <class D, class V>
  static HWY_INLINE V apply(D, V a, V b) {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), hn::IfThenElse(hn::IsNaN(a), a, b), a);
  }
  static constexpr double identity = -__builtin_inf();
};

// A vector of n < lanes elements, the rest filled.
template <class T>
HWY_INLINE LaneVec<T> load_part(typename T::D d, const typename T::Memory* p, int64_t n,
                                double fill) {
  constexpr size_t lanes = simd::lanes<typename T::Lane>;
  alignas(64) typename T::Memory memory[lanes] = {};
  for (int64_t i = 0; i < n; ++i) {
    memory[i] = p[i];
  }
  alignas(64) typename T::Lane values[lanes];
  hn::StoreU(T::load(d, memory), d, values);
  for (size_t i = static_cast<size_t>(n); i < lanes; ++i) {
    values[i] = static_cast<typename T::Lane>(fill);
  }
  return hn::LoadU(d, values);
}

// Lanes combined pairwise, in a fixed order.
template <class T, class Op>
HWY_INLINE typename T::Lane combine_lanes(typename T::D d, LaneVec<T> v) {
  using Lane = typename T::Lane;
  constexpr size_t lanes = simd::lanes<Lane>;
  alignas(64) Lane values[lanes];
  hn::StoreU(v, d, values);
  const hn::CappedTag<Lane, 1> d1;
  for (size_t width = lanes / 2; width > 0; width /= 2) {
    for (size_t i = 0; i < width; ++i) {
      values[i] = hn::GetLane(
          Op::apply(d1, hn::Set(d1, values[i]), hn::Set(d1, values[i + width])));
    }
  }
  return values[0];
}

template <class T, class Op>
void reduce_row(const void* x_, int64_t n, void* accumulator) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<Lane>;
  const auto* x = static_cast<const typename T::Memory*>(x_);
  const auto identity = hn::Set(d, static_cast<Lane>(Op::identity));
  auto a0 = identity, a1 = identity, a2 = identity, a3 = identity;
  auto a4 = identity, a5 = identity, a6 = identity, a7 = identity;
  int64_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) {
    a0 = Op::apply(d, a0, T::load(d, x + i));
    a1 = Op::apply(d, a1, T::load(d, x + i + lanes));
    a2 = Op::apply(d, a2, T::load(d, x + i + 2 * lanes));
    a3 = Op::apply(d, a3, T::load(d, x + i + 3 * lanes));
    a4 = Op::apply(d, a4, T::load(d, x + i + 4 * lanes));
    a5 = Op::apply(d, a5, T::load(d, x + i + 5 * lanes));
    a6 = Op::apply(d, a6, T::load(d, x + i + 6 * lanes));
    a7 = Op::apply(d, a7, T::load(d, x + i + 7 * lanes));
  }
  for (; i + lanes <= n; i += lanes) {
    a0 = Op::apply(d, a0, T::load(d, x + i));
  }
  if (i < n) {
    a1 = Op::apply(d, a1, load_part<T>(d, x + i, n - i, Op::identity));
  }
  a0 = Op::apply(d, Op::apply(d, a0, a4), Op::apply(d, a2, a6));
  a1 = Op::apply(d, Op::apply(d, a1, a5), Op::apply(d, a3, a7));
  *static_cast<Lane*>(accumulator) = combine_lanes<T, Op>(d, Op::apply(d, a0, a1));
}

// Columns: vectors down the rows, four rows at a time to spare the accumulators.
template <class T, class Op, class F>
HWY_INLINE void for_columns(const typename T::Memory* x, const int64_t* offsets, int64_t rows,
                            int64_t n, typename T::Lane* acc, F&& value) {
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<typename T::Lane>;
  int64_t r = 0;
  auto one_row = [&](int64_t row, bool first) {
    const typename T::Memory* p = x + offsets[row];
    int64_t j = 0;
    for (; j + lanes <= n; j += lanes) {
      const auto v = value(d, T::load(d, p + j), j);
      hn::StoreU(first ? v : Op::apply(d, hn::LoadU(d, acc + j), v), d, acc + j);
    }
    if (j < n) {
      alignas(64) typename T::Lane last[lanes];
      const auto v = value(d, load_part<T>(d, p + j, n - j, Op::identity), j);
      hn::StoreU(v, d, last);
      const hn::CappedTag<typename T::Lane, 1> d1;
      for (int64_t k = 0; j + k < n; ++k) {
        acc[j + k] = first ? last[k]
                           : hn::GetLane(Op::apply(d1, hn::Set(d1, acc[j + k]),
                                                   hn::Set(d1, last[k])));
      }
    }
  };
  one_row(r++, true);
  for (; r + 4 <= rows; r += 4) {
    const typename T::Memory* p0 = x + offsets[r];
    const typename T::Memory* p1 = x + offsets[r + 1];
    const typename T::Memory* p2 = x + offsets[r + 2];
    const typename T::Memory* p3 = x + offsets[r + 3];
    int64_t j = 0;
    for (; j + lanes <= n; j += lanes) {
      const auto v01 = Op::apply(d, value(d, T::load(d, p0 + j), j), value(d, T::load(d, p1 + j), j));
      const auto v23 = Op::apply(d, value(d, T::load(d, p2 + j), j), value(d, T::load(d, p3 + j), j));
      hn::StoreU(Op::apply(d, hn::LoadU(d, acc + j), Op::apply(d, v01, v23)), d, acc + j);
    }
    if (j < n) {
      alignas(64) typename T::Lane last[lanes];
      const int64_t rest = n - j;
      const auto v01 = Op::apply(d, value(d, load_part<T>(d, p0 + j, rest, Op::identity), j),
                                 value(d, load_part<T>(d, p1 + j, rest, Op::identity), j));
      const auto v23 = Op::apply(d, value(d, load_part<T>(d, p2 + j, rest, Op::identity), j),
                                 value(d, load_part<T>(d, p3 + j, rest, Op::identity), j));
      hn::StoreU(Op::apply(d, v01, v23), d, last);
      const hn::CappedTag<typename T::Lane, 1> d1;
      for (int64_t k = 0; k < rest; ++k) {
        acc[j + k] =
            hn::GetLane(Op::apply(d1, hn::Set(d1, acc[j + k]), hn::Set(d1, last[k])));
      }
    }
  }
  for (; r < rows; ++r) {
    one_row(r, false);
  }
}

template <class T, class Op>
void reduce_columns(const void* x, const int64_t* offsets, int64_t rows, int64_t n, void* acc) {
  for_columns<T, Op>(static_cast<const typename T::Memory*>(x), offsets, rows, n,
                     static_cast<typename T::Lane*>(acc),
                     [](auto, auto v, int64_t) HWY_ATTR { return v; });
}

template <class T, class Op>
void combine(void* accumulator, const void* other, int64_t n) {
  auto* a = static_cast<typename T::Lane*>(accumulator);
  const auto* b = static_cast<const typename T::Lane*>(other);
  const hn::CappedTag<typename T::Lane, 1> d1;
  for (int64_t i = 0; i < n; ++i) {
    a[i] = hn::GetLane(Op::apply(d1, hn::Set(d1, a[i]), hn::Set(d1, b[i])));
  }
}

template <class T>
void store(const void* accumulator, int64_t n, void* out, int64_t stride) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<Lane>;
  const auto* a = static_cast<const Lane*>(accumulator);
  auto* to = static_cast<typename T::Memory*>(out);
  for (int64_t i = 0; i < n; i += lanes) {
    const int64_t count = n - i < lanes ? n - i : lanes;
    alignas(64) Lane values[lanes] = {};
    alignas(64) typename T::Memory memory[lanes];
    for (int64_t k = 0; k < count; ++k) {
      values[k] = a[i + k];
    }
    T::store(d, hn::LoadU(d, values), memory);
    for (int64_t k = 0; k < count; ++k) {
      to[(i + k) * stride] = memory[k];
    }
  }
}

// Truth of elements

template <class T, bool kAll>
HWY_INLINE bool truth_of_run(const typename T::Memory* x, int64_t n) {
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<typename T::Lane>;
  const auto zero = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = T::load(d, x + i);
    if (kAll ? !hn::AllFalse(d, hn::Eq(v, zero)) : !hn::AllTrue(d, hn::Eq(v, zero))) {
      return !kAll;
    }
  }
  if (i < n) {
    const auto v = load_part<T>(d, x + i, n - i, kAll ? 1.0 : 0.0);
    if (kAll ? !hn::AllFalse(d, hn::Eq(v, zero)) : !hn::AllTrue(d, hn::Eq(v, zero))) {
      return !kAll;
    }
  }
  return kAll;
}

template <class T, bool kAll>
void truth_row(const void* x, int64_t n, void* accumulator) {
  *static_cast<uint8_t*>(accumulator) =
      truth_of_run<T, kAll>(static_cast<const typename T::Memory*>(x), n);
}

template <class T, bool kAll>
void truth_columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n,
                   void* accumulator) {
  const auto* x = static_cast<const typename T::Memory*>(x_);
  auto* acc = static_cast<uint8_t*>(accumulator);
  for (int64_t j = 0; j < n; ++j) {
    acc[j] = kAll;
  }
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < n; ++j) {
      const bool truth = truth_of_run<T, true>(x + offsets[r] + j, 1);
      acc[j] = kAll ? acc[j] & truth : acc[j] | truth;
    }
  }
}

template <bool kAll>
void truth_combine(void* accumulator, const void* other, int64_t n) {
  auto* a = static_cast<uint8_t*>(accumulator);
  const auto* b = static_cast<const uint8_t*>(other);
  for (int64_t i = 0; i < n; ++i) {
    a[i] = kAll ? a[i] & b[i] : a[i] | b[i];
  }
}

void truth_store(const void* accumulator, int64_t n, void* out, int64_t stride) {
  const auto* a = static_cast<const uint8_t*>(accumulator);
  for (int64_t i = 0; i < n; ++i) {
    static_cast<uint8_t*>(out)[i * stride] = a[i];
  }
}

// Squared distances from the mean

template <class T>
void deviation_row(const void* x_, int64_t n, const void* mean_, void* accumulator) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<Lane>;
  const auto* x = static_cast<const typename T::Memory*>(x_);
  const auto mean = hn::Set(d, *static_cast<const Lane*>(mean_));
  auto a0 = hn::Zero(d), a1 = hn::Zero(d), a2 = hn::Zero(d), a3 = hn::Zero(d);
  auto square = [&](auto v) HWY_ATTR {
    const auto distance = hn::Sub(v, mean);
    return hn::Mul(distance, distance);
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a0 = hn::Add(a0, square(T::load(d, x + i)));
    a1 = hn::Add(a1, square(T::load(d, x + i + lanes)));
    a2 = hn::Add(a2, square(T::load(d, x + i + 2 * lanes)));
    a3 = hn::Add(a3, square(T::load(d, x + i + 3 * lanes)));
  }
  for (; i + lanes <= n; i += lanes) {
    a0 = hn::Add(a0, square(T::load(d, x + i)));
  }
  if (i < n) {
    const auto fill = static_cast<double>(*static_cast<const Lane*>(mean_));
    // The filling adds zeros, unless the mean is not finite, when all is lost anyway.
    a1 = hn::Add(a1, square(load_part<T>(d, x + i, n - i, fill)));
  }
  a0 = hn::Add(hn::Add(a0, a2), hn::Add(a1, a3));
  *static_cast<Lane*>(accumulator) = combine_lanes<T, Sum>(d, a0);
}

template <class T>
void deviation_columns(const void* x, const int64_t* offsets, int64_t rows, int64_t n,
                       const void* means_, void* acc) {
  using Lane = typename T::Lane;
  const auto* means = static_cast<const Lane*>(means_);
  constexpr int64_t lanes = simd::lanes<Lane>;
  for_columns<T, Sum>(static_cast<const typename T::Memory*>(x), offsets, rows, n,
                      static_cast<Lane*>(acc), [=](auto d, auto v, int64_t j) HWY_ATTR {
                        const auto mean = j + lanes <= n
                                              ? hn::LoadU(d, means + j)
                                              : [&]() HWY_ATTR {
                                                  alignas(64) Lane part[lanes] = {};
                                                  for (int64_t k = 0; j + k < n; ++k) {
                                                    part[k] = means[j + k];
                                                  }
                                                  return hn::LoadU(d, part);
                                                }();
                        const auto distance = hn::Sub(v, mean);
                        return hn::Mul(distance, distance);
                      });
}

// Positions of extremes

template <class T>
HWY_INLINE typename T::Lane element(const typename T::Memory* p) {
  const typename T::D d;
  return hn::GetLane(load_part<T>(d, p, 1, 0.0));
}

// The first element of a run that equals `value`, or that is NaN if it is.
template <class T>
int64_t find_first(const typename T::Memory* x, int64_t n, typename T::Lane value) {
  const typename T::D d;
  constexpr int64_t lanes = simd::lanes<typename T::Lane>;
  const auto wanted = hn::Set(d, value);
  const bool nan = value != value;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = T::load(d, x + i);
    const intptr_t at = hn::FindFirstTrue(d, nan ? hn::IsNaN(v) : hn::Eq(v, wanted));
    if (at >= 0) {
      return i + at;
    }
  }
  for (; i < n; ++i) {
    const auto v = element<T>(x + i);
    if (nan ? v != v : v == value) {
      return i;
    }
  }
  return 0;
}

template <class T, class Op>
int64_t arg_row(const void* x_, int64_t n) {
  using Lane = typename T::Lane;
  constexpr int64_t block = 4096;
  const auto* x = static_cast<const typename T::Memory*>(x_);
  int64_t best_block = 0;
  Lane best{};
  for (int64_t start = 0; start < n; start += block) {
    Lane value;
    reduce_row<T, Op>(x + start, n - start < block ? n - start : block, &value);
    const bool better = start == 0 || value != value ||
                        (Op::identity > 0 ? value < best : best < value);
    if (better) {
      best = value;
      best_block = start;
      if (value != value) {
        break;
      }
    }
  }
  const int64_t length = n - best_block < block ? n - best_block : block;
  return best_block + find_first<T>(x + best_block, length, best);
}

template <class T, class Op>
void arg_columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n, uint32_t* out) {
  using Lane = typename T::Lane;
  const typename T::D d;
  const hn::RebindToUnsigned<typename T::D> du;
  using Index = hn::TFromD<decltype(du)>;
  constexpr int64_t lanes = simd::lanes<Lane>;
  const auto* x = static_cast<const typename T::Memory*>(x_);
  for (int64_t j = 0; j < n; j += lanes) {
    const int64_t count = n - j < lanes ? n - j : lanes;
    auto load = [&](int64_t r) HWY_ATTR {
      const typename T::Memory* p = x + offsets[r] + j;
      return count == lanes ? T::load(d, p) : load_part<T>(d, p, count, 0.0);
    };
    auto best = load(0);
    auto index = hn::Zero(du);
    for (int64_t r = 1; r < rows; ++r) {
      const auto v = load(r);
      const auto beats = Op::identity > 0 ? hn::Lt(v, best) : hn::Lt(best, v);
      const auto takes = hn::AndNot(hn::IsNaN(best), hn::Or(beats, hn::IsNaN(v)));
      best = hn::IfThenElse(takes, v, best);
      index = hn::IfThenElse(hn::RebindMask(du, takes), hn::Set(du, static_cast<Index>(r)), index);
    }
    alignas(64) Index indices[lanes];
    hn::StoreU(index, du, indices);
    for (int64_t k = 0; k < count; ++k) {
      out[j + k] = static_cast<uint32_t>(indices[k]);
    }
  }
}

template <class T, class Op>
constexpr ReduceKernel arithmetic() {
  return {sizeof(typename T::Lane), reduce_row<T, Op>, reduce_columns<T, Op>, combine<T, Op>,
          store<T>};
}
template <class T, bool kAll>
constexpr ReduceKernel truth() {
  return {1, truth_row<T, kAll>, truth_columns<T, kAll>, truth_combine<kAll>, truth_store};
}

template <class T>
constexpr void fill(ReduceFloatKernels& table, int dtype) {
  table.reduce[static_cast<int>(ReduceOp::And)][dtype] = truth<T, true>();
  table.reduce[static_cast<int>(ReduceOp::Or)][dtype] = truth<T, false>();
  table.reduce[static_cast<int>(ReduceOp::Sum)][dtype] = arithmetic<T, Sum>();
  table.reduce[static_cast<int>(ReduceOp::Prod)][dtype] = arithmetic<T, Prod>();
  table.reduce[static_cast<int>(ReduceOp::Min)][dtype] = arithmetic<T, Min>();
  table.reduce[static_cast<int>(ReduceOp::Max)][dtype] = arithmetic<T, Max>();
  table.deviation[dtype] = {deviation_row<T>, deviation_columns<T>};
  table.arg_min[dtype] = {arg_row<T, Min>, arg_columns<T, Min>};
  table.arg_max[dtype] = {arg_row<T, Max>, arg_columns<T, Max>};
}

constexpr ReduceFloatKernels make_table() {
  ReduceFloatKernels table{};
  fill<F16>(table, 9);  // the order of Dtype::Val
  fill<F32>(table, 10);
  fill<F64>(table, 11);
  fill<BF16>(table, 12);
  return table;
}

}  // namespace

extern const ReduceFloatKernels MLX_TIER_SYMBOL(reduce_float_kernels);
constexpr ReduceFloatKernels MLX_TIER_SYMBOL(reduce_float_kernels) = make_table();

}  // namespace mlx::core
