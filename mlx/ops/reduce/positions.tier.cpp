// Positions of extremes in floating point arrays, one object per tier. Integers
// are in reduce_integers.tier.cpp.
#include "mlx/ops/reduce/rows.h"

namespace mlx::core {

namespace {

// The first element of a run that equals `value`, or that is NaN if it is.
template <class T>
int64_t find_first(const typename T::Memory* x, int64_t n, typename T::Lane value) {
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  const auto wanted = hn::Set(d, value);
  const bool nan = value != value;
  auto hits = [&](const typename T::Memory* p) HWY_ATTR {
    const auto v = T::load(d, p);
    return nan ? hn::IsNaN(v) : hn::Eq(v, wanted);
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto low = hn::Or(hits(x + i), hits(x + i + lanes));
    const auto high = hn::Or(hits(x + i + 2 * lanes), hits(x + i + 3 * lanes));
    if (!hn::AllFalse(d, hn::Or(low, high))) {
      break;
    }
  }
  for (; i + lanes <= n; i += lanes) {
    const intptr_t at = hn::FindFirstTrue(d, hits(x + i));
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

// The extreme of each block, then a search of the block that holds the first.
template <class T, class Op>
void arg_rows(const void* const* rows, int64_t count, int64_t n, int64_t* found) {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  constexpr int64_t block = 2048;
  const auto* const* x = reinterpret_cast<const Memory* const*>(rows);
  int64_t best_block[4] = {};
  Lane best[4];
  for (int64_t start = 0; start < n; start += block) {
    const void* blocks[4] = {};
    Lane values[4];
    for (int64_t r = 0; r < count; ++r) {
      blocks[r] = x[r] + start;
    }
    reduce_rows<T, Op>(blocks, count, n - start < block ? n - start : block, values);
    for (int64_t r = 0; r < count; ++r) {
      const Lane value = values[r];
      const bool decided = best[r] != best[r];
      if (start == 0 || (!decided && (value != value || Op::beats_scalar(value, best[r])))) {
        best[r] = value;
        best_block[r] = start;
      }
    }
  }
  for (int64_t r = 0; r < count; ++r) {
    const int64_t start = best_block[r];
    const int64_t length = n - start < block ? n - start : block;
    found[r] = start + find_first<T>(x[r] + start, length, best[r]);
  }
}

template <class T, class Op>
void arg_columns(const void* x_, int64_t stride, int64_t rows, int64_t n, void* best_,
                 uint32_t* index) {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  const auto* x = static_cast<const Memory*>(x_);
  auto* best = static_cast<Lane*>(best_);
  const int64_t whole = n / lanes * lanes;
  auto take = [&](int64_t r, int64_t j) {
    const Lane v = element<T>(x + r * stride + j);
    if (best[j] == best[j] && (v != v || Op::beats_scalar(v, best[j]))) {
      best[j] = v;
      index[j] = static_cast<uint32_t>(r);
    }
  };
  for (int64_t j = 0; j < n; ++j) {
    index[j] = 0;
  }
  for (int64_t j = 0; j < whole; j += lanes) {
    hn::StoreU(T::load(d, x + j), d, best + j);
  }
  for (int64_t j = whole; j < n; ++j) {
    best[j] = element<T>(x + j);
  }
  int64_t r = 1;
  for (; r + 4 <= rows; r += 4) {
    const Memory* p0 = x + r * stride;
    const Memory* p1 = p0 + stride;
    const Memory* p2 = p1 + stride;
    const Memory* p3 = p2 + stride;
    for (int64_t j = 0; j < whole; j += lanes) {
      const auto v0 = T::load(d, p0 + j);
      const auto v1 = T::load(d, p1 + j);
      const auto v2 = T::load(d, p2 + j);
      const auto v3 = T::load(d, p3 + j);
      const auto extreme = Op::pick(Op::pick(v0, v1), Op::pick(v2, v3));
      const auto before = hn::LoadU(d, best + j);
      const auto better = Op::beats(extreme, before);
      const auto nan =
          hn::Or(hn::Or(hn::IsNaN(v0), hn::IsNaN(v1)), hn::Or(hn::IsNaN(v2), hn::IsNaN(v3)));
      if (HWY_LIKELY(hn::AllFalse(d, hn::Or(better, nan)))) {
        continue;
      }
      if (HWY_UNLIKELY(!hn::AllFalse(d, nan))) {
        for (int64_t i = 0; i < 4; ++i) {
          for (int64_t k = 0; k < lanes; ++k) {
            take(r + i, j + k);
          }
        }
        continue;
      }
      hn::StoreU(hn::IfThenElse(better, extreme, before), d, best + j);
      const auto first = hn::IfThenElse(
          hn::Eq(v0, extreme), hn::Zero(d),
          hn::IfThenElse(
              hn::Eq(v1, extreme), hn::Set(d, Lane(1)),
              hn::IfThenElse(hn::Eq(v2, extreme), hn::Set(d, Lane(2)), hn::Set(d, Lane(3)))));
      alignas(64) Lane which[lanes];
      hn::StoreU(hn::IfThenElse(better, first, hn::Set(d, Lane(-1))), d, which);
      for (int64_t k = 0; k < lanes; ++k) {
        const auto w = static_cast<int32_t>(which[k]);
        index[j + k] = w < 0 ? index[j + k] : static_cast<uint32_t>(r + w);
      }
    }
    for (int64_t j = whole; j < n; ++j) {
      for (int64_t i = 0; i < 4; ++i) {
        take(r + i, j);
      }
    }
  }
  for (; r < rows; ++r) {
    for (int64_t j = 0; j < n; ++j) {
      take(r, j);
    }
  }
}

template <class T, class Op>
void arg_combine(void* best_, uint32_t* index, const void* other_, const uint32_t* other_index,
                 int64_t first_row, int64_t n) {
  using Lane = typename T::Lane;
  auto* best = static_cast<Lane*>(best_);
  const auto* other = static_cast<const Lane*>(other_);
  for (int64_t j = 0; j < n; ++j) {
    const Lane v = other[j];
    if (best[j] == best[j] && (v != v || Op::beats_scalar(v, best[j]))) {
      best[j] = v;
      index[j] = static_cast<uint32_t>(first_row) + other_index[j];
    }
  }
}

template <class T, class Op>
constexpr ArgKernel kernel() {
  return {sizeof(typename T::Lane), arg_rows<T, Op>, arg_columns<T, Op>, arg_combine<T, Op>};
}

template <class T>
constexpr void fill(PositionKernels& table, int dtype) {
  table.arg_min[dtype] = kernel<T, Min>();
  table.arg_max[dtype] = kernel<T, Max>();
}

constexpr PositionKernels make_table() {
  PositionKernels table{};
  fill<F16>(table, 9);  // the order of Dtype::Val
  fill<F32>(table, 10);
  fill<F64>(table, 11);
  fill<BF16>(table, 12);
  return table;
}

}  // namespace

extern const PositionKernels MLX_TIER_SYMBOL(position_kernels);
constexpr PositionKernels MLX_TIER_SYMBOL(position_kernels) = make_table();

}  // namespace mlx::core
