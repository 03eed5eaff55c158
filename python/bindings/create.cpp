// Functions that make arrays from shapes, ranges and other objects.
#include <cmath>

#include "mlx/ops.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

#define SHAPE "shape: int | collections.abc.Sequence[int]"
#define DTYPE "dtype: Dtype | None"

// A real Python number, as arange wants it.
struct Number {
  double value;
  int64_t integer;
  bool is_float;
  bool is_bool;
};

Number to_number(nb::handle object, const char* who) {
  PyObject* p = object.ptr();
  if (PyBool_Check(p)) {
    const int64_t v = p == Py_True;
    return {static_cast<double>(v), v, false, true};
  }
  if (PyLong_CheckExact(p) || (PyLong_Check(p) && !PyObject_CheckBuffer(p))) {
    const int64_t v = to_int64(object);
    return {static_cast<double>(v), v, false, false};
  }
  if (PyFloat_CheckExact(p)) {
    return {PyFloat_AsDouble(p), 0, true, false};
  }
  const std::string message = std::string("[") + who + "] expected a Python int or float: got " +
                              nb::type_name(object.type()).c_str();
  throw nb::type_error(message.c_str());
}

mx::array arange(nb::handle start, nb::handle stop, nb::handle step, std::optional<mx::Dtype> dtype,
                 mx::StreamOrDevice s) {
  const bool one_bound = stop.is_none();
  const Number first = one_bound ? Number{0, 0, false, false} : to_number(start, "arange");
  const Number last = to_number(one_bound ? start : stop, "arange");
  const bool have_step = !step.is_none();
  const Number by = have_step ? to_number(step, "arange") : Number{1, 1, false, false};
  if (one_bound && last.is_bool && !have_step) {
    throw std::invalid_argument("[arange] a bool alone is not a range");
  }
  if (dtype && *dtype == mx::bool_) {
    throw std::invalid_argument("[arange] dtype bool is not supported");
  }
  const bool any_float = first.is_float || last.is_float || by.is_float;
  mx::Dtype target = mx::float32;
  if (dtype) {
    target = *dtype;
  } else if (!any_float) {
    auto wide = [](const Number& n) { return n.integer < INT32_MIN || n.integer > INT32_MAX; };
    target = wide(first) || wide(last) || wide(by) ? mx::int64 : mx::int32;
  }
  if (!any_float && mx::issubdtype(target, mx::integer)) {
    return mx::arange(first.integer, last.integer, by.integer, target, s);
  }
  return mx::arange(first.value, last.value, by.value, target, s);
}

}  // namespace

