// Elementwise functions: values against scalar references, dtypes, errors,
// derivatives, vmap. Accuracy over the whole range is the Python harness's work.
#include <complex>
#include <limits>

#include "array_checks.h"
#include "mlx/primitives.h"

using namespace mlx::core;
using namespace array_checks;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

using UnaryFunction = array (*)(const array&, StreamOrDevice);
using BinaryFunction = array (*)(const array&, const array&, StreamOrDevice);

struct UnaryCase {
  const char* name;
  UnaryFunction function;
  double (*reference)(double);
  std::vector<double> points;  // where it is smooth
};

const double kErfInvHalf = 0.47693627620446987;

const std::vector<UnaryCase>& unary_cases() {
  static const std::vector<UnaryCase> cases = {
      {"abs", abs, [](double x) { return std::abs(x); }, {-2.5, -0.25, 0.5, 3}},
      {"negative", negative, [](double x) { return -x; }, {-2.5, 0, 3}},
      {"square", square, [](double x) { return x * x; }, {-2.5, 0, 3}},
      {"sqrt", sqrt, [](double x) { return std::sqrt(x); }, {0.25, 1, 7}},
      {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, {0.25, 1, 7}},
      {"reciprocal", reciprocal, [](double x) { return 1 / x; }, {-4, 0.5, 7}},
      {"exp", exp, [](double x) { return std::exp(x); }, {-3, 0, 1.5}},
      {"expm1", expm1, [](double x) { return std::expm1(x); }, {-3, 1e-3, 1.5}},
      {"log", log, [](double x) { return std::log(x); }, {0.1, 1, 20}},
      {"log2", log2, [](double x) { return std::log2(x); }, {0.1, 1, 20}},
      {"log10", log10, [](double x) { return std::log10(x); }, {0.1, 1, 20}},
      {"log1p", log1p, [](double x) { return std::log1p(x); }, {-0.5, 1e-3, 20}},
      {"sin", sin, [](double x) { return std::sin(x); }, {-2, 0, 1, 9}},
      {"cos", cos, [](double x) { return std::cos(x); }, {-2, 0, 1, 9}},
      {"tan", tan, [](double x) { return std::tan(x); }, {-1, 0, 1.2}},
      {"arcsin", arcsin, [](double x) { return std::asin(x); }, {-0.75, 0, 0.5}},
      {"arccos", arccos, [](double x) { return std::acos(x); }, {-0.75, 0, 0.5}},
      {"arctan", arctan, [](double x) { return std::atan(x); }, {-5, 0, 0.5}},
      {"sinh", sinh, [](double x) { return std::sinh(x); }, {-2, 0, 1}},
      {"cosh", cosh, [](double x) { return std::cosh(x); }, {-2, 0.5, 1}},
      {"tanh", tanh, [](double x) { return std::tanh(x); }, {-2, 0, 1}},
      {"arcsinh", arcsinh, [](double x) { return std::asinh(x); }, {-2, 0, 1}},
      {"arccosh", arccosh, [](double x) { return std::acosh(x); }, {1.5, 2, 9}},
      {"arctanh", arctanh, [](double x) { return std::atanh(x); }, {-0.75, 0, 0.5}},
      {"degrees", degrees, [](double x) { return x * 57.29577951308232; }, {-2, 0, 1}},
      {"radians", radians, [](double x) { return x / 57.29577951308232; }, {-2, 0, 1}},
      {"erf", erf, [](double x) { return std::erf(x); }, {-1, 0, 0.3}},
      {"erfinv", erfinv, [](double x) { return x < 0 ? -kErfInvHalf : kErfInvHalf; }, {-0.5, 0.5}},
      {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, {-3, 0, 3}},
      {"sign", sign, [](double x) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : 0.0; }, {-3, 3}},
      {"floor", floor, [](double x) { return std::floor(x); }, {-2.5, 0.3, 7.75}},
      {"ceil", ceil, [](double x) { return std::ceil(x); }, {-2.5, 0.3, 7.75}},
      {"trunc", trunc, [](double x) { return std::trunc(x); }, {-2.5, 0.3, 7.75}},
  };
  return cases;
}

