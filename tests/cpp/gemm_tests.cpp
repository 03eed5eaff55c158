// Matrix products on raw memory against a double-precision loop: every dtype,
// instruction-set tier, path (direct, packed, few rows, long k), stride order,
// batch broadcast, and the epilogue; and one thread against several.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mlx/core/parallel.h"
#include "mlx/ops/matmul/gemm.h"
#include "mlx/types/half_types.h"

using namespace mlx::core;

namespace {

double widen(float x) {
  return x;
}
double widen(double x) {
  return x;
}
double widen(float16_t x) {
  return double(float(x));
}
double widen(bfloat16_t x) {
  return double(float(x));
}
std::complex<double> widen(std::complex<float> x) {
  return {x.real(), x.imag()};
}
template <typename T>
using WideOf = decltype(widen(T()));

template <typename T>
struct Type;
template <>
struct Type<float> {
  static constexpr auto dtype = Dtype::Val::float32;
  static constexpr double sum = 6e-8, store = 0;
};
template <>
struct Type<double> {
  static constexpr auto dtype = Dtype::Val::float64;
  static constexpr double sum = 1.2e-16, store = 0;
};
template <>
struct Type<float16_t> {
  static constexpr auto dtype = Dtype::Val::float16;
  static constexpr double sum = 6e-8, store = 5e-4;
};
template <>
struct Type<bfloat16_t> {
  static constexpr auto dtype = Dtype::Val::bfloat16;
  static constexpr double sum = 6e-8, store = 4e-3;
};
template <>
struct Type<std::complex<float>> {
  static constexpr auto dtype = Dtype::Val::complex64;
  static constexpr double sum = 6e-8, store = 0;
};

std::mt19937 generator(7);

template <typename T>
T random_value() {
  std::uniform_real_distribution<float> uniform(-1, 1);
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    return {uniform(generator), uniform(generator)};
  } else if constexpr (std::is_same_v<T, double>) {
    return uniform(generator);
  } else {
    return T(uniform(generator));
  }
}

enum class Layout { rows, columns, padded_rows, every_second, reversed, repeated_row };
const Layout kLayouts[] = {Layout::rows,         Layout::columns,  Layout::padded_rows,
                           Layout::every_second, Layout::reversed, Layout::repeated_row};

// A stack of matrices with its own buffer; `broadcast` repeats one matrix.
template <typename T>
struct Stack {
  std::vector<T> storage;
  gemm::Operand operand;
  std::vector<int64_t> batch_strides;

  Stack(int64_t batch, int64_t rows, int64_t columns, Layout layout, bool broadcast) {
    int64_t row = columns, column = 1, offset = 0, matrix = rows * columns;
    switch (layout) {
      case Layout::rows:
        break;
      case Layout::columns:
        row = 1;
        column = rows;
        break;
      case Layout::padded_rows:
        row = columns + 3;
        matrix = rows * row;
        break;
      case Layout::every_second:
        column = 2;
        row = 2 * columns;
        matrix = rows * row;
        break;
      case Layout::reversed:
        row = -columns;
        offset = rows > 0 ? (rows - 1) * columns : 0;
        break;
      case Layout::repeated_row:
        row = 0;
        break;
    }
    storage.resize(static_cast<size_t>(matrix * (broadcast ? 1 : batch) + 1));
    for (T& x : storage) x = random_value<T>();
    batch_strides = {broadcast ? 0 : matrix};
    operand = {storage.data() + offset, row, column, batch_strides.data()};
  }

  T at(int64_t batch, int64_t row, int64_t column) const {
    return static_cast<const T*>(operand.data)[batch * batch_strides[0] + row * operand.row_stride +
                                               column * operand.column_stride];
  }
};

struct Case {
  int64_t m, n, k;
  int64_t batch = 1;
  Layout a = Layout::rows, b = Layout::rows;
  bool share_a = false, share_b = false;
  double alpha = 1, beta = 0;
  Layout c0 = Layout::rows;
  bool transposed_result = false;
};

std::string describe(const Case& c) {
  return std::to_string(c.m) + "x" + std::to_string(c.n) + "x" + std::to_string(c.k) + " batch " +
         std::to_string(c.batch) + " layouts " + std::to_string(int(c.a)) + " " +
         std::to_string(int(c.b)) + " shared " + std::to_string(c.share_a) +
         std::to_string(c.share_b) + " alpha " + std::to_string(c.alpha) + " beta " +
         std::to_string(c.beta);
}

std::vector<CpuTier> tiers() {
  std::vector<CpuTier> all = {CpuTier::v2, CpuTier::v3, CpuTier::v4, CpuTier::v4bf16};
  std::vector<CpuTier> have;
  for (CpuTier tier : all) {
    if (static_cast<int>(tier) <= static_cast<int>(best_cpu_tier())) have.push_back(tier);
  }
  return have;
}

