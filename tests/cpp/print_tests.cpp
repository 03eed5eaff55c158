// Text of arrays and value types; dtype facts, broadcasting and axis checks.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "mlx/utils.h"

using namespace mlx::core;

namespace {

template <typename T>
std::string text(const T& value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

// 0, 1, 2, ... in a given shape.
array counted(Shape shape, Dtype dtype = int32) {
  std::vector<int> values(checked_size(shape, "test"));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int>(i);
  }
  return array(values.begin(), shape, dtype);
}

struct ScopedPrecision {
  explicit ScopedPrecision(int precision) { set_printoptions({precision}); }
  ~ScopedPrecision() { set_printoptions({}); }
};

}  // namespace

TEST_CASE("print: value types") {
  CHECK(text(Device(Device::gpu, 1)) == "Device(gpu, 1)");
  CHECK(text(Stream(3, Device::cpu)) == "Stream(Device(cpu, 0), 3)");
  CHECK(text(bool_) == "bool");
  CHECK(text(bfloat16) == "bfloat16");
  CHECK(text(kindof(float16)) == "f");
  CHECK(text(Shape{1, 2, 3}) == "(1,2,3)");
  CHECK(text(std::vector<int>{}) == "()");
  CHECK(text(float16_t(1.5f)) == "1.5");
  CHECK(text(complex64_t(1, 2)) == "1+2j");
  CHECK(text(complex64_t(1, -2)) == "1-2j");
}

TEST_CASE("print: scalars of every dtype") {
  CHECK(text(array(3.0)) == "array(3, dtype=float32)");
  CHECK(text(array(true)) == "array(true, dtype=bool)");
  CHECK(text(array(200, uint8)) == "array(200, dtype=uint8)");
  CHECK(text(array(-5, int8)) == "array(-5, dtype=int8)");
  CHECK(text(array(65535, uint16)) == "array(65535, dtype=uint16)");
  CHECK(text(array(std::numeric_limits<uint64_t>::max())) ==
        "array(18446744073709551615, dtype=uint64)");
  CHECK(text(array(std::numeric_limits<int64_t>::min())) ==
        "array(-9223372036854775808, dtype=int64)");
  CHECK(text(array(1.123456789, float64)) == "array(1.12346, dtype=float64)");
}

TEST_CASE("print: floating point") {
  CHECK(text(array({1.2f, 65504.0f}, float16)) == "array([1.2002, 65504], dtype=float16)");
  CHECK(text(array({1.1f, 3.14159f}, bfloat16)) == "array([1.10156, 3.14062], dtype=bfloat16)");
  CHECK(text(array({1.0f, NAN, INFINITY, -INFINITY, -0.0f, 1e-5f})) ==
        "array([1, nan, inf, -inf, -0, 1e-05], dtype=float32)");
  CHECK(text(array({std::copysign(NAN, -1.0f), 1e6f, 1234567.0f})) ==
        "array([-nan, 1e+06, 1.23457e+06], dtype=float32)");
  CHECK(text(array({complex64_t(1, 1), complex64_t(-1.5, 0), complex64_t(1, -2.5)})) ==
        "array([1+1j, -1.5+0j, 1-2.5j], dtype=complex64)");
  CHECK(text(array({complex64_t(1, -INFINITY), complex64_t(NAN, NAN), complex64_t(0, -0.0f)})) ==
        "array([1-infj, nan+nanj, 0+-0j], dtype=complex64)");
}

TEST_CASE("print: precision and capitals") {
  {
    ScopedPrecision two(2);
    CHECK(text(array({1.0f, 2.345f, 1000000.0f, INFINITY})) ==
          "array([1.00, 2.35, 1000000.00, inf], dtype=float32)");
    CHECK(text(array(complex64_t(1, -2.345f))) == "array(1.00-2.35j, dtype=complex64)");
    CHECK(text(array(7)) == "array(7, dtype=int32)");
  }
  {
    ScopedPrecision four(4);
    CHECK(text(array(1.123456789f)) == "array(1.1235, dtype=float32)");
  }
  {
    ScopedPrecision many(3);
    CHECK(text(array(std::numeric_limits<double>::max(), float64)).size() ==
          std::string("array(, dtype=float64)").size() + 309 + 4);
  }
  get_global_formatter().capitalize_bool = true;
  CHECK(text(array({true, false})) == "array([True, False], dtype=bool)");
  get_global_formatter().capitalize_bool = false;
}