double tolerance_of(Dtype dtype) {
  switch (dtype) {
    case float64:
      return 1e-14;
    case float32:
      return 2e-6;
    case float16:
      return 4e-3;
    default:
      return 3e-2;
  }
}

struct BinaryCase {
  const char* name;
  BinaryFunction function;
  double (*reference)(double, double);
};

double floored_remainder(double a, double b) {
  return a - std::floor(a / b) * b;
}

const std::vector<BinaryCase>& binary_cases() {
  static const std::vector<BinaryCase> cases = {
      {"add", add, [](double a, double b) { return a + b; }},
      {"subtract", subtract, [](double a, double b) { return a - b; }},
      {"multiply", multiply, [](double a, double b) { return a * b; }},
      {"divide", divide, [](double a, double b) { return a / b; }},
      {"power", power, [](double a, double b) { return std::pow(a, b); }},
      {"maximum", maximum, [](double a, double b) { return std::max(a, b); }},
      {"minimum", minimum, [](double a, double b) { return std::min(a, b); }},
      {"remainder", remainder, floored_remainder},
      {"floor_divide", floor_divide, [](double a, double b) { return std::floor(a / b); }},
      {"logaddexp", logaddexp,
       [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); }},
      {"arctan2", arctan2, [](double a, double b) { return std::atan2(a, b); }},
  };
  return cases;
}

}  // namespace

TEST_CASE("unary functions give the values of their scalar references") {
  for (const UnaryCase& c : unary_cases()) {
    for (Dtype dtype : {float64, float32, float16, bfloat16}) {
      CAPTURE(c.name);
      CAPTURE(dtype);
      const array x(c.points.begin(), {static_cast<ShapeElem>(c.points.size())}, dtype);
      std::vector<double> want;
      for (double point : values(x)) {
        want.push_back(c.reference(point));
      }
      const array y = c.function(x, {});
      CHECK(y.dtype() == dtype);
      check_values(y, want, tolerance_of(dtype));
    }
  }
}

TEST_CASE("unary functions differentiate and batch") {
  for (const UnaryCase& c : unary_cases()) {
    CAPTURE(c.name);
    const array x(c.points.begin(), {static_cast<ShapeElem>(c.points.size())}, float64);
    check_derivatives([&](const auto& in) { return c.function(in[0], {}); }, {x});
    const array batch = stack({x, x, x}, 1);
    check_vmap([&](const auto& in) { return std::vector<array>{c.function(in[0], {})}; }, {batch},
               {1});
  }
}

TEST_CASE("binary functions give the values of their scalar references") {
  const std::vector<double> a = {1.5, 0.75, 3, 2.25};
  const std::vector<double> b = {0.5, 1.25, 2, 0.75};
  for (const BinaryCase& c : binary_cases()) {
    for (Dtype dtype : {float64, float32, float16, bfloat16}) {
      CAPTURE(c.name);
      CAPTURE(dtype);
      std::vector<double> want;
      for (size_t i = 0; i < a.size(); ++i) {
        want.push_back(c.reference(a[i], b[i]));
      }
      const array y = c.function(array(a.begin(), {4}, dtype), array(b.begin(), {4}, dtype), {});
      CHECK(y.dtype() == dtype);
      check_values(y, want, tolerance_of(dtype));
    }
  }
}

TEST_CASE("binary functions broadcast, differentiate and batch") {
  const array row = array({1.5, 0.75, 3.25}, Shape{3}, float64);
  const array column = array({0.4, 1.25}, Shape{2, 1}, float64);
  for (const BinaryCase& c : binary_cases()) {
    CAPTURE(c.name);
    std::vector<double> want;
    for (double b : {0.4, 1.25}) {
      for (double a : {1.5, 0.75, 3.25}) {
        want.push_back(c.reference(a, b));
      }
    }
    check_array(c.function(row, column, {}), {2, 3}, float64, want, 1e-14);
    check_derivatives([&](const auto& in) { return c.function(in[0], in[1], {}); }, {row, column});
    const VectorFunction wrapped = [&](const auto& in) {
      return std::vector<array>{c.function(in[0], in[1], {})};
    };
    const array batch = scattered({3, 2, 4});
    check_vmap(wrapped, {batch, scattered({4, 3, 2}, 5)}, {2, 0});
    check_vmap(wrapped, {batch, scattered({2}, 5)}, {2, -1});
    check_vmap(wrapped, {scattered({2}, 5), batch}, {-1, 2});
  }
}

