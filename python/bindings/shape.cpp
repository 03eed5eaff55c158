// Functions that rearrange, join, split and repeat.
#include "mlx/ops.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

#define INTS "int | collections.abc.Sequence[int]"
#define INTS_OR_NONE "int | collections.abc.Sequence[int] | None"

// pad_width: n, (n,), (before, after), [(before, after)], or a pair per axis.
std::vector<std::pair<int, int>> to_pad_width(nb::handle object, size_t ndim) {
  auto everywhere = [&](int before, int after) {
    return std::vector<std::pair<int, int>>(ndim, {before, after});
  };
  if (PyIndex_Check(object.ptr()) && as_array(object) == nullptr) {
    const int n = to_int(object);
    return everywhere(n, n);
  }
  if (!PySequence_Check(object.ptr()) || nb::len(object) == 0) {
    if (PySequence_Check(object.ptr()) && ndim == 0) {
      return {};
    }
    throw std::invalid_argument("[pad] pad_width is an integer, a pair, or a pair per axis");
  }
  const size_t n = nb::len(object);
  nb::object first = object[0];
  if (PyIndex_Check(first.ptr())) {
    const std::vector<int> values = to_ints(object);
    if (values.size() == 1) {
      return everywhere(values[0], values[0]);
    }
    if (values.size() == 2) {
      return everywhere(values[0], values[1]);
    }
    throw std::invalid_argument("[pad] a flat pad_width has one or two entries: got " +
                                std::to_string(values.size()));
  }
  std::vector<std::pair<int, int>> pairs;
  for (size_t i = 0; i < n; ++i) {
    const std::vector<int> pair = to_ints(nb::object(object[i]));
    if (pair.size() != 2) {
      throw std::invalid_argument("[pad] every entry of pad_width is a pair (before, after)");
    }
    pairs.emplace_back(pair[0], pair[1]);
  }
  if (pairs.size() == 1) {
    return everywhere(pairs[0].first, pairs[0].second);
  }
  return pairs;
}

using ListFunction = std::vector<mx::array> (*)(const std::vector<mx::array>&, mx::StreamOrDevice);

