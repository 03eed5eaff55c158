// Typed buffers with random and special values, tier selection and single
// instructions, for the tests of the elementwise engine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mlx/core/cpu_tier.h"
#include "mlx/fuse/compile.h"
#include "mlx/fuse/engine.h"

namespace fuse_testing {

using namespace mlx::core;
using namespace mlx::core::fuse;
using Val = Dtype::Val;

inline constexpr Val all_dtypes[] = {Val::bool_,    Val::uint8,    Val::uint16,  Val::uint32,
                                     Val::uint64,   Val::int8,     Val::int16,   Val::int32,
                                     Val::int64,    Val::float16,  Val::float32, Val::float64,
                                     Val::bfloat16, Val::complex64};
inline const char* const dtype_names[] = {"bool", "u8",  "u16", "u32", "u64", "i8",   "i16",
                                          "i32",  "i64", "f16", "f32", "f64", "bf16", "c64"};
inline std::string label(Op op) {
  return mlx::core::fuse::name(op);
}
inline std::string label(Val v) {
  return dtype_names[static_cast<int>(v)];
}

inline bool is_integer(Val v) {
  return v >= Val::uint8 && v <= Val::int64;
}
inline bool is_float(Val v) {
  return v >= Val::float16 && v <= Val::bfloat16;
}
inline bool is_signed(Val v) {
  return v >= Val::int8 && v <= Val::int64;
}
inline int bytes_of(Val v) {
  return item_size(storage_of(v));
}

/// One element of any dtype: an integer, or a complex number in double.
struct Scalar {
  __int128 i = 0;
  double re = 0, im = 0;
};

inline float half_to_float(uint16_t h) {
  float16_t x;
  std::memcpy(&x, &h, 2);
  return static_cast<float>(x);
}
inline float bf16_to_float(uint16_t h) {
  const uint32_t bits = static_cast<uint32_t>(h) << 16;
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

struct Buffer {
  Val dtype;
  std::vector<uint8_t> data;
  Buffer(Val d, int64_t n) : dtype(d), data(static_cast<size_t>(n) * bytes_of(d)) {}
  void* at(int64_t k) { return data.data() + k * bytes_of(dtype); }
  const void* at(int64_t k) const { return data.data() + k * bytes_of(dtype); }

  template <class T>
  T raw(int64_t k) const {
    T x;
    std::memcpy(&x, at(k), sizeof(T));
    return x;
  }
  template <class T>
  void set_raw(int64_t k, T x) {
    std::memcpy(at(k), &x, sizeof(T));
  }

  Scalar get(int64_t k) const {
    Scalar s;
    switch (dtype) {
      case Val::bool_:
        s.i = raw<uint8_t>(k);
        break;
      case Val::uint8:
        s.i = raw<uint8_t>(k);
        break;
      case Val::uint16:
        s.i = raw<uint16_t>(k);
        break;
      case Val::uint32:
        s.i = raw<uint32_t>(k);
        break;
      case Val::uint64:
        s.i = raw<uint64_t>(k);
        break;
      case Val::int8:
        s.i = raw<int8_t>(k);
        break;
      case Val::int16:
        s.i = raw<int16_t>(k);
        break;
      case Val::int32:
        s.i = raw<int32_t>(k);
        break;
      case Val::int64:
        s.i = raw<int64_t>(k);
        break;
      case Val::float16:
        s.re = half_to_float(raw<uint16_t>(k));
        break;
      case Val::bfloat16:
        s.re = bf16_to_float(raw<uint16_t>(k));
        break;
      case Val::float32:
        s.re = raw<float>(k);
        break;
      case Val::float64:
        s.re = raw<double>(k);
        break;
      case Val::complex64: {
        float parts[2];
        std::memcpy(parts, at(k), 8);
        s.re = parts[0];
        s.im = parts[1];
        break;
      }
    }
    return s;
  }

  void set_integer(int64_t k, __int128 x) {
    const uint64_t low = static_cast<uint64_t>(x);
    std::memcpy(at(k), &low, bytes_of(dtype));
  }
  void set_float(int64_t k, double x) {
    switch (dtype) {
      case Val::float16:
        set_raw(k, float16_t(static_cast<float>(x)));
        break;
      case Val::bfloat16:
        set_raw(k, bfloat16_t(static_cast<float>(x)));
        break;
      case Val::float32:
        set_raw(k, static_cast<float>(x));
        break;
      default:
        set_raw(k, x);
        break;
    }
  }
  void set_complex(int64_t k, double re, double im) {
    const float parts[2] = {static_cast<float>(re), static_cast<float>(im)};
    std::memcpy(at(k), parts, 8);
  }
};

inline std::mt19937_64& generator() {
  static std::mt19937_64 g(20240607);
  return g;
}
inline double uniform(double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator());
}
inline uint64_t bits() {
  return generator()();
}

/// A mix of plain values, wide magnitudes and special values.
inline double any_float(Val dtype) {
  static const double specials[] = {
      0.0,    -0.0,    1.0,  -1.0,         INFINITY,      -INFINITY,   NAN,   0.5,
      2.0,    -2.0,    3.0,  1e-40,        -1e-40,        1e30,        -1e30, 88.0,
      -104.0, 65504.0, 1e-7, 2147483648.0, -2147483904.0, 4294967296.0};
  switch (bits() % 8) {
    case 0:
      return specials[bits() % (sizeof(specials) / sizeof(double))];
    case 1:
      return uniform(-1, 1);
    case 2:
      return std::round(uniform(-20, 20));
    case 3: {
      const double limit = dtype == Val::float16 ? 4 : dtype == Val::float64 ? 200 : 37;
      return std::copysign(std::pow(10.0, uniform(-limit, limit)), uniform(-1, 1));
    }
    default:
      return uniform(-12, 12);
  }
}

inline void fill(Buffer& b, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    if (b.dtype == Val::bool_) {
      b.set_integer(k, bits() & 1);
    } else if (is_integer(b.dtype)) {
      const uint64_t r = bits();
      const uint64_t value = r % 3 == 0 ? bits() : r % 3 == 1 ? bits() % 41 - 20 : bits() % 7;
      b.set_integer(k, r % 16 == 0 ? (uint64_t{1} << (8 * bytes_of(b.dtype) - 1)) : value);
    } else if (b.dtype == Val::complex64) {
      b.set_complex(k, any_float(Val::float32), any_float(Val::float32));
    } else {
      b.set_float(k, any_float(b.dtype));
    }
  }
}

inline std::vector<int> tiers() {
  std::vector<int> result;
#if defined(MLX_SINGLE_TIER_v3)
  result.push_back(1);
#else
  const int best = std::min(2, static_cast<int>(best_cpu_tier()));
  for (int t = 0; t <= best; ++t) result.push_back(t);
#endif
  return result;
}

struct TierScope {
  explicit TierScope(int tier) { set_engine_tier_for_tests(tier); }
  ~TierScope() { set_engine_tier_for_tests(-1); }
};

inline constexpr int64_t dense_stride[] = {1};

inline void run_one(Op op, Val in, Val out, const std::vector<const Buffer*>& operands,
                    Buffer& result, int64_t n) {
  std::vector<Input> inputs;
  for (const Buffer* b : operands) inputs.push_back({b->data.data(), b->dtype, dense_stride});
  const Instruction instruction{op, in, out, {0, 1, 2}};
  const Output output{static_cast<uint16_t>(operands.size()), result.data.data(), dense_stride};
  run({1, &n, static_cast<int>(inputs.size()), inputs.data(), 1, &instruction, 1, &output});
}

}  // namespace fuse_testing
