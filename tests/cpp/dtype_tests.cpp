// Element types, dtypes, promotion, categories, devices and the Error slot.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "mlx/backend/cpu/device_info.h"
#include "mlx/backend/cuda/cuda.h"
#include "mlx/backend/gpu/device_info.h"
#include "mlx/backend/metal/metal.h"
#include "mlx/device.h"
#include "mlx/dtype_utils.h"
#include "mlx/error.h"
#include "mlx/stream.h"
#include "mlx/types/limits.h"

using namespace mlx::core;

namespace {

const std::vector<Dtype> kAll = {bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
                                 int32, int64, float16, float32, float64, bfloat16, complex64};

// Correctly rounded by construction: the nearest of all halves, ties to even.
uint16_t nearest_half(double x) {
  uint16_t best = 0;
  double best_distance = INFINITY;
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    double distance = std::abs(_MLX_Float16::to_float(static_cast<uint16_t>(bits)) - x);
    if (distance < best_distance || (distance == best_distance && (bits & 1) == 0)) {
      best = static_cast<uint16_t>(bits);
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace

TEST_CASE("float16: every value survives the round trip through float") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = _MLX_Float16::to_float(static_cast<uint16_t>(bits));
    if ((bits & 0x7fff) > 0x7C00) {
      CHECK(std::isnan(value));
      continue;
    }
    const uint32_t exponent = (bits >> 10) & 31;
    const uint32_t mantissa = bits & 0x3ff;
    const float expected =
        exponent == 31  ? INFINITY
        : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                        : std::ldexp(static_cast<float>(mantissa + 1024), int(exponent) - 25);
    CHECK(std::abs(value) == expected);
    CHECK(std::signbit(value) == ((bits & 0x8000) != 0));
    CHECK(_MLX_Float16::from_float(value) == bits);
  }
}

TEST_CASE("float16: rounds to nearest, ties to even") {
  for (float x : {1e-8f, 2.98e-8f, 0x1p-25f, 0x1.8p-24f, 0x1.00002p-25f, 6.1e-5f, 0x1.ffcp-15f,
                  0x1.ffep-15f, 1.0f, 1.00048828125f, 1.0004884f, 1.00146484375f, 3.14159f, 2049.0f,
                  2051.0f, 65504.0f, 65519.0f}) {
    CHECK(_MLX_Float16::from_float(x) == nearest_half(x));
    CHECK(_MLX_Float16::from_float(-x) == (nearest_half(x) | 0x8000));
  }
  CHECK(_MLX_Float16::from_float(65520.0f) == 0x7C00);
  CHECK(_MLX_Float16::from_float(1e30f) == 0x7C00);
  CHECK(_MLX_Float16::from_float(-INFINITY) == 0xFC00);
  CHECK(std::isnan(static_cast<float>(float16_t(NAN))));
}

TEST_CASE("bfloat16: conversion and rounding") {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint32_t wide = bits << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    if (!std::isnan(value)) {
      CHECK(_MLX_BFloat16::from_float(value) == bits);
    }
  }
  CHECK(_MLX_BFloat16::from_float(1.00390625f) == 0x3F80);  // tie, down to even
  CHECK(_MLX_BFloat16::from_float(1.01171875f) == 0x3F82);  // tie, up to even
  CHECK(_MLX_BFloat16::from_float(3.4e38f) == 0x7F80);
  CHECK(_MLX_BFloat16::from_float(NAN) == 0x7FC0);
  CHECK(_MLX_BFloat16::from_float(-NAN) == 0x7FC0);
}

TEST_CASE_TEMPLATE("16-bit floats: operators", H, float16_t, bfloat16_t) {
  H a = 1.5f;
  H b = 2.0f;
  CHECK(std::is_same_v<decltype(a + b), H>);
  CHECK(std::is_same_v<decltype(a * 2), H>);
  CHECK(std::is_same_v<decltype(2u * a), H>);
  CHECK(std::is_same_v<decltype(a * true), H>);
  CHECK(std::is_same_v<decltype(a + 1.0f), float>);
  CHECK(std::is_same_v<decltype(1.0 - a), double>);
  CHECK(a + b == 3.5f);
  CHECK(a * 2 == 3.0f);
  CHECK(a < b);
  CHECK(b >= 2);
  CHECK(a != b);
  CHECK(a == 1.5);
  CHECK(-a == -1.5f);
  a += 1.0f;
  CHECK(a == 2.5f);
  float f = 1.0f;
  f *= b;
  CHECK(f == 2.0f);
  CHECK((b | uint16_t{1}).bits_ == (b.bits_ | 1));
  CHECK((b ^ b).bits_ == 0);
  b &= uint16_t{0};
  CHECK(b == 0.0f);
  std::vector<bool> bools = {true, false};
  std::vector<H> halves(2);
  std::copy(bools.begin(), bools.end(), halves.begin());
  CHECK(halves[0] == 1.0f);
  CHECK(halves[1] == 0.0f);
  CHECK(numeric_limits<H>::infinity() == INFINITY);
  CHECK(numeric_limits<H>::lowest() == -static_cast<float>(numeric_limits<H>::max()));
  CHECK(is_floating_point_v<H>);
  CHECK(is_signed_v<H>);
  CHECK(!is_complex<H>);
}