void def_atleast(nb::module_& m, const char* name, ListFunction f, const char* doc) {
  const std::string signature =
      std::string("def ") + name + "(*arys: array, " MLX_STREAM ") -> array | list[array]";
  m.def(
      name,
      [f](const nb::args& arrays, nb::handle stream) -> nb::object {
        std::vector<mx::array> results =
            f(to_array_vector(nb::list(arrays)), to_stream_or_device(stream));
        if (results.size() == 1) {
          return wrap(std::move(results[0]));
        }
        return wrap_list(std::move(results));
      },
      "arys"_a, "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc);
}

mx::array roll(const mx::array& a, nb::handle shift, nb::handle axis, mx::StreamOrDevice s) {
  const bool one = PyIndex_Check(shift.ptr());
  if (axis.is_none()) {
    return one ? mx::roll(a, to_int64(shift), s) : mx::roll(a, to_shape(shift), s);
  }
  if (PyIndex_Check(axis.ptr())) {
    return one ? mx::roll(a, to_int64(shift), to_int(axis), s)
               : mx::roll(a, to_shape(shift), to_int(axis), s);
  }
  return one ? mx::roll(a, to_int64(shift), to_ints(axis), s)
             : mx::roll(a, to_shape(shift), to_ints(axis), s);
}

void bind_rearranging(nb::module_& m) {
  m.def(
      "reshape",
      [](const mx::array& a, nb::handle shape, nb::handle stream) {
        return mx::reshape(a, to_shape(shape), to_stream_or_device(stream));
      },
      nb::arg(), "shape"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def reshape(a: array, /, shape: collections.abc.Sequence[int], *, " MLX_STREAM
              ") -> array"),
      "The same elements, in row-major order, in another shape; one entry may be -1. Raises "
      "ValueError when the sizes differ.\n\nExample:\n    >>> mx.reshape(mx.arange(4), (2, -1))\n    "
      "array([[0, 1],\n           [2, 3]], dtype=int32)\n");
  m.def(
      "flatten",
      [](const mx::array& a, int start_axis, int end_axis, nb::handle stream) {
        return mx::flatten(a, start_axis, end_axis, to_stream_or_device(stream));
      },
      nb::arg(), "start_axis"_a = 0, "end_axis"_a = -1, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def flatten(a: array, /, start_axis: int = 0, end_axis: int = -1, *, " MLX_STREAM
              ") -> array"),
      "The axes start_axis to end_axis, both included, merged into one; 0-d gives (1,).\n\n"
      "Example:\n    >>> mx.flatten(mx.ones((2, 2))).shape\n    (4,)\n");
  m.def(
      "unflatten",
      [](const mx::array& a, int axis, nb::handle shape, nb::handle stream) {
        return mx::unflatten(a, axis, to_shape(shape), to_stream_or_device(stream));
      },
      nb::arg(), "axis"_a, "shape"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def unflatten(a: array, /, axis: int, shape: collections.abc.Sequence[int], *, "
              MLX_STREAM ") -> array"),
      "One axis split into a shape; one entry may be -1.\n\nExample:\n    >>> "
      "mx.unflatten(mx.arange(4), 0, (2, -1)).shape\n    (2, 2)\n");
  m.def(
      "squeeze",
      [](const mx::array& a, nb::handle axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axis.is_none() ? mx::squeeze(a, s) : mx::squeeze(a, to_ints(axis), s);
      },
      nb::arg(), "axis"_a.none() = nb::none(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def squeeze(a: array, /, axis: " INTS_OR_NONE " = None, *, " MLX_STREAM ") -> array"),
      "Without axes of size 1: all of them, or the named ones. Raises ValueError for a named axis of "
      "another size.\n\nExample:\n    >>> mx.squeeze(mx.ones((1, 2))).shape\n    (2,)\n");
  m.def(
      "expand_dims",
      [](const mx::array& a, nb::handle axis, nb::handle stream) {
        return mx::expand_dims(a, to_ints(axis), to_stream_or_device(stream));
      },
      nb::arg(), "axis"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def expand_dims(a: array, /, axis: " INTS ", *, " MLX_STREAM ") -> array"),
      "With new axes of size 1 at the given positions of the result.\n\nExample:\n    >>> "
      "mx.expand_dims(mx.ones(2), 0).shape\n    (1, 2)\n");
  m.def(
      "flip",
      [](const mx::array& a, nb::handle axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axis.is_none() ? mx::flip(a, s) : mx::flip(a, to_ints(axis), s);
      },
      nb::arg(), "axis"_a.none() = nb::none(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def flip(a: array, /, axis: " INTS_OR_NONE " = None, *, " MLX_STREAM ") -> array"),
      "In reverse order along all axes, or the named ones.\n\nExample:\n    >>> "
      "mx.flip(mx.array([1, 2]))\n    array([2, 1], dtype=int32)\n");
  auto def_transpose = [&](const char* name) {
    const std::string signature =
        std::string("def ") + name +
        "(a: array, /, axes: collections.abc.Sequence[int] | None = None, *, " MLX_STREAM
        ") -> array";
    m.def(
        name,
        [](const mx::array& a, nb::handle axes, nb::handle stream) {
          const mx::StreamOrDevice s = to_stream_or_device(stream);
          return axes.is_none() ? mx::transpose(a, s) : mx::transpose(a, to_ints(axes), s);
        },
        nb::arg(), "axes"_a.none() = nb::none(), nb::kw_only(), "stream"_a.none() = nb::none(),
        nb::sig(signature.c_str()),
        "The axes in another order; reversed when none are given. Raises ValueError unless every "
        "axis is named once.\n\nExample:\n    >>> mx.transpose(mx.ones((2, 3))).shape\n    (3, 2)\n");
  };
  def_transpose("transpose");
  def_transpose("permute_dims");
  m.attr("matrix_transpose") = m.attr("transpose");
  m.def(
      "moveaxis",
      [](const mx::array& a, int source, int destination, nb::handle stream) {
        return mx::moveaxis(a, source, destination, to_stream_or_device(stream));
      },
      nb::arg(), "source"_a, "destination"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def moveaxis(a: array, /, source: int, destination: int, *, " MLX_STREAM
              ") -> array"),
      "One axis moved to another position. Raises IndexError for axes out of range.");
  m.def(
      "swapaxes",
      [](const mx::array& a, int axis1, int axis2, nb::handle stream) {
        return mx::swapaxes(a, axis1, axis2, to_stream_or_device(stream));
      },
      nb::arg(), "axis1"_a, "axis2"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def swapaxes(a: array, /, axis1: int, axis2: int, *, " MLX_STREAM ") -> array"),
      "Two axes exchanged. Raises IndexError for axes out of range.");
  m.def(
      "broadcast_to",
      [](nb::handle a, nb::handle shape, nb::handle stream) {
        return mx::broadcast_to(to_array(a), to_shape(shape), to_stream_or_device(stream));
      },
      nb::arg().none(), "shape"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def broadcast_to(a: " MLX_SCALAR_OR_ARRAY
              ", /, shape: collections.abc.Sequence[int], *, " MLX_STREAM ") -> array"),
      "Stretched to a shape by NumPy's rule. Raises ValueError when it does not fit.\n\nExample:\n    "
      ">>> mx.broadcast_to(mx.array(1), (2,))\n    array([1, 1], dtype=int32)\n");
  m.def(
      "broadcast_arrays",
      [](const nb::args& arrays, nb::handle stream) {
        return wrap_list(
            mx::broadcast_arrays(to_array_vector(nb::list(arrays)), to_stream_or_device(stream)));
      },
      "arrays"_a, "stream"_a.none() = nb::none(),
      nb::sig("def broadcast_arrays(*arrays: array, " MLX_STREAM ") -> list[array]"),
      "All arrays stretched to their common shape.");
  m.def(
      "broadcast_shapes",
      [](const nb::args& shapes) {
        if (shapes.size() == 0) {
          throw std::invalid_argument("[broadcast_shapes] at least one shape is needed");
        }
        mx::Shape result = to_shape(shapes[0]);
        for (size_t i = 1; i < shapes.size(); ++i) {
          result = mx::broadcast_shapes(result, to_shape(shapes[i]));
        }
        return shape_tuple(result);
      },
      "shapes"_a,
      nb::sig("def broadcast_shapes(*shapes: collections.abc.Sequence[int]) -> tuple[int, ...]"),
      "The common shape by NumPy's rule. Raises ValueError when there is none.");
  def_atleast(
      m, "atleast_1d",
      [](const std::vector<mx::array>& a, mx::StreamOrDevice s) { return mx::atleast_1d(a, s); },
      "With at least one dimension; a list for several arrays.");
  def_atleast(
      m, "atleast_2d",
      [](const std::vector<mx::array>& a, mx::StreamOrDevice s) { return mx::atleast_2d(a, s); },
      "With at least two dimensions; a list for several arrays.");
  def_atleast(
      m, "atleast_3d",
      [](const std::vector<mx::array>& a, mx::StreamOrDevice s) { return mx::atleast_3d(a, s); },
      "With at least three dimensions; a list for several arrays.");
  m.def(
      "view",
      [](nb::handle a, mx::Dtype dtype, nb::handle stream) {
        return mx::view(to_array(a), dtype, to_stream_or_device(stream));
      },
      nb::arg().none(), "dtype"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def view(a: " MLX_SCALAR_OR_ARRAY ", /, dtype: Dtype, *, " MLX_STREAM ") -> array"),
      "The bytes of the elements as another dtype; the last axis scales. Raises ValueError where it "
      "cannot.");
  m.def(
      "as_strided",
      [](const mx::array& a, nb::handle shape, nb::handle strides, int64_t offset,
         nb::handle stream) {
        const mx::Shape out = shape.is_none() ? a.shape() : to_shape(shape);
        const mx::Strides steps =
            strides.is_none() ? mx::row_major_strides(out) : to_shape(strides);
        if (offset < 0) {
          throw std::invalid_argument("[as_strided] the offset must not be negative: got " +
                                      std::to_string(offset));
        }
        return mx::as_strided(a, out, steps, static_cast<size_t>(offset),
                              to_stream_or_device(stream));
      },
      nb::arg(), "shape"_a.none() = nb::none(), "strides"_a.none() = nb::none(), "offset"_a = 0,
      nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def as_strided(a: array, /, shape: collections.abc.Sequence[int] | None = None, "
              "strides: collections.abc.Sequence[int] | None = None, offset: int = 0, *, " MLX_STREAM
              ") -> array"),
      "The flat row-major elements seen with other strides (in elements).");
  m.def(
      "contiguous",
      [](const mx::array& a, bool allow_col_major, nb::handle stream) {
        return mx::contiguous(a, allow_col_major, to_stream_or_device(stream));
      },
      nb::arg(), "allow_col_major"_a = false, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def contiguous(a: array, /, allow_col_major: bool = False, *, " MLX_STREAM
              ") -> array"),
      "Copied to row-major order unless it is so already.");
  m.def(
      "astype",
      [](const mx::array& a, mx::Dtype dtype, nb::handle stream) {
        return mx::astype(a, dtype, to_stream_or_device(stream));
      },
      nb::arg(), "dtype"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def astype(a: array, /, dtype: Dtype, *, " MLX_STREAM ") -> array"),
      "The values in another dtype. Real values saturate in integer dtypes, NaN gives 0, nonzero is "
      "True.");
  m.def(
      "diagonal",
      [](const mx::array& a, int offset, int axis1, int axis2, nb::handle stream) {
        return mx::diagonal(a, offset, axis1, axis2, to_stream_or_device(stream));
      },
      "a"_a, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "stream"_a.none() = nb::none(),
      nb::sig("def diagonal(a: array, offset: int = 0, axis1: int = 0, axis2: int = 1, " MLX_STREAM
              ") -> array"),
      "A diagonal of two axes as the last axis. Raises ValueError for equal axes or fewer than two "
      "dimensions, IndexError for axes out of range.");
  m.def(
      "trace",
      [](const mx::array& a, int offset, int axis1, int axis2, std::optional<mx::Dtype> dtype,
         nb::handle stream) {
        return mx::trace(a, offset, axis1, axis2, dtype.value_or(a.dtype()),
                         to_stream_or_device(stream));
      },
      nb::arg(), "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "dtype"_a.none() = nb::none(),
      nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def trace(a: array, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Dtype "
              "| None = None, *, " MLX_STREAM ") -> array"),
      "Sum of a diagonal of two axes.");
}

void bind_joining(nb::module_& m) {
  auto def_concatenate = [&](const char* name) {
    const std::string signature =
        std::string("def ") + name +
        "(arrays: collections.abc.Sequence[array], /, axis: int | None = 0, *, " MLX_STREAM
        ") -> array";
    m.def(
        name,
        [](nb::handle arrays, std::optional<int> axis, nb::handle stream) {
          std::vector<mx::array> inputs = to_array_vector(arrays);
          const mx::StreamOrDevice s = to_stream_or_device(stream);
          return axis ? mx::concatenate(std::move(inputs), *axis, s)
                      : mx::concatenate(std::move(inputs), s);
        },
        nb::arg(), "axis"_a.none() = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
        nb::sig(signature.c_str()),
        "Joined along an axis; flattened first for None. Dtypes promote. Raises ValueError for an "
        "empty list and for other dimensions that differ.\n\nExample:\n    >>> "
        "mx.concatenate([mx.ones(1), mx.zeros(1)])\n    array([1, 0], dtype=float32)\n");
  };
  def_concatenate("concatenate");
  def_concatenate("concat");
  m.def(
      "stack",
      [](nb::handle arrays, std::optional<int> axis, nb::handle stream) {
        return mx::stack(to_array_vector(arrays), axis.value_or(0), to_stream_or_device(stream));
      },
      nb::arg(), "axis"_a.none() = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def stack(arrays: collections.abc.Sequence[array], /, axis: int | None = 0, *, "
              MLX_STREAM ") -> array"),
      "Joined along a new axis. Raises ValueError for shapes that differ.\n\nExample:\n    >>> "
      "mx.stack([mx.array(1), mx.array(2)])\n    array([1, 2], dtype=int32)\n");
  m.def(
      "split",
      [](const mx::array& a, nb::handle parts, int axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return wrap_list(PyIndex_Check(parts.ptr()) ? mx::split(a, to_int(parts), axis, s)
                                                    : mx::split(a, to_shape(parts), axis, s));
      },
      nb::arg(), "indices_or_sections"_a, "axis"_a = 0, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def split(a: array, /, indices_or_sections: " INTS ", axis: int = 0, *, " MLX_STREAM
              ") -> list[array]"),
      "Cut into equal parts, or at the given positions, along an axis. Raises ValueError when the "
      "parts are not equal.\n\nExample:\n    >>> mx.split(mx.arange(4), 2)\n    [array([0, 1], "
      "dtype=int32), array([2, 3], dtype=int32)]\n");
  m.def(
      "unstack",
      [](const mx::array& x, int axis, nb::handle stream) {
        return wrap_list(mx::unstack(x, axis, to_stream_or_device(stream)));
      },
      nb::arg(), nb::kw_only(), "axis"_a = 0, "stream"_a.none() = nb::none(),
      nb::sig("def unstack(x: array, /, *, axis: int = 0, " MLX_STREAM ") -> list[array]"),
      "The sub-arrays along an axis.");
  m.def(
      "repeat",
      [](const mx::array& a, int64_t repeats, std::optional<int> axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axis ? mx::repeat(a, repeats, *axis, s) : mx::repeat(a, repeats, s);
      },
      "array"_a, nb::arg(), "axis"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def repeat(array: array, repeats: int, axis: int | None = None, *, " MLX_STREAM
              ") -> array"),
      "Each element repeated along an axis; flattened first for None.\n\nExample:\n    >>> "
      "mx.repeat(mx.array([1, 2]), 2)\n    array([1, 1, 2, 2], dtype=int32)\n");
  m.def(
      "tile",
      [](const mx::array& a, nb::handle reps, nb::handle stream) {
        return mx::tile_shape(a, to_shape_or_int(reps), to_stream_or_device(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def tile(a: array, reps: " INTS ", /, *, " MLX_STREAM ") -> array"),
      "The whole array repeated along each axis.\n\nExample:\n    >>> mx.tile(mx.array([1, 2]), 2)\n"
      "    array([1, 2, 1, 2], dtype=int32)\n");
  m.def(
      "roll",
      [](const mx::array& a, nb::handle shift, nb::handle axis, nb::handle stream) {
        return roll(a, shift, axis, to_stream_or_device(stream));
      },
      nb::arg(), "shift"_a, "axis"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def roll(a: array, /, shift: " INTS ", axis: " INTS_OR_NONE " = None, *, " MLX_STREAM
              ") -> array"),
      "Shifted along axes, what leaves one end entering at the other.\n\nExample:\n    >>> "
      "mx.roll(mx.array([1, 2, 3]), 1)\n    array([3, 1, 2], dtype=int32)\n");
  m.def(
      "pad",
      [](const mx::array& a, nb::handle pad_width, const std::string& mode, nb::handle values,
         nb::handle stream) {
        return mx::pad(a, to_pad_width(pad_width, a.ndim()), to_array(values, a.dtype()), mode,
                       to_stream_or_device(stream));
      },
      nb::arg(), "pad_width"_a, "mode"_a = "constant", "constant_values"_a.none() = 0,
      nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def pad(a: array, /, pad_width: int | tuple[int] | tuple[int, int] | "
              "collections.abc.Sequence[tuple[int, int]], mode: str = 'constant', constant_values: "
              MLX_SCALAR_OR_ARRAY " = 0, *, " MLX_STREAM ") -> array"),
      "Extended at both ends of the axes, by a constant or, with mode 'edge', 'reflect' or "
      "'symmetric', by values of the array. Raises ValueError for negative widths and unknown "
      "modes.\n\nExample:\n    >>> mx.pad(mx.array([1]), 1)\n    array([0, 1, 0], dtype=int32)\n");
  m.def(
      "depends",
      [](nb::handle inputs, nb::handle dependencies) -> nb::object {
        auto as_list = [](nb::handle object) {
          mx::array* array = as_array(object);
          return array != nullptr ? std::vector<mx::array>{*array} : to_array_vector(object);
        };
        std::vector<mx::array> results = mx::depends(as_list(inputs), as_list(dependencies));
        if (as_array(inputs) != nullptr) {
          return wrap(std::move(results[0]));
        }
        return wrap_list(std::move(results));
      },
      nb::arg(), nb::arg(),
      nb::sig("def depends(inputs: array | collections.abc.Sequence[array], dependencies: array | "
              "collections.abc.Sequence[array], /) -> array | list[array]"),
      "`inputs`, evaluated only after `dependencies`.");
}

}  // namespace

void bind_shape(nb::module_& m) {
  bind_rearranging(m);
  bind_joining(m);
}

}  // namespace mlx::bindings
