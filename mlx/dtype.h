// Dtype: what one element of an array is; categories and promotion. Names and
// dispatch over dtypes are in dtype_utils.h.
#pragma once

#include <complex>
#include <cstdint>

#include "mlx/api.h"
#include "mlx/types/complex.h"
#include "mlx/types/half_types.h"

namespace mlx::core {

struct Dtype {
  // The order is serialised by exported functions and indexes tables.
  enum class Val : uint8_t {
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    bfloat16,
    complex64,
  };

  enum class Kind { b, u, i, f, c, V };

  enum class Category {
    complexfloating,
    floating,
    inexact,
    signedinteger,
    unsignedinteger,
    integer,
    number,
    generic,
  };

  constexpr explicit Dtype(Val val, uint8_t size) : val_(val), size_(size) {}

  constexpr operator Val() const { return val_; }
  constexpr Val val() const { return val_; }
  constexpr uint8_t size() const { return size_; }

 private:
  Val val_;
  uint8_t size_;
};

inline constexpr Dtype bool_{Dtype::Val::bool_, sizeof(bool)};
inline constexpr Dtype uint8{Dtype::Val::uint8, sizeof(uint8_t)};
inline constexpr Dtype uint16{Dtype::Val::uint16, sizeof(uint16_t)};
inline constexpr Dtype uint32{Dtype::Val::uint32, sizeof(uint32_t)};
inline constexpr Dtype uint64{Dtype::Val::uint64, sizeof(uint64_t)};
inline constexpr Dtype int8{Dtype::Val::int8, sizeof(int8_t)};
inline constexpr Dtype int16{Dtype::Val::int16, sizeof(int16_t)};
inline constexpr Dtype int32{Dtype::Val::int32, sizeof(int32_t)};
inline constexpr Dtype int64{Dtype::Val::int64, sizeof(int64_t)};
inline constexpr Dtype float16{Dtype::Val::float16, sizeof(uint16_t)};
inline constexpr Dtype float32{Dtype::Val::float32, sizeof(float)};
inline constexpr Dtype float64{Dtype::Val::float64, sizeof(double)};
inline constexpr Dtype bfloat16{Dtype::Val::bfloat16, sizeof(uint16_t)};
inline constexpr Dtype complex64{Dtype::Val::complex64, sizeof(complex64_t)};

inline constexpr Dtype::Category complexfloating = Dtype::Category::complexfloating;
inline constexpr Dtype::Category floating = Dtype::Category::floating;
inline constexpr Dtype::Category inexact = Dtype::Category::inexact;
inline constexpr Dtype::Category signedinteger = Dtype::Category::signedinteger;
inline constexpr Dtype::Category unsignedinteger = Dtype::Category::unsignedinteger;
inline constexpr Dtype::Category integer = Dtype::Category::integer;
inline constexpr Dtype::Category number = Dtype::Category::number;
inline constexpr Dtype::Category generic = Dtype::Category::generic;

/// Equality of the two dtypes.
MLX_API bool issubdtype(const Dtype& a, const Dtype& b);
/// Always false: a category is never inside a dtype.
MLX_API bool issubdtype(const Dtype::Category& a, const Dtype& b);
/// Whether the dtype lies in category `b`.
MLX_API bool issubdtype(const Dtype& a, const Dtype::Category& b);
/// Whether category `a` equals `b` or lies inside it.
MLX_API bool issubdtype(const Dtype::Category& a, const Dtype::Category& b);

/// The dtype of a binary operation on arrays of the two dtypes; symmetric.
MLX_API Dtype promote_types(const Dtype& t1, const Dtype& t2);

inline uint8_t size_of(const Dtype& t) { return t.size(); }

/// NumPy's kind letter; bfloat16, unknown to NumPy, is V.
MLX_API Dtype::Kind kindof(const Dtype& t);

/// The dtype of arrays made from values of C++ type T. Defined for the element
/// types only; double means float32: float64 arrays are asked for by name.
template <typename T>
struct MLX_API TypeToDtype {
  operator Dtype();
};

#define MLX_TYPE_TO_DTYPE(T, dtype) \
  template <>                       \
  inline TypeToDtype<T>::operator Dtype() { return dtype; }
MLX_TYPE_TO_DTYPE(bool, bool_)
MLX_TYPE_TO_DTYPE(uint8_t, uint8)
MLX_TYPE_TO_DTYPE(uint16_t, uint16)
MLX_TYPE_TO_DTYPE(uint32_t, uint32)
MLX_TYPE_TO_DTYPE(uint64_t, uint64)
MLX_TYPE_TO_DTYPE(int8_t, int8)
MLX_TYPE_TO_DTYPE(int16_t, int16)
MLX_TYPE_TO_DTYPE(int32_t, int32)
MLX_TYPE_TO_DTYPE(int64_t, int64)
MLX_TYPE_TO_DTYPE(float16_t, float16)
MLX_TYPE_TO_DTYPE(float, float32)
MLX_TYPE_TO_DTYPE(double, float32)
MLX_TYPE_TO_DTYPE(bfloat16_t, bfloat16)
MLX_TYPE_TO_DTYPE(complex64_t, complex64)
#undef MLX_TYPE_TO_DTYPE

}  // namespace mlx::core
