// Means and sums of squared deviations in one pass over memory, one object per
// tier. Groups small enough to stay in cache, or in registers, are read twice;
// groups are joined by the formula of Chan, Golub and LeVeque (1979).
#include "mlx/ops/reduce/rows.h"

namespace mlx::core {

namespace {

// Squares about a centre near the mean, and what is left of the mean: the rounding
// of the centre costs no accuracy.
template <class T>
HWY_INLINE Moments moments_about(const typename T::Memory* x, int64_t n, typename T::Lane centre) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  const auto c = hn::Set(d, centre);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  auto q0 = s0, q1 = s0, q2 = s0, q3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto d0 = hn::Sub(T::load(d, x + i), c);
    const auto d1 = hn::Sub(T::load(d, x + i + lanes), c);
    const auto d2 = hn::Sub(T::load(d, x + i + 2 * lanes), c);
    const auto d3 = hn::Sub(T::load(d, x + i + 3 * lanes), c);
    s0 = hn::Add(s0, d0);
    s1 = hn::Add(s1, d1);
    s2 = hn::Add(s2, d2);
    s3 = hn::Add(s3, d3);
    q0 = hn::MulAdd(d0, d0, q0);
    q1 = hn::MulAdd(d1, d1, q1);
    q2 = hn::MulAdd(d2, d2, q2);
    q3 = hn::MulAdd(d3, d3, q3);
  }
  for (; i < n; i += lanes) {
    const int64_t count = n - i < lanes ? n - i : lanes;
    // The filling adds zeros, unless the centre is not finite, when all is lost anyway.
    const auto v = count == lanes ? T::load(d, x + i) : load_part<T>(d, x + i, count, centre);
    const auto d0 = hn::Sub(v, c);
    s0 = hn::Add(s0, d0);
    q0 = hn::MulAdd(d0, d0, q0);
  }
  const Lane s = fold_with<Sum>(d, hn::Add(hn::Add(s0, s2), hn::Add(s1, s3)));
  const Lane q = fold_with<Sum>(d, hn::Add(hn::Add(q0, q2), hn::Add(q1, q3)));
  const auto rest = static_cast<double>(s) / static_cast<double>(n);
  const double squares = static_cast<double>(q) - rest * static_cast<double>(s);
  return {static_cast<double>(centre) + rest, squares < 0 ? 0 : squares};
}

template <class T>
void moments_rows(const void* const* rows, int64_t count, int64_t n, Moments* out) {
  using Lane = typename T::Lane;
  Lane sums[4];
  reduce_rows<T, Sum>(rows, count, n, sums);
  for (int64_t r = 0; r < count; ++r) {
    const auto centre = static_cast<Lane>(static_cast<double>(sums[r]) / static_cast<double>(n));
    out[r] = moments_about<T>(static_cast<const typename T::Memory*>(rows[r]), n, centre);
  }
}