TEST_CASE("16-bit floats: limits and mixed arithmetic") {
  CHECK(numeric_limits<float16_t>::max() == 65504.0f);
  CHECK(numeric_limits<float16_t>::min() == 0x1p-14f);
  CHECK(numeric_limits<float16_t>::epsilon() == 0x1p-10f);
  CHECK(numeric_limits<bfloat16_t>::epsilon() == 0x1p-7f);
  CHECK(std::is_same_v<decltype(float16_t(1) + bfloat16_t(2)), float>);
  CHECK(float16_t(1) + bfloat16_t(2) == 3.0f);
}

TEST_CASE("complex64: conversions, order, remainder") {
  complex64_t z(1, 2);
  CHECK(sizeof(z) == 8);
  CHECK(static_cast<float>(z) == 1.0f);
  CHECK(z == doctest::Approx(1.0f));
  CHECK(complex64_t(3) == std::complex<float>(3, 0));
  CHECK(complex64_t(float16_t(3.0f)) == std::complex<float>(3, 0));
  CHECK(complex64_t(1, 1) < z);
  CHECK(z <= complex64_t(1, 2));
  CHECK(complex64_t(2, 0) > z);
  CHECK(-z == std::complex<float>(-1, -2));
  CHECK(complex64_t(5, -3) % complex64_t(3, 2) == std::complex<float>(2, 1));
  CHECK(z + 1.0f == std::complex<float>(2, 2));
  CHECK(true + z == std::complex<float>(2, 2));
  CHECK(std::is_same_v<decltype(z + std::complex<float>(1, 1)), complex64_t>);
  CHECK(is_complex<complex64_t>);
}

TEST_CASE("dtypes: sizes, names, kinds") {
  const char* names[] = {"bool",    "uint8",   "uint16",   "uint32",   "uint64",
                         "int8",    "int16",   "int32",    "int64",    "float16",
                         "float32", "float64", "bfloat16", "complex64"};
  const int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2, 8};
  const std::string kinds = "buuuuiiiifffVc";
  const std::string letters = "buifcV";
  for (size_t i = 0; i < kAll.size(); ++i) {
    CHECK(static_cast<size_t>(kAll[i].val()) == i);
    CHECK(dtype_to_string(kAll[i]) == std::string(names[i]));
    CHECK(size_of(kAll[i]) == sizes[i]);
    CHECK(letters[static_cast<int>(kindof(kAll[i]))] == kinds[i]);
  }
  CHECK(Dtype(TypeToDtype<double>()) == float32);
  CHECK(Dtype(TypeToDtype<bfloat16_t>()) == bfloat16);
}

TEST_CASE("dtypes: promotion follows its rules") {
  auto is_int = [](Dtype t) { return issubdtype(t, integer); };
  auto is_signed = [](Dtype t) { return issubdtype(t, signedinteger); };
  for (Dtype a : kAll) {
    CHECK(promote_types(a, a) == a);
    CHECK(promote_types(a, bool_) == a);
    CHECK(promote_types(a, complex64) == complex64);
    for (Dtype b : kAll) {
      Dtype c = promote_types(a, b);
      CHECK(c == promote_types(b, a));
      if (is_int(a) && issubdtype(b, inexact)) {
        CHECK(c == b);
      }
      if (is_int(a) && is_int(b) && is_signed(a) == is_signed(b)) {
        CHECK(c == (a.size() >= b.size() ? a : b));
      }
      if (is_int(a) && is_int(b) && !is_signed(a) && is_signed(b)) {
        if (a == uint64) {
          CHECK(c == float32);
        } else {
          CHECK(is_signed(c));
          CHECK(c.size() == std::max<int>(b.size(), 2 * a.size()));
        }
      }
    }
  }
  CHECK(promote_types(float16, bfloat16) == float32);
  CHECK(promote_types(float64, bfloat16) == float64);
  CHECK(promote_types(float16, float32) == float32);
}

