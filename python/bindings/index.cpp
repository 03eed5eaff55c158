// Functions that read and write at indices, and the error they raise.
#include "mlx/ops.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/indexing.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

// Along an axis, or along the flattened array.
template <typename F>
mx::array along(const mx::array& a, std::optional<int> axis, mx::StreamOrDevice s, F&& f) {
  return axis ? f(a, *axis) : mx::reshape(f(mx::flatten(a, s), 0), a.shape(), s);
}

}  // namespace

void bind_index(nb::module_& m) {
  m.attr("IndexOutOfRangeError") = nb::borrow(index_error_type());
  nb::register_exception_translator(
      [](const std::exception_ptr& exception, void*) {
        try {
          std::rethrow_exception(exception);
        } catch (const mx::IndexOutOfRange& error) {
          PyErr_SetString(index_error_type(), error.what());
        }
      },
      nullptr);

  m.def(
      "take",
      [](const mx::array& a, nb::handle indices, std::optional<int> axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        if (mx::array* places = as_array(indices)) {
          return axis ? mx::take(a, *places, *axis, s) : mx::take(a, *places, s);
        }
        if (!PyLong_Check(indices.ptr())) {
          throw nb::type_error("take() takes an integer or an array of integers as indices");
        }
        const int index = to_int(indices);
        return axis ? mx::take(a, index, *axis, s) : mx::take(a, index, s);
      },
      nb::arg(), "indices"_a, "axis"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def take(a: array, /, indices: int | array, axis: int | None = None, *, " MLX_STREAM
              ") -> array"),
      "`a` with `axis` replaced by the shape of the indices, which may be negative; without an "
      "axis the array is flattened first. Raises ValueError for a bad axis and for indices that "
      "are no integers, IndexOutOfRangeError for an index out of range: at once for an integer, "
      "at evaluation for an array.\n\nExample:\n    >>> mx.take(mx.array([5, 6, 7]), "
      "mx.array([2, 0]))\n    array([7, 5], dtype=int32)\n");
  m.def(
      "take_along_axis",
      [](const mx::array& a, const mx::array& indices, std::optional<int> axis, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axis ? mx::take_along_axis(a, indices, *axis, s)
                    : mx::take_along_axis(mx::flatten(a, s), indices, 0, s);
      },
      nb::arg(), "indices"_a, "axis"_a.none() = nb::none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig(
          "def take_along_axis(a: array, /, indices: array, axis: int | None = None, *, " MLX_STREAM
          ") -> array"),
      "Elements at the indices along one axis; the other axes broadcast. Without an axis the array "
      "is flattened and the indices are 1-D. Raises ValueError for indices of another number of "
      "dimensions or no integers, IndexOutOfRangeError at evaluation.\n\nExample:\n    >>> "
      "mx.take_along_axis(mx.array([[5, 6]]), mx.array([[1]]), axis=1)\n    array([[6]], "
      "dtype=int32)\n");
  m.def(
      "put_along_axis",
      [](const mx::array& a, const mx::array& indices, nb::handle values, std::optional<int> axis,
         nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        const mx::array updates = to_array(values, a.dtype());
        return along(a, axis, s, [&](const mx::array& x, int ax) {
          return mx::put_along_axis(x, indices, updates, ax, s);
        });
      },
      nb::arg(), "indices"_a, "values"_a, "axis"_a.none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def put_along_axis(a: array, /, indices: array, values: " MLX_SCALAR_OR_ARRAY
              ", axis: int | None, *, " MLX_STREAM ") -> array"),
      "A copy of `a` with `values`, which broadcast to the indices, written along one axis; of "
      "equal indices the last one wins. Raises as `take_along_axis`.\n\nExample:\n    >>> "
      "mx.put_along_axis(mx.array([[5, 6]]), mx.array([[1]]), 7, axis=1)\n    array([[5, 7]], "
      "dtype=int32)\n");
  m.def(
      "slice",
      [](const mx::array& a, const mx::array& start, nb::handle axes, nb::handle size,
         nb::handle stream) {
        return mx::slice(a, start, to_ints(axes), to_shape(size), to_stream_or_device(stream));
      },
      nb::arg(), "start_indices"_a, "axes"_a, "slice_size"_a, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def slice(a: array, /, start_indices: array, axes: collections.abc.Sequence[int], "
              "slice_size: collections.abc.Sequence[int], *, " MLX_STREAM ") -> array"),
      "The slice of a given size that begins at `start_indices` on `axes` and at 0 elsewhere; "
      "`slice_size` has an entry per dimension. Raises ValueError for arguments that do not fit, "
      "IndexError at evaluation for a start that does not.\n\nExample:\n    >>> "
      "mx.slice(mx.arange(5), mx.array(2), [0], [2])\n    array([2, 3], dtype=int32)\n");
  m.def(
      "slice_update",
      [](const mx::array& a, const mx::array& update, const mx::array& start, nb::handle axes,
         nb::handle stream) {
        return mx::slice_update(a, update, start, to_ints(axes), to_stream_or_device(stream));
      },
      nb::arg(), "update"_a, "start_indices"_a, "axes"_a, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def slice_update(a: array, /, update: array, start_indices: array, axes: "
              "collections.abc.Sequence[int], *, " MLX_STREAM ") -> array"),
      "A copy of `a` with `update` written where the slice at `start_indices` begins. Raises as "
      "`slice`.\n\nExample:\n    >>> mx.slice_update(mx.arange(4), mx.array([8, 9]), mx.array(1), "
      "[0])\n    array([0, 8, 9, 3], dtype=int32)\n");
  bind_array_at(m);
}

}  // namespace mlx::bindings