TEST_CASE("every function runs on every dtype") {
  const std::vector<BinaryFunction> more = {
      equal,      not_equal,   greater,     greater_equal, less,        less_equal, logical_and,
      logical_or, logical_xor, bitwise_and, bitwise_or,    bitwise_xor, left_shift, right_shift};
  std::vector<std::pair<std::string, BinaryFunction>> binary;
  for (const BinaryCase& c : binary_cases()) {
    binary.emplace_back(c.name, c.function);
  }
  for (BinaryFunction function : more) {
    binary.emplace_back("", function);
  }
  for (Dtype dtype : {bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16,
                      float32, float64, bfloat16, complex64}) {
    const array ones_of_it = ones({3, 5}, dtype);
    // Complex numbers have no order of rounding; bits belong to integers.
    auto refused = [&](const auto& call) {
      try {
        call().eval();
        return false;
      } catch (const std::invalid_argument&) {
      } catch (const std::runtime_error&) {
      }
      return true;
    };
    for (const UnaryCase& c : unary_cases()) {
      CAPTURE(c.name);
      CAPTURE(dtype);
      const std::string name = c.name;
      const bool real_only = name == "expm1" || name == "erf" || name == "erfinv" ||
                             name == "sigmoid" || name == "floor" || name == "ceil" ||
                             name == "trunc";
      CHECK(refused([&] { return c.function(ones_of_it, {}); }) ==
            ((dtype == complex64 && real_only) || (dtype == bool_ && name == "negative")));
    }
    for (const auto& [name, function] : binary) {
      CAPTURE(name);
      CAPTURE(dtype);
      const bool bits = function == bitwise_and || function == bitwise_or ||
                        function == bitwise_xor || function == left_shift ||
                        function == right_shift;
      const bool real_only = name == "remainder" || name == "floor_divide" || name == "arctan2";
      CHECK(refused([&] { return function(ones_of_it, ones_of_it, {}); }) ==
            ((dtype == complex64 && real_only) || (bits && issubdtype(dtype, inexact))));
    }
    for (Dtype other :
         {bool_, uint8, int16, uint32, int64, float16, float32, float64, bfloat16, complex64}) {
      CAPTURE(dtype);
      CAPTURE(other);
      check_array(astype(ones_of_it, other), {3, 5}, other, std::vector<double>(15, 1));
      check_array(where(ones_of_it, ones_of_it, zeros({5}, other)), {3, 5},
                  promote_types(dtype, other), std::vector<double>(15, 1));
    }
    CHECK_FALSE(refused([&] { return round(ones_of_it, 1); }));
    CHECK_FALSE(refused([&] { return isclose(ones_of_it, ones_of_it); }));
    CHECK_FALSE(refused([&] { return array_equal(ones_of_it, ones_of_it, true); }));
    CHECK_FALSE(refused([&] { return clip(ones_of_it, ones_of_it, ones_of_it); }));
    CHECK_FALSE(refused([&] { return isfinite(ones_of_it); }));
    CHECK_FALSE(refused([&] { return imag(conjugate(ones_of_it)); }));
    if (dtype != complex64) {
      for (const array& part : divmod(ones_of_it, ones_of_it)) {
        CHECK_FALSE(refused([&] { return part; }));
      }
    }
  }
}