template <typename T>
void check(const Case& c) {
  using Wide = WideOf<T>;
  Stack<T> a(c.batch, c.m, c.k, c.a, c.share_a);
  Stack<T> b(c.batch, c.k, c.n, c.b, c.share_b);
  Stack<T> c0(c.batch, c.m, c.n, c.c0, false);
  const int64_t matrix = c.m * c.n;
  std::vector<Wide> want(static_cast<size_t>(c.batch * matrix));
  std::vector<double> bound(want.size());
  for (int64_t i = 0; i < c.batch; ++i) {
    for (int64_t row = 0; row < c.m; ++row) {
      for (int64_t column = 0; column < c.n; ++column) {
        Wide sum(0);
        double size = 0;
        for (int64_t k = 0; k < c.k; ++k) {
          const Wide product = widen(a.at(i, row, k)) * widen(b.at(i, k, column));
          sum += product;
          size += std::abs(product);
        }
        Wide value = c.alpha * sum;
        double scale = std::abs(c.alpha) * size;
        if (c.beta != 0) {
          const Wide addend = c.beta * widen(c0.at(i, row, column));
          value += addend;
          scale += std::abs(addend);
        }
        const size_t at = static_cast<size_t>(i * matrix + row * c.n + column);
        want[at] = value;
        // Roots, not the worst case: errors of a sum behave like a random walk.
        bound[at] = Type<T>::sum * scale * (4 + 2 * std::sqrt(double(c.k))) +
                    Type<T>::store * std::abs(value) + 1e-7 * (Type<T>::store > 0);
      }
    }
  }
  const std::vector<int64_t> shape = {c.batch};
  const std::vector<int64_t> result_strides = {matrix};
  for (CpuTier tier : tiers()) {
    std::vector<T> first;
    for (int threads : {1, 2, 5}) {
      std::vector<T> out(static_cast<size_t>(c.batch * matrix) + 1, T(7.f));
      gemm::Product p;
      p.dtype = Type<T>::dtype;
      p.m = c.m;
      p.n = c.n;
      p.k = c.k;
      p.a = a.operand;
      p.b = b.operand;
      if (c.beta != 0) p.c0 = c0.operand;
      p.c = {out.data(), c.transposed_result ? 1 : c.n, c.transposed_result ? c.m : 1,
             result_strides.data()};
      p.alpha = c.alpha;
      p.beta = c.beta;
      p.batch_ndim = 1;
      p.batch_shape = shape.data();
      const int before = set_num_threads(threads);
      gemm::multiply(p, tier);
      set_num_threads(before);
      REQUIRE(widen(out.back()) == Wide(7));
      if (threads == 1) {
        double worst = 0;
        for (int64_t i = 0; i < c.batch; ++i) {
          for (int64_t row = 0; row < c.m; ++row) {
            for (int64_t column = 0; column < c.n; ++column) {
              const size_t at = static_cast<size_t>(i * matrix + row * c.n + column);
              const size_t got = static_cast<size_t>(
                  i * matrix + (c.transposed_result ? column * c.m + row : row * c.n + column));
              const double error = std::abs(widen(out[got]) - want[at]);
              worst = std::max(worst, std::isnan(error) ? 1e30 : error - bound[at]);
            }
          }
        }
        INFO(describe(c), ", tier ", cpu_tier_name(tier), ", excess ", worst);
        CHECK(worst <= 0);
        first = out;
      } else {
        INFO(describe(c), ", tier ", cpu_tier_name(tier), ", threads ", threads);
        CHECK(std::memcmp(first.data(), out.data(), out.size() * sizeof(T)) == 0);
      }
    }
  }
}

template <typename T>
void check_sizes() {
  for (int64_t m : {1, 2, 7, 15, 33}) {
    for (int64_t n : {1, 3, 8, 16, 31, 50}) {
      for (int64_t k : {1, 5, 32, 77}) check<T>({.m = m, .n = n, .k = k});
    }
  }
}

template <typename T>
void check_layouts() {
  for (Layout a : kLayouts) {
    for (Layout b : kLayouts) {
      check<T>({.m = 19, .n = 37, .k = 45, .a = a, .b = b});
      check<T>({.m = 1, .n = 70, .k = 45, .a = a, .b = b});
      check<T>({.m = 70, .n = 5, .k = 45, .a = a, .b = b});
      check<T>({.m = 6, .n = 40, .k = 67, .a = a, .b = b});
    }
  }
}

template <typename T>
void check_blocks() {
  // More than one block of k, of rows per thread, and of columns.
  check<T>({.m = 130, .n = 70, .k = 1100});
  check<T>({.m = 100, .n = 600, .k = 300, .a = Layout::columns, .b = Layout::columns});
  // More than one pass over k, with sums that wait in between.
  check<T>({.m = 131, .n = 140, .k = 4500, .a = Layout::columns, .alpha = 0.5});
  check<T>({.m = 9, .n = 11, .k = 9001, .b = Layout::columns});
  check<T>({.m = 2, .n = 10, .k = 17001, .b = Layout::columns});
  check<T>({.m = 1, .n = 10, .k = 17001});
  check<T>({.m = 1, .n = 1000, .k = 5000, .b = Layout::columns});
  check<T>({.m = 3, .n = 1000, .k = 700});
  check<T>({.m = 2100, .n = 33, .k = 20});
  check<T>({.m = 33, .n = 2100, .k = 20});
}

