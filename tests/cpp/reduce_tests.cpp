// Reductions: values in every layout, dtypes, empty axes, NaN, derivatives, vmap.
#include "array_checks.h"
#include "mlx/primitives.h"

using namespace mlx::core;
using namespace array_checks;

namespace {

using Reduction = array (*)(const array&, const std::vector<int>&, bool, StreamOrDevice);

struct ReductionCase {
  const char* name;
  Reduction function;
  double identity;
  double (*step)(double, double);
};

const std::vector<ReductionCase>& reduction_cases() {
  static const std::vector<ReductionCase> cases = {
      {"sum", sum, 0, [](double a, double b) { return a + b; }},
      {"prod", prod, 1, [](double a, double b) { return a * b; }},
      {"max", max, -INFINITY, [](double a, double b) { return std::max(a, b); }},
      {"min", min, INFINITY, [](double a, double b) { return std::min(a, b); }},
      {"all", all, 1, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
      {"any", any, 0, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
  };
  return cases;
}

// The reduction of a 3-d array, index by index.
std::vector<double> reference(const ReductionCase& c, const array& x,
                              const std::vector<int>& axes) {
  const std::vector<double> in = values(x);
  Shape shape = x.shape();
  for (int axis : axes) {
    shape[axis] = 1;
  }
  std::vector<double> out(static_cast<size_t>(checked_size(shape, "reference")), c.identity);
  size_t element = 0;
  for (int64_t i = 0; i < x.shape(0); ++i) {
    for (int64_t j = 0; j < x.shape(1); ++j) {
      for (int64_t k = 0; k < x.shape(2); ++k) {
        const int64_t place = (i % shape[0] * shape[1] + j % shape[1]) * shape[2] + k % shape[2];
        out[place] = c.step(out[place], in[element++]);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("reductions over every set of axes in every layout") {
  const array x = scattered({5, 33, 70});
  for (const ReductionCase& c : reduction_cases()) {
    for (const std::vector<int>& axes :
         {std::vector<int>{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}) {
      for (const array& layout :
           {x, transpose(transpose(x, {2, 0, 1}), {1, 2, 0}), contiguous(transpose(x)), flip(x, 2),
            slice(x, {0, 1, 0}, {5, 33, 70}, {2, 3, 5}),
            broadcast_to(slice(x, {0, 0, 0}, {1, 33, 1}), {4, 33, 3})}) {
        CAPTURE(c.name);
        CAPTURE(axes);
        CAPTURE(layout.shape());
        const array y = c.function(layout, axes, true, {});
        check_values(y, reference(c, layout, axes), 1e-12);
        CHECK(c.function(layout, axes, false, {}).ndim() == 3 - axes.size());
      }
    }
  }
}

TEST_CASE("long rows") {
  const array x = ones({1, 300000});
  check_values(sum(x, 1), {300000});
  check_values(max(x), {1});
  check_values(sum(full({100000}, 0.1f, float16)), {9997.5}, 1e-3);
}

TEST_CASE("dtypes of sums") {
  CHECK(sum(ones({2}, bool_)).dtype() == int32);
  CHECK(sum(ones({2}, int8)).dtype() == int32);
  CHECK(sum(ones({2}, uint16)).dtype() == uint32);
  CHECK(prod(ones({2}, int64)).dtype() == int64);
  CHECK(sum(ones({2}, bfloat16)).dtype() == bfloat16);
  CHECK(max(ones({2}, int8)).dtype() == int8);
  CHECK(any(ones({2}, int8)).dtype() == bool_);
  check_values(sum(full({1000}, 100, int8)), {100000});
  check_values(sum(array({complex64_t{1, 2}, complex64_t{3, 4}})), {4});
  check_values(imag(prod(array({complex64_t{0, 1}, complex64_t{2, 0}}))), {2});
}

TEST_CASE("empty arrays, NaN and errors") {
  check_array(sum(zeros({0})), {}, float32, {0});
  check_array(prod(zeros({2, 0}), 1), {2}, float32, {1, 1});
  check_array(all(zeros({0})), {}, bool_, {1});
  check_array(any(zeros({0})), {}, bool_, {0});
  CHECK(max(zeros({0, 3}), 1).shape() == Shape{0});
  CHECK_THROWS_AS(max(zeros({0, 3}), 0), std::invalid_argument);
  for (int n : {5, 64, 1001}) {
    for (int place : {0, n / 2, n - 1}) {
      const array x = slice_update(ones({n}), array(NAN), {place}, {place + 1});
      CHECK(std::isnan(values(max(x))[0]));
      CHECK(std::isnan(values(min(x))[0]));
    }
  }
  const array x = ones({2, 3});
  CHECK_THROWS_AS(sum(x, 2), std::out_of_range);
  CHECK_THROWS_AS(sum(array(1.0f), 0), std::out_of_range);
  CHECK_THROWS_AS(sum(x, {0, -2}), std::invalid_argument);
  CHECK(sum(x, std::vector<int>{}).id() == x.id());
  check_values(sum(array(3, int8)), {3});
}

TEST_CASE("reductions differentiate and batch") {
  const array x = add(scattered({2, 3, 4}), array(0.5, float64));
  for (const ReductionCase& c : reduction_cases()) {
    CAPTURE(c.name);
    if (c.function != static_cast<Reduction>(all) && c.function != static_cast<Reduction>(any)) {
      check_derivatives([&](const auto& in) { return c.function(in[0], {0, 2}, false, {}); }, {x});
    }
    for (int axis : {0, 1, 2}) {
      check_vmap(
          [&](const auto& in) { return std::vector<array>{c.function(in[0], {1}, false, {})}; },
          {x}, {axis});
    }
  }
  // Products with zeros.
  const auto gradient = grad([](const array& a) { return prod(a); });
  check_values(gradient(array({2.0f, 0.0f, 3.0f})), {0, 6, 0});
  check_values(gradient(array({0.0f, 0.0f, 3.0f})), {0, 0, 0});
  // Equal extrema share.
  check_values(grad([](const array& a) { return max(a); })(array({1.0f, 3.0f, 3.0f})),
               {0, 0.5, 0.5});
}

TEST_CASE("rows give the same alone and in company") {
  for (const Dtype dtype : {float32, float16, float64, int32, int8}) {
    for (const int n : {10, 1023, 1025, 5000, 40000}) {
      CAPTURE(n);
      const array x = astype(multiply(scattered({9, n}), array(3.0f)), dtype);
      for (const ReductionCase& c : reduction_cases()) {
        CAPTURE(c.name);
        const array together = c.function(x, {1}, false, {});
        for (int row = 0; row < 9; ++row) {
          const array alone = c.function(slice(x, {row, 0}, {row + 1, n}), {0, 1}, false, {});
          CHECK(values(take(together, row)) == values(alone));
        }
      }
    }
  }
}

TEST_CASE("many short rows, as rows and as columns") {
  for (const int columns : {1, 3, 10, 64, 130}) {
    const array x = scattered({1501, columns});
    for (const ReductionCase& c : reduction_cases()) {
      CAPTURE(c.name);
      CAPTURE(columns);
      const array wide = reshape(x, {1, 1501, columns});
      check_values(c.function(x, {0}, true, {}), reference(c, wide, {1}), 1e-12);
      check_values(c.function(x, {1}, true, {}), reference(c, wide, {2}), 1e-12);
    }
  }
}

TEST_CASE("positions over the first axis") {
  array x = scattered({777, 21});
  x = where(less(x, array(-0.95, x.dtype())), array(NAN, x.dtype()), x);
  check_values(argmax(x, 0), values(argmax(contiguous(transpose(x)), 1)));
  check_values(argmin(x, 0), values(argmin(contiguous(transpose(x)), 1)));
}

TEST_CASE("the variance of a column with an infinity is NaN") {
  for (int row = 0; row < 9; ++row) {
    const array x =
        where(equal(reshape(arange(9), {9, 1}), array(row)), array(INFINITY), zeros({9, 11}));
    for (double v : values(var(x, std::vector<int>{0}))) {
      CHECK(std::isnan(v));
    }
  }
}
