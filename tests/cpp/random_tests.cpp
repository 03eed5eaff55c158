// Random numbers: the worked values of the bit generator and the samplers, key
// sequences, moments, vmap over keys, errors.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <thread>

#include "array_checks.h"
#include "mlx/ops/random/threefry.h"
#include "mlx/primitives.h"

using namespace mlx::core;
using namespace array_checks;

namespace {

void check_words(const array& a, const std::vector<double>& want) {
  check_values(a, want);
}

struct Moments {
  double mean;
  double variance;
  double lowest;
  double highest;
};

Moments moments(const array& a) {
  const std::vector<double> x = values(a);
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  double variance = 0;
  for (double value : x) {
    variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  }
  return {mean, variance, *std::min_element(x.begin(), x.end()),
          *std::max_element(x.begin(), x.end())};
}

array key_from(uint32_t high, uint32_t low) {
  return array({high, low});
}

}  // namespace

TEST_CASE("keys hold both halves of the seed") {
  check_words(random::key(0), {0, 0});
  check_words(random::key(1), {0, 1});
  check_words(random::key(uint64_t{1} << 32), {1, 0});
  check_words(random::key((uint64_t{1} << 32) + 1), {1, 1});
}

TEST_CASE("split gives the worked keys") {
  const array zero = random::key(0);
  check_words(random::split(zero, 2), {4146024105, 967050713, 2718843009, 1272950319});
  check_words(random::split(zero, 3),
              {2467461003, 428148500, 3186719485, 3840466878, 2562233961, 1946702221});
  const auto [first, second] = random::split(zero);
  check_words(first, {4146024105, 967050713});
  check_words(second, {2718843009, 1272950319});
}