template <typename T>
void check_batches() {
  for (bool share_a : {false, true}) {
    for (bool share_b : {false, true}) {
      check<T>({.m = 16, .n = 16, .k = 64, .batch = 9, .share_a = share_a, .share_b = share_b});
      check<T>({.m = 1, .n = 20, .k = 30, .batch = 5, .share_a = share_a, .share_b = share_b});
      check<T>({.m = 30, .n = 1, .k = 30, .batch = 5, .share_a = share_a, .share_b = share_b});
      check<T>({.m = 21,
                .n = 40,
                .k = 300,
                .batch = 3,
                .a = Layout::columns,
                .b = Layout::columns,
                .share_a = share_a,
                .share_b = share_b,
                .alpha = 0.5,
                .beta = 2});
    }
  }
}

template <typename T>
void check_epilogue() {
  const int64_t sizes[][3] = {{12, 24, 30},  {1, 40, 50},  {40, 3, 50},
                              {70, 90, 600}, {9, 9, 8200}, {5, 6, 0}};
  for (const auto& [m, n, k] : sizes) {
    for (Layout c0 : {Layout::rows, Layout::columns, Layout::repeated_row}) {
      check<T>({.m = m, .n = n, .k = k, .alpha = 0.75, .beta = -1.5, .c0 = c0});
      check<T>({.m = m, .n = n, .k = k, .batch = 2, .beta = 1, .c0 = c0});
      check<T>(
          {.m = m, .n = n, .k = k, .alpha = 2, .beta = 0.5, .c0 = c0, .transposed_result = true});
    }
    check<T>({.m = m, .n = n, .k = k, .alpha = 0.25});
  }
}

template <typename T>
void check_empty() {
  check<T>({.m = 3, .n = 100, .k = 0});
  check<T>({.m = 0, .n = 4, .k = 5});
  check<T>({.m = 4, .n = 0, .k = 5});
  check<T>({.m = 4, .n = 5, .k = 0, .batch = 3});
  check<T>({.m = 2, .n = 2, .k = 2, .batch = 0});
}

}  // namespace

TEST_CASE_TEMPLATE("gemm matches a double-precision loop", T, float, double, float16_t, bfloat16_t,
                   std::complex<float>) {
  SUBCASE("sizes") {
    check_sizes<T>();
  }
  SUBCASE("layouts") {
    check_layouts<T>();
  }
  SUBCASE("blocks") {
    check_blocks<T>();
  }
  SUBCASE("batches") {
    check_batches<T>();
  }
  SUBCASE("epilogue") {
    check_epilogue<T>();
  }
  SUBCASE("empty") {
    check_empty<T>();
  }
}

TEST_CASE("gemm passes NaN and infinity through") {
  for (CpuTier tier : tiers()) {
    for (int64_t n : {1, 4, 40}) {
      const int64_t k = 20;
      std::vector<float> a(static_cast<size_t>(2 * k), 1.f), b(static_cast<size_t>(k * n), 1.f);
      std::vector<float> out(static_cast<size_t>(2 * n));
      a[3] = std::nanf("");
      a[static_cast<size_t>(k)] = INFINITY;
      gemm::Product p;
      p.m = 2;
      p.n = n;
      p.k = k;
      p.a = {a.data(), k, 1, nullptr};
      p.b = {b.data(), n, 1, nullptr};
      p.c = {out.data(), n, 1, nullptr};
      gemm::multiply(p, tier);
      for (int64_t j = 0; j < n; ++j) {
        CHECK(std::isnan(out[static_cast<size_t>(j)]));
        CHECK(out[static_cast<size_t>(n + j)] == INFINITY);
      }
    }
  }
}

TEST_CASE("gemm rounds 16-bit results once") {
  // 1 + 2^-12 added 4096 times is 2 exactly in float32; rounding each step would stay at 1.
  for (CpuTier tier : tiers()) {
    const int64_t k = 4097;
    std::vector<float16_t> a(static_cast<size_t>(k), float16_t(0x1p-12f));
    std::vector<float16_t> b(static_cast<size_t>(k), float16_t(1.f));
    a[0] = float16_t(1.f);
    float16_t out;
    gemm::Product p;
    p.dtype = Dtype::Val::float16;
    p.m = p.n = 1;
    p.k = k;
    p.a = {a.data(), k, 1, nullptr};
    p.b = {b.data(), 1, 1, nullptr};
    p.c = {&out, 1, 1, nullptr};
    gemm::multiply(p, tier);
    CHECK(float(out) == 2.f);
  }
}

TEST_CASE("gemm refuses integers") {
  gemm::Product p;
  p.dtype = Dtype::Val::int32;
  CHECK_THROWS_AS(gemm::multiply(p), std::invalid_argument);
}
