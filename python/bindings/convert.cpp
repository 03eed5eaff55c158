// The shared converters; see convert.h. Building arrays from nested lists and
// buffers is in construct.cpp.
#include "python/bindings/convert.h"

#include <cmath>
#include <limits>

#include "mlx/core/tracing.h"
#include "mlx/ops.h"
#include "mlx/transforms.h"

namespace mlx::bindings {

namespace {

PyTypeObject* array_type() {
  static auto* type = reinterpret_cast<PyTypeObject*>(nb::type<mx::array>().ptr());
  return type;
}

std::string type_text(nb::handle object) { return nb::type_name(object.type()).c_str(); }

bool has_buffer_or_dlpack(nb::handle object) {
  return PyObject_CheckBuffer(object.ptr()) || nb::hasattr(object, "__dlpack__");
}

// Range check of the weak rule: an int must fit an integer dtype of the array.
void check_fits(int64_t value, mx::Dtype dtype) {
  int64_t low = 0;
  int64_t high = 0;
  switch (dtype) {
    case mx::int8:
      low = INT8_MIN, high = INT8_MAX;
      break;
    case mx::int16:
      low = INT16_MIN, high = INT16_MAX;
      break;
    case mx::int32:
      low = INT32_MIN, high = INT32_MAX;
      break;
    case mx::uint8:
      high = UINT8_MAX;
      break;
    case mx::uint16:
      high = UINT16_MAX;
      break;
    case mx::uint32:
      high = UINT32_MAX;
      break;
    default:
      return;
  }
  if (value < low || value > high) {
    std::ostringstream message;
    message << "the Python integer " << value << " does not fit an array of dtype " << dtype;
    throw std::invalid_argument(message.str());
  }
}

mx::array int_array(nb::handle object, std::optional<mx::Dtype> relative) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (overflow != 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object.ptr());
    if (overflow > 0 && !PyErr_Occurred()) {
      const mx::Dtype dtype = relative.value_or(mx::uint64);
      if (mx::issubdtype(dtype, mx::inexact)) {
        return mx::array(static_cast<double>(large), dtype);
      }
      if (dtype == mx::uint64 || dtype == mx::int64) {
        return mx::array(static_cast<uint64_t>(large), dtype);
      }
    }
    PyErr_Clear();
    if (relative && mx::issubdtype(*relative, mx::inexact)) {
      return mx::array(nb::cast<double>(nb::float_(object)), *relative);
    }
    PyErr_SetString(PyExc_OverflowError, "the Python integer does not fit 64 bits");
    throw nb::python_error();
  }
  if (!relative) {
    const bool wide = value < INT32_MIN || value > INT32_MAX;
    return wide ? mx::array(static_cast<int64_t>(value))
                : mx::array(static_cast<int32_t>(value));
  }
  mx::Dtype dtype = *relative;
  if (dtype == mx::bool_) {
    dtype = mx::int32;
  } else {
    check_fits(value, dtype);
  }
  return mx::array(static_cast<int64_t>(value), dtype);
}

}  // namespace

mx::array* as_array(nb::handle object) {
  if (Py_TYPE(object.ptr()) == array_type() || nb::isinstance<mx::array>(object)) {
    return nb::inst_ptr<mx::array>(object);
  }
  return nullptr;
}

nb::object wrap(mx::array&& value) {
  nb::object object = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(array_type())));
  new (nb::inst_ptr<mx::array>(object)) mx::array(std::move(value));
  nb::inst_mark_ready(object);
  return object;
}

bool is_convertible(nb::handle object) {
  PyObject* p = object.ptr();
  return PyFloat_Check(p) || PyLong_Check(p) || PyComplex_Check(p) || as_array(object) != nullptr ||
         nb::hasattr(object, "__mlx_array__") || has_buffer_or_dlpack(object);
}

mx::array to_array(nb::handle object, std::optional<mx::Dtype> relative) {
  PyObject* p = object.ptr();
  if (mx::array* array = as_array(object)) {
    return *array;
  }
  if (PyFloat_CheckExact(p)) {
    const double value = PyFloat_AsDouble(p);
    const mx::Dtype dtype =
        relative && mx::issubdtype(*relative, mx::floating) ? *relative : mx::float32;
    return mx::array(value, dtype);
  }
  if (PyBool_Check(p)) {
    return mx::array(p == Py_True, relative.value_or(mx::bool_));
  }
  if (PyLong_Check(p)) {
    return int_array(object, relative);
  }
  if (object.is_none()) {
    throw nb::type_error("None is not an array or a number");
  }
  if (nb::hasattr(object, "__mlx_array__")) {
    nb::object converted = object.attr("__mlx_array__")();
    if (mx::array* array = as_array(converted)) {
      return *array;
    }
    throw nb::type_error("__mlx_array__ must return an array");
  }
  if (has_buffer_or_dlpack(object)) {
    return array_from_buffer(object, relative);
  }
  // NumPy's float64 scalar is a float and a buffer; it took the branch above.
  if (PyFloat_Check(p)) {
    const mx::Dtype dtype =
        relative && mx::issubdtype(*relative, mx::floating) ? *relative : mx::float32;
    return mx::array(PyFloat_AsDouble(p), dtype);
  }
  if (PyComplex_Check(p)) {
    const Py_complex value = PyComplex_AsCComplex(p);
    return mx::array(std::complex<float>(static_cast<float>(value.real),
                                         static_cast<float>(value.imag)));
  }
  throw std::invalid_argument("invalid type " + type_text(object) +
                              ": expected an array or a Python scalar");
}

