// Arrays from Python values and back: nested lists, buffers, DLPack, scalars.
#include <nanobind/ndarray.h>

#include <cstring>
#include <limits>

#include "mlx/dtype_utils.h"
#include "mlx/ops.h"
#include "mlx/transforms.h"
#include "python/bindings/convert.h"

namespace mlx::bindings {

namespace {

// Kinds of list leaves, ordered: the largest one decides the dtype.
enum class Leaf { boolean, integer, real, complex, array };

bool is_list(nb::handle object) {
  return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

Py_ssize_t length(nb::handle list) {
  return PyList_Check(list.ptr()) ? PyList_Size(list.ptr()) : PyTuple_Size(list.ptr());
}

PyObject* item(nb::handle list, Py_ssize_t i) {
  return PyList_Check(list.ptr()) ? PyList_GetItem(list.ptr(), i) : PyTuple_GetItem(list.ptr(), i);
}

[[noreturn]] void throw_uneven() {
  throw std::invalid_argument(
      "[array] the nested lists do not form an array: at every level all lists must have the "
      "length of the first one");
}

// What one pass over the leaves finds out.
struct Survey {
  mx::Shape shape;
  Leaf kind = Leaf::boolean;
  int64_t low = 0;   // of the integers
  int64_t high = 0;
  bool beyond_int64 = false;
  int64_t leaves = 0;

  void integer(PyObject* leaf) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(leaf, &overflow);
    if (overflow > 0) {
      PyLong_AsUnsignedLongLong(leaf);
      if (PyErr_Occurred()) {
        throw nb::python_error();  // OverflowError
      }
      beyond_int64 = true;
    } else if (overflow < 0) {
      PyErr_SetString(PyExc_OverflowError, "[array] an integer does not fit 64 bits");
      throw nb::python_error();
    } else {
      low = std::min<int64_t>(low, value);
      high = std::max<int64_t>(high, value);
    }
  }

  void leaf(PyObject* object) {
    Leaf found;
    if (PyFloat_Check(object)) {
      found = Leaf::real;
    } else if (PyBool_Check(object)) {
      found = Leaf::boolean;
    } else if (PyLong_Check(object)) {
      found = Leaf::integer;
      integer(object);
    } else if (PyComplex_Check(object)) {
      found = Leaf::complex;
    } else if (as_array(object) != nullptr) {
      found = Leaf::array;
    } else {
      throw std::invalid_argument(std::string("[array] a list may hold bool, int, float, complex, "
                                              "arrays and lists of these: found ") +
                                  nb::type_name(nb::handle(object).type()).c_str());
    }
    kind = std::max(kind, found);
    ++leaves;
  }

  // The shape follows the first element at every level.
  void outline(nb::handle list) {
    nb::handle level = list;
    while (is_list(level)) {
      const Py_ssize_t n = length(level);
      shape.push_back(n);
      if (shape.size() > 1000) {
        throw std::invalid_argument("[array] lists are nested too deeply");
      }
      if (n == 0) {
        return;
      }
      level = item(level, 0);
    }
  }

  void walk(nb::handle list, size_t depth) {
    const Py_ssize_t n = length(list);
    if (n != shape[depth]) {
      throw_uneven();
    }
    const bool last = depth + 1 == shape.size();
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* element = item(list, i);
      if (last && PyFloat_CheckExact(element)) {
        kind = std::max(kind, Leaf::real);
        ++leaves;
      } else if (is_list(element)) {
        if (last) {
          throw_uneven();
        }
        walk(element, depth + 1);
      } else if (as_array(element) != nullptr) {
        kind = Leaf::array;
        if (as_array(element)->ndim() + depth + 1 < shape.size()) {
          throw_uneven();
        }
      } else {
        if (!last) {
          throw_uneven();
        }
        leaf(element);
      }
    }
  }
};

// Leaves in row-major order.
template <typename F>
void for_each_leaf(nb::handle list, F&& f) {
  const Py_ssize_t n = length(list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* element = item(list, i);
    if (is_list(element)) {
      for_each_leaf(element, f);
    } else {
      f(element);
    }
  }
}

template <typename T, typename F>
mx::array filled(const mx::Shape& shape, mx::Dtype dtype, nb::handle list, F&& value_of) {
  if (dtype.val() == mx::Dtype(mx::TypeToDtype<T>()).val() && !std::is_same_v<T, double>) {
    // The common case writes straight into the array.
    mx::array out(mx::allocator::malloc(mx::checked_size(shape, "array") * sizeof(T)), shape,
                  dtype);
    T* data = out.data<T>();
    for_each_leaf(list, [&](PyObject* leaf) { *data++ = value_of(leaf); });
    return out;
  }
  std::vector<T> values;
  values.reserve(static_cast<size_t>(mx::checked_size(shape, "array")));
  for_each_leaf(list, [&](PyObject* leaf) { values.push_back(value_of(leaf)); });
  return mx::array(values.begin(), shape, dtype);
}

double real_value(PyObject* leaf) {
  return PyFloat_CheckExact(leaf) ? PyFloat_AsDouble(leaf) : PyFloat_AsDouble(leaf);
}

void check_integers(const Survey& survey, mx::Dtype dtype) {
  int64_t low = INT32_MIN;
  int64_t high = INT32_MAX;
  switch (dtype) {
    case mx::uint32:
      low = 0, high = UINT32_MAX;
      break;
    case mx::uint64:
      if (survey.low < 0) {
        throw std::overflow_error("[array] a negative integer does not fit uint64");
      }
      return;
    case mx::int64:
    case mx::float16:
    case mx::float32:
    case mx::float64:
    case mx::bfloat16:
    case mx::complex64:
      return;
    default:
      break;
  }
  if (survey.low < low || survey.high > high || survey.beyond_int64) {
    std::ostringstream message;
    message << "[array] the integer " << (survey.low < low ? survey.low : survey.high)
            << " does not fit dtype " << dtype;
    throw std::overflow_error(message.str());
  }
}

mx::array stack_with_arrays(nb::handle list, std::optional<mx::Dtype> dtype) {
  std::vector<mx::array> parts;
  const Py_ssize_t n = length(list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    nb::handle element = item(list, i);
    if (mx::array* array = as_array(element)) {
      parts.push_back(dtype ? mx::astype(*array, *dtype) : *array);
    } else {
      parts.push_back(array_from_python(element, dtype));
    }
  }
  return mx::stack(parts, 0);
}

mx::array array_from_list(nb::handle list, std::optional<mx::Dtype> dtype) {
  Survey survey;
  survey.outline(list);
  survey.walk(list, 0);
  if (survey.kind == Leaf::array) {
    return stack_with_arrays(list, dtype);
  }
  const mx::Shape& shape = survey.shape;
  if (survey.leaves == 0) {
    return mx::array(static_cast<const float*>(nullptr), shape, dtype.value_or(mx::float32));
  }
  switch (survey.kind) {
    case Leaf::boolean:
      return filled<bool>(shape, dtype.value_or(mx::bool_), list,
                          [](PyObject* leaf) { return leaf == Py_True; });
    case Leaf::integer: {
      const bool wide = survey.low < INT32_MIN || survey.high > INT32_MAX;
      mx::Dtype target = dtype.value_or(survey.beyond_int64 ? mx::uint64
                                        : wide              ? mx::int64
                                                            : mx::int32);
      check_integers(survey, target);
      if (survey.beyond_int64) {
        return filled<uint64_t>(shape, target, list, [](PyObject* leaf) {
          return static_cast<uint64_t>(PyLong_AsUnsignedLongLong(leaf));
        });
      }
      if (target == mx::int32) {
        return filled<int32_t>(shape, target, list, [](PyObject* leaf) {
          return static_cast<int32_t>(PyLong_AsLong(leaf));
        });
      }
      return filled<int64_t>(shape, target, list, [](PyObject* leaf) {
        return static_cast<int64_t>(PyLong_AsLongLong(leaf));
      });
    }
    case Leaf::real: {
      const mx::Dtype target = dtype.value_or(mx::float32);
      if (target == mx::float32) {
        return filled<float>(shape, target, list, [](PyObject* leaf) {
          return static_cast<float>(real_value(leaf));
        });
      }
      return filled<double>(shape, target, list, real_value);
    }
    default:
      return filled<mx::complex64_t>(shape, dtype.value_or(mx::complex64), list,
                                     [](PyObject* leaf) {
                                       const Py_complex value = PyComplex_AsCComplex(leaf);
                                       return mx::complex64_t(static_cast<float>(value.real),
                                                              static_cast<float>(value.imag));
                                     });
  }
}

// Foreign memory, described by the buffer protocol or DLPack.

struct Source {
  const char* data;
  mx::Shape shape;
  mx::Strides strides;  // bytes
  mx::Dtype dtype;      // of the elements; float64 stands for complex128 where `complex128`
  bool complex128 = false;
};

// One dense row-major copy or, where strides allow, one that keeps their order.
mx::array copy_source(const Source& source, mx::Dtype target) {
  for (int64_t stride : source.strides) {
    if (stride < 0) {
      throw std::invalid_argument(
          "[array] a buffer with negative strides cannot become an array: copy it first");
    }
  }
  const int64_t size = mx::checked_size(source.shape, "array");
  const size_t ndim = source.shape.size();
  const int64_t itemsize = source.complex128 ? 16 : mx::size_of(source.dtype);

  mx::array out(mx::allocator::malloc(static_cast<size_t>(size) * mx::size_of(target)),
                source.shape, target);
  if (size == 0) {
    return out;
  }
  // Rows of the last axis, one at a time.
  const int64_t row = ndim == 0 ? 1 : source.shape[ndim - 1];
  const int64_t step = ndim == 0 ? itemsize : source.strides[ndim - 1];
  const int64_t rows = size / row;
  std::vector<int64_t> index(ndim, 0);
  char* destination = out.data<char>();
  const int64_t row_bytes = row * mx::size_of(target);

  auto copy_row = [&](const char* from, char* to) {
    if (source.complex128) {
      std::vector<mx::complex64_t> values(static_cast<size_t>(row));
      for (int64_t i = 0; i < row; ++i) {
        double parts[2];
        std::memcpy(parts, from + i * step, sizeof(parts));
        values[i] = mx::complex64_t(static_cast<float>(parts[0]), static_cast<float>(parts[1]));
      }
      mx::detail::convert_into(to, target, values.begin(), values.size());
      return;
    }
    if (source.dtype == target && step == itemsize) {
      std::memcpy(to, from, static_cast<size_t>(row_bytes));
      return;
    }
    auto convert = [&](auto tag) {
      using T = decltype(tag);
      std::vector<T> values(static_cast<size_t>(row));
      for (int64_t i = 0; i < row; ++i) {
        T value;
        std::memcpy(&value, from + i * step, sizeof(T));
        values[i] = value;
      }
      mx::detail::convert_into(to, target, values.begin(), values.size());
    };
    switch (source.dtype) {
      case mx::bool_: {
        std::vector<uint8_t> values(static_cast<size_t>(row));
        for (int64_t i = 0; i < row; ++i) {
          values[i] = from[i * step] != 0;
        }
        mx::detail::convert_into(to, target, values.begin(), values.size());
        return;
      }
      case mx::uint8:
        return convert(uint8_t{});
      case mx::uint16:
        return convert(uint16_t{});
      case mx::uint32:
        return convert(uint32_t{});
      case mx::uint64:
        return convert(uint64_t{});
      case mx::int8:
        return convert(int8_t{});
      case mx::int16:
        return convert(int16_t{});
      case mx::int32:
        return convert(int32_t{});
      case mx::int64:
        return convert(int64_t{});
      case mx::float16:
        return convert(mx::float16_t{});
      case mx::float32:
        return convert(float{});
      case mx::float64:
        return convert(double{});
      case mx::bfloat16:
        return convert(mx::bfloat16_t{});
      case mx::complex64:
        return convert(mx::complex64_t{});
    }
  };
  for (int64_t r = 0; r < rows; ++r) {
    const char* from = source.data;
    for (size_t d = 0; d + 1 < ndim; ++d) {
      from += index[d] * source.strides[d];
    }
    copy_row(from, destination + r * row_bytes);
    for (size_t d = ndim; d-- > 1;) {
      if (++index[d - 1] < source.shape[d - 1]) {
        break;
      }
      index[d - 1] = 0;
    }
  }
  return out;
}

std::optional<mx::Dtype> integer_dtype(bool is_signed, size_t size) {
  switch (size) {
    case 1:
      return is_signed ? mx::int8 : mx::uint8;
    case 2:
      return is_signed ? mx::int16 : mx::uint16;
    case 4:
      return is_signed ? mx::int32 : mx::uint32;
    case 8:
      return is_signed ? mx::int64 : mx::uint64;
    default:
      return std::nullopt;
  }
}

struct BufferLease {
  Py_buffer view{};
  bool held = false;
  ~BufferLease() {
    if (held) {
      PyBuffer_Release(&view);
    }
  }
};

[[noreturn]] void throw_element_type(const std::string& format) {
  throw std::invalid_argument("[array] elements of type '" + format +
                              "' have no dtype: bool, 8 to 64-bit integers, float16, float32, "
                              "float64, bfloat16 and complex are supported");
}

mx::array from_buffer_protocol(const Py_buffer& view, bool bfloat16,
                               std::optional<mx::Dtype> dtype) {
  Source source{static_cast<const char*>(view.buf), {}, {}, mx::uint8, false};
  for (int i = 0; i < view.ndim; ++i) {
    source.shape.push_back(view.shape[i]);
  }
  if (view.strides != nullptr) {
    for (int i = 0; i < view.ndim; ++i) {
      source.strides.push_back(view.strides[i]);
    }
  } else {
    source.strides = mx::row_major_strides(source.shape);
    for (int64_t& stride : source.strides) {
      stride *= view.itemsize;
    }
  }
  std::string format = view.format != nullptr ? view.format : "B";
  const size_t size = static_cast<size_t>(view.itemsize);
  if (format.size() > 1 && (format[0] == '<' || format[0] == '=' || format[0] == '@' ||
                            format[0] == '|')) {
    format.erase(0, 1);
  }
  std::optional<mx::Dtype> found;
  if (bfloat16) {
    found = mx::bfloat16;
  } else if (format == "?") {
    found = mx::bool_;
  } else if (format == "b" || format == "h" || format == "i" || format == "l" || format == "q" ||
             format == "n") {
    found = integer_dtype(true, size);
  } else if (format == "B" || format == "H" || format == "I" || format == "L" || format == "Q" ||
             format == "N" || format == "c") {
    found = integer_dtype(false, size);
  } else if (format == "e") {
    found = mx::float16;
  } else if (format == "f") {
    found = mx::float32;
  } else if (format == "d") {
    found = mx::float64;
  } else if (format == "Zf") {
    found = mx::complex64;
  } else if (format == "Zd") {
    found = mx::float64;
    source.complex128 = true;
  }
  if (!found) {
    throw_element_type(format);
  }
  source.dtype = *found;
  mx::Dtype natural = source.complex128 ? mx::complex64
                      : source.dtype == mx::float64 ? mx::float32
                                                    : source.dtype;
  return copy_source(source, dtype.value_or(natural));
}

mx::array from_dlpack_object(nb::handle object, std::optional<mx::Dtype> dtype) {
  auto tensor = nb::cast<nb::ndarray<nb::ro, nb::device::cpu>>(object);
  Source source{static_cast<const char*>(tensor.data()), {}, {}, mx::uint8, false};
  const auto code = tensor.dtype();
  const size_t size = code.bits / 8;
  for (size_t i = 0; i < tensor.ndim(); ++i) {
    source.shape.push_back(static_cast<int64_t>(tensor.shape(i)));
    source.strides.push_back(tensor.stride(i) * static_cast<int64_t>(size));
  }
  std::optional<mx::Dtype> found;
  switch (static_cast<nb::dlpack::dtype_code>(code.code)) {
    case nb::dlpack::dtype_code::Bool:
      found = mx::bool_;
      break;
    case nb::dlpack::dtype_code::Int:
      found = integer_dtype(true, size);
      break;
    case nb::dlpack::dtype_code::UInt:
      found = integer_dtype(false, size);
      break;
    case nb::dlpack::dtype_code::Float:
      found = size == 2   ? std::optional<mx::Dtype>(mx::float16)
              : size == 4 ? std::optional<mx::Dtype>(mx::float32)
              : size == 8 ? std::optional<mx::Dtype>(mx::float64)
                          : std::nullopt;
      break;
    case nb::dlpack::dtype_code::Bfloat:
      found = size == 2 ? std::optional<mx::Dtype>(mx::bfloat16) : std::nullopt;
      break;
    case nb::dlpack::dtype_code::Complex:
      if (size == 8) {
        found = mx::complex64;
      } else if (size == 16) {
        found = mx::float64;
        source.complex128 = true;
      }
      break;
    default:
      break;
  }
  if (!found || code.lanes != 1) {
    throw_element_type("DLPack code " + std::to_string(code.code) + ", " +
                       std::to_string(code.bits) + " bits");
  }
  source.dtype = *found;
  mx::Dtype natural = source.complex128 ? mx::complex64
                      : source.dtype == mx::float64 ? mx::float32
                                                    : source.dtype;
  return copy_source(source, dtype.value_or(natural));
}

bool is_bfloat16_object(nb::handle object) {
  if (!nb::hasattr(object, "dtype")) {
    return false;
  }
  nb::object dtype = object.attr("dtype");
  return std::string(nb::str(dtype).c_str()) == "bfloat16";
}

}  // namespace

