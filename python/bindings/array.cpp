// The array class: construction, properties, conversions and the methods that
// mirror functions. Operators are in array_operators.cpp.
#include "mlx/array.h"

#include <sstream>

#include "mlx/ops.h"
#include "mlx/transforms.h"
#include "python/bindings/array_operators.h"
#include "python/bindings/convert.h"
#include "python/bindings/indexing.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

// Iterates over the first axis.
struct ArrayIterator {
  mx::array source;
  int64_t next = 0;
};

mx::array sub_array(const mx::array& a, int64_t index) {
  mx::Shape start(a.ndim(), 0);
  mx::Shape stop = a.shape();
  start[0] = index;
  stop[0] = index + 1;
  return mx::squeeze(mx::slice(a, std::move(start), std::move(stop)), 0);
}

std::string text_of(mx::array& a) {
  eval_released(a);
  std::ostringstream os;
  os << a;
  return os.str();
}

nb::object numpy_view(nb::handle self) {
  static PyObject* numpy = nb::module_::import_("numpy").release().ptr();
  mx::array& a = *as_array(self);
  if (a.dtype() == mx::bfloat16) {
    throw nb::type_error("NumPy has no bfloat16: convert the array with astype first");
  }
  return nb::handle(numpy).attr("asarray")(nb::module_::import_("builtins").attr("memoryview")(self));
}

// The pickle code of a dtype is its position in the enumeration.
mx::Dtype dtype_of_code(int code) {
  static constexpr mx::Dtype dtypes[] = {mx::bool_,   mx::uint8,   mx::uint16,   mx::uint32,
                                         mx::uint64,  mx::int8,    mx::int16,    mx::int32,
                                         mx::int64,   mx::float16, mx::float32,  mx::float64,
                                         mx::bfloat16, mx::complex64};
  if (code < 0 || code >= 14) {
    throw std::invalid_argument("[array] unknown dtype code in a pickled array");
  }
  return dtypes[code];
}

nb::tuple get_state(nb::handle self) {
  mx::array a = *as_array(self);
  const int code = static_cast<int>(a.dtype().val());
  mx::array bits = a.dtype() == mx::bfloat16 ? mx::view(a, mx::uint16) : a;
  nb::object object = wrap(std::move(bits));
  return nb::make_tuple(numpy_view(object).attr("copy")(), code);
}

void set_state(mx::array& self, const nb::tuple& state) {
  if (nb::len(state) != 2) {
    throw std::invalid_argument("[array] the state of a pickled array has two entries: got " +
                                std::to_string(nb::len(state)));
  }
  const mx::Dtype dtype = dtype_of_code(nb::cast<int>(state[1]));
  if (dtype == mx::bfloat16) {
    mx::array bits = array_from_buffer(state[0], mx::uint16);
    new (&self) mx::array(mx::view(bits, mx::bfloat16));
  } else {
    new (&self) mx::array(array_from_buffer(state[0], dtype));
  }
}

std::vector<int> int_arguments(const nb::args& args) {
  if (args.size() == 1 && !PyIndex_Check(nb::object(args[0]).ptr())) {
    return to_ints(args[0]);
  }
  std::vector<int> values;
  for (nb::handle arg : args) {
    values.push_back(to_int(arg));
  }
  return values;
}

using UnaryFunction = mx::array (*)(const mx::array&, mx::StreamOrDevice);