std::pair<mx::array, mx::array> to_arrays(nb::handle a, nb::handle b) {
  auto strong = [](nb::handle object) {
    return as_array(object) != nullptr ||
           (!PyFloat_Check(object.ptr()) && !PyLong_Check(object.ptr()) &&
            nb::hasattr(object, "__mlx_array__"));
  };
  const bool a_strong = strong(a);
  const bool b_strong = strong(b);
  if (a_strong && !b_strong) {
    mx::array x = to_array(a);
    mx::array y = to_array(b, x.dtype());
    return {std::move(x), std::move(y)};
  }
  if (b_strong && !a_strong) {
    mx::array y = to_array(b);
    mx::array x = to_array(a, y.dtype());
    return {std::move(x), std::move(y)};
  }
  mx::array x = to_array(a);
  return {std::move(x), to_array(b)};
}

void eval_released(mx::array& a) {
  if (a.is_available()) {
    return;
  }
  nb::gil_scoped_release release;
  a.eval();
}

mx::StreamOrDevice to_stream_or_device(nb::handle object) {
  if (!object.is_valid() || object.is_none()) {
    return {};
  }
  // ThreadLocalStream derives from Stream and must not be taken for one.
  if (nb::isinstance<mx::ThreadLocalStream>(object)) {
    return nb::cast<mx::ThreadLocalStream>(object);
  }
  if (nb::isinstance<mx::Stream>(object)) {
    return nb::cast<mx::Stream>(object);
  }
  if (nb::isinstance<mx::Device>(object)) {
    return nb::cast<mx::Device>(object);
  }
  if (nb::isinstance<mx::Device::DeviceType>(object)) {
    return nb::cast<mx::Device::DeviceType>(object);
  }
  const std::string message = "stream must be a Stream, a Device, a DeviceType or None: got " +
                              type_text(object);
  throw nb::type_error(message.c_str());
}

int64_t to_int64(nb::handle object) {
  if (!PyIndex_Check(object.ptr())) {
    const std::string message = "expected an integer: got " + type_text(object);
    throw nb::type_error(message.c_str());
  }
  nb::object index = nb::steal(PyNumber_Index(object.ptr()));
  if (!index.is_valid()) {
    throw nb::python_error();
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) {
    const std::string message =
        "the integer " + std::string(nb::str(index).c_str()) + " does not fit 64 bits";
    PyErr_SetString(PyExc_OverflowError, message.c_str());
    throw nb::python_error();
  }
  return value;
}

int to_int(nb::handle object) {
  const int64_t value = to_int64(object);
  if (value < INT32_MIN || value > INT32_MAX) {
    const std::string message = "the integer " + std::to_string(value) + " is too large here";
    PyErr_SetString(PyExc_OverflowError, message.c_str());
    throw nb::python_error();
  }
  return static_cast<int>(value);
}

namespace {

bool is_sequence(nb::handle object) {
  return PySequence_Check(object.ptr()) && !PyUnicode_Check(object.ptr()) &&
         !PyBytes_Check(object.ptr()) && as_array(object) == nullptr;
}

template <typename F>
void for_each_item(nb::handle object, const char* what, F&& f) {
  if (!is_sequence(object)) {
    const std::string message = std::string("expected ") + what + ": got " + type_text(object);
    throw nb::type_error(message.c_str());
  }
  nb::object fast = nb::steal(PySequence_Fast(object.ptr(), what));
  if (!fast.is_valid()) {
    throw nb::python_error();
  }
  const Py_ssize_t count = PySequence_Size(fast.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    nb::object item = nb::steal(PySequence_GetItem(fast.ptr(), i));
    f(item);
  }
}

}  // namespace

mx::Shape to_shape(nb::handle object) {
  mx::Shape shape;
  for_each_item(object, "a sequence of integers",
                [&](nb::handle item) { shape.push_back(to_int64(item)); });
  return shape;
}

mx::Shape to_shape_or_int(nb::handle object) {
  if (PyIndex_Check(object.ptr()) && !is_sequence(object)) {
    return mx::Shape{to_int64(object)};
  }
  return to_shape(object);
}

std::vector<int> to_ints(nb::handle object) {
  if (PyIndex_Check(object.ptr()) && !is_sequence(object)) {
    return {to_int(object)};
  }
  std::vector<int> values;
  for_each_item(object, "an integer or a sequence of integers",
                [&](nb::handle item) { values.push_back(to_int(item)); });
  return values;
}

std::vector<int> to_axes(nb::handle object, size_t ndim) {
  if (!object.is_valid() || object.is_none()) {
    std::vector<int> all(ndim);
    for (size_t i = 0; i < ndim; ++i) {
      all[i] = static_cast<int>(i);
    }
    return all;
  }
  return to_ints(object);
}

std::vector<mx::array> to_array_vector(nb::handle object) {
  std::vector<mx::array> arrays;
  if (mx::array* array = as_array(object)) {
    return mx::unstack(*array, 0);
  }
  for_each_item(object, "a sequence of arrays", [&](nb::handle item) {
    mx::array* array = as_array(item);
    if (array == nullptr) {
      const std::string message = "expected a sequence of arrays: found " + type_text(item);
      throw nb::type_error(message.c_str());
    }
    arrays.push_back(*array);
  });
  return arrays;
}

nb::list wrap_list(std::vector<mx::array>&& arrays) {
  nb::list list;
  for (mx::array& a : arrays) {
    list.append(wrap(std::move(a)));
  }
  return list;
}

nb::tuple shape_tuple(const mx::Shape& shape) {
  nb::tuple tuple = nb::steal<nb::tuple>(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (size_t i = 0; i < shape.size(); ++i) {
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(shape[i]));
  }
  return tuple;
}

}  // namespace mlx::bindings