mx::array array_from_buffer(nb::handle object, std::optional<mx::Dtype> dtype) {
  const bool bfloat16 = is_bfloat16_object(object);
  nb::object source = nb::borrow(object);
  if (bfloat16 && nb::hasattr(object, "view") && PyObject_CheckBuffer(object.ptr())) {
    source = object.attr("view")("uint16");
  }
  BufferLease lease;
  if (PyObject_CheckBuffer(source.ptr())) {
    if (PyObject_GetBuffer(source.ptr(), &lease.view, PyBUF_FORMAT | PyBUF_STRIDES) == 0) {
      lease.held = true;
      return from_buffer_protocol(lease.view, bfloat16, dtype);
    }
    PyErr_Clear();
  }
  if (nb::hasattr(source, "__dlpack__")) {
    return from_dlpack_object(source, dtype);
  }
  throw std::invalid_argument("[array] the object does not give access to its elements");
}

mx::array array_from_python(nb::handle object, std::optional<mx::Dtype> dtype) {
  PyObject* p = object.ptr();
  if (mx::array* array = as_array(object)) {
    return dtype ? mx::astype(*array, *dtype) : mx::copy(*array);
  }
  if (is_list(object)) {
    return array_from_list(object, dtype);
  }
  if (PyFloat_CheckExact(p)) {
    return mx::array(PyFloat_AsDouble(p), dtype.value_or(mx::float32));
  }
  if (PyBool_Check(p)) {
    return mx::array(p == Py_True, dtype.value_or(mx::bool_));
  }
  if (PyLong_Check(p)) {
    if (!dtype) {
      return to_array(object);
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow == 0) {
      return mx::array(static_cast<int64_t>(value), *dtype);
    }
    return to_array(object, dtype);
  }
  if (object.is_none()) {
    throw nb::type_error("[array] None is not an array");
  }
  if (PyComplex_CheckExact(p)) {
    const Py_complex value = PyComplex_AsCComplex(p);
    return mx::array(std::complex<float>(static_cast<float>(value.real),
                                         static_cast<float>(value.imag)),
                     dtype.value_or(mx::complex64));
  }
  if (nb::hasattr(object, "__mlx_array__")) {
    mx::array converted = to_array(object);
    return dtype ? mx::astype(converted, *dtype) : converted;
  }
  if (PyObject_CheckBuffer(p) || nb::hasattr(object, "__dlpack__")) {
    return array_from_buffer(object, dtype);
  }
  mx::array converted = to_array(object);
  return dtype ? mx::astype(converted, *dtype) : converted;
}