TEST_CASE("dtypes: categories") {
  CHECK(issubdtype(float32, float32));
  CHECK(!issubdtype(float32, float16));
  CHECK(!issubdtype(floating, float32));
  CHECK(issubdtype(bfloat16, floating));
  CHECK(issubdtype(bool_, generic));
  CHECK(!issubdtype(bool_, number));
  CHECK(issubdtype(complex64, inexact));
  CHECK(!issubdtype(complex64, floating));
  CHECK(issubdtype(uint8, unsignedinteger));
  CHECK(!issubdtype(uint8, signedinteger));
  CHECK(issubdtype(signedinteger, integer));
  CHECK(issubdtype(integer, number));
  CHECK(issubdtype(number, generic));
  CHECK(!issubdtype(number, inexact));
  CHECK(issubdtype(generic, generic));
}

TEST_CASE("dtypes: dispatch calls with the C++ type") {
  for (Dtype t : kAll) {
    size_t size = 0;
    dispatch_all_types(t, [&](auto tag) { size = sizeof(MLX_GET_TYPE(tag)); });
    CHECK(size == t.size());
  }
  auto nothing = [](auto) {};
  CHECK_NOTHROW(dispatch_float_types(float64, "[x]", nothing));
  CHECK_NOTHROW(dispatch_inexact_types(complex64, "[x]", nothing));
  CHECK_NOTHROW(dispatch_real_types(bool_, "[x]", nothing));
  CHECK_NOTHROW(dispatch_int_float_types(int8, "[x]", nothing));
  CHECK_THROWS_AS(dispatch_int_float_types(bool_, "[x]", nothing), std::invalid_argument);
  CHECK_THROWS_AS(dispatch_real_types(complex64, "[x]", nothing), std::invalid_argument);
  CHECK_THROWS_AS(dispatch_float_types(int32, "[x]", nothing), std::invalid_argument);
  CHECK_THROWS_WITH_AS(dispatch_int_types(bool_, "[x]", nothing),
                       "[x] only integer types are supported: got bool", std::invalid_argument);
}

TEST_CASE("devices: identity, default, facts") {
  CHECK(Device(Device::cpu) == Device::cpu);
  CHECK(Device(Device::cpu, 1) != Device::cpu);
  CHECK(Device(Device::cpu, 1) < Device(Device::gpu, 0));
  CHECK(std::set<Stream>{Stream(1, Device::cpu), Stream(0, Device::cpu), Stream(1, Device::cpu)}
            .size() == 2);
  CHECK(device_count(Device::cpu) == 1);
  CHECK(is_available(Device::cpu));
  CHECK(!is_available(Device(Device::cpu, 1)));
  CHECK(!std::get<std::string>(device_info(Device::cpu).at("device_name")).empty());
  CHECK(device_info(Device::cpu).contains("architecture"));
  if (!is_available(Device::gpu)) {
    CHECK(default_device() == Device::cpu);
    CHECK_THROWS_AS(set_default_device(Device::gpu), std::invalid_argument);
    CHECK(device_info(Device::gpu).empty());
  }
  const Device before = default_device();
  set_default_device(Device::cpu);
  CHECK(default_device() == Device::cpu);
  set_default_device(before);
}

TEST_CASE("devices: backends can be asked for in every build") {
  CHECK(cpu::is_available());
  CHECK(cpu::device_count() == 1);
  CHECK(gpu::is_available() == is_available(Device::gpu));
  if (!metal::is_available()) {
    CHECK_NOTHROW(metal::start_capture("trace"));
    CHECK_NOTHROW(metal::stop_capture());
    CHECK_THROWS_AS(metal::device_info(), std::runtime_error);
    CHECK_THROWS_AS(metal::get_metallib_path(), std::runtime_error);
  }
  if (!cu::is_available()) {
    CHECK(cu::device_info().empty());
  }
}

TEST_CASE("Error throws its message once") {
  Error a;
  Error b;
  CHECK(!a.valid());
  CHECK_NOTHROW(a.check());
  CHECK(!a.store_if_valid(&b));
  CHECK(!a.store_if_valid(nullptr));
  b.set_message(std::make_shared<std::string>("disk full"));
  CHECK(a.store_if_valid(&b));
  CHECK_THROWS_WITH_AS(a.check(), "disk full", std::runtime_error);
  CHECK(!a.valid());
  CHECK(b.valid());
}
