// Creation functions: values, dtypes, sizes, errors.
#include "array_checks.h"

using namespace mlx::core;
using namespace array_checks;

TEST_CASE("arange picks the dtype of its arguments") {
  check_array(arange(3), {3}, int32, {0, 1, 2});
  check_array(arange(1, 7, 2), {3}, int32, {1, 3, 5});
  check_array(arange(5, 1, -2), {2}, int32, {5, 3});
  check_array(arange(3.0), {3}, float32, {0, 1, 2});
  check_array(arange(0.0, 1.0, 0.25), {4}, float32, {0, 0.25, 0.5, 0.75});
  check_array(arange(0.0, 3.0, uint8), {3}, uint8, {0, 1, 2});
  check_array(arange(3.0, float16), {3}, float16, {0, 1, 2});
  check_array(arange(-2.0, 2.0, int8), {4}, int8, {-2, -1, 0, 1});
  check_array(arange(0.0, 1.0, 0.1, float64), {10}, float64,
              {0, 0.1, 0.2, 0.30000000000000004, 0.4, 0.5, 0.6000000000000001, 0.7000000000000001,
               0.8, 0.9});
}

TEST_CASE("arange sizes") {
  CHECK(arange(0, 10, 3).shape() == Shape{4});
  CHECK(arange(10, 0, 3).shape() == Shape{0});
  CHECK(arange(0, 0).shape() == Shape{0});
  check_array(arange(0.0, 3.0, 0.2, int32), {15}, int32, std::vector<double>(15, 0));
  check_array(arange(2.0, 5.0, INFINITY), {1}, float32, {2});
  CHECK(arange(2.0, 1.0, INFINITY).size() == 0);
  CHECK_THROWS_AS(arange(10, bool_), std::invalid_argument);
  CHECK_THROWS_AS(arange(0, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(arange(0.0, NAN), std::invalid_argument);
  CHECK_THROWS_AS(arange(0.0, INFINITY), std::invalid_argument);
}

TEST_CASE("linspace ends exactly") {
  check_array(linspace(0, 10, 5), {5}, float32, {0, 2.5, 5, 7.5, 10});
  check_array(linspace(0, 10, 5, false), {5}, float32, {0, 2, 4, 6, 8}, 1e-6);
  check_array(linspace(0, 10, 5, int32), {5}, int32, {0, 2, 5, 7, 10});
  check_array(linspace(0.1, 0.7, 2, float64), {2}, float64, {0.1, 0.7});
  check_array(linspace(0.3, 1, 1), {1}, float32, {static_cast<double>(0.3f)});
  CHECK(linspace(0, 1, 0).shape() == Shape{0});
  CHECK(linspace(0, 1).shape() == Shape{50});
  CHECK_THROWS_AS(linspace(0, 1, -1), std::invalid_argument);
}

TEST_CASE("full, zeros, ones and their like") {
  check_array(full({2, 2}, 3), {2, 2}, int32, {3, 3, 3, 3});
  check_array(full({}, 0.0), {}, float32, {0});
  check_array(full({2}, 0.1, float64), {2}, float64, {0.1, 0.1});
  check_array(full({2, 3}, array({1, 2, 3})), {2, 3}, int32, {1, 2, 3, 1, 2, 3});
  check_array(full({2}, 1.9f, int32), {2}, int32, {1, 1});
  check_array(zeros({2}), {2}, float32, {0, 0});
  check_array(ones({2}, bool_), {2}, bool_, {1, 1});
  const array x({1, 2}, int8);
  check_array(zeros_like(x), {2}, int8, {0, 0});
  check_array(ones_like(x, float32), {2}, float32, {1, 1});
  check_array(full_like(x, 7), {2}, int8, {7, 7});
  CHECK(zeros({0, 3}).size() == 0);
  CHECK_THROWS_AS(full({-1}, 1), std::invalid_argument);
  CHECK_THROWS_AS(full({2}, array({})), std::invalid_argument);
  CHECK_THROWS_AS(full({}, array({})), std::invalid_argument);
  for (Dtype dtype : {bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16,
                      float32, float64, bfloat16, complex64}) {
    CAPTURE(dtype);
    check_array(ones({3}, dtype), {3}, dtype, {1, 1, 1});
  }
}

TEST_CASE("matrices with diagonals") {
  check_array(eye(2), {2, 2}, float32, {1, 0, 0, 1});
  check_array(eye(2, 3, 1), {2, 3}, float32, {0, 1, 0, 0, 0, 1});
  check_array(eye(2, 2, -1, int32), {2, 2}, int32, {0, 0, 1, 0});
  check_array(eye(2, 2, 9), {2, 2}, float32, {0, 0, 0, 0});
  check_array(identity(2, int8), {2, 2}, int8, {1, 0, 0, 1});
  check_array(tri(2, 3, 1, float32), {2, 3}, float32, {1, 1, 0, 1, 1, 1});
  check_array(tril(counting({2, 2}, int32)), {2, 2}, int32, {1, 0, 3, 4});
  check_array(triu(counting({2, 2}, int32)), {2, 2}, int32, {1, 2, 0, 4});
  check_array(triu(counting({2, 2}, int32), 1), {2, 2}, int32, {0, 2, 0, 0});
  check_array(diag(array({1, 2})), {2, 2}, int32, {1, 0, 0, 2});
  check_array(diag(array({1, 2}), 1), {3, 3}, int32, {0, 1, 0, 0, 0, 2, 0, 0, 0});
  check_array(diag(array({1}), -1), {2, 2}, int32, {0, 0, 1, 0});
  check_array(diag(counting({2, 3}, int32), 1), {2}, int32, {2, 6});
  CHECK(diag(array({})).shape() == Shape{0, 0});
  CHECK_THROWS_AS(eye(-1), std::invalid_argument);
  CHECK_THROWS_AS(tril(array({1})), std::invalid_argument);
  CHECK_THROWS_AS(diag(array(1)), std::invalid_argument);
  check_derivatives([](const auto& in) { return diag(in[0], 1); }, {counting({3})});
  check_derivatives([](const auto& in) { return tril(in[0]); }, {counting({3, 3})});
}

TEST_CASE("meshgrid") {
  const auto xy = meshgrid({array({1, 2, 3}), array({4, 5})});
  check_array(xy[0], {2, 3}, int32, {1, 2, 3, 1, 2, 3});
  check_array(xy[1], {2, 3}, int32, {4, 4, 4, 5, 5, 5});
  const auto ij = meshgrid({array({1, 2, 3}), array({4, 5})}, true, "ij");
  CHECK(ij[0].shape() == Shape{3, 1});
  CHECK(ij[1].shape() == Shape{1, 2});
  CHECK_THROWS_AS(meshgrid({array({1})}, false, "yx"), std::invalid_argument);
}
