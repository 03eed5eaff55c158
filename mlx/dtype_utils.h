// Names of dtypes, and calls of a generic callable with the C++ type of a dtype.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string_view>

#include "mlx/dtype.h"

namespace mlx::core {

/// "bool", "int8", ... "bfloat16", "complex64".
MLX_API const char* dtype_to_string(Dtype arg);

template <typename T>
struct type_identity {
  using type = T;
};

#define MLX_GET_TYPE(x) typename decltype(x)::type
#define MLX_GET_VALUE(x) decltype(x)::value

#define MLX_INTERNAL_DTYPE_SWITCH_CASE(DTYPE, TYPE) \
  case DTYPE:                                       \
    f(::mlx::core::type_identity<TYPE>{});          \
    break

#define MLX_INTERNAL_DTYPE_SWITCH_INTS()                        \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::uint8, uint8_t);   \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::uint16, uint16_t); \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::uint32, uint32_t); \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::uint64, uint64_t); \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::int8, int8_t);     \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::int16, int16_t);   \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::int32, int32_t);   \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::int64, int64_t)

#define MLX_INTERNAL_DTYPE_SWITCH_FLOATS()                                    \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::float16, ::mlx::core::float16_t);   \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::bfloat16, ::mlx::core::bfloat16_t); \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::float32, float);                   \
  MLX_INTERNAL_DTYPE_SWITCH_CASE(::mlx::core::float64, double)

namespace detail {
/// Throws std::invalid_argument: "<tag> only <accepted> types are supported: got <dtype>".
[[noreturn]] MLX_API void throw_unsupported_dtype(std::string_view tag, const char* accepted,
                                                  Dtype dtype);
}  // namespace detail

/// Each dispatcher calls `f(type_identity<T>{})`, T the C++ type of `dt`, and
/// throws std::invalid_argument starting with `tag` for a dtype outside its set.
template <typename F>
void dispatch_all_types(Dtype dt, F&& f) {
  switch (dt) {
    MLX_INTERNAL_DTYPE_SWITCH_CASE(bool_, bool);
    MLX_INTERNAL_DTYPE_SWITCH_INTS();
    MLX_INTERNAL_DTYPE_SWITCH_FLOATS();
    MLX_INTERNAL_DTYPE_SWITCH_CASE(complex64, complex64_t);
  }
}

template <typename F>
void dispatch_int_types(Dtype dt, std::string_view tag, F&& f) {
  switch (dt) {
    MLX_INTERNAL_DTYPE_SWITCH_INTS();
    default:
      detail::throw_unsupported_dtype(tag, "integer", dt);
  }
}

template <typename F>
void dispatch_float_types(Dtype dt, std::string_view tag, F&& f) {
  switch (dt) {
    MLX_INTERNAL_DTYPE_SWITCH_FLOATS();
    default:
      detail::throw_unsupported_dtype(tag, "real floating", dt);
  }
}

template <typename F>
void dispatch_inexact_types(Dtype dt, std::string_view tag, F&& f) {
  switch (dt) {
    MLX_INTERNAL_DTYPE_SWITCH_FLOATS();
    MLX_INTERNAL_DTYPE_SWITCH_CASE(complex64, complex64_t);
    default:
      detail::throw_unsupported_dtype(tag, "inexact", dt);
  }
}

template <typename F>
void dispatch_int_float_types(Dtype dt, std::string_view tag, F&& f) {
  switch (dt) {
    MLX_INTERNAL_DTYPE_SWITCH_INTS();
    MLX_INTERNAL_DTYPE_SWITCH_FLOATS();
    default:
      detail::throw_unsupported_dtype(tag, "integer and real floating", dt);
  }
}

template <typename F>
void dispatch_real_types(Dtype dt, std::string_view tag, F&& f) {
  switch (dt) {
    MLX_INTERNAL_DTYPE_SWITCH_CASE(bool_, bool);
    MLX_INTERNAL_DTYPE_SWITCH_INTS();
    MLX_INTERNAL_DTYPE_SWITCH_FLOATS();
    default:
      detail::throw_unsupported_dtype(tag, "bool, integer and real floating", dt);
  }
}

}  // namespace mlx::core