// Back to Python

namespace {

template <typename T>
nb::object python_scalar(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return nb::bool_(value);
  } else if constexpr (std::is_same_v<T, mx::complex64_t>) {
    return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
  } else if constexpr (mx::is_floating_point_v<T>) {
    return nb::steal(PyFloat_FromDouble(static_cast<double>(value)));
  } else if constexpr (std::is_signed_v<T>) {
    return nb::steal(PyLong_FromLongLong(value));
  } else {
    return nb::steal(PyLong_FromUnsignedLongLong(value));
  }
}

template <typename T>
nb::object nested_list(const T* data, const mx::array& a, size_t depth) {
  if (depth == a.ndim()) {
    return python_scalar(*data);
  }
  const int64_t n = a.shape()[depth];
  const int64_t stride = a.strides()[depth];
  nb::object list = nb::steal(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) {
    PyList_SetItem(list.ptr(), i, nested_list(data + i * stride, a, depth + 1).release().ptr());
  }
  return list;
}

}  // namespace

nb::object to_list(mx::array& a) {
  eval_released(a);
  nb::object result;
  mx::dispatch_all_types(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    result = nested_list(a.data<T>(), a, 0);
  });
  return result;
}

nb::object to_scalar(mx::array& a) {
  if (a.size() != 1) {
    throw std::invalid_argument("[item] only an array of size 1 has an item: got size " +
                                std::to_string(a.size()));
  }
  eval_released(a);
  nb::object result;
  mx::dispatch_all_types(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    result = python_scalar(*a.data<T>());
  });
  return result;
}

}  // namespace mlx::bindings