TEST_CASE("bits are the worked words") {
  struct Row {
    Shape shape;
    int width;
    array key;
    std::vector<double> want;
  };
  const array zero = random::key(0);
  const array one = random::key(1);
  const Row rows[] = {
      {{}, 4, zero, {1797259609}},
      {{}, 2, zero, {345}},
      {{}, 1, zero, {89}},
      {{}, 4, one, {507451445}},
      {{}, 2, one, {6197}},
      {{}, 1, one, {53}},
      {{3, 1}, 4, zero, {4146024105, 1351547692, 2718843009}},
      {{5}, 2, zero, {20137, 63263, 64300, 20622, 16513}},
      {{6}, 2, zero, {20137, 63263, 64300, 20622, 16513, 41486}},
      {{7}, 2, zero, {20137, 63263, 1497, 14756, 16513, 41486, 44591}},
      {{8}, 2, zero, {20137, 63263, 1497, 14756, 16513, 41486, 44591, 19423}},
      {{3}, 4, key_from(1, 1), {3725146706, 1802982961, 1349634643}},
      {{3}, 4, key_from(0, 1), {2441914641, 1110694964, 3819641963}},
      {{0, 3}, 4, zero, {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.shape);
    CAPTURE(row.width);
    const array drawn = random::bits(row.shape, row.width, row.key);
    CHECK(drawn.shape() == row.shape);
    CHECK(drawn.itemsize() == static_cast<size_t>(row.width));
    check_words(drawn, row.want);
  }
}

TEST_CASE("long streams are the blocks of the definition") {
  // Every remainder of the vector width, both parities, cut-off last words.
  const array key = random::key(77);
  for (int64_t n : {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 1000, 4099, 100001}) {
    for (int width : {1, 2, 4}) {
      const int64_t bytes = n * width;
      const int64_t count = (bytes + 3) / 4;
      const int64_t half = count / 2;
      const int64_t distance = count - half;
      std::vector<uint32_t> words(static_cast<size_t>(count));
      for (int64_t i = 0; i < half; ++i) {
        const auto result = threefry::block(
            {0, 77}, {static_cast<uint32_t>(i), static_cast<uint32_t>(i + distance)});
        words[i] = result.first;
        words[i + distance] = result.second;
      }
      if (count % 2 == 1) {
        words[half] = threefry::block({0, 77}, {static_cast<uint32_t>(half), 0}).first;
      }
      array drawn = random::bits({n}, width, key);
      drawn.eval();
      CAPTURE(n);
      CAPTURE(width);
      CHECK(std::memcmp(drawn.data<char>(), words.data(), static_cast<size_t>(bytes)) == 0);
    }
    std::vector<double> words = values(random::bits({n}, 4, key));
    for (double& word : words) {
      word = std::min(static_cast<float>(static_cast<uint32_t>(word)) * 0x1p-32f, 0.99999994f);
    }
    check_values(random::uniform({n}, key), words);
  }
}

TEST_CASE("vmap over keys draws one stream per key") {
  const auto draw = [](const Shape& shape, int width) {
    return VectorFunction([=](const std::vector<array>& keys) {
      return std::vector<array>{random::bits(shape, width, keys[0])};
    });
  };
  std::vector<uint32_t> doubled = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
  const array keys(doubled.begin(), {6, 2}, uint32);
  check_words(vmap(draw({2}, 4), {0}, {0})({keys})[0],
              {928981903, 3453687069, 3606183818, 460005496, 2799733733, 856293553, 4081856343,
               3445925136, 2775548010, 1430281703, 305173070, 2615843348});
  std::vector<uint32_t> counting_up = {0, 1, 2, 3, 4, 5};
  const array columns(counting_up.begin(), {3, 2}, uint32);
  check_words(vmap(draw({2}, 4), {1}, {0})({transpose(columns)})[0],
              {1948878966, 4237131848, 2531170506, 1858648356, 740561898, 4234094099});
  for (int width : {1, 2, 4}) {
    check_vmap(draw({3, 1}, width), {keys}, {0});
    check_vmap(draw({5}, width), {random::split(random::key(3), 70)}, {0});
  }
  check_vmap(
      [](const std::vector<array>& k) { return std::vector<array>{random::normal({3}, k[0])}; },
      {keys}, {0});
}

TEST_CASE("uniform") {
  const array zero = random::key(0);
  check_values(random::uniform({}, zero), {0.41845712}, 1e-7);
  check_values(random::uniform({}, random::key(1)), {0.11815025}, 1e-7);
  check_values(random::uniform({3, 1}, zero), {0.9653215, 0.3146817, 0.63303}, 1e-7);
  check_values(random::uniform({5}, zero),
               {0.57450056, 0.09968609, 0.39316028, 0.89417839, 0.59656656}, 1e-7);
  check_values(random::uniform(-1, 1, {4}, float32, zero),
               {0.93064296, -0.5496819, 0.26606, -0.40723634}, 1e-7);
  check_values(random::uniform({4}, float16, zero), {0.9653, 0.2252, 0.633, 0.2964}, 2.5e-4);
  for (Dtype dtype : {float16, bfloat16, float32}) {
    CAPTURE(dtype);
    const Moments m = moments(random::uniform({100000}, dtype, random::key(5)));
    CHECK(m.mean == doctest::Approx(0.5).epsilon(0.01));
    CHECK(m.variance == doctest::Approx(1 / 12.0).epsilon(0.02));
    CHECK(m.lowest >= 0);
    CHECK(m.highest < 1);
  }
  const array low({0.0f, 10.0f});
  const array high({1.0f, 20.0f});
  const std::vector<double> u = values(random::uniform(low, high, {50, 2}, float32, zero));
  for (size_t i = 0; i < u.size(); ++i) {
    CHECK(u[i] >= (i % 2 == 0 ? 0 : 10));
    CHECK(u[i] < (i % 2 == 0 ? 1 : 20));
  }
  CHECK_THROWS_AS(random::uniform(low, high, {3}), std::invalid_argument);
  CHECK_THROWS_AS(random::uniform(low, high, {1}), std::invalid_argument);
  CHECK_THROWS_AS(random::uniform({2}, int32), std::invalid_argument);
  CHECK_THROWS_AS(random::uniform({2}, float64), std::runtime_error);
}

TEST_CASE("normal") {
  const array zero = random::key(0);
  const double four_ulp = 5e-7;
  check_values(random::normal({4}, zero), {1.8160871, -0.7548848, 0.33988926, -0.53483534},
               four_ulp);
  check_values(random::normal({}, zero), {-0.20584205}, four_ulp);
  check_values(random::normal({}, random::key(1)), {-1.1842842}, four_ulp);
  const array z = random::normal({2}, complex64, zero);
  check_values(real(z), {1.2841675, 0.240338}, four_ulp);
  check_values(imag(z), {-0.53378415, -0.37818572}, four_ulp);
  for (Dtype dtype : {float16, bfloat16, float32, float64}) {
    CAPTURE(dtype);
    const array sample = random::normal({100000}, dtype, random::key(2));
    CHECK(sample.dtype() == dtype);
    const Moments m = moments(sample);
    CHECK(std::abs(m.mean) < 0.02);
    CHECK(m.variance == doctest::Approx(1).epsilon(0.02));
  }
  const Moments shifted = moments(random::normal({100000}, 3.0f, 2.0f, random::key(2)));
  CHECK(shifted.mean == doctest::Approx(3).epsilon(0.02));
  CHECK(shifted.variance == doctest::Approx(4).epsilon(0.02));
  const array loc({1.0f, 2.0f, 3.0f});
  CHECK(random::normal({2, 3}, float32, loc, std::nullopt, zero).shape() == Shape{2, 3});
  CHECK_THROWS_AS(random::normal({2}, float32, loc, std::nullopt, zero), std::invalid_argument);
  CHECK_THROWS_AS(random::normal({}, int32), std::invalid_argument);
}

TEST_CASE("the thread's sequence of keys") {
  random::seed(0);
  check_words(random::KeySequence::default_().next(), {2718843009, 1272950319});
  check_words(random::KeySequence::default_().next(), {1278412471, 2182328957});
  check_words(random::KeySequence::default_().next(), {4104543539, 3483300570});
  check_words(random::KeySequence::default_().state(), {3382499631, 3878610767});

  random::seed(0);
  check_values(random::uniform({}), {0.10536904}, 1e-7);
  check_values(random::uniform({}), {0.27871919}, 1e-7);
  check_values(random::uniform({}), {0.68668771}, 1e-7);

  // A state that is not computed yet continues the same way.
  random::KeySequence eager(9);
  random::KeySequence lazy(0);
  lazy.set_state(add(random::key(9), array(0, uint32)));
  check_words(lazy.next(), values(eager.next()));
  check_words(lazy.next(), values(eager.next()));
  check_words(lazy.state(), values(eager.state()));
  CHECK_THROWS_AS(lazy.set_state(array({1, 2})), std::invalid_argument);

  std::vector<double> first;
  std::vector<double> second;
  random::seed(4);
  std::thread([&] {
    first = values(random::KeySequence::default_().state());
    random::seed(5);
    second = values(random::KeySequence::default_().state());
    clear_streams();
    // The default stream is gone, the state needs none.
    const array state = random::KeySequence::default_().state();
    CHECK(state.data<uint32_t>()[0] == first[0]);
    CHECK(state.data<uint32_t>()[1] == first[1]);
  }).join();
  check_words(random::KeySequence::default_().state(), {0, 4});
  CHECK(second == std::vector<double>{0, 5});
}

TEST_CASE("a draw in bfloat16 takes part in the sequence") {
  random::seed(7);
  const std::vector<double> a = values(random::normal({3, 6}));
  const std::vector<double> c = values(astype(random::normal({2, 2}), bfloat16));
  CHECK(a[0] == doctest::Approx(0.7958915).epsilon(1e-6));
  CHECK(a[1] == doctest::Approx(-0.3218775).epsilon(1e-6));
  CHECK(a[1] + 5 + c[3] + 7.3 + 3 == doctest::Approx(14.0484).epsilon(1e-4));
}

TEST_CASE("randint stays inside its bounds") {
  check_array(random::randint(0, 10, {8}, int32, random::key(0)), {8}, int32,
              {5, 3, 3, 9, 1, 9, 1, 8});
  for (Dtype dtype : {uint8, uint16, uint32, uint64, int8, int16, int32, int64}) {
    CAPTURE(dtype);
    const array sample = random::randint(3, 7, {2000}, dtype, random::key(1));
    CHECK(sample.dtype() == dtype);
    const std::vector<double> x = values(sample);
    CHECK(std::set<double>(x.begin(), x.end()) == std::set<double>{3, 4, 5, 6});
  }
  CHECK(random::randint(0, 2, {4}, bool_, random::key(1)).dtype() == bool_);
  // float32 cannot tell these apart.
  for (double x : values(random::randint(1 << 24, (1 << 24) + 2, {100}, int32, random::key(1)))) {
    CHECK((x == (1 << 24) || x == (1 << 24) + 1));
  }
  const array wide =
      random::randint(int64_t{1} << 40, (int64_t{1} << 40) + 1024, {100}, int64, random::key(1));
  for (double x : values(wide)) {
    CHECK(x >= 0x1p40);
    CHECK(x < 0x1p40 + 1024);
  }
  check_values(random::randint(5, 5, {3}, int32, random::key(0)), {5, 5, 5});
  check_values(random::randint(5, -5, {3}, int32, random::key(0)), {5, 5, 5});
  CHECK_THROWS_AS(random::randint(0, 1, {}, float32), std::invalid_argument);
  CHECK_THROWS_AS(random::randint(array({1, 2}), array(3), {3}), std::invalid_argument);
}

TEST_CASE("bernoulli") {
  check_array(random::bernoulli(0.5f, {8}, random::key(0)), {8}, bool_, {0, 1, 1, 0, 1, 0, 1, 0});
  CHECK(moments(random::bernoulli(0.25f, {100000}, random::key(1))).mean ==
        doctest::Approx(0.25).epsilon(0.02));
  CHECK(moments(random::bernoulli(1.0f, {10000}, random::key(1))).lowest == 1);
  CHECK(moments(random::bernoulli(0.0f, {10000}, random::key(1))).highest == 0);
  CHECK(random::bernoulli(array({0.5f, 0.5f, 0.5f})).shape() == Shape{3});
  CHECK(random::bernoulli().shape() == Shape{});
  CHECK(random::bernoulli(array({0.5f, 1.0f}, {2}, bfloat16), {4, 2}).shape() == Shape{4, 2});
  CHECK_THROWS_AS(random::bernoulli(array(1)), std::invalid_argument);
  CHECK_THROWS_AS(random::bernoulli(array({0.5f, 0.5f}), {3}), std::invalid_argument);
}

TEST_CASE("truncated normal, gumbel, laplace") {
  const array zero = random::key(0);
  check_values(random::gumbel({6}, float32, zero),
               {0.5901319, -0.835397, 1.2091464, 2.1905968, 0.6605551, 0.234069}, 1e-6);
  check_values(random::laplace({4}, zero), {-2.6684885, 0.7978011, -0.30932805, 0.5229594}, 1e-6);
  for (Dtype dtype : {float16, bfloat16, float32, float64}) {
    CAPTURE(dtype);
    const array sample = random::laplace({100000}, dtype, 1.0f, 2.0f, random::key(3));
    CHECK(sample.dtype() == dtype);
    const Moments m = moments(sample);
    CHECK(m.mean == doctest::Approx(1).epsilon(0.05));
    CHECK(m.variance == doctest::Approx(8).epsilon(0.05));
    CHECK(std::isfinite(m.highest - m.lowest));
  }
  const Moments t =
      moments(random::truncated_normal(array(-2.0f), array(0.5f), {10000}, float32, zero));
  CHECK(t.lowest >= -2);
  CHECK(t.highest <= 0.5);
  CHECK(t.mean < 0);
  check_values(random::truncated_normal(array(1.0f), array(-1.0f), {3}, float32, zero), {1, 1, 1});
  CHECK(random::truncated_normal(array({0.0f, 1.0f}), array(2.0f)).shape() == Shape{2});
  CHECK_THROWS_AS(random::truncated_normal(array(0), array(1), {2}, int32), std::invalid_argument);
  CHECK_THROWS_AS(random::truncated_normal(array({0.0f, 1.0f}), array(2.0f), {3}),
                  std::invalid_argument);
  CHECK_THROWS_AS(random::laplace({3}, int32), std::invalid_argument);
}

TEST_CASE("permutations and categories") {
  const array zero = random::key(0);
  check_array(random::permutation(8, zero), {8}, uint32, {4, 6, 1, 2, 0, 7, 3, 5});
  check_array(random::permutation(counting({2, 8}), 1, zero), {2, 8}, float64,
              {5, 7, 2, 3, 1, 8, 4, 6, 13, 15, 10, 11, 9, 16, 12, 14});
  CHECK(random::permutation(0).shape() == Shape{0});
  check_vmap([](const std::vector<array>& k) { return std::vector{random::permutation(9, k[0])}; },
             {random::split(zero, 4)}, {0});
  CHECK_THROWS_AS(random::permutation(-1), std::invalid_argument);
  CHECK_THROWS_AS(random::permutation(counting({2}), 1), std::out_of_range);
  CHECK_THROWS_AS(random::permutation(array(1.0f), 0), std::out_of_range);

  check_array(random::categorical(zeros({2, 3}), -1, zero), {2}, uint32, {2, 0});
  const array logits({0.0f, 1.0f, 2.0f});
  check_array(random::categorical(logits, -1, 6, zero), {6}, uint32, {2, 1, 2, 2, 2, 2});
  const float inf = INFINITY;
  const std::vector<double> drawn =
      values(random::categorical(array({-inf, 0.0f, -inf, 1.0f, -inf}), 0, 10000, zero));
  const double ones = static_cast<double>(std::count(drawn.begin(), drawn.end(), 1.0));
  CHECK(ones + static_cast<double>(std::count(drawn.begin(), drawn.end(), 3.0)) == 10000);
  CHECK(ones == doctest::Approx(10000 / (1 + std::exp(1.0))).epsilon(0.05));
  check_values(random::categorical(array({0.0f, inf, -1.0f}), 0, 3, zero), {1, 1, 1});
  CHECK(random::categorical(zeros({2, 3, 4}), 1, {5, 2, 4}, zero).shape() == Shape{5, 2, 4});
  CHECK(random::categorical(zeros({2, 3}), 0, 7, zero).shape() == Shape{3, 7});
  check_vmap(
      [&](const std::vector<array>& k) {
        return std::vector{random::categorical(logits, 0, 5, k[0])};
      },
      {random::split(zero, 4)}, {0});
  CHECK_THROWS_AS(random::categorical(zeros({2, 3}), 2), std::invalid_argument);
  CHECK_THROWS_AS(random::categorical(zeros({2, 3}), 1, Shape{3}, zero), std::invalid_argument);
}

TEST_CASE("bad keys and shapes") {
  CHECK_THROWS_AS(random::bits({2}, 4, array({1, 2})), std::invalid_argument);
  CHECK_THROWS_AS(random::bits({2}, 4, array({1u, 2u, 3u})), std::invalid_argument);
  CHECK_THROWS_AS(random::uniform({2}, array({1u, 2u, 3u})), std::invalid_argument);
  CHECK_THROWS_AS(random::bits({2}, 3, random::key(0)), std::invalid_argument);
  CHECK_THROWS_AS(random::bits({-1}), std::invalid_argument);
  CHECK_THROWS_AS(random::split(random::key(0), -1), std::invalid_argument);
  CHECK_THROWS_AS(random::uniform({int64_t{1} << 40, int64_t{1} << 40}), std::overflow_error);
}