TEST_CASE("integers floor, wrap and survive division by zero") {
  const array a({-9, 9, -9, 9, -1}, int32);
  const array b({4, -4, -4, 4, 5}, int32);
  check_array(floor_divide(a, b), {5}, int32, {-3, -3, 2, 2, -1});
  check_array(remainder(a, b), {5}, int32, {3, -3, -1, 1, 4});
  const auto parts = divmod(a, b);
  check_array(parts[0], {5}, int32, {-3, -3, 2, 2, -1});
  check_array(parts[1], {5}, int32, {3, -3, -1, 1, 4});
  for (Dtype dtype : {int8, uint8, int16, uint16, int32, uint32, int64, uint64}) {
    CAPTURE(dtype);
    const array n({5, 7}, dtype);
    const array zero({0, 0}, dtype);
    check_values(floor_divide(n, zero), {0, 0});
    CHECK(values(remainder(n, zero)).size() == 2);  // no trap
  }
  const array lowest(std::numeric_limits<int32_t>::min());
  check_values(floor_divide(lowest, array(-1)), {-2147483648.0});
  check_values(remainder(lowest, array(-1)), {0});
  check_values(abs(lowest), {-2147483648.0});
  check_array(add(array({250}, uint8), array({10}, uint8)), {1}, uint8, {4});
  check_array(power(array({2, 2, 0}, int32), array({10, -1, 0}, int32)), {3}, int32, {1024, 0, 1});
  check_array(divide(array({1, 3}, int32), array({2, 2}, int32)), {2}, float32, {0.5, 1.5});
}

TEST_CASE("dtypes of results") {
  CHECK(add(array(1, int8), array(1, uint8)).dtype() == int16);
  CHECK(add(array(1, uint64), array(1, int8)).dtype() == float32);
  CHECK(exp(array(1)).dtype() == float32);
  CHECK(abs(array(complex64_t{3, 4})).dtype() == float32);
  CHECK(equal(array(1.0f), array(1.0f)).dtype() == bool_);
  CHECK(square(array(3, int16)).dtype() == int16);
  CHECK((array(1.0f, float16) * 2.0f).dtype() == float32);
  CHECK((array(1, int8) + 1).dtype() == int32);
  CHECK((array(1) / 2).dtype() == float32);
  CHECK(left_shift(array(true), array(true)).dtype() == uint8);
}

TEST_CASE("NaN, infinities and zeros") {
  const array x(std::initializer_list<float>{NAN, 1, -INFINITY, INFINITY});
  check_values(maximum(x, array(0.0f)), {kNan, 1, 0, kInf});
  check_values(minimum(array(0.0f), x), {kNan, 0, -kInf, 0});
  check_values(clip(x, array(-2.0f), array(2.0f)), {kNan, 1, -2, 2});
  check_array(isnan(x), {4}, bool_, {1, 0, 0, 0});
  check_array(isinf(x), {4}, bool_, {0, 0, 1, 1});
  check_array(isfinite(x), {4}, bool_, {0, 1, 0, 0});
  check_array(isposinf(x), {4}, bool_, {0, 0, 0, 1});
  check_array(isneginf(x), {4}, bool_, {0, 0, 1, 0});
  check_array(isnan(array({1, 2})), {2}, bool_, {0, 0});
  check_array(isfinite(array({1, 2})), {2}, bool_, {1, 1});
  const double largest = std::numeric_limits<float>::max();
  check_values(nan_to_num(x), {0, 1, -largest, largest});
  check_values(nan_to_num(x, 7.0f, 8.0f, 9.0f), {7, 1, 9, 8});
  check_values(log1p(array(std::initializer_list<float>{INFINITY, 0, -1})), {kInf, 0, -kInf});
  check_values(logaddexp(array(-INFINITY), array(-INFINITY)), {-kInf});
  check_values(remainder(array(-3.0f), array(7.0f)), {4});
  check_values(remainder(array(3.0f), array(-7.0f)), {-4});
}

TEST_CASE("complex numbers") {
  const array z({complex64_t{3, 4}, complex64_t{0, 0}, complex64_t{0, 1}});
  check_array(abs(z), {3}, float32, {5, 0, 1}, 1e-6);
  check_values(imag(z), {4, 0, 1});
  check_values(imag(conjugate(z)), {-4, 0, -1});
  check_values(real(square(z)), {-7, 0, -1}, 1e-6);
  check_values(astype(z, bool_), {1, 0, 1});
  check_values(real(power(z, array(complex64_t{2, 0}))), {-7, 0, -1}, 1e-5);
  const array w({complex64_t{1, INFINITY}, complex64_t{NAN, 2}, complex64_t{3, 4}});
  check_values(isinf(w), {1, 0, 0});
  check_values(isnan(w), {0, 1, 0});
  check_values(isfinite(w), {0, 0, 1});
}

