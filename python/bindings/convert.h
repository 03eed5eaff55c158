// Conversions between Python objects and the library's values, shared by all
// binding files: scalars and arrays, streams, shapes, axes, dtypes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mlx/array.h"
#include "mlx/core/shape.h"
#include "mlx/utils.h"

namespace nb = nanobind;
namespace mx = mlx::core;

namespace mlx::bindings {

/// The array inside a Python object, or null if it is not one.
mx::array* as_array(nb::handle object);

/// A new Python object for an array; the fast path of every operator.
nb::object wrap(mx::array&& value);
inline PyObject* wrap_raw(mx::array&& value) { return wrap(std::move(value)).release().ptr(); }

/// An array, Python scalar, NumPy object, buffer or object with __mlx_array__
/// as an array. With `relative`, the weak rule: numbers and foreign arrays take
/// that dtype where it can hold their kind. `op` and `name` appear in errors.
/// Raises TypeError for None, ValueError for what has no array form.
mx::array to_array(nb::handle object, std::optional<mx::Dtype> relative = std::nullopt);

/// Two operands, each weak against the other where it is no array.
std::pair<mx::array, mx::array> to_arrays(nb::handle a, nb::handle b);

/// Whether to_array accepts the object (operators answer False or
/// NotImplemented otherwise).
bool is_convertible(nb::handle object);

/// The full constructor: nested lists and tuples, buffers, DLPack, arrays, scalars.
mx::array array_from_python(nb::handle object, std::optional<mx::Dtype> dtype);
/// A copy of a NumPy array or other buffer or DLPack object.
mx::array array_from_buffer(nb::handle object, std::optional<mx::Dtype> dtype);

/// Values as Python objects: nested lists, or a scalar for a 0-d array. Evaluates.
nb::object to_list(mx::array& a);
/// The only element as a Python scalar. Evaluates.
nb::object to_scalar(mx::array& a);
/// Evaluates with the interpreter lock released.
void eval_released(mx::array& a);

/// `stream=` arguments: None, Stream, ThreadLocalStream, Device or DeviceType;
/// TypeError for anything else.
mx::StreamOrDevice to_stream_or_device(nb::handle object);

/// A sequence of integers (anything with __index__) as a shape. Raises TypeError
/// for other objects, OverflowError beyond 64 bits.
mx::Shape to_shape(nb::handle object);
/// As to_shape, but one integer is a shape of one dimension.
mx::Shape to_shape_or_int(nb::handle object);
/// An integer (anything with __index__).
int64_t to_int64(nb::handle object);
int to_int(nb::handle object);
/// An integer or a sequence of integers as a list.
std::vector<int> to_ints(nb::handle object);
/// None, an integer or a sequence: the axes of a reduction over `ndim` axes.
std::vector<int> to_axes(nb::handle object, size_t ndim);
/// A list, tuple or other sequence of arrays (an array counts as its rows).
std::vector<mx::array> to_array_vector(nb::handle object);

/// A Python list of the arrays.
nb::list wrap_list(std::vector<mx::array>&& arrays);
nb::tuple shape_tuple(const mx::Shape& shape);

// Signature text shared by the bindings.
#define MLX_SCALAR_OR_ARRAY "bool | int | float | complex | array | typing.Any"
#define MLX_STREAM "stream: Stream | ThreadLocalStream | Device | DeviceType | None = None"

// Registration functions, one per binding file; module.cpp calls them in order.
void bind_dtype(nb::module_& m);
void bind_device(nb::module_& m);
void bind_array(nb::module_& m);
void bind_printing(nb::module_& m);
void bind_memory(nb::module_& m);
void bind_settings(nb::module_& m);
void bind_elementwise(nb::module_& m);
void bind_create(nb::module_& m);
void bind_shape(nb::module_& m);
void bind_reduce(nb::module_& m);
void bind_matmul(nb::module_& m);
void bind_index(nb::module_& m);
void bind_random(nb::module_& m);
void bind_transforms(nb::module_& m);
void bind_io(nb::module_& m);

}  // namespace mlx::bindings
