// Indexing with arrays: values over dtypes and layouts, duplicates, errors at
// evaluation, derivatives, vmap.
#include "array_checks.h"
#include "mlx/primitives.h"

using namespace mlx::core;
using namespace array_checks;

namespace {

using Arrays = std::vector<array>;

constexpr Dtype kDtypes[] = {bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
                             int32, int64, float16, float32, float64, bfloat16, complex64};

}  // namespace

TEST_CASE("take") {
  for (Dtype dtype : kDtypes) {
    CAPTURE(dtype);
    const array a = astype(counting({2, 3}), dtype);
    const std::vector<double> v = values(a);
    check_array(take(a, array({1, -2, 1}), 0), {3, 3}, dtype,
                {v[3], v[4], v[5], v[0], v[1], v[2], v[3], v[4], v[5]});
    check_array(take(a, array({2, 0}), 1), {2, 2}, dtype, {v[2], v[0], v[5], v[3]});
    check_array(take(transpose(a), array({2, 0}), 0), {2, 2}, dtype, {v[2], v[5], v[0], v[3]});
  }
  const array cube = counting({2, 3, 4});
  for (Dtype dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
    CAPTURE(dtype);
    check_array(take(cube, astype(array({2, 0}), dtype), 1), {2, 2, 4}, float64,
                {9, 10, 11, 12, 1, 2, 3, 4, 21, 22, 23, 24, 13, 14, 15, 16});
  }
  check_array(take(cube, array({3, 0}, {2, 1}, int32), 2), {2, 3, 2, 1}, float64,
              {4, 1, 8, 5, 12, 9, 16, 13, 20, 17, 24, 21});
  check_array(take(cube, array(1), 1), {2, 4}, float64, {5, 6, 7, 8, 17, 18, 19, 20});
  check_array(take(cube, array({23, -24})), {2}, float64, {24, 1});
  check_array(take(cube, -1, 2), {2, 3}, float64, {4, 8, 12, 16, 20, 24});
  check_array(take(cube, 5), {}, float64, {6});
  CHECK(take(cube, zeros({0, 5}, int32), 1).shape() == Shape{2, 0, 5, 4});
  CHECK(take(zeros({2, 0}), zeros({3, 0}, int32), 1).shape() == Shape{2, 3, 0});
  CHECK_THROWS_AS(take(zeros({2, 0}), array({0}), 1), std::invalid_argument);
  CHECK_THROWS_AS(take(cube, array({0.0f}), 1), std::invalid_argument);
  CHECK_THROWS_AS(take(cube, array({0}), 3), std::invalid_argument);
  CHECK_THROWS_AS(take(cube, 4, 2), IndexOutOfRange);
}

TEST_CASE("an index out of range is an error of the evaluation, every time") {
  const array a = counting({3, 4});
  const array good = array({0, 1});
  const array bad = array({1, 3});
  const array below = array({-4, 0});
  const Arrays wrong = {
      take(a, bad, 0),
      take(a, below, 0),
      take(a, array({uint64_t{1} << 63}), 0),
      gather(a, {bad}, {0}, {2, 1}),
      take_along_axis(a, array({0, 1, 3}, {3, 1}, int32), 0),
      put_along_axis(a, array({0, 1, 2, 4}, {1, 4}, int32), array(1.0), 1),
      put_along_axis(a, array({0, -5}, {1, 2}, int32), array(1.0), 1),
      scatter(a, bad, zeros({2, 1, 4}, float64), 0),
      scatter_add(a, {good, array({1, 4})}, zeros({2, 1, 1}, float64), {0, 1}),
  };
  for (size_t i = 0; i < wrong.size(); ++i) {
    CAPTURE(i);
    array result = wrong[i];
    CHECK_THROWS_AS(result.eval(), std::out_of_range);
    CHECK_THROWS_AS(result.eval(), std::out_of_range);
  }
  try {
    array(take(a, bad, 0)).eval();
  } catch (const IndexOutOfRange& error) {
    CHECK(std::string(error.what()) == "[index] index 3 is out of range for axis 0 of size 3");
  }
  check_values(a, values(counting({3, 4})));
}