TEST_CASE("comparison, logic and bits") {
  const array a({1, 2, 3});
  const array b({3, 2, 1});
  check_array(a == b, {3}, bool_, {0, 1, 0});
  check_array(a != b, {3}, bool_, {1, 0, 1});
  check_array(a < b, {3}, bool_, {1, 0, 0});
  check_array(a <= b, {3}, bool_, {1, 1, 0});
  check_array(a > 1, {3}, bool_, {0, 1, 1});
  check_array(2 >= a, {3}, bool_, {1, 1, 0});
  check_array(logical_and(a, array({0, 1, 2})), {3}, bool_, {0, 1, 1});
  check_array(logical_or(a, array({0, 0, 0})), {3}, bool_, {1, 1, 1});
  check_array(logical_xor(a, array({0, 1, 0})), {3}, bool_, {1, 0, 1});
  check_array(logical_not(array({0, 5})), {2}, bool_, {1, 0});
  check_array(a & b, {3}, int32, {1, 2, 1});
  check_array(a | b, {3}, int32, {3, 2, 3});
  check_array(a ^ b, {3}, int32, {2, 0, 2});
  check_array(a << b, {3}, int32, {8, 8, 6});
  check_array(array({-8, 8}) >> array({1, 1}), {2}, int32, {-4, 4});
  check_array(~a, {3}, int32, {-2, -3, -4});
  check_array(~array({true, false}), {2}, bool_, {0, 1});
  check_array(where(array({true, false}), array({1, 2}), array(0.5f)), {2}, float32, {1, 0.5});
}

TEST_CASE("closeness and equality of arrays") {
  auto is = [](const array& a) { return values(a) == std::vector<double>{1}; };
  const array x(std::initializer_list<float>{1, NAN, INFINITY});
  CHECK_FALSE(is(array_equal(x, x)));
  CHECK(is(array_equal(x, x, true)));
  CHECK_FALSE(is(array_equal(array({1, 2}), array({1, 2, 3}))));
  CHECK(is(array_equal(array({1, 2}), array({1.0f, 2.0f}))));
  check_values(isclose(x, x), {1, 0, 1});
  check_values(isclose(x, x, 1e-5, 1e-8, true), {1, 1, 1});
  check_values(isclose(array({1.0f, 1.0f}), array({INFINITY, 1.0f + 1e-6f})), {0, 1});
  CHECK(is(allclose(array({1.0f}), array({1.000001f}))));
  CHECK_FALSE(is(allclose(array(1, uint8), array(2, uint8))));  // does not wrap
  CHECK_FALSE(is(allclose(array(16777216), array(16777217), 0, 0)));
  CHECK_FALSE(is(allclose(array(std::numeric_limits<int32_t>::min()),
                          array(std::numeric_limits<int32_t>::max()), 0, 10)));
}

TEST_CASE("rounding") {
  check_values(round(array({-1.5f, -0.5f, 0.5f, 1.5f, 2.5f})), {-2, 0, 0, 2, 2});
  check_array(round(array({15, 122}), -1), {2}, int32, {20, 120});
  check_values(round(array({1.234f}), 2), {1.23}, 1e-6);
  CHECK(round(array(3)).dtype() == int32);
}

