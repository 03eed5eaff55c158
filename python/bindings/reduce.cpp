// Reductions over axes.
#include "mlx/ops.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

#define AXES "axis: int | collections.abc.Sequence[int] | None = None"

using Reduction = mx::array (*)(const mx::array&, const std::vector<int>&, bool,
                                mx::StreamOrDevice);

struct Row {
  const char* name;
  Reduction function;
  const char* doc;
};

#define REDUCTION(name, doc)                                                                     \
  {#name,                                                                                        \
   [](const mx::array& a, const std::vector<int>& axes, bool keepdims, mx::StreamOrDevice s) {   \
     return mx::name(a, axes, keepdims, s);                                                      \
   },                                                                                            \
   doc}
#define EXAMPLE(call, result) "\n\nExample:\n    >>> " call "\n    " result "\n"
#define INDEX_ERROR " Raises IndexError for an axis out of range."

const Row kReductions[] = {
    REDUCTION(all, "Whether all elements are nonzero (bool); True of none." INDEX_ERROR EXAMPLE(
                       "mx.all(mx.array([1, 0]))", "array(False, dtype=bool)")),
    REDUCTION(any, "Whether any element is nonzero (bool); False of none." INDEX_ERROR EXAMPLE(
                       "mx.any(mx.array([1, 0]))", "array(True, dtype=bool)")),
    REDUCTION(prod, "Product; bool and integers up to 32 bits give int32 or "
                    "uint32." INDEX_ERROR EXAMPLE("mx.prod(mx.array([2, 3]))",
                                                  "array(6, dtype=int32)")),
    REDUCTION(min, "Smallest element; NaN propagates. Raises ValueError over an axis of size "
                   "0." INDEX_ERROR EXAMPLE("mx.min(mx.array([2, 3]))", "array(2, dtype=int32)")),
    REDUCTION(max, "Largest element; NaN propagates. Raises ValueError over an axis of size "
                   "0." INDEX_ERROR EXAMPLE("mx.max(mx.array([2, 3]))", "array(3, dtype=int32)")),
    REDUCTION(mean, "Mean; integers give float32, 16-bit floats accumulate in float32, NaN of none. "
                    "Raises ValueError for an axis out of range." EXAMPLE(
                        "mx.mean(mx.array([2, 3]))", "array(2.5, dtype=float32)")),
    REDUCTION(logsumexp, "log(sum(exp(a))) without overflow. Raises ValueError for an empty "
                         "array." INDEX_ERROR EXAMPLE("mx.logsumexp(mx.array([0.0, -mx.inf]))",
                                                      "array(0, dtype=float32)")),
};

}  // namespace