void def_unary(nb::class_<mx::array>& cls, const char* name, UnaryFunction f) {
  const std::string signature = std::string("def ") + name + "(self, *, " MLX_STREAM ") -> array";
  const std::string doc = std::string("As mlx.core.") + name + ".";
  cls.def(
      name,
      [f](const mx::array& a, nb::handle stream) { return f(a, to_stream_or_device(stream)); },
      nb::kw_only(), "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc.c_str());
}

using ReduceFunction = mx::array (*)(const mx::array&, const std::vector<int>&, bool,
                                     mx::StreamOrDevice);

void def_reduce(nb::class_<mx::array>& cls, const char* name, ReduceFunction f) {
  const std::string signature = std::string("def ") + name +
                                "(self, axis: int | collections.abc.Sequence[int] | None = None, "
                                "keepdims: bool = False, *, " MLX_STREAM ") -> array";
  const std::string doc = std::string("As mlx.core.") + name + ".";
  cls.def(
      name,
      [f](const mx::array& a, nb::handle axis, bool keepdims, nb::handle stream) {
        return f(a, to_axes(axis, a.ndim()), keepdims, to_stream_or_device(stream));
      },
      "axis"_a.none() = nb::none(), "keepdims"_a = false, nb::kw_only(),
      "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc.c_str());
}

void bind_methods(nb::class_<mx::array>& cls) {
#define MLX_UNARY_METHOD(name) \
  def_unary(cls, #name, [](const mx::array& a, mx::StreamOrDevice s) { return mx::name(a, s); })
  MLX_UNARY_METHOD(abs);
  MLX_UNARY_METHOD(square);
  MLX_UNARY_METHOD(sqrt);
  MLX_UNARY_METHOD(rsqrt);
  MLX_UNARY_METHOD(reciprocal);
  MLX_UNARY_METHOD(exp);
  MLX_UNARY_METHOD(log);
  MLX_UNARY_METHOD(log2);
  MLX_UNARY_METHOD(log10);
  MLX_UNARY_METHOD(log1p);
  MLX_UNARY_METHOD(sin);
  MLX_UNARY_METHOD(cos);
#undef MLX_UNARY_METHOD
  def_unary(cls, "conj",
            [](const mx::array& a, mx::StreamOrDevice s) { return mx::conjugate(a, s); });

#define MLX_REDUCE_METHOD(name)                                                       \
  def_reduce(cls, #name,                                                              \
             [](const mx::array& a, const std::vector<int>& axes, bool keepdims,      \
                mx::StreamOrDevice s) { return mx::name(a, axes, keepdims, s); })
  MLX_REDUCE_METHOD(all);
  MLX_REDUCE_METHOD(any);
  MLX_REDUCE_METHOD(sum);
  MLX_REDUCE_METHOD(prod);
  MLX_REDUCE_METHOD(min);
  MLX_REDUCE_METHOD(max);
  MLX_REDUCE_METHOD(mean);
  MLX_REDUCE_METHOD(logsumexp);
#undef MLX_REDUCE_METHOD

  auto def_moment = [&](const char* name, auto f) {
    const std::string signature = std::string("def ") + name +
                                  "(self, axis: int | collections.abc.Sequence[int] | None = None, "
                                  "keepdims: bool = False, ddof: int = 0, *, " MLX_STREAM
                                  ") -> array";
    const std::string doc = std::string("As mlx.core.") + name + ".";
    cls.def(
        name,
        [f](const mx::array& a, nb::handle axis, bool keepdims, int ddof, nb::handle stream) {
          return f(a, to_axes(axis, a.ndim()), keepdims, ddof, to_stream_or_device(stream));
        },
        "axis"_a.none() = nb::none(), "keepdims"_a = false, "ddof"_a = 0, nb::kw_only(),
        "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc.c_str());
  };
  def_moment("var", [](const mx::array& a, const std::vector<int>& axes, bool keepdims, int ddof,
                       mx::StreamOrDevice s) { return mx::var(a, axes, keepdims, ddof, s); });
  def_moment("std", [](const mx::array& a, const std::vector<int>& axes, bool keepdims, int ddof,
                       mx::StreamOrDevice s) { return mx::std(a, axes, keepdims, ddof, s); });

  auto def_arg_reduce = [&](const char* name, auto one, auto flat) {
    const std::string signature = std::string("def ") + name +
                                  "(self, axis: int | None = None, keepdims: bool = False, *, "
                                  MLX_STREAM ") -> array";
    const std::string doc = std::string("As mlx.core.") + name + ".";
    cls.def(
        name,
        [one, flat](const mx::array& a, std::optional<int> axis, bool keepdims,
                    nb::handle stream) {
          const mx::StreamOrDevice s = to_stream_or_device(stream);
          return axis ? one(a, *axis, keepdims, s) : flat(a, keepdims, s);
        },
        "axis"_a.none() = nb::none(), "keepdims"_a = false, nb::kw_only(),
        "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc.c_str());
  };
  def_arg_reduce(
      "argmin",
      [](const mx::array& a, int axis, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmin(a, axis, keepdims, s);
      },
      [](const mx::array& a, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmin(a, keepdims, s);
      });
  def_arg_reduce(
      "argmax",
      [](const mx::array& a, int axis, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmax(a, axis, keepdims, s);
      },
      [](const mx::array& a, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmax(a, keepdims, s);
      });

  cls.def(
      "flatten",
      [](const mx::array& a, int start_axis, int end_axis, nb::handle stream) {
        return mx::flatten(a, start_axis, end_axis, to_stream_or_device(stream));
      },
      "start_axis"_a = 0, "end_axis"_a = -1, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def flatten(self, start_axis: int = 0, end_axis: int = -1, *, " MLX_STREAM
              ") -> array"),
      "As mlx.core.flatten.");
  cls.def(
      "reshape",
      [](const mx::array& a, const nb::args& shape, nb::handle stream) {
        if (shape.size() == 0) {
          throw nb::type_error("[reshape] a shape is needed: integers or one sequence");
        }
        nb::object first = shape[0];
        const bool one_sequence = shape.size() == 1 && !PyIndex_Check(first.ptr());
        return mx::reshape(a, one_sequence ? to_shape(first) : to_shape(shape),
                           to_stream_or_device(stream));
      },
      "shape"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def reshape(self, *shape: int | collections.abc.Sequence[int], " MLX_STREAM
              ") -> array"),
      "The same elements in another shape, given as integers or as one sequence; one entry may "
      "be -1.");
  cls.def(
      "squeeze",
      [](const mx::array& a, nb::handle axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axis.is_none() ? mx::squeeze(a, s) : mx::squeeze(a, to_ints(axis), s);
      },
      "axis"_a.none() = nb::none(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def squeeze(self, axis: int | collections.abc.Sequence[int] | None = None, *, "
              MLX_STREAM ") -> array"),
      "As mlx.core.squeeze.");
  cls.def(
      "transpose",
      [](const mx::array& a, const nb::args& axes, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axes.size() == 0 ? mx::transpose(a, s) : mx::transpose(a, int_arguments(axes), s);
      },
      "axes"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def transpose(self, *axes: int | collections.abc.Sequence[int], " MLX_STREAM
              ") -> array"),
      "The axes in another order; reversed when none are given.");
  cls.def(
      "moveaxis",
      [](const mx::array& a, int source, int destination, nb::handle stream) {
        return mx::moveaxis(a, source, destination, to_stream_or_device(stream));
      },
      "source"_a, "destination"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def moveaxis(self, source: int, destination: int, *, " MLX_STREAM ") -> array"),
      "As mlx.core.moveaxis.");
  cls.def(
      "swapaxes",
      [](const mx::array& a, int axis1, int axis2, nb::handle stream) {
        return mx::swapaxes(a, axis1, axis2, to_stream_or_device(stream));
      },
      "axis1"_a, "axis2"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def swapaxes(self, axis1: int, axis2: int, *, " MLX_STREAM ") -> array"),
      "As mlx.core.swapaxes.");
  cls.def(
      "round",
      [](const mx::array& a, int decimals, nb::handle stream) {
        return mx::round(a, decimals, to_stream_or_device(stream));
      },
      "decimals"_a = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def round(self, decimals: int = 0, *, " MLX_STREAM ") -> array"),
      "As mlx.core.round.");
  cls.def(
      "split",
      [](const mx::array& a, nb::handle parts, int axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return wrap_list(PyIndex_Check(parts.ptr()) ? mx::split(a, to_int(parts), axis, s)
                                                    : mx::split(a, to_shape(parts), axis, s));
      },
      "indices_or_sections"_a, "axis"_a = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def split(self, indices_or_sections: int | collections.abc.Sequence[int], axis: int "
              "= 0, *, " MLX_STREAM ") -> list[array]"),
      "As mlx.core.split.");
  cls.def(
      "diagonal",
      [](const mx::array& a, int offset, int axis1, int axis2, nb::handle stream) {
        return mx::diagonal(a, offset, axis1, axis2, to_stream_or_device(stream));
      },
      "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "stream"_a.none() = nb::none(),
      nb::sig("def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1, " MLX_STREAM
              ") -> array"),
      "As mlx.core.diagonal.");
  cls.def(
      "diag",
      [](const mx::array& a, int k, nb::handle stream) {
        return mx::diag(a, k, to_stream_or_device(stream));
      },
      "k"_a = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def diag(self, k: int = 0, *, " MLX_STREAM ") -> array"), "As mlx.core.diag.");
  cls.def(
      "view",
      [](const mx::array& a, mx::Dtype dtype, nb::handle stream) {
        return mx::view(a, dtype, to_stream_or_device(stream));
      },
      "dtype"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def view(self, dtype: Dtype, *, " MLX_STREAM ") -> array"), "As mlx.core.view.");
  cls.def(
      "astype",
      [](const mx::array& a, mx::Dtype dtype, nb::handle stream) {
        return mx::astype(a, dtype, to_stream_or_device(stream));
      },
      "dtype"_a, "stream"_a.none() = nb::none(),
      nb::sig("def astype(self, dtype: Dtype, " MLX_STREAM ") -> array"),
      "The values in another dtype. Real values saturate in integer dtypes, NaN gives 0, nonzero "
      "is True.");
}

}  // namespace

void bind_array(nb::module_& m) {
  nb::class_<ArrayIterator>(m, "ArrayIterator", "Iterates over the first axis of an array.")
      .def("__next__",
           [](ArrayIterator& it) {
             if (it.next >= it.source.shape()[0]) {
               throw nb::stop_iteration();
             }
             return sub_array(it.source, it.next++);
           })
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); });

  auto cls = nb::class_<mx::array>(
      m, "array", nb::type_slots(array_operator_slots()), nb::is_weak_referenceable(),
      "An n-dimensional array of one dtype, computed lazily.\n\n"
      "Args:\n"
      "    val: a bool, int, float or complex, nested lists or tuples of these, a NumPy array,\n"
      "        another buffer or DLPack object, or an array. Always copied.\n"
      "    dtype: of the result; by default bool_, int32 (int64 for integers beyond 32 bits),\n"
      "        float32 or complex64, and for other arrays their own, float64 becoming float32.\n\n"
      "Raises:\n"
      "    ValueError: lists of unequal length, elements that are no numbers, negative strides.\n\n"
      "Example:\n"
      "    >>> mx.array([[1, 2], [3, 4]])\n"
      "    array([[1, 2],\n"
      "           [3, 4]], dtype=int32)\n");

  cls.def(
      "__init__",
      [](mx::array* self, nb::object val, std::optional<mx::Dtype> dtype) {
        new (self) mx::array(array_from_python(val, dtype));
      },
      "val"_a.none(), "dtype"_a.none() = nb::none(),
      nb::sig("def __init__(self, val: typing.Any, dtype: Dtype | None = None) -> None"));

  cls.def_prop_ro(
      "shape", [](const mx::array& a) { return shape_tuple(a.shape()); },
      nb::sig("def shape(self) -> tuple[int, ...]"), "Dimensions.");
  cls.def_prop_ro("ndim", &mx::array::ndim, "Number of dimensions.");
  cls.def_prop_ro("size", &mx::array::size, "Number of elements.");
  cls.def_prop_ro("itemsize", &mx::array::itemsize, "Bytes per element.");
  cls.def_prop_ro("nbytes", &mx::array::nbytes, "Bytes of all elements.");
  cls.def_prop_ro("dtype", &mx::array::dtype, "Type of the elements.");
  cls.def_prop_ro(
      "T", [](const mx::array& a) { return mx::transpose(a); }, "All axes reversed.");
  cls.def_prop_ro(
      "mT",
      [](const mx::array& a) {
        if (a.ndim() < 2) {
          throw std::invalid_argument("[mT] at least two dimensions are needed: got " +
                                      std::to_string(a.ndim()));
        }
        return mx::swapaxes(a, -1, -2);
      },
      "The last two axes swapped.");
  cls.def_prop_ro(
      "real", [](const mx::array& a) { return mx::real(a); }, "Real parts.");
  cls.def_prop_ro(
      "imag", [](const mx::array& a) { return mx::imag(a); }, "Imaginary parts.");

  cls.def(
      "item", [](mx::array& a) { return to_scalar(a); },
      nb::sig("def item(self) -> bool | int | float | complex"),
      "The only element as a Python scalar. Raises ValueError unless the size is 1.");
  cls.def(
      "tolist", [](mx::array& a) { return to_list(a); }, nb::sig("def tolist(self) -> typing.Any"),
      "The elements as nested lists of Python scalars, or one scalar for a 0-d array.");
  cls.def("__complex__", [](mx::array& a) {
    nb::object scalar = to_scalar(a);
    const Py_complex value = PyComplex_AsCComplex(scalar.ptr());
    if (PyErr_Occurred()) {
      throw nb::python_error();
    }
    return nb::steal(PyComplex_FromDoubles(value.real, value.imag));
  });
  cls.def("__iter__", [](const mx::array& a) {
    if (a.ndim() == 0) {
      throw nb::index_error("a 0-d array cannot be iterated over");
    }
    return ArrayIterator{a};
  });
  cls.def("__repr__", [](mx::array& a) { return text_of(a); });
  cls.def("__str__", [](mx::array& a) { return text_of(a); });
  cls.def("__format__", [](mx::array& a, nb::object spec) -> nb::object {
    if (a.ndim() == 0) {
      return to_scalar(a).attr("__format__")(spec);
    }
    if (nb::len(spec) > 0) {
      throw nb::type_error("only 0-d arrays take a format specification");
    }
    return nb::str(text_of(a).c_str());
  });
  cls.def("__copy__", [](const mx::array& a) { return mx::copy(a); });
  cls.def("__deepcopy__", [](const mx::array& a, nb::handle) { return mx::copy(a); }, "memo"_a);
  cls.def("__getstate__", [](nb::handle self) { return get_state(self); });
  cls.def("__setstate__", [](mx::array& a, nb::tuple state) { set_state(a, state); });
  cls.def(
      "__array__", [](nb::handle self, nb::handle, nb::handle) { return numpy_view(self); },
      "dtype"_a.none() = nb::none(), "copy"_a.none() = nb::none(),
      "A NumPy array over the same memory. Raises TypeError for bfloat16.");
  cls.def("__div__", [](nb::handle a, nb::handle b) { return a / nb::borrow(b); });
  cls.def("__rdiv__", [](nb::handle a, nb::handle b) { return nb::borrow(b) / a; });
  cls.def(
      "__array_namespace__",
      [m](nb::handle, nb::object api_version) {
        if (!api_version.is_none()) {
          throw std::invalid_argument("[array] no version of the array API can be chosen");
        }
        return m;
      },
      "api_version"_a.none() = nb::none());

  bind_methods(cls);
}

}  // namespace mlx::bindings
