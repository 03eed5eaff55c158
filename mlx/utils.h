// What a program needs around arrays: naming a stream or device, printing,
// dtype facts, broadcasting of shapes, axis checks.
#pragma once

#include <cmath>
#include <exception>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/device.h"
#include "mlx/dtype.h"
#include "mlx/stream.h"

namespace mlx::core {

/// Where an operation runs; empty means the default stream of the default device.
using StreamOrDevice =
    std::variant<std::monostate, Stream, ThreadLocalStream, Device, Device::DeviceType>;

MLX_API Stream to_stream(StreamOrDevice s);
/// As above, with `default_` in place of the default device.
MLX_API Stream to_stream(StreamOrDevice s, Device default_);

/// Makes `s` the default device and the calling thread's default stream until
/// the end of the scope.
struct MLX_API StreamContext {
  StreamContext(StreamOrDevice s);
  ~StreamContext();
  StreamContext(const StreamContext&) = delete;
  StreamContext& operator=(const StreamContext&) = delete;

 private:
  Stream saved_;
};

struct MLX_API PrintOptions {
  /// Decimals of floating point elements; -1 shows 6 significant digits.
  int precision{-1};
};

/// How one element is printed.
struct MLX_API PrintFormatter {
  void print(std::ostream& os, bool val);
  void print(std::ostream& os, int16_t val);
  void print(std::ostream& os, uint16_t val);
  void print(std::ostream& os, int32_t val);
  void print(std::ostream& os, uint32_t val);
  void print(std::ostream& os, int64_t val);
  void print(std::ostream& os, uint64_t val);
  void print(std::ostream& os, float16_t val);
  void print(std::ostream& os, bfloat16_t val);
  void print(std::ostream& os, float val);
  void print(std::ostream& os, double val);
  void print(std::ostream& os, complex64_t val);

  bool capitalize_bool{false};
  PrintOptions format_options;
};

MLX_API void set_printoptions(PrintOptions options);
MLX_API PrintFormatter& get_global_formatter();

/// True on the thread that called this first.
MLX_API bool is_main_thread();

/// Facts about an inexact dtype; complex64 is described by its float32 parts.
struct MLX_API finfo {
  explicit finfo(Dtype dtype);
  Dtype dtype;
  int bits;
  double min;
  double max;
  double eps;
  double smallest_normal;
};

/// Facts about an integer dtype.
struct MLX_API iinfo {
  explicit iinfo(Dtype dtype);
  Dtype dtype;
  int64_t min;
  uint64_t max;
};

/// The promoted dtype of the arrays.
inline Dtype result_type(const array& a, const array& b) {
  return promote_types(a.dtype(), b.dtype());
}
inline Dtype result_type(const array& a, const array& b, const array& c) {
  return promote_types(result_type(a, b), c.dtype());
}
/// bool_ for no array.
MLX_API Dtype result_type(const std::vector<array>& arrays);

/// NumPy's broadcasting rule; throws std::invalid_argument for shapes that do not fit.
MLX_API Shape broadcast_shapes(const Shape& s1, const Shape& s2);

namespace detail {
[[noreturn]] MLX_API void throw_dimension_overflow(std::string_view op);
}  // namespace detail

/// `dim` as a dimension; throws std::overflow_error where it does not fit.
template <typename T>
inline ShapeElem safe_cast(T dim, std::string_view op = "") {
  bool fits;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    fits = std::in_range<ShapeElem>(dim);
  } else if constexpr (std::is_floating_point_v<T>) {
    fits = dim >= -0x1p63 && dim < 0x1p63;
  } else {
    fits = static_cast<T>(static_cast<ShapeElem>(dim)) == dim;
  }
  if (!fits) [[unlikely]] {
    detail::throw_dimension_overflow(op);
  }
  return static_cast<ShapeElem>(dim);
}

/// `axis` counted from the front; throws std::invalid_argument, its message
/// behind `msg_prefix`, when it is outside [-ndim, ndim).
MLX_API int normalize_axis_index(int axis, int ndim, const std::string& msg_prefix = "");

MLX_API std::ostream& operator<<(std::ostream& os, const Device& d);
MLX_API std::ostream& operator<<(std::ostream& os, const Stream& s);
MLX_API std::ostream& operator<<(std::ostream& os, const Dtype& d);
MLX_API std::ostream& operator<<(std::ostream& os, const Dtype::Kind& k);
/// Evaluates the array.
MLX_API std::ostream& operator<<(std::ostream& os, array a);

inline std::ostream& operator<<(std::ostream& os, const complex64_t& v) {
  return os << v.real() << (v.imag() >= 0 || std::isnan(v.imag()) ? "+" : "") << v.imag() << "j";
}
inline std::ostream& operator<<(std::ostream& os, const float16_t& v) {
  return os << static_cast<float>(v);
}
inline std::ostream& operator<<(std::ostream& os, const bfloat16_t& v) {
  return os << static_cast<float>(v);
}
template <typename Vec, typename = std::enable_if_t<is_vector_v<Vec>>>
inline std::ostream& operator<<(std::ostream& os, const Vec& v) {
  os << "(";
  for (auto it = v.begin(); it != v.end(); ++it) {
    os << (it == v.begin() ? "" : ",") << *it;
  }
  return os << ")";
}

inline bool is_power_of_2(int n) { return n > 0 && (n & (n - 1)) == 0; }

/// The smallest power of two that is at least n; 1 for n < 1.
inline int next_power_of_2(int n) {
  int power = 1;
  while (power < n) {
    power *= 2;
  }
  return power;
}

// Settings by the names of upstream's interface; the table is in core/settings.h.
namespace env {

/// An integer variable of any name. Throws std::invalid_argument when malformed.
MLX_API int get_var(const char* name, int default_value);
/// A text variable of any name.
MLX_API std::string get_var(const char* name, const char* default_value);

MLX_API int bfs_max_width();
MLX_API int max_ops_per_buffer(int default_value);
MLX_API int max_mb_per_buffer(int default_value);
MLX_API int residency_set_max_pct();
MLX_API bool residency_debug();
MLX_API bool metal_fast_synch();
MLX_API bool enable_tf32();
MLX_API int nccl_timeout(int default_value);
MLX_API const std::string& metal_gpu_arch();

}  // namespace env

}  // namespace mlx::core