// Four rows at a time join what is known of a tile of columns, all relative to
// the first row: so that nothing is lost where the mean is far from zero.
template <class T>
void moments_columns(const void* x_, const int64_t* offsets, int64_t rows, int64_t n,
                     Moments* out) {
  using Lane = typename T::Lane;
  using Memory = typename T::Memory;
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  constexpr int64_t tile = 8192 / sizeof(Lane) / 2;
  const auto* x = static_cast<const Memory*>(x_);
  alignas(64) Lane centres[tile];
  alignas(64) Lane means[tile];
  alignas(64) Lane squares[tile];
  for (int64_t first = 0; first < n; first += tile) {
    const int64_t width = n - first < tile ? n - first : tile;
    const int64_t whole = width / lanes * lanes;
    auto load = [=](const Memory* p, int64_t j) HWY_ATTR {
      return j < whole ? T::load(d, p + j) : load_part<T>(d, p + j, width - j, 0);
    };
    // Once per vector; that the last one may be incomplete is decided outside the loop.
    auto for_vectors = [=](auto&& body) HWY_ATTR {
      for (int64_t j = 0; j < whole; j += lanes) {
        body(j);
      }
      if (whole != width) {
        body(whole);
      }
    };
    const Memory* start = x + first;
    for_vectors([&](int64_t j) HWY_ATTR {
      const auto c = load(start + offsets[0], j);
      hn::StoreU(c, d, centres + j);
      hn::StoreU(hn::Zero(d), d, means + j);
      hn::StoreU(hn::Sub(c, c), d, squares + j);  // NaN if infinite, or else zero
    });
    // Chan's weights when `count` rows join the `known` ones.
    struct Weights {
      LaneVec<T> share, product;
      Weights(double known, double count)
          : share(hn::Set(typename T::D(), static_cast<Lane>(count / (known + count)))),
            product(hn::Set(typename T::D(), static_cast<Lane>(known * count / (known + count)))) {}
    };
    auto join = [&](const Weights& w, int64_t j, auto mean, auto square) HWY_ATTR {
      const auto before = hn::LoadU(d, means + j);
      const auto delta = hn::Sub(mean, before);
      hn::StoreU(hn::MulAdd(delta, w.share, before), d, means + j);
      const auto sum = hn::Add(hn::LoadU(d, squares + j), square);
      hn::StoreU(hn::MulAdd(hn::Mul(delta, delta), w.product, sum), d, squares + j);
    };
    const int64_t quarter = (rows - 1) / 4;
    for (int64_t r = 1; r <= quarter; ++r) {
      const Memory* p0 = start + offsets[r];
      const Memory* p1 = start + offsets[r + quarter];
      const Memory* p2 = start + offsets[r + 2 * quarter];
      const Memory* p3 = start + offsets[r + 3 * quarter];
      const Weights weights(static_cast<double>(4 * r - 3), 4);
      for_vectors([&](int64_t j) HWY_ATTR {
        const auto c = hn::LoadU(d, centres + j);
        const auto v0 = hn::Sub(load(p0, j), c);
        const auto v1 = hn::Sub(load(p1, j), c);
        const auto v2 = hn::Sub(load(p2, j), c);
        const auto v3 = hn::Sub(load(p3, j), c);
        const auto mean =
            hn::Mul(hn::Set(d, static_cast<Lane>(0.25)), hn::Add(hn::Add(v0, v1), hn::Add(v2, v3)));
        const auto d0 = hn::Sub(v0, mean);
        const auto d1 = hn::Sub(v1, mean);
        const auto d2 = hn::Sub(v2, mean);
        const auto d3 = hn::Sub(v3, mean);
        const auto low = hn::MulAdd(d0, d0, hn::Mul(d1, d1));
        join(weights, j, mean, hn::MulAdd(d2, d2, hn::MulAdd(d3, d3, low)));
      });
    }
    for (int64_t r = 1 + 4 * quarter; r < rows; ++r) {
      const Weights weights(static_cast<double>(r), 1);
      for_vectors([&](int64_t j) HWY_ATTR {
        const auto v = hn::Sub(load(start + offsets[r], j), hn::LoadU(d, centres + j));
        join(weights, j, v, hn::Zero(d));
      });
    }
    for (int64_t j = 0; j < width; ++j) {
      const auto mean = static_cast<double>(means[j]);
      // NaN if the mean is not finite.
      const double square = static_cast<double>(squares[j]) + (mean - mean);
      out[first + j] = {static_cast<double>(centres[j]) + mean, square};
    }
  }
}

template <class T>
void store(const double* values, int64_t n, void* out) {
  using Lane = typename T::Lane;
  const typename T::D d;
  constexpr int64_t lanes = lanes_of<T>;
  auto* to = static_cast<typename T::Memory*>(out);
  for (int64_t i = 0; i < n; i += lanes) {
    const int64_t count = n - i < lanes ? n - i : lanes;
    alignas(64) Lane lane[lanes] = {};
    alignas(64) typename T::Memory memory[lanes];
    for (int64_t k = 0; k < count; ++k) {
      lane[k] = static_cast<Lane>(values[i + k]);
    }
    T::store(d, hn::LoadU(d, lane), memory);
    for (int64_t k = 0; k < count; ++k) {
      to[i + k] = memory[k];
    }
  }
}

template <class T>
constexpr VarianceKernel kernel() {
  return {moments_rows<T>, moments_columns<T>, store<T>};
}

constexpr VarianceKernels make_table() {
  VarianceKernels table{};
  table.variance[9] = kernel<F16>();  // the order of Dtype::Val
  table.variance[10] = kernel<F32>();
  table.variance[11] = kernel<F64>();
  table.variance[12] = kernel<BF16>();
  return table;
}

}  // namespace

extern const VarianceKernels MLX_TIER_SYMBOL(variance_kernels);
constexpr VarianceKernels MLX_TIER_SYMBOL(variance_kernels) = make_table();

}  // namespace mlx::core
