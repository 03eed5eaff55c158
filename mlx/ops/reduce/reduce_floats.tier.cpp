// Reductions of floating point arrays, one object per tier. 16-bit floats
// accumulate in float32. Truth of elements is in reduce_integers.tier.cpp.
#include "mlx/ops/reduce/rows.h"

namespace mlx::core {

namespace {

template <class T, class Op>
void combine(void* accumulator, const void* other, int64_t n) {
  using Lane = typename T::Lane;
  const typename T::D d;
  auto* a = static_cast<Lane*>(accumulator);
  const auto* b = static_cast<const Lane*>(other);
  int64_t i = 0;
  for (; i + lanes_of<T> <= n; i += lanes_of<T>) {
    hn::StoreU(Op::apply(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, a + i);
  }
  const hn::CappedTag<Lane, 1> d1;
  for (; i < n; ++i) {
    a[i] = hn::GetLane(Op::apply(d1, hn::Set(d1, a[i]), hn::Set(d1, b[i])));
  }
}

// Vectors down the columns, four distant rows at a time: few accesses to the
// accumulators, and four streams.
template <class T, class Op>
void reduce_columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n, void* acc_) {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  const auto* x = static_cast<const Memory*>(x_);
  auto* acc = static_cast<Lane*>(acc_);
  const int64_t whole = n / lanes * lanes;
  const int64_t rest = n - whole;
  alignas(64) Lane last[lanes];  // accumulators of the incomplete vector
  const int64_t quarter = rows / 4;
  auto load = [=](const Memory* p, int64_t j) HWY_ATTR {
    return j < whole ? T::load(d, p + j)
                     : load_part<T>(d, p + j, rest, Op::template identity<Lane>);
  };
  // Once per vector: its accumulators, the columns' whole or the last.
  auto for_vectors = [&](auto&& body) HWY_ATTR {
    for (int64_t j = 0; j < whole; j += lanes) {
      body(j, acc + j);
    }
    if (rest != 0) {
      body(whole, last);
    }
  };
  auto one_row = [&](int64_t r) HWY_ATTR {
    const Memory* p = x + offsets[r];
    for_vectors([&](int64_t j, Lane* a) HWY_ATTR {
      hn::StoreU(r == 0 ? load(p, j) : Op::apply(d, hn::LoadU(d, a), load(p, j)), d, a);
    });
  };
  if (quarter == 0) {
    one_row(0);
  }
  for (int64_t r = 0; r < quarter; ++r) {
    const Memory* p0 = x + offsets[r];
    const Memory* p1 = x + offsets[r + quarter];
    const Memory* p2 = x + offsets[r + 2 * quarter];
    const Memory* p3 = x + offsets[r + 3 * quarter];
    if (r == 0) {
      for_vectors([&](int64_t j, Lane* a) HWY_ATTR {
        hn::StoreU(Op::apply(d, Op::apply(d, load(p0, j), load(p1, j)),
                             Op::apply(d, load(p2, j), load(p3, j))),
                   d, a);
      });
      continue;
    }
    for_vectors([&](int64_t j, Lane* a) HWY_ATTR {
      hn::StoreU(Op::apply4(d, hn::LoadU(d, a), load(p0, j), load(p1, j), load(p2, j), load(p3, j)),
                 d, a);
    });
  }
  for (int64_t r = quarter == 0 ? 1 : 4 * quarter; r < rows; ++r) {
    one_row(r);
  }
  for (int64_t k = 0; k < rest; ++k) {
    acc[whole + k] = last[k];
  }
}

template <class T>
void store(const void* accumulator, int64_t n, void* out) {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  const auto* a = static_cast<const Lane*>(accumulator);
  auto* to = static_cast<Memory*>(out);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    T::store(d, hn::LoadU(d, a + i), to + i);
  }
  if (i < n) {
    alignas(64) Lane values[lanes] = {};
    alignas(64) Memory memory[lanes];
    for (int64_t k = 0; i + k < n; ++k) {
      values[k] = a[i + k];
    }
    T::store(d, hn::LoadU(d, values), memory);
    for (int64_t k = 0; i + k < n; ++k) {
      to[i + k] = memory[k];
    }
  }
}

template <class T, class Op>
constexpr ReduceKernel arithmetic() {
  return {sizeof(typename T::Lane), reduce_rows<T, Op>, reduce_columns<T, Op>, combine<T, Op>,
          store<T>};
}

template <class T>
constexpr void fill(ReduceFloatKernels& table, int dtype) {
  table.reduce[static_cast<int>(ReduceOp::Sum)][dtype] = arithmetic<T, Sum>();
  table.reduce[static_cast<int>(ReduceOp::Prod)][dtype] = arithmetic<T, Prod>();
  table.reduce[static_cast<int>(ReduceOp::Min)][dtype] = arithmetic<T, Min>();
  table.reduce[static_cast<int>(ReduceOp::Max)][dtype] = arithmetic<T, Max>();
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
