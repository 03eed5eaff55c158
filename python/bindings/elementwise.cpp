// Elementwise functions: one table row per function.
#include "mlx/ops.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

using Unary = mx::array (*)(const mx::array&, mx::StreamOrDevice);
using Binary = mx::array (*)(const mx::array&, const mx::array&, mx::StreamOrDevice);

struct UnaryRow {
  const char* name;
  Unary function;
  bool array_only;  // no scalars
  const char* doc;
};

struct BinaryRow {
  const char* name;
  Binary function;
  bool array_only;
  const char* doc;
};

#define UNARY(name, doc) \
  {#name, [](const mx::array& a, mx::StreamOrDevice s) { return mx::name(a, s); }, false, doc}
#define UNARY_ARRAY(name, doc) \
  {#name, [](const mx::array& a, mx::StreamOrDevice s) { return mx::name(a, s); }, true, doc}
#define UNARY_AS(alias, name, doc) \
  {#alias, [](const mx::array& a, mx::StreamOrDevice s) { return mx::name(a, s); }, false, doc}
#define BINARY(name, doc)                                                              \
  {#name,                                                                              \
   [](const mx::array& a, const mx::array& b, mx::StreamOrDevice s) {                  \
     return mx::name(a, b, s);                                                         \
   },                                                                                  \
   false, doc}
#define BINARY_ARRAY(name, doc)                                                        \
  {#name,                                                                              \
   [](const mx::array& a, const mx::array& b, mx::StreamOrDevice s) {                  \
     return mx::name(a, b, s);                                                         \
   },                                                                                  \
   true, doc}

#define FLOATING \
  " Integer and bool inputs give float32; other dtypes are kept. Real domain errors give NaN or " \
  "infinities.\n\n"
#define EXAMPLE(call, result) "Example:\n    >>> " call "\n    " result "\n"

const UnaryRow kUnary[] = {
    UNARY(abs, "Absolute value, elementwise; the modulus (float32) of complex64. Unsigned integers "
               "and bool are unchanged.\n\n" EXAMPLE("mx.abs(mx.array([-1, 2]))",
                                                     "array([1, 2], dtype=int32)")),
    UNARY(sign, "-1, 0 or 1, elementwise; a / |a| for complex64, 0 at 0.\n\n" EXAMPLE(
                    "mx.sign(mx.array([-3.0, 0.0]))", "array([-1, 0], dtype=float32)")),
    UNARY_ARRAY(positive, "The array itself.\n\n" EXAMPLE("mx.positive(mx.array(1))",
                                                          "array(1, dtype=int32)")),
    UNARY(negative, "Minus a, elementwise; unsigned integers wrap. Raises ValueError for bool.\n\n" EXAMPLE(
                        "mx.negative(mx.array([1, -2]))", "array([-1, 2], dtype=int32)")),
    UNARY(square, "a * a, elementwise; integers wrap.\n\n" EXAMPLE("mx.square(mx.array(3))",
                                                                   "array(9, dtype=int32)")),
    UNARY(sqrt, "Square root, elementwise." FLOATING EXAMPLE("mx.sqrt(mx.array(4.0))",
                                                             "array(2, dtype=float32)")),
    UNARY(rsqrt, "1 / sqrt(a), elementwise." FLOATING EXAMPLE("mx.rsqrt(mx.array(4.0))",
                                                              "array(0.5, dtype=float32)")),
    UNARY(reciprocal, "1 / a, elementwise." FLOATING EXAMPLE("mx.reciprocal(mx.array(4))",
                                                             "array(0.25, dtype=float32)")),
    UNARY(exp, "Exponential, elementwise." FLOATING EXAMPLE("mx.exp(mx.array(0))",
                                                            "array(1, dtype=float32)")),
    UNARY(expm1, "exp(a) - 1, accurate near 0. Raises ValueError for complex64." FLOATING EXAMPLE(
                     "mx.expm1(mx.array(0.0))", "array(0, dtype=float32)")),
    UNARY(log, "Natural logarithm, elementwise." FLOATING EXAMPLE("mx.log(mx.array(1.0))",
                                                                  "array(0, dtype=float32)")),
    UNARY(log2, "Logarithm to base 2, elementwise." FLOATING EXAMPLE("mx.log2(mx.array(8.0))",
                                                                     "array(3, dtype=float32)")),
    UNARY(log10, "Logarithm to base 10, elementwise." FLOATING EXAMPLE(
                     "mx.log10(mx.array(100.0))", "array(2, dtype=float32)")),
    UNARY(log1p, "log(1 + a), accurate near 0." FLOATING EXAMPLE("mx.log1p(mx.array(0.0))",
                                                                 "array(0, dtype=float32)")),
    UNARY(sin, "Sine of an angle in radians, accurate for arguments of any size." FLOATING EXAMPLE(
                   "mx.sin(mx.array(0.0))", "array(0, dtype=float32)")),
    UNARY(cos, "Cosine of an angle in radians, accurate for arguments of any size." FLOATING EXAMPLE(
                   "mx.cos(mx.array(0.0))", "array(1, dtype=float32)")),
    UNARY(tan, "Tangent of an angle in radians." FLOATING EXAMPLE("mx.tan(mx.array(0.0))",
                                                                  "array(0, dtype=float32)")),
    UNARY(arcsin, "Inverse sine in radians." FLOATING EXAMPLE("mx.arcsin(mx.array(0.0))",
                                                              "array(0, dtype=float32)")),
    UNARY(arccos, "Inverse cosine in radians." FLOATING EXAMPLE("mx.arccos(mx.array(1.0))",
                                                                "array(0, dtype=float32)")),
    UNARY(arctan, "Inverse tangent in radians." FLOATING EXAMPLE("mx.arctan(mx.array(0.0))",
                                                                 "array(0, dtype=float32)")),
    UNARY(sinh, "Hyperbolic sine." FLOATING EXAMPLE("mx.sinh(mx.array(0.0))",
                                                    "array(0, dtype=float32)")),
    UNARY(cosh, "Hyperbolic cosine." FLOATING EXAMPLE("mx.cosh(mx.array(0.0))",
                                                      "array(1, dtype=float32)")),
    UNARY(tanh, "Hyperbolic tangent." FLOATING EXAMPLE("mx.tanh(mx.array(0.0))",
                                                       "array(0, dtype=float32)")),
    UNARY(arcsinh, "Inverse hyperbolic sine." FLOATING EXAMPLE("mx.arcsinh(mx.array(0.0))",
                                                               "array(0, dtype=float32)")),
    UNARY(arccosh, "Inverse hyperbolic cosine." FLOATING EXAMPLE("mx.arccosh(mx.array(1.0))",
                                                                 "array(0, dtype=float32)")),
    UNARY(arctanh, "Inverse hyperbolic tangent." FLOATING EXAMPLE("mx.arctanh(mx.array(0.0))",
                                                                  "array(0, dtype=float32)")),
    UNARY(erf, "Error function, 2/sqrt(pi) times the integral of exp(-t^2) from 0 to a. Raises "
               "ValueError for complex64." FLOATING EXAMPLE("mx.erf(mx.array(0.0))",
                                                            "array(0, dtype=float32)")),
    UNARY(erfinv, "Inverse of erf; infinite at -1 and 1, NaN beyond. Raises ValueError for "
                  "complex64." FLOATING EXAMPLE("mx.erfinv(mx.array(0.0))",
                                                "array(0, dtype=float32)")),
    UNARY(sigmoid, "1 / (1 + exp(-a)), elementwise. Raises ValueError for complex64." FLOATING EXAMPLE(
                       "mx.sigmoid(mx.array(0.0))", "array(0.5, dtype=float32)")),
    UNARY(degrees, "Radians to degrees." FLOATING EXAMPLE("mx.degrees(mx.array(0.0))",
                                                          "array(0, dtype=float32)")),
    UNARY(radians, "Degrees to radians." FLOATING EXAMPLE("mx.radians(mx.array(0.0))",
                                                          "array(0, dtype=float32)")),
    UNARY(floor, "Largest integer not above a; integers and bool are unchanged. Raises ValueError "
                 "for complex64.\n\n" EXAMPLE("mx.floor(mx.array(-1.5))",
                                              "array(-2, dtype=float32)")),
    UNARY(ceil, "Smallest integer not below a; integers and bool are unchanged. Raises ValueError "
                "for complex64.\n\n" EXAMPLE("mx.ceil(mx.array(1.5))", "array(2, dtype=float32)")),
    UNARY_ARRAY(trunc, "Integer part; integers and bool are unchanged. Raises ValueError for "
                       "complex64.\n\n" EXAMPLE("mx.trunc(mx.array(-1.5))",
                                                "array(-1, dtype=float32)")),
    UNARY_AS(conj, conjugate, "Complex conjugate; other dtypes are unchanged.\n\n" EXAMPLE(
                                  "mx.conj(mx.array(1 + 2j))", "array(1-2j, dtype=complex64)")),
    UNARY(conjugate, "Complex conjugate; other dtypes are unchanged.\n\n" EXAMPLE(
                         "mx.conjugate(mx.array(1 + 2j))", "array(1-2j, dtype=complex64)")),
    UNARY(real, "Real part: float32 of complex64, other dtypes unchanged.\n\n" EXAMPLE(
                    "mx.real(mx.array(1 + 2j))", "array(1, dtype=float32)")),
    UNARY(imag, "Imaginary part: float32 of complex64, zeros of other dtypes.\n\n" EXAMPLE(
                    "mx.imag(mx.array(1 + 2j))", "array(2, dtype=float32)")),
    UNARY_ARRAY(stop_gradient, "The array as a constant of differentiation.\n\n" EXAMPLE(
                                   "mx.grad(lambda x: x * mx.stop_gradient(x))(mx.array(3.0))",
                                   "array(3, dtype=float32)")),
    UNARY(logical_not, "Whether a is zero, elementwise (bool).\n\n" EXAMPLE(
                           "mx.logical_not(mx.array([0, 2]))", "array([True, False], dtype=bool)")),
    UNARY(bitwise_invert, "All bits flipped; logical not of bool. Raises ValueError for floating "
                          "and complex arrays.\n\n" EXAMPLE("mx.bitwise_invert(mx.array(0))",
                                                            "array(-1, dtype=int32)")),
    UNARY(isnan, "Whether a, or a part of complex64, is NaN (bool).\n\n" EXAMPLE(
                     "mx.isnan(mx.array([1.0, mx.nan]))", "array([False, True], dtype=bool)")),
    UNARY(isinf, "Whether a, or a part of complex64, is infinite (bool).\n\n" EXAMPLE(
                     "mx.isinf(mx.array([1.0, -mx.inf]))", "array([False, True], dtype=bool)")),
    UNARY(isfinite, "Whether a is neither NaN nor infinite (bool).\n\n" EXAMPLE(
                        "mx.isfinite(mx.array([1.0, mx.nan]))", "array([True, False], dtype=bool)")),
    UNARY(isposinf, "Whether a is positive infinity (bool).\n\n" EXAMPLE(
                        "mx.isposinf(mx.array([mx.inf, -mx.inf]))",
                        "array([True, False], dtype=bool)")),
    UNARY(isneginf, "Whether a is negative infinity (bool).\n\n" EXAMPLE(
                        "mx.isneginf(mx.array([mx.inf, -mx.inf]))",
                        "array([False, True], dtype=bool)")),
};

#define BROADCAST " Shapes broadcast, dtypes promote; Python scalars take the other operand's dtype.\n\n"

const BinaryRow kBinary[] = {
    BINARY(add, "Sum, elementwise; or of bool, integers wrap." BROADCAST EXAMPLE(
                    "mx.add(mx.array([1, 2]), 1)", "array([2, 3], dtype=int32)")),
    BINARY(subtract, "Difference, elementwise; integers wrap." BROADCAST EXAMPLE(
                         "mx.subtract(mx.array([1, 2]), 1)", "array([0, 1], dtype=int32)")),
    BINARY(multiply, "Product, elementwise; and of bool, integers wrap." BROADCAST EXAMPLE(
                         "mx.multiply(mx.array([1, 2]), 3)", "array([3, 6], dtype=int32)")),
    BINARY(divide, "True division, elementwise; integers give float32." BROADCAST EXAMPLE(
                       "mx.divide(mx.array([1, 2]), 2)", "array([0.5, 1], dtype=float32)")),
    BINARY(floor_divide, "Largest integer not above a / b; integer division by 0 gives 0. Raises "
                         "ValueError for complex64." BROADCAST EXAMPLE(
                             "mx.floor_divide(mx.array([-7, 7]), 2)",
                             "array([-4, 3], dtype=int32)")),
    BINARY(remainder, "a - b * floor(a / b), with the sign of b; of an integer by 0: a. Raises "
                      "ValueError for complex64." BROADCAST EXAMPLE(
                          "mx.remainder(mx.array([-7, 7]), 2)", "array([1, 1], dtype=int32)")),
    BINARY(power, "a to the power b, elementwise; integers wrap, negative integer exponents give "
                  "0." BROADCAST EXAMPLE("mx.power(mx.array([2, 3]), 2)",
                                         "array([4, 9], dtype=int32)")),
    BINARY(maximum, "The larger operand; NaN in either gives NaN; complex64 compares real parts, "
                    "then imaginary ones." BROADCAST EXAMPLE("mx.maximum(mx.array([1, 5]), 3)",
                                                             "array([3, 5], dtype=int32)")),
    BINARY(minimum, "The smaller operand; NaN in either gives NaN; complex64 compares real parts, "
                    "then imaginary ones." BROADCAST EXAMPLE("mx.minimum(mx.array([1, 5]), 3)",
                                                             "array([1, 3], dtype=int32)")),
    BINARY(logaddexp, "log(exp(a) + exp(b)) without overflow; at least float32." BROADCAST EXAMPLE(
                          "mx.logaddexp(mx.array(0.0), mx.array(-mx.inf))",
                          "array(0, dtype=float32)")),
    BINARY_ARRAY(arctan2, "Angle of the point (b, a) in radians, in [-pi, pi]. Raises ValueError "
                          "for complex64." BROADCAST EXAMPLE(
                              "mx.arctan2(mx.array(0.0), mx.array(1.0))",
                              "array(0, dtype=float32)")),
    BINARY(equal, "a == b, elementwise (bool)." BROADCAST EXAMPLE(
                      "mx.equal(mx.array([1, 2]), 2)", "array([False, True], dtype=bool)")),
    BINARY(not_equal, "a != b, elementwise (bool)." BROADCAST EXAMPLE(
                          "mx.not_equal(mx.array([1, 2]), 2)", "array([True, False], dtype=bool)")),
    BINARY(less, "a < b, elementwise (bool)." BROADCAST EXAMPLE(
                     "mx.less(mx.array([1, 2]), 2)", "array([True, False], dtype=bool)")),
    BINARY(less_equal, "a <= b, elementwise (bool)." BROADCAST EXAMPLE(
                           "mx.less_equal(mx.array([1, 3]), 2)",
                           "array([True, False], dtype=bool)")),
    BINARY(greater, "a > b, elementwise (bool)." BROADCAST EXAMPLE(
                        "mx.greater(mx.array([1, 3]), 2)", "array([False, True], dtype=bool)")),
    BINARY(greater_equal, "a >= b, elementwise (bool)." BROADCAST EXAMPLE(
                              "mx.greater_equal(mx.array([1, 2]), 2)",
                              "array([False, True], dtype=bool)")),
    BINARY(bitwise_and, "Bitwise and of integers or bool. Raises RuntimeError for other "
                        "dtypes." BROADCAST EXAMPLE("mx.bitwise_and(mx.array(6), 3)",
                                                    "array(2, dtype=int32)")),
    BINARY(bitwise_or, "Bitwise or of integers or bool. Raises RuntimeError for other "
                       "dtypes." BROADCAST EXAMPLE("mx.bitwise_or(mx.array(6), 3)",
                                                   "array(7, dtype=int32)")),
    BINARY(bitwise_xor, "Bitwise exclusive or of integers or bool. Raises RuntimeError for other "
                        "dtypes." BROADCAST EXAMPLE("mx.bitwise_xor(mx.array(6), 3)",
                                                    "array(5, dtype=int32)")),
    BINARY(left_shift, "a shifted left by b bits. Raises RuntimeError for floating and complex "
                       "arrays." BROADCAST EXAMPLE("mx.left_shift(mx.array(1), 3)",
                                                   "array(8, dtype=int32)")),
    BINARY(right_shift, "a shifted right by b bits, keeping the sign of signed integers. Raises "
                        "RuntimeError for floating and complex arrays." BROADCAST EXAMPLE(
                            "mx.right_shift(mx.array(-8), 1)", "array(-4, dtype=int32)")),
};

void alias(nb::module_& m, const char* name, const char* original) {
  m.attr(name) = m.attr(original);
}

}  // namespace

void bind_elementwise(nb::module_& m) {
  for (const UnaryRow& row : kUnary) {
    const std::string signature = std::string("def ") + row.name + "(a: " +
                                  (row.array_only ? "array" : MLX_SCALAR_OR_ARRAY) +
                                  ", /, *, " MLX_STREAM ") -> array";
    if (row.array_only) {
      m.def(
          row.name,
          [f = row.function](const mx::array& a, nb::handle stream) {
            return f(a, to_stream_or_device(stream));
          },
          nb::arg(), nb::kw_only(), "stream"_a.none() = nb::none(), nb::sig(signature.c_str()),
          row.doc);
    } else {
      m.def(
          row.name,
          [f = row.function](nb::handle a, nb::handle stream) {
            return f(to_array(a), to_stream_or_device(stream));
          },
          nb::arg().none(), nb::kw_only(), "stream"_a.none() = nb::none(),
          nb::sig(signature.c_str()), row.doc);
    }
  }
  for (const BinaryRow& row : kBinary) {
    const std::string operand = row.array_only ? "array" : MLX_SCALAR_OR_ARRAY;
    const std::string signature = std::string("def ") + row.name + "(a: " + operand +
                                  ", b: " + operand + ", /, *, " MLX_STREAM ") -> array";
    if (row.array_only) {
      m.def(
          row.name,
          [f = row.function](const mx::array& a, const mx::array& b, nb::handle stream) {
            return f(a, b, to_stream_or_device(stream));
          },
          nb::arg(), nb::arg(), nb::kw_only(), "stream"_a.none() = nb::none(),
          nb::sig(signature.c_str()), row.doc);
    } else {
      m.def(
          row.name,
          [f = row.function](nb::handle a, nb::handle b, nb::handle stream) {
            auto [x, y] = to_arrays(a, b);
            return f(x, y, to_stream_or_device(stream));
          },
          nb::arg().none(), nb::arg().none(), nb::kw_only(), "stream"_a.none() = nb::none(),
          nb::sig(signature.c_str()), row.doc);
    }
  }

  // Logical functions take the truth of each operand by itself.
  auto def_logical = [&](const char* name, Binary f, const char* doc) {
    const std::string signature = std::string("def ") + name + "(a: " MLX_SCALAR_OR_ARRAY
                                  ", b: " MLX_SCALAR_OR_ARRAY ", /, *, " MLX_STREAM ") -> array";
    m.def(
        name,
        [f](nb::handle a, nb::handle b, nb::handle stream) {
          return f(to_array(a), to_array(b), to_stream_or_device(stream));
        },
        nb::arg().none(), nb::arg().none(), nb::kw_only(), "stream"_a.none() = nb::none(),
        nb::sig(signature.c_str()), doc);
  };
  def_logical(
      "logical_and",
      [](const mx::array& a, const mx::array& b, mx::StreamOrDevice s) {
        return mx::logical_and(a, b, s);
      },
      "Whether both operands are nonzero (bool). Shapes broadcast.\n\n" EXAMPLE(
          "mx.logical_and(mx.array([0, 2]), True)", "array([False, True], dtype=bool)"));
  def_logical(
      "logical_or",
      [](const mx::array& a, const mx::array& b, mx::StreamOrDevice s) {
        return mx::logical_or(a, b, s);
      },
      "Whether an operand is nonzero (bool). Shapes broadcast.\n\n" EXAMPLE(
          "mx.logical_or(mx.array([0, 2]), False)", "array([False, True], dtype=bool)"));
  def_logical(
      "logical_xor",
      [](const mx::array& a, const mx::array& b, mx::StreamOrDevice s) {
        return mx::logical_xor(a, b, s);
      },
      "Whether exactly one operand is nonzero (bool). Shapes broadcast.\n\n" EXAMPLE(
          "mx.logical_xor(mx.array([0, 2]), True)", "array([True, False], dtype=bool)"));

  m.def(
      "divmod",
      [](nb::handle a, nb::handle b, nb::handle stream) {
        auto [x, y] = to_arrays(a, b);
        return wrap_list(mx::divmod(x, y, to_stream_or_device(stream)));
      },
      nb::arg().none(), nb::arg().none(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def divmod(a: " MLX_SCALAR_OR_ARRAY ", b: " MLX_SCALAR_OR_ARRAY
              ", /, *, " MLX_STREAM ") -> list[array]"),
      "[floor(a / b), remainder], elementwise. Raises ValueError for complex64." BROADCAST EXAMPLE(
          "mx.divmod(mx.array(-7), 2)", "[array(-4, dtype=int32), array(1, dtype=int32)]"));
  m.def(
      "round",
      [](nb::handle a, int decimals, nb::handle stream) {
        return mx::round(to_array(a), decimals, to_stream_or_device(stream));
      },
      nb::arg().none(), "decimals"_a = 0, nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def round(a: " MLX_SCALAR_OR_ARRAY ", /, decimals: int = 0, *, " MLX_STREAM
              ") -> array"),
      "Nearest value with `decimals` decimals, halves to even.\n\n" EXAMPLE(
          "mx.round(mx.array([0.5, 1.5]))", "array([0, 2], dtype=float32)"));
  m.def(
      "nan_to_num",
      [](nb::handle a, float nan, std::optional<float> posinf, std::optional<float> neginf,
         nb::handle stream) {
        return mx::nan_to_num(to_array(a), nan, posinf, neginf, to_stream_or_device(stream));
      },
      nb::arg().none(), "nan"_a = 0.0f, "posinf"_a.none() = nb::none(),
      "neginf"_a.none() = nb::none(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def nan_to_num(a: " MLX_SCALAR_OR_ARRAY
              ", /, nan: float = 0, posinf: float | None = None, neginf: float | None = None, *, "
              MLX_STREAM ") -> array"),
      "NaN and infinities replaced; infinities by default by the largest finite values.\n\n" EXAMPLE(
          "mx.nan_to_num(mx.array([mx.nan, 1.0]))", "array([0, 1], dtype=float32)"));
  m.def(
      "where",
      [](nb::handle condition, nb::handle x, nb::handle y, nb::handle stream) {
        auto [a, b] = to_arrays(x, y);
        return mx::where(to_array(condition), a, b, to_stream_or_device(stream));
      },
      nb::arg().none(), nb::arg().none(), nb::arg().none(), nb::kw_only(),
      "stream"_a.none() = nb::none(),
      nb::sig("def where(condition: " MLX_SCALAR_OR_ARRAY ", x: " MLX_SCALAR_OR_ARRAY
              ", y: " MLX_SCALAR_OR_ARRAY ", /, *, " MLX_STREAM ") -> array"),
      "x where the condition is nonzero, y elsewhere. Shapes broadcast; x and y promote.\n\n" EXAMPLE(
          "mx.where(mx.array([True, False]), 1, 2)", "array([1, 2], dtype=int32)"));
  m.def(
      "clip",
      [](const mx::array& a, nb::handle a_min, nb::handle a_max, nb::handle stream) {
        std::optional<mx::array> low;
        std::optional<mx::array> high;
        if (!a_min.is_none()) {
          low = to_array(a_min, a.dtype());
        }
        if (!a_max.is_none()) {
          high = to_array(a_max, a.dtype());
        }
        return mx::clip(a, low, high, to_stream_or_device(stream));
      },
      nb::arg(), "a_min"_a.none(), "a_max"_a.none(), nb::kw_only(), "stream"_a.none() = nb::none(),
      nb::sig("def clip(a: array, /, a_min: " MLX_SCALAR_OR_ARRAY " | None, a_max: "
              MLX_SCALAR_OR_ARRAY " | None, *, " MLX_STREAM ") -> array"),
      "minimum(maximum(a, a_min), a_max); a bound of None is left out. Raises ValueError when both "
      "are None.\n\n" EXAMPLE("mx.clip(mx.array([-1, 5]), 0, 3)", "array([0, 3], dtype=int32)"));
  m.def(
      "array_equal",
      [](nb::handle a, nb::handle b, bool equal_nan, nb::handle stream) {
        auto [x, y] = to_arrays(a, b);
        return mx::array_equal(x, y, equal_nan, to_stream_or_device(stream));
      },
      nb::arg().none(), nb::arg().none(), nb::kw_only(), "equal_nan"_a = false,
      "stream"_a.none() = nb::none(),
      nb::sig("def array_equal(a: " MLX_SCALAR_OR_ARRAY ", b: " MLX_SCALAR_OR_ARRAY
              ", /, *, equal_nan: bool = False, " MLX_STREAM ") -> array"),
      "Whether shapes and all values are equal (0-d bool).\n\n" EXAMPLE(
          "mx.array_equal(mx.array([1, 2]), mx.array([1, 2]))", "array(True, dtype=bool)"));
  auto def_close = [&](const char* name, auto f, const char* doc) {
    const std::string signature =
        std::string("def ") + name + "(a: array, b: array, /, rtol: float = 1e-05, atol: float = "
        "1e-08, *, equal_nan: bool = False, " MLX_STREAM ") -> array";
    m.def(
        name,
        [f](const mx::array& a, const mx::array& b, double rtol, double atol, bool equal_nan,
            nb::handle stream) {
          return f(a, b, rtol, atol, equal_nan, to_stream_or_device(stream));
        },
        nb::arg(), nb::arg(), "rtol"_a = 1e-5, "atol"_a = 1e-8, nb::kw_only(),
        "equal_nan"_a = false, "stream"_a.none() = nb::none(), nb::sig(signature.c_str()), doc);
  };
  def_close(
      "isclose",
      [](const mx::array& a, const mx::array& b, double rtol, double atol, bool equal_nan,
         mx::StreamOrDevice s) { return mx::isclose(a, b, rtol, atol, equal_nan, s); },
      "|a - b| <= atol + rtol * |b|, elementwise (bool); infinities are close to themselves.\n\n"
      EXAMPLE("mx.isclose(mx.array(1.0), mx.array(1.0))", "array(True, dtype=bool)"));
  def_close(
      "allclose",
      [](const mx::array& a, const mx::array& b, double rtol, double atol, bool equal_nan,
         mx::StreamOrDevice s) { return mx::allclose(a, b, rtol, atol, equal_nan, s); },
      "Whether all elements are close (0-d bool); see isclose.\n\n" EXAMPLE(
          "mx.allclose(mx.array(1.0), mx.array(1.0))", "array(True, dtype=bool)"));

  alias(m, "asin", "arcsin");
  alias(m, "acos", "arccos");
  alias(m, "atan", "arctan");
  alias(m, "atan2", "arctan2");
  alias(m, "asinh", "arcsinh");
  alias(m, "acosh", "arccosh");
  alias(m, "atanh", "arctanh");
  alias(m, "pow", "power");
  alias(m, "bitwise_left_shift", "left_shift");
  alias(m, "bitwise_right_shift", "right_shift");
}

}  // namespace mlx::bindings