void bind_reduce(nb::module_& m) {
  for (const Row& row : kReductions) {
    const std::string signature = std::string("def ") + row.name + "(a: array, /, " AXES
                                  ", keepdims: bool = False, *, " MLX_STREAM ") -> array";
    m.def(
        row.name,
        [f = row.function](const mx::array& a, nb::handle axis, bool keepdims, nb::handle stream) {
          return f(a, to_axes(axis, a.ndim()), keepdims, to_stream_or_device(stream));
        },
        nb::arg(), "axis"_a.none() = nb::none(), "keepdims"_a = false, nb::kw_only(),
        "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), row.doc);
  }
  m.def(
      "sum",
      [](const mx::array& a, nb::handle axis, bool keepdims, nb::handle stream) {
        return mx::sum(a, to_axes(axis, a.ndim()), keepdims, to_stream_or_device(stream));
      },
      "array"_a, "axis"_a.none() = nb::none(), "keepdims"_a = false, nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def sum(array: array, " AXES ", keepdims: bool = False, *, " MLX_STREAM
              ") -> array"),
      "Sum; bool and integers up to 32 bits give int32 or uint32, 16-bit floats accumulate in "
      "float32." INDEX_ERROR EXAMPLE("mx.sum(mx.array([2, 3]))", "array(5, dtype=int32)"));
  auto def_moment = [&](const char* name, auto f, const char* doc) {
    const std::string signature = std::string("def ") + name + "(a: array, /, " AXES
                                  ", keepdims: bool = False, ddof: int = 0, *, " MLX_STREAM
                                  ") -> array";
    m.def(
        name,
        [f](const mx::array& a, nb::handle axis, bool keepdims, int ddof, nb::handle stream) {
          return f(a, to_axes(axis, a.ndim()), keepdims, ddof, to_stream_or_device(stream));
        },
        nb::arg(), "axis"_a.none() = nb::none(), "keepdims"_a = false, "ddof"_a = 0, nb::kw_only(),
        "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc);
  };
  def_moment(
      "var",
      [](const mx::array& a, const std::vector<int>& axes, bool keepdims, int ddof,
         mx::StreamOrDevice s) { return mx::var(a, axes, keepdims, ddof, s); },
      "Variance, sum |a - mean|^2 / max(N - ddof, 0); integers give float32, complex64 gives "
      "float32." EXAMPLE("mx.var(mx.array([1.0, 3.0]))", "array(1, dtype=float32)"));
  def_moment(
      "std",
      [](const mx::array& a, const std::vector<int>& axes, bool keepdims, int ddof,
         mx::StreamOrDevice s) { return mx::std(a, axes, keepdims, ddof, s); },
      "Standard deviation, the square root of var." EXAMPLE("mx.std(mx.array([1.0, 3.0]))",
                                                            "array(1, dtype=float32)"));
  m.def(
      "count_nonzero",
      [](const mx::array& a, nb::handle axis, bool keepdims, nb::handle stream) {
        return mx::count_nonzero(a, to_axes(axis, a.ndim()), keepdims,
                                 to_stream_or_device(stream));
      },
      nb::arg(), "axis"_a.none() = nb::none(), nb::kw_only(), "keepdims"_a = false,
      "stream"_a.none() = nb::none(),
      nb::sig("def count_nonzero(a: array, /, " AXES ", *, keepdims: bool = False, " MLX_STREAM
              ") -> array"),
      "Number of nonzero elements (int32)." INDEX_ERROR EXAMPLE(
          "mx.count_nonzero(mx.array([2, 0]))", "array(1, dtype=int32)"));
  m.def(
      "softmax",
      [](const mx::array& a, nb::handle axis, bool precise, nb::handle stream) {
        const mx::StreamOrDevice s = to_stream_or_device(stream);
        return axis.is_none() ? mx::softmax(a, precise, s)
                              : mx::softmax(a, to_ints(axis), precise, s);
      },
      nb::arg(), "axis"_a.none() = nb::none(), nb::kw_only(), "precise"_a = false,
      "stream"_a.none() = nb::none(),
      nb::sig("def softmax(a: array, /, " AXES ", *, precise: bool = False, " MLX_STREAM
              ") -> array"),
      "exp(a) / sum(exp(a)) over axes jointly, without overflow; integers give float32, 16-bit "
      "floats are computed in float32." INDEX_ERROR EXAMPLE("mx.softmax(mx.array([0.0, 0.0]))",
                                                            "array([0.5, 0.5], dtype=float32)"));
  auto def_position = [&](const char* name, auto one, auto flat, const char* doc) {
    const std::string signature = std::string("def ") + name +
                                  "(a: array, /, axis: int | None = None, keepdims: bool = False, "
                                  "*, " MLX_STREAM ") -> array";
    m.def(
        name,
        [one, flat](const mx::array& a, std::optional<int> axis, bool keepdims,
                    nb::handle stream) {
          const mx::StreamOrDevice s = to_stream_or_device(stream);
          return axis ? one(a, *axis, keepdims, s) : flat(a, keepdims, s);
        },
        nb::arg(), "axis"_a.none() = nb::none(), "keepdims"_a = false, nb::kw_only(),
        "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc);
  };
  def_position(
      "argmin",
      [](const mx::array& a, int axis, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmin(a, axis, keepdims, s);
      },
      [](const mx::array& a, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmin(a, keepdims, s);
      },
      "Index (uint32) of the first smallest element, or of the first NaN; into the flattened array "
      "without an axis. Raises ValueError for an empty array." INDEX_ERROR EXAMPLE(
          "mx.argmin(mx.array([3, 1, 2]))", "array(1, dtype=uint32)"));
  def_position(
      "argmax",
      [](const mx::array& a, int axis, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmax(a, axis, keepdims, s);
      },
      [](const mx::array& a, bool keepdims, mx::StreamOrDevice s) {
        return mx::argmax(a, keepdims, s);
      },
      "Index (uint32) of the first largest element, or of the first NaN; into the flattened array "
      "without an axis. Raises ValueError for an empty array." INDEX_ERROR EXAMPLE(
          "mx.argmax(mx.array([3, 1, 2]))", "array(0, dtype=uint32)"));
}

}  // namespace mlx::bindings
