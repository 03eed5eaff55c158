// Matrix products and contractions.
#include "mlx/einsum.h"
#include "mlx/ops.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

void bind_matmul(nb::module_& m) {
  m.def(
      "matmul",
      [](const mx::array& a, const mx::array& b, nb::handle stream) {
        return mx::matmul(a, b, to_stream_or_device(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def matmul(a: array, b: array, /, *, " MLX_STREAM ") -> array"),
      "Matrix product: (..., M, K) by (..., K, N) gives (..., M, N). One-dimensional operands are "
      "treated as a row and a column; leading axes broadcast; dtypes promote and must be floating "
      "or complex. Raises ValueError for 0-d operands and sizes that do not match.\n\n"
      "Example:\n    >>> mx.matmul(mx.ones((1, 2)), mx.ones((2, 1)))\n    array([[2]], "
      "dtype=float32)\n");
  m.def(
      "addmm",
      [](const mx::array& c, const mx::array& a, const mx::array& b, float alpha, float beta,
         nb::handle stream) {
        return mx::addmm(c, a, b, alpha, beta, to_stream_or_device(stream));
      },
      nb::arg(), nb::arg(), nb::arg(), "alpha"_a = 1.0f, "beta"_a = 1.0f, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def addmm(c: array, a: array, b: array, /, alpha: float = 1.0, beta: float = 1.0, *, "
              MLX_STREAM ") -> array"),
      "beta * c + alpha * (a @ b); c broadcasts to the shape of the product. Raises ValueError as "
      "matmul does.\n\nExample:\n    >>> mx.addmm(mx.array([1.0]), mx.ones((1, 2)), mx.ones((2, "
      "1)))\n    array([[3]], dtype=float32)\n");
  m.def(
      "inner",
      [](const mx::array& a, const mx::array& b, nb::handle stream) {
        return mx::inner(a, b, to_stream_or_device(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def inner(a: array, b: array, /, *, " MLX_STREAM ") -> array"),
      "Sum of products over the last axes: shape a.shape[:-1] + b.shape[:-1]; a product with a "
      "scalar for 0-d operands.\n\nExample:\n    >>> mx.inner(mx.ones(2), mx.ones(2))\n    array(2, "
      "dtype=float32)\n");
  m.def(
      "outer",
      [](const mx::array& a, const mx::array& b, nb::handle stream) {
        return mx::outer(a, b, to_stream_or_device(stream));
      },
      nb::arg(), nb::arg(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def outer(a: array, b: array, /, *, " MLX_STREAM ") -> array"),
      "All products of the flattened operands: shape (a.size, b.size).\n\nExample:\n    >>> "
      "mx.outer(mx.array([1, 2]), mx.array([3]))\n    array([[3],\n           [6]], dtype=int32)\n");
  m.def(
      "vecdot",
      [](const mx::array& a, const mx::array& b, int axis, nb::handle stream) {
        return mx::vecdot(a, b, axis, to_stream_or_device(stream));
      },
      nb::arg(), nb::arg(), "axis"_a = -1, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def vecdot(a: array, b: array, /, axis: int = -1, *, " MLX_STREAM ") -> array"),
      "Sum of conj(a) * b over an axis; the other axes broadcast.");
  m.def(
      "tensordot",
      [](const mx::array& a, const mx::array& b, nb::handle axes, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        if (PyIndex_Check(axes.ptr())) {
          return mx::tensordot(a, b, to_int(axes), s);
        }
        if (!PySequence_Check(axes.ptr()) || nb::len(axes) != 2) {
          throw std::invalid_argument(
              "[tensordot] axes is a number of axes or a pair of axis lists");
        }
        return mx::tensordot(a, b, to_ints(nb::object(axes[0])), to_ints(nb::object(axes[1])), s);
      },
      nb::arg(), nb::arg(), "axes"_a = 2, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def tensordot(a: array, b: array, /, axes: int | "
              "collections.abc.Sequence[collections.abc.Sequence[int]] = 2, *, " MLX_STREAM
              ") -> array"),
      "Sum of products over the last n axes of a and the first n of b, or over a pair of axis "
      "lists. Raises ValueError for sizes that do not match.");
  m.def(
      "kron",
      [](const mx::array& a, const mx::array& b, nb::handle stream) {
        return mx::kron(a, b, to_stream_or_device(stream));
      },
      "a"_a, "b"_a, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def kron(a: array, b: array, *, " MLX_STREAM ") -> array"),
      "Kronecker product.");
  m.def(
      "einsum",
      [](const std::string& subscripts, const nb::args& operands, nb::handle stream) {
        return mx::einsum(subscripts, to_array_vector(nb::list(operands)),
                          to_stream_or_device(stream));
      },
      "subscripts"_a, "operands"_a, "stream"_a.none() = nb::none(),
      nb::sig("def einsum(subscripts: str, *operands: array, " MLX_STREAM ") -> array"),
      "Sum of products by Einstein's convention: 'ij,jk->ik' is a matrix product.\n\nExample:\n    "
      ">>> mx.einsum('ij,j->i', mx.ones((2, 3)), mx.ones(3))\n    array([3, 3], dtype=float32)\n");
  m.def(
      "einsum_path",
      [](const std::string& subscripts, const nb::args& operands) {
        auto [path, report] =
            mx::einsum_path(subscripts, to_array_vector(nb::list(operands)));
        nb::list steps;
        for (const std::vector<int>& step : path) {
          nb::list positions;
          for (int position : step) {
            positions.append(position);
          }
          steps.append(nb::tuple(positions));
        }
        return nb::make_tuple(steps, report);
      },
      "subscripts"_a, "operands"_a,
      nb::sig("def einsum_path(subscripts: str, *operands: array) -> tuple[list[tuple[int, ...]], "
              "str]"),
      "The order in which einsum contracts the operands, and a report of its cost.");
}

}  // namespace mlx::bindings
