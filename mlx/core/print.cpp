// Text of arrays, elements, dtypes, devices and streams.
#include <charconv>
#include <cmath>
#include <ostream>
#include <string>
#include <thread>

#include "mlx/dtype_utils.h"
#include "mlx/utils.h"

namespace mlx::core {

namespace {

// Axes longer than this show only their ends.
constexpr ShapeElem kFullLength = 6;
constexpr ShapeElem kShownAtEnds = 3;

template <typename T>
void print_floating(std::ostream& os, T val, int precision) {
  const bool fixed = precision >= 0;
  const int digits = fixed ? precision : static_cast<int>(os.precision());
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::general;
  // 309 digits before the point is the longest double.
  std::string text(320 + digits, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), val, format, digits).ptr;
  os.write(text.data(), end - text.data());
}

struct ArrayPrinter {
  std::ostream& os;
  const Shape& shape;
  const Strides& strides;

  template <typename T>
  void element(const T& val) {
    PrintFormatter& formatter = get_global_formatter();
    if constexpr (std::is_same_v<T, int8_t>) {
      formatter.print(os, static_cast<int16_t>(val));
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      formatter.print(os, static_cast<uint16_t>(val));
    } else {
      formatter.print(os, val);
    }
  }

  template <typename T>
  void axis(const T* data, int64_t offset, size_t dim) {
    if (dim == shape.size()) {
      element(data[offset]);
      return;
    }
    const bool last = dim + 1 == shape.size();
    const std::string separator =
        last ? ", " : ",\n" + std::string(std::string_view("array(").size() + 1 + dim, ' ');
    const ShapeElem length = shape[dim];
    os << "[";
    for (ShapeElem i = 0; i < length; ++i) {
      if (i > 0) {
        os << separator;
      }
      if (length > kFullLength && i == kShownAtEnds) {
        os << "..." << separator;
        i = length - kShownAtEnds;
      }
      axis(data, offset + i * strides[dim], dim + 1);
    }
    os << "]";
  }
};

}  // namespace

void PrintFormatter::print(std::ostream& os, bool val) {
  os << (capitalize_bool ? (val ? "True" : "False") : (val ? "true" : "false"));
}
void PrintFormatter::print(std::ostream& os, int16_t val) {
  os << val;
}
void PrintFormatter::print(std::ostream& os, uint16_t val) {
  os << val;
}
void PrintFormatter::print(std::ostream& os, int32_t val) {
  os << val;
}
void PrintFormatter::print(std::ostream& os, uint32_t val) {
  os << val;
}
void PrintFormatter::print(std::ostream& os, int64_t val) {
  os << val;
}
void PrintFormatter::print(std::ostream& os, uint64_t val) {
  os << val;
}
void PrintFormatter::print(std::ostream& os, float16_t val) {
  print(os, static_cast<float>(val));
}
void PrintFormatter::print(std::ostream& os, bfloat16_t val) {
  print(os, static_cast<float>(val));
}
void PrintFormatter::print(std::ostream& os, float val) {
  print_floating(os, val, format_options.precision);
}
void PrintFormatter::print(std::ostream& os, double val) {
  print_floating(os, val, format_options.precision);
}
void PrintFormatter::print(std::ostream& os, complex64_t val) {
  print(os, val.real());
  if (val.imag() >= 0 || std::isnan(val.imag())) {
    os << "+";
  }
  print(os, val.imag());
  os << "j";
}

PrintFormatter& get_global_formatter() {
  static PrintFormatter* formatter = new PrintFormatter;
  return *formatter;
}

void set_printoptions(PrintOptions options) {
  get_global_formatter().format_options = options;
}

bool is_main_thread() {
  static const std::thread::id main_thread = std::this_thread::get_id();
  return std::this_thread::get_id() == main_thread;
}

std::ostream& operator<<(std::ostream& os, const Device& d) {
  return os << "Device(" << (d.type == Device::cpu ? "cpu" : "gpu") << ", " << d.index << ")";
}

std::ostream& operator<<(std::ostream& os, const Stream& s) {
  return os << "Stream(" << s.device << ", " << s.index << ")";
}

std::ostream& operator<<(std::ostream& os, const Dtype& d) {
  return os << dtype_to_string(d);
}

std::ostream& operator<<(std::ostream& os, const Dtype::Kind& k) {
  return os << "buifcV"[static_cast<int>(k)];
}

std::ostream& operator<<(std::ostream& os, array a) {
  a.eval();
  os << "array(";
  dispatch_all_types(a.dtype(), [&](auto tag) {
    using T = MLX_GET_TYPE(tag);
    // An array without elements may have no memory; its axes are still listed.
    const T* data = a.size() > 0 ? static_cast<const array&>(a).data<T>() : nullptr;
    ArrayPrinter{os, a.shape(), a.strides()}.axis(data, 0, 0);
  });
  return os << ", dtype=" << a.dtype() << ")";
}

}  // namespace mlx::core