TEST_CASE("gather takes slices") {
  const array a = counting({3, 4});
  check_array(gather(a, array({1, 0}), 1, {3, 2}), {2, 3, 2}, float64,
              {2, 3, 6, 7, 10, 11, 1, 2, 5, 6, 9, 10});
  check_array(gather(a, {array({0, 2}), array({3})}, {0, 1}, {1, 1}), {2, 1, 1}, float64, {4, 12});
  check_array(gather(a, Arrays{}, std::vector<int>{}, {2, 2}), {2, 2}, float64, {1, 2, 5, 6});
  CHECK_THROWS_AS(gather(a, array({0}), 0, {1}), std::invalid_argument);
  CHECK_THROWS_AS(gather(a, array({0}), 0, {4, 1}), std::invalid_argument);
  CHECK_THROWS_AS(gather(a, {array({0}), array({0})}, {0, 0}, {1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(gather(a, {array({0})}, {0, 1}, {1, 1}), std::invalid_argument);
}

TEST_CASE("along an axis") {
  const array a = counting({2, 3});
  const array columns({2, 0, 1, 1}, {2, 2}, int32);
  check_array(take_along_axis(a, columns, 1), {2, 2}, float64, {3, 1, 5, 5});
  check_array(take_along_axis(a, array({1, 0, -1}, {1, 3}, int32), 0), {1, 3}, float64, {4, 2, 6});
  check_array(take_along_axis(transpose(a), transpose(columns), 0), {2, 2}, float64, {3, 5, 1, 5});
  check_array(take_along_axis(counting({2, 1, 2}), array({0, 0, 0}, {1, 3, 1}, int32), 1),
              {2, 3, 2}, float64, {1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4});
  for (Dtype dtype : kDtypes) {
    CAPTURE(dtype);
    const array zero = zeros({2, 3}, dtype);
    const array one = ones({1}, dtype);
    check_array(put_along_axis(zero, columns, one, 1), {2, 3}, dtype, {1, 0, 1, 0, 1, 0});
    const double two = dtype == bool_ ? 1 : 2;
    check_array(scatter_add_axis(zero, columns, one, 1), {2, 3}, dtype, {1, 0, 1, 0, two, 0});
  }
  // Of equal indices the last one wins.
  check_values(put_along_axis(a, array({0, 0}, {1, 2}, int32), array({7.0, 8.0}), 1),
               {8, 2, 3, 8, 5, 6});
  CHECK(take_along_axis(a, zeros({2, 0}, int32), 1).shape() == Shape{2, 0});
  CHECK_THROWS_AS(take_along_axis(a, array({0}), 1), std::invalid_argument);
  CHECK_THROWS_AS(take_along_axis(a, zeros({2, 1}), 1), std::invalid_argument);
  CHECK_THROWS_AS(take_along_axis(a, zeros({3, 1}, int32), 1), std::invalid_argument);
  CHECK_THROWS_AS(put_along_axis(a, columns, zeros({3, 3}), 1), std::invalid_argument);
}

TEST_CASE("scatter applies updates in order") {
  const array places = array({1, 0, 1});
  for (Dtype dtype : kDtypes) {
    CAPTURE(dtype);
    const array a = astype(counting({2, 2}), dtype);
    const array u = astype(array({3, 1, 2, 3, 1, 4}, {3, 1, 2}, int32), dtype);
    const bool one_bit = dtype == bool_;
    const std::vector<double> all(4, 1.0);
    check_array(scatter(a, places, u, 0), {2, 2}, dtype,
                one_bit ? all : std::vector<double>{2, 3, 1, 4});
    check_array(scatter_add(a, places, u, 0), {2, 2}, dtype,
                one_bit ? all : std::vector<double>{3, 5, 7, 9});
    check_array(scatter_prod(a, places, u, 0), {2, 2}, dtype,
                one_bit ? all : std::vector<double>{2, 6, 9, 16});
    check_array(scatter_max(a, places, u, 0), {2, 2}, dtype,
                one_bit ? all : std::vector<double>{2, 3, 3, 4});
    check_array(scatter_min(a, places, u, 0), {2, 2}, dtype,
                one_bit ? all : std::vector<double>{1, 2, 1, 1});
  }
  const float nan = NAN;
  check_values(
      scatter_max(array({1.0f, nan}), array({0, 1}), array({nan, 3.0f}, {2, 1}, float32), 0),
      {NAN, NAN});
  // Many rows, all threads: exact sums of small integers.
  const array indices = astype(multiply(scattered({5000}), array(37.0)), int32);
  const array rows = astype(floor(multiply(scattered({5000, 1, 33}, 3), array(8.0))), float32);
  std::vector<double> want(37 * 33, 0.0);
  const std::vector<double> at = values(indices);
  const std::vector<double> add = values(rows);
  for (size_t i = 0; i < at.size(); ++i) {
    for (size_t k = 0; k < 33; ++k) {
      want[static_cast<size_t>(at[i]) * 33 + k] += add[i * 33 + k];
    }
  }
  check_values(scatter_add(zeros({37, 33}), indices, rows, 0), want);
  // Slices that overlap, along another axis, and a broadcast update.
  check_values(scatter_add(zeros({4}), array({0, 1, 2}), ones({3, 2}), 0), {1, 2, 2, 1});
  check_values(scatter_add(zeros({2, 2}), array({1, 1}), broadcast_to(array(1.0f), {2, 2, 1}), 1),
               {0, 2, 0, 2});
  check_values(scatter(zeros({2, 2}), Arrays{}, ones({1, 2}), std::vector<int>{}), {1, 1, 0, 0});
  const array a = zeros({3, 3});
  CHECK_THROWS_AS(scatter(a, array({0}), zeros({1, 3}), 0), std::invalid_argument);
  CHECK_THROWS_AS(scatter(a, array({0}), zeros({1, 1, 4}), 0), std::invalid_argument);
  CHECK_THROWS_AS(scatter(a, array({0.0f}), zeros({1, 1, 3}), 0), std::invalid_argument);
}

TEST_CASE("derivatives of indexing") {
  const array a = scattered({3, 4});
  const array rows({2, 0, 2});
  const array places({1, 0, 3, 3}, {1, 4}, int32);
  check_derivatives([&](const Arrays& x) { return take(x[0], rows, 0); }, {a});
  check_derivatives([&](const Arrays& x) { return take(x[0], rows, 1); }, {a});
  check_derivatives([&](const Arrays& x) { return gather(x[0], array({1, 0}), 1, {3, 2}); }, {a});
  check_derivatives([&](const Arrays& x) { return take_along_axis(x[0], places, 1); }, {a});
  const array distinct({1, 3}, {1, 2}, int32);
  check_derivatives([&](const Arrays& x) { return put_along_axis(x[0], distinct, x[1], 1); },
                    {a, scattered({3, 2}, 5)});
  check_derivatives([&](const Arrays& x) { return scatter_add_axis(x[0], places, x[1], 1); },
                    {a, scattered({3, 4}, 5)});
  check_derivatives(
      [&](const Arrays& x) {
        return scatter(x[0], array({2, 0}), x[1], 0);
      },
      {a, scattered({2, 1, 4}, 5)});
  check_derivatives([&](const Arrays& x) { return scatter_add(x[0], rows, x[1], 0); },
                    {a, scattered({3, 1, 4}, 5)});
  const VectorFunction largest = [](const Arrays& x) {
    return Arrays{scatter_max(x[0], array({0, 0}), x[1], 0)};
  };
  const auto [value, pulled] =
      vjp(largest, {array({1.0f, 2.0f}), array({5.0f, 3.0f}, {2, 1}, float32)}, {ones({2})});
  check_values(pulled[0], {0, 1});
  check_values(pulled[1], {1, 0});
  const VectorFunction by_index = [&](const Arrays& x) { return Arrays{take(a, x[0], 0)}; };
  CHECK_THROWS_AS(vjp(by_index, {rows}, {ones({3, 4}, float64)}), std::invalid_argument);
}

TEST_CASE("vmap of indexing") {
  const array a = scattered({5, 3, 4});
  const array rows({2, 0, 1, 2, 1, 0, 1, 1, 2, 0}, {5, 2}, int32);
  const array along = astype(multiply(scattered({5, 2, 4}, 3), array(3.0)), int32);
  const array updates = scattered({5, 2, 1, 4}, 7);
  const auto with = [](auto f) {
    return VectorFunction([f](const Arrays& x) { return Arrays{f(x)}; });
  };
  const auto taken = with([](const Arrays& x) { return take(x[0], x[1], 0); });
  const auto one = take(a, 0, 0);
  check_vmap(taken, {a, rows}, {0, 0});
  check_vmap(taken, {one, rows}, {-1, 0});
  check_vmap(taken, {a, take(rows, 0, 0)}, {0, -1});
  const auto picked = with([](const Arrays& x) { return take_along_axis(x[0], x[1], 0); });
  check_vmap(picked, {a, along}, {0, 0});
  check_vmap(picked, {one, along}, {-1, 0});
  const auto put = with([](const Arrays& x) { return scatter_add_axis(x[0], x[1], x[2], 0); });
  check_vmap(put, {a, along, astype(along, float64)}, {0, 0, 0});
  using Function =
      array (*)(const array&, const Arrays&, const array&, const std::vector<int>&, StreamOrDevice);
  const Function functions[] = {scatter_add, scatter_prod, scatter_max, scatter_min, scatter};
  for (Function f : functions) {
    const auto scattered_at = with([f](const Arrays& x) {
      return f(x[0], Arrays{x[1]}, x[2], std::vector<int>{0}, StreamOrDevice{});
    });
    check_vmap(scattered_at, {a, rows, updates}, {0, 0, 0});
    check_vmap(scattered_at, {one, rows, updates}, {-1, 0, 0});
    check_vmap(scattered_at, {a, take(rows, 0, 0), updates}, {0, -1, 0});
    check_vmap(scattered_at, {a, take(rows, 0, 0), take(updates, 0, 0)}, {0, -1, -1});
  }
}