void bind_create(nb::module_& m) {
  auto def_filled = [&](const char* name, auto f, const char* doc) {
    const std::string signature = std::string("def ") + name + "(" SHAPE ", " DTYPE
                                  " = float32, *, " MLX_STREAM ") -> array";
    m.def(
        name,
        [f](nb::handle shape, std::optional<mx::Dtype> dtype, nb::handle stream) {
          return f(to_shape_or_int(shape), dtype.value_or(mx::float32),
                   to_stream_or_device(stream));
        },
        "shape"_a, "dtype"_a.none() = mx::float32, nb::kw_only(), "stream"_a.none() = nb::none(),
        nb::sig(signature.c_str()), doc);
  };
  def_filled(
      "zeros",
      [](const mx::Shape& shape, mx::Dtype dtype, mx::StreamOrDevice s) {
        return mx::zeros(shape, dtype, s);
      },
      "Zeros of a shape; float32 unless a dtype is given. Raises ValueError for negative "
      "dimensions.\n\nExample:\n    >>> mx.zeros((2,))\n    array([0, 0], dtype=float32)\n");
  def_filled(
      "ones",
      [](const mx::Shape& shape, mx::Dtype dtype, mx::StreamOrDevice s) {
        return mx::ones(shape, dtype, s);
      },
      "Ones of a shape; float32 unless a dtype is given. Raises ValueError for negative "
      "dimensions.\n\nExample:\n    >>> mx.ones((2,))\n    array([1, 1], dtype=float32)\n");
  m.attr("empty") = m.attr("zeros");

  m.def(
      "full",
      [](nb::handle shape, nb::handle vals, std::optional<mx::Dtype> dtype, nb::handle stream) {
        mx::array value = to_array(vals, dtype);
        return mx::full(to_shape_or_int(shape), value, value.dtype(), to_stream_or_device(stream));
      },
      "shape"_a, "vals"_a.none(), "dtype"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def full(" SHAPE ", vals: " MLX_SCALAR_OR_ARRAY ", " DTYPE " = None, *, " MLX_STREAM
              ") -> array"),
      "A shape filled with a value that broadcasts to it. The dtype is that of an array value; a "
      "Python scalar takes `dtype` where that can hold its kind.\n\n"
      "Example:\n    >>> mx.full((2,), 3)\n    array([3, 3], dtype=int32)\n");

  auto def_like = [&](const char* name, auto f, const char* doc) {
    const std::string signature =
        std::string("def ") + name + "(a: array, /, " DTYPE " = None, *, " MLX_STREAM ") -> array";
    m.def(
        name,
        [f](const mx::array& a, std::optional<mx::Dtype> dtype, nb::handle stream) {
          return f(a, dtype.value_or(a.dtype()), to_stream_or_device(stream));
        },
        nb::arg(), "dtype"_a.none() = nb::none(), nb::kw_only(), "stream"_a.none() = nb::none(),
        nb::sig(signature.c_str()), doc);
  };
  def_like(
      "zeros_like",
      [](const mx::array& a, mx::Dtype dtype, mx::StreamOrDevice s) {
        return mx::zeros_like(a, dtype, s);
      },
      "Zeros with the shape, and unless given the dtype, of an array.\n\nExample:\n    >>> "
      "mx.zeros_like(mx.array([1, 2]))\n    array([0, 0], dtype=int32)\n");
  def_like(
      "ones_like",
      [](const mx::array& a, mx::Dtype dtype, mx::StreamOrDevice s) {
        return mx::ones_like(a, dtype, s);
      },
      "Ones with the shape, and unless given the dtype, of an array.\n\nExample:\n    >>> "
      "mx.ones_like(mx.array([1, 2]))\n    array([1, 1], dtype=int32)\n");
  m.attr("empty_like") = m.attr("zeros_like");
  m.def(
      "full_like",
      [](const mx::array& a, nb::handle vals, std::optional<mx::Dtype> dtype, nb::handle stream) {
        const mx::Dtype target = dtype.value_or(a.dtype());
        return mx::full_like(a, to_array(vals, target), target, to_stream_or_device(stream));
      },
      nb::arg(), "vals"_a.none(), "dtype"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def full_like(a: array, /, vals: " MLX_SCALAR_OR_ARRAY ", " DTYPE
              " = None, *, " MLX_STREAM ") -> array"),
      "A value with the shape, and unless given the dtype, of an array.\n\nExample:\n    >>> "
      "mx.full_like(mx.array([1, 2]), 7)\n    array([7, 7], dtype=int32)\n");

  m.def(
      "eye",
      [](int64_t n, std::optional<int64_t> cols, int64_t k, std::optional<mx::Dtype> dtype,
         nb::handle stream) {
        return mx::eye(n, cols.value_or(n), k, dtype.value_or(mx::float32),
                       to_stream_or_device(stream));
      },
      "n"_a, "m"_a.none() = nb::none(), "k"_a = 0, "dtype"_a.none() = mx::float32, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def eye(n: int, m: int | None = None, k: int = 0, " DTYPE " = float32, *, " MLX_STREAM
              ") -> array"),
      "An (n, m) matrix with ones on the k-th diagonal.\n\nExample:\n    >>> mx.eye(2)\n    "
      "array([[1, 0],\n           [0, 1]], dtype=float32)\n");
  m.def(
      "identity",
      [](int64_t n, std::optional<mx::Dtype> dtype, nb::handle stream) {
        return mx::identity(n, dtype.value_or(mx::float32), to_stream_or_device(stream));
      },
      "n"_a, "dtype"_a.none() = mx::float32, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def identity(n: int, " DTYPE " = float32, *, " MLX_STREAM ") -> array"),
      "The (n, n) identity matrix.\n\nExample:\n    >>> mx.identity(1)\n    array([[1]], "
      "dtype=float32)\n");
  m.def(
      "tri",
      [](int64_t n, std::optional<int64_t> cols, int64_t k, std::optional<mx::Dtype> dtype,
         nb::handle stream) {
        const int64_t columns = std::max<int64_t>(cols.value_or(n), 0);
        return mx::tri(std::max<int64_t>(n, 0), columns, k, dtype.value_or(mx::float32),
                       to_stream_or_device(stream));
      },
      "n"_a, "m"_a.none() = nb::none(), "k"_a = 0, "dtype"_a.none() = mx::float32, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def tri(n: int, m: int | None = None, k: int = 0, " DTYPE " = float32, *, " MLX_STREAM
              ") -> array"),
      "An (n, m) matrix with ones at and below the k-th diagonal.\n\nExample:\n    >>> mx.tri(2)\n"
      "    array([[1, 0],\n           [1, 1]], dtype=float32)\n");
  auto def_triangle = [&](const char* name, auto f, const char* doc) {
    const std::string signature =
        std::string("def ") + name + "(x: array, k: int = 0, *, " MLX_STREAM ") -> array";
    m.def(
        name,
        [f](const mx::array& x, int64_t k, nb::handle stream) {
          return f(x, k, to_stream_or_device(stream));
        },
        "x"_a, "k"_a = 0, nb::kw_only(), "stream"_a.none() = nb::none(), nb::sig(signature.c_str()),
        doc);
  };
  def_triangle(
      "tril",
      [](const mx::array& x, int64_t k, mx::StreamOrDevice s) { return mx::tril(x, k, s); },
      "The last two axes with zeros above the k-th diagonal. Raises ValueError below two "
      "dimensions.\n\nExample:\n    >>> mx.tril(mx.ones((2, 2)))\n    array([[1, 0],\n           "
      "[1, 1]], dtype=float32)\n");
  def_triangle(
      "triu",
      [](const mx::array& x, int64_t k, mx::StreamOrDevice s) { return mx::triu(x, k, s); },
      "The last two axes with zeros below the k-th diagonal. Raises ValueError below two "
      "dimensions.\n\nExample:\n    >>> mx.triu(mx.ones((2, 2)))\n    array([[1, 1],\n           "
      "[0, 1]], dtype=float32)\n");
  m.def(
      "diag",
      [](const mx::array& a, int k, nb::handle stream) {
        return mx::diag(a, k, to_stream_or_device(stream));
      },
      nb::arg(), "k"_a = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def diag(a: array, /, k: int = 0, *, " MLX_STREAM ") -> array"),
      "A square matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix. "
      "Raises ValueError for other ranks.\n\nExample:\n    >>> mx.diag(mx.array([[1, 2], [3, 4]]))\n"
      "    array([1, 4], dtype=int32)\n");

  m.def(
      "arange",
      [](nb::handle start, nb::handle stop, nb::handle step, std::optional<mx::Dtype> dtype,
         nb::handle stream) {
        return arange(start, stop, step, dtype, to_stream_or_device(stream));
      },
      "start"_a, "stop"_a.none(), "step"_a.none() = nb::none(), "dtype"_a.none() = nb::none(),
      nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def arange(start: int | float, stop: int | float | None, step: int | float | None = "
              "None, " DTYPE " = None, *, " MLX_STREAM ") -> array"),
      "Evenly spaced values in [start, stop). float32 if any bound is a float, else int32, or int64 "
      "where 32 bits do not suffice. Raises ValueError for NaN, infinite bounds and a step of 0.\n\n"
      "Example:\n    >>> mx.arange(3)\n    array([0, 1, 2], dtype=int32)\n");
  m.def(
      "arange",
      [](nb::handle stop, nb::handle step, std::optional<mx::Dtype> dtype, nb::handle stream) {
        return arange(stop, nb::none(), step, dtype, to_stream_or_device(stream));
      },
      "stop"_a, "step"_a.none() = nb::none(), "dtype"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def arange(stop: int | float, step: int | float | None = None, " DTYPE
              " = None, *, " MLX_STREAM ") -> array"));
  m.def(
      "linspace",
      [](double start, double stop, int64_t num, bool endpoint, std::optional<mx::Dtype> dtype,
         nb::handle stream) {
        return mx::linspace(start, stop, num, endpoint, dtype.value_or(mx::float32),
                            to_stream_or_device(stream));
      },
      "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, "dtype"_a.none() = mx::float32,
      "stream"_a.none() = nb::none(),
      nb::sig("def linspace(start: int | float, stop: int | float, num: int = 50, endpoint: bool = "
              "True, " DTYPE " = float32, " MLX_STREAM ") -> array"),
      "`num` evenly spaced values from start to stop, which is included with `endpoint`. Raises "
      "ValueError for a negative num.\n\nExample:\n    >>> mx.linspace(0, 1, 3)\n    array([0, 0.5, "
      "1], dtype=float32)\n");
  m.def(
      "meshgrid",
      [](const nb::args& arrays, bool sparse, const std::string& indexing, nb::handle stream) {
        std::vector<mx::array> inputs = to_array_vector(nb::list(arrays));
        return nb::tuple(
            wrap_list(mx::meshgrid(inputs, sparse, indexing, to_stream_or_device(stream))));
      },
      "arrays"_a, "sparse"_a = false, "indexing"_a = "xy", "stream"_a.none() = nb::none(),
      nb::sig("def meshgrid(*arrays: array, sparse: bool = False, indexing: str = 'xy', " MLX_STREAM
              ") -> tuple[array, ...]"),
      "Coordinate arrays of a grid with the given axes. `sparse` keeps axes of size 1. Raises "
      "ValueError for an indexing other than 'xy' and 'ij'.");

  m.def(
      "asarray",
      [](nb::object a, std::optional<mx::Dtype> dtype, std::optional<bool> copy) {
        if (copy && !*copy) {
          throw std::invalid_argument(
              "[asarray] copy=False is not possible: memory of other libraries is never adopted");
        }
        if (mx::array* array = as_array(a)) {
          return dtype && dtype->val() != array->dtype().val() ? mx::astype(*array, *dtype)
                                                               : mx::copy(*array);
        }
        return array_from_python(a, dtype);
      },
      nb::arg().none(), "dtype"_a.none() = nb::none(), nb::kw_only(), "copy"_a.none() = nb::none(),
      nb::sig("def asarray(a: object, /, dtype: Dtype | None = None, *, copy: bool | None = None) "
              "-> array"),
      "An array from whatever mlx.core.array accepts.\n\nExample:\n    >>> mx.asarray([1, 2])\n    "
      "array([1, 2], dtype=int32)\n");
  m.def(
      "from_dlpack",
      [](nb::object x, std::optional<bool> copy) {
        if (copy && !*copy) {
          throw std::invalid_argument(
              "[from_dlpack] copy=False is not possible: memory of other libraries is never "
              "adopted");
        }
        if (mx::array* array = as_array(x)) {
          return mx::copy(*array);
        }
        if (!PyObject_CheckBuffer(x.ptr()) && !nb::hasattr(x, "__dlpack__")) {
          const std::string message = std::string("[from_dlpack] the object has neither __dlpack__ "
                                                  "nor a buffer: ") +
                                      nb::type_name(x.type()).c_str();
          throw nb::type_error(message.c_str());
        }
        return array_from_buffer(x, std::nullopt);
      },
      nb::arg().none(), nb::kw_only(), "copy"_a.none() = nb::none(),
      nb::sig("def from_dlpack(x: object, /, *, copy: bool | None = None) -> array"),
      "A copy of an array of another library. float64 becomes float32, complex128 complex64.");
}

}  // namespace mlx::bindings