TEST_CASE("derivatives at the edges") {
  auto gradient = [](const std::function<array(const array&)>& f, double at) {
    return values(grad(f)(array(at, float64)))[0];
  };
  const array two(2.0, float64);
  CHECK(gradient([&](const array& x) { return power(x, two); }, 0.0) == 0);
  CHECK(gradient([&](const array& x) { return power(x, array(1.0, float64)); }, 0.0) == 1);
  CHECK(gradient([&](const array& x) { return power(x, array(0.0, float64)); }, 0.0) == 0);
  CHECK(gradient([&](const array& x) { return power(array(0.0, float64), x); }, 1.0) == 0);
  CHECK(gradient([](const array& x) { return sigmoid(x); }, -2000.0) == 0);
  CHECK(gradient([](const array& x) { return tanh(x); }, -90.0) == 0);
  // One of two equal operands takes it all.
  auto both =
      vjp([](const std::vector<array>& in) { return std::vector<array>{maximum(in[0], in[1])}; },
          {two, two}, {array(1.0, float64)})
          .second;
  CHECK(values(both[0])[0] + values(both[1])[0] == 1);
  // A constant branch does not hide the other one's tangent.
  auto tangent = jvp([](const array& x) { return where(x > 10.0, array(0.0, float64), x * x); },
                     array(3.0, float64), array(1.0, float64))
                     .second;
  check_values(tangent, {6});
  // Integers and bools differentiate to their own dtype.
  auto pulled =
      vjp([](const array& x) { return multiply(x, array(1.5f)); }, array({1, 2}), ones({2})).second;
  check_array(pulled, {2}, int32, {1, 1});
}

TEST_CASE("casts") {
  check_array(astype(array({-1.7f, 2.7f}), int32), {2}, int32, {-1, 2});
  check_array(astype(array({1e20f, -1e20f, NAN}), int32), {3}, int32,
              {2147483647.0, -2147483648.0, 0});
  check_array(astype(array({0.5f, 0.0f, NAN}), bool_), {3}, bool_, {1, 0, 1});
  check_array(astype(array({257, 259}), bfloat16), {2}, bfloat16, {256, 260});
  const array x({1.0f});
  CHECK(astype(x, float32).id() == x.id());
  const auto narrowed = [](const array& in) { return astype(in, float32); };
  check_array(vjp(narrowed, array({1.0}, float64), array({3.0f})).second, {1}, float64, {3});
  check_array(jvp(narrowed, array({1.0}, float64), array({3.0}, float64)).second, {1}, float32,
              {3});
}

TEST_CASE("errors name the function") {
  const array z(complex64_t{1, 2});
  const array x({1.0f});
  CHECK_THROWS_AS(negative(array(true)), std::invalid_argument);
  CHECK_THROWS_AS(floor(z), std::invalid_argument);
  CHECK_THROWS_AS(sigmoid(z), std::invalid_argument);
  CHECK_THROWS_AS(divmod(z, z), std::invalid_argument);
  CHECK_THROWS_AS(arctan2(z, z), std::invalid_argument);
  CHECK_THROWS_AS(clip(x), std::invalid_argument);
  CHECK_THROWS_AS(x & x, std::runtime_error);
  CHECK_THROWS_AS(~x, std::invalid_argument);
  CHECK_THROWS_AS(nan_to_num(z), std::invalid_argument);
  CHECK_THROWS_AS(ones({2}) + ones({3}), std::invalid_argument);
  CHECK_THROWS_WITH(bitwise_and(x, array(1)),
                    "[bitwise_and] integers or bools are needed: got float32 and int32");
}

TEST_CASE("what compilers of graphs rely on") {
  const array x({1.0f, 2.0f});
  CHECK(typeid(add(x, x).primitive()) == typeid(Add));
  CHECK(typeid(exp(x).primitive()) == typeid(Exp));
  CHECK(std::string(log2(x).primitive().name()) == "Log2");
  CHECK(std::string(rsqrt(x).primitive().name()) == "Rsqrt");
  CHECK(std::string(Equal(default_stream(default_device()), true).name()) == "NaNEqual");
  CHECK(log2(x).primitive().is_equivalent(log2(x).primitive()));
  CHECK_FALSE(log2(x).primitive().is_equivalent(log(x).primitive()));
  CHECK_FALSE(astype(x, int32).primitive().is_equivalent(astype(x, int8).primitive()));
  CHECK(abs(x).primitive_ptr() == abs(x).primitive_ptr());  // shared: no allocation per node
  CHECK(sigmoid(x).primitive().output_shapes({x})[0] == Shape{2});
  CHECK_THROWS_AS(add(x, x).primitive().output_shapes({x, ones({3})}), std::invalid_argument);
}