TEST_CASE("print: axes and truncation") {
  CHECK(text(counted({6})) == "array([0, 1, 2, 3, 4, 5], dtype=int32)");
  CHECK(text(counted({7})) == "array([0, 1, 2, ..., 4, 5, 6], dtype=int32)");
  CHECK(text(counted({2, 2})) ==
        "array([[0, 1],\n"
        "       [2, 3]], dtype=int32)");
  CHECK(text(counted({2, 2, 2})) ==
        "array([[[0, 1],\n"
        "        [2, 3]],\n"
        "       [[4, 5],\n"
        "        [6, 7]]], dtype=int32)");
  CHECK(text(counted({7, 2})) ==
        "array([[0, 1],\n"
        "       [2, 3],\n"
        "       [4, 5],\n"
        "       ...,\n"
        "       [8, 9],\n"
        "       [10, 11],\n"
        "       [12, 13]], dtype=int32)");
}

TEST_CASE("print: empty arrays") {
  CHECK(text(counted({0}, float32)) == "array([], dtype=float32)");
  CHECK(text(counted({0, 3}, float32)) == "array([], dtype=float32)");
  CHECK(text(counted({3, 0}, float32)) ==
        "array([[],\n"
        "       [],\n"
        "       []], dtype=float32)");
}

TEST_CASE("print: strided memory") {
  array base = counted({2, 3});
  base.eval();
  array transposed(Shape{3, 2}, int32, nullptr, {});
  transposed.copy_shared_buffer(base, {1, 3}, {true, false, true}, 6);
  transposed.set_status(array::Status::available);
  CHECK(text(transposed) ==
        "array([[0, 3],\n"
        "       [1, 4],\n"
        "       [2, 5]], dtype=int32)");
}

TEST_CASE("finfo and iinfo") {
  CHECK(finfo(float16).max == 65504);
  CHECK(finfo(float16).eps == 0x1p-10);
  CHECK(finfo(bfloat16).smallest_normal == 0x1p-126);
  CHECK(finfo(float32).bits == 32);
  CHECK(finfo(float32).min == -finfo(float32).max);
  CHECK(finfo(float64).eps == 0x1p-52);
  CHECK(finfo(complex64).dtype == float32);
  CHECK(finfo(complex64).bits == 32);
  CHECK_THROWS_AS(finfo{int32}, std::invalid_argument);
  CHECK(iinfo(int8).min == -128);
  CHECK(iinfo(uint64).max == std::numeric_limits<uint64_t>::max());
  CHECK(iinfo(uint8).min == 0);
  CHECK_THROWS_AS(iinfo{bool_}, std::invalid_argument);
  CHECK_THROWS_AS(iinfo{float32}, std::invalid_argument);
}

TEST_CASE("result_type") {
  array a(1, int8);
  array b(1, uint8);
  array c(1.0f, float16);
  CHECK(result_type({}) == bool_);
  CHECK(result_type({a}) == int8);
  CHECK(result_type(a, b) == int16);
  CHECK(result_type(a, b, c) == float16);
  CHECK(result_type(std::vector<array>{a, b, c}) == float16);
}

TEST_CASE("broadcast_shapes") {
  CHECK((broadcast_shapes({3, 1}, {2}) == Shape{3, 2}));
  CHECK((broadcast_shapes({}, {2, 3}) == Shape{2, 3}));
  CHECK((broadcast_shapes({1}, {0}) == Shape{0}));
  CHECK((broadcast_shapes({4, 1, 3}, {1, 5, 1}) == Shape{4, 5, 3}));
  CHECK_THROWS_WITH_AS(broadcast_shapes({2, 3}, {4}),
                       "[broadcast_shapes] Shapes (2,3) and (4) cannot be broadcast.",
                       std::invalid_argument);
  CHECK_THROWS_AS(broadcast_shapes({0}, {2}), std::invalid_argument);
}

TEST_CASE("axes and dimensions are checked") {
  CHECK(normalize_axis_index(-1, 3) == 2);
  CHECK(normalize_axis_index(0, 1) == 0);
  CHECK_THROWS_AS(normalize_axis_index(3, 3), std::invalid_argument);
  CHECK_THROWS_WITH_AS(normalize_axis_index(-4, 3, "[sum] "),
                       "[sum] Axis -4 is out of bounds for array with 3 dimensions.",
                       std::invalid_argument);
  CHECK(safe_cast(size_t{7}) == 7);
  CHECK(safe_cast(-1.0) == -1);
  CHECK_THROWS_AS(safe_cast(std::numeric_limits<uint64_t>::max(), "pad"), std::overflow_error);
  CHECK_THROWS_AS(safe_cast(1e19), std::overflow_error);
  CHECK_THROWS_AS(safe_cast(NAN), std::overflow_error);
  CHECK(is_power_of_2(8));
  CHECK(!is_power_of_2(0));
  CHECK(next_power_of_2(9) == 16);
  CHECK(next_power_of_2(0) == 1);
}

TEST_CASE("settings by upstream's names") {
  CHECK(env::get_var("MLX_NO_SUCH_VARIABLE", 3) == 3);
  CHECK(env::get_var("MLX_NO_SUCH_VARIABLE", "x") == "x");
  CHECK(env::nccl_timeout(5) == 5);
  CHECK(env::bfs_max_width() >= 1);
}
