// SmallVector and the shape arithmetic built on it.
#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>

#include "mlx/core/shape.h"

using namespace mlx::core;

namespace {
size_t rank_of(const Shape& shape) {
  return shape.size();
}
}  // namespace

TEST_CASE("SmallVector: shapes from integers of any type") {
  const int m = 2;
  const size_t n = 3;
  const int64_t k = 4;
  const uint8_t b = 5;
  CHECK((Shape{m, n} == Shape{2, 3}));
  CHECK((Shape{n, k, b} == Shape{3, 4, 5}));
  Shape s = {m, n, k};
  CHECK(s.size() == 3);
  CHECK(s[1] == 3);
  auto list = {m, m};
  Shape t = list;
  CHECK((t == Shape{2, 2}));
  auto sizes = {n, n};
  CHECK((Shape(sizes) == Shape{3, 3}));
  CHECK(rank_of({2, 3}) == 2);
  CHECK(rank_of({m, n}) == 2);
  CHECK(rank_of({}) == 0);
  CHECK(rank_of(list) == 2);
  CHECK(Shape({7}).size() == 1);
  CHECK(Shape{8}.size() == 1);
  CHECK(Shape(8).size() == 8);
  CHECK((Shape(4, 1) == Shape{1, 1, 1, 1}));
  CHECK((Shape(n, m) == Shape{2, 2, 2}));
  CHECK_THROWS_AS((Shape{std::numeric_limits<uint64_t>::max()}), std::overflow_error);
  Strides strides{6, 3, 1};
  CHECK((decltype(strides)&&){6, 3, 1} == strides);
}

TEST_CASE("SmallVector: growth, copies and moves") {
  SmallVector<int64_t, 6> v;
  CHECK(v.data() != nullptr);
  for (int i = 0; i < 100; ++i) {
    v.push_back(i);
  }
  CHECK(v.size() == 100);
  auto copy = v;
  CHECK(copy == v);
  const int64_t* block = v.data();
  auto moved = std::move(v);
  CHECK(moved.data() == block);
  CHECK(v.empty());
  v = {1, 2};
  CHECK((v == SmallVector<int64_t, 6>{1, 2}));
  moved = v;
  CHECK(moved == v);
  CHECK(moved.capacity() >= 100);
  moved.clear();
  CHECK(moved.capacity() >= 100);
  SmallVector<int64_t, 6> small = {1, 2, 3};
  auto taken = std::move(small);
  CHECK((taken == SmallVector<int64_t, 6>{1, 2, 3}));
  CHECK(small.empty());
  auto& self = taken;
  taken = self;
  CHECK(taken.size() == 3);
}

TEST_CASE("SmallVector: insert, erase, resize") {
  Shape v = {1, 2, 3};
  v.insert(v.begin() + 1, 9);
  CHECK((v == Shape{1, 9, 2, 3}));
  v.insert(v.end(), {7, 8, 9, 10});
  CHECK((v == Shape{1, 9, 2, 3, 7, 8, 9, 10}));
  v.erase(v.begin() + 1, v.begin() + 3);
  CHECK((v == Shape{1, 3, 7, 8, 9, 10}));
  v.erase(v.begin());
  v.pop_back(3);
  CHECK((v == Shape{3, 7}));
  v.insert(v.begin(), 2, 0);
  CHECK((v == Shape{0, 0, 3, 7}));
  Shape other = {5, 6};
  v.insert(v.begin() + 2, other.begin(), other.end());
  CHECK((v == Shape{0, 0, 5, 6, 3, 7}));
  v.resize(8, v[2]);
  CHECK((v == Shape{0, 0, 5, 6, 3, 7, 5, 5}));
  while (v.size() < v.capacity()) {
    v.push_back(1);
  }
  v.emplace_back(v[2]);
  CHECK(v.back() == 5);
  v.resize(1);
  CHECK((v == Shape{0}));
  CHECK_THROWS_AS(v.at(1), std::out_of_range);
  CHECK(v.front() == 0);
  CHECK((Shape(other.rbegin(), other.rend()) == Shape{6, 5}));
  std::istringstream numbers("4 5 6");
  CHECK(
      (Shape(std::istream_iterator<int>(numbers), std::istream_iterator<int>()) == Shape{4, 5, 6}));
}

TEST_CASE("SmallVector: elements with constructors") {
  using Strings = SmallVector<std::string, 2>;
  Strings v = {"a", "b"};
  v.push_back(std::string(100, 'c'));
  v.emplace_back(v[0]);
  Strings copy = v;
  Strings moved = std::move(v);
  CHECK(copy == moved);
  moved.erase(moved.begin());
  CHECK((moved == Strings{"b", std::string(100, 'c'), "a"}));
  moved.resize(5);
  CHECK(moved.back().empty());
  copy = moved;
  CHECK(copy.size() == 5);

  SmallVector<std::shared_ptr<int>, 2> pointers;
  auto p = std::make_shared<int>(1);
  for (int i = 0; i < 9; ++i) {
    pointers.push_back(p);
  }
  CHECK(p.use_count() == 10);
  pointers.pop_back(4);
  CHECK(p.use_count() == 6);
  auto stolen = std::move(pointers);
  stolen = {p};
  CHECK(p.use_count() == 2);
  stolen.clear();
  CHECK(p.use_count() == 1);
}

TEST_CASE("SmallVector: traits") {
  CHECK(is_vector_v<Shape>);
  CHECK(is_vector_v<std::vector<int>>);
  CHECK(!is_vector_v<int>);
  CHECK(is_iterator_v<int*>);
  CHECK(!is_iterator_v<int>);
  CHECK(sizeof(Shape) == 64);
}

TEST_CASE("shape arithmetic is checked") {
  CHECK(checked_size({}, "op") == 1);
  CHECK(checked_size({2, 3, 4}, "op") == 24);
  CHECK(checked_size({int64_t{1} << 40, int64_t{1} << 40, 0}, "op") == 0);
  CHECK_THROWS_WITH_AS(checked_size({int64_t{1} << 40, int64_t{1} << 40}, "op"),
                       "[op] the number of elements of (1099511627776, 1099511627776) does not fit "
                       "in 64 bits",
                       std::overflow_error);
  CHECK_THROWS_AS(checked_nbytes({int64_t{1} << 62}, 4, "op"), std::overflow_error);
  CHECK(checked_nbytes({3, 5}, 4, "op") == 60);
  CHECK_THROWS_AS(checked_add(std::numeric_limits<int64_t>::max(), 1, "op"), std::overflow_error);
  CHECK((row_major_strides({2, 3, 4}) == Strides{12, 4, 1}));
  CHECK(row_major_strides({}).empty());
}
