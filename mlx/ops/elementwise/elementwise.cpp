// The elementwise functions: checks, promotion, broadcasting, one node each.
#include "mlx/ops/elementwise/elementwise.h"

#include <cmath>
#include <numbers>

#include "mlx/core/node.h"
#include "mlx/core/tracing.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/primitives.h"
#include "mlx/ops/errors.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

namespace {

using fuse::Op;

bool is_inexact(Dtype dtype) {
  return issubdtype(dtype, inexact);
}
Dtype at_least_float(Dtype dtype) {
  return is_inexact(dtype) ? dtype : float32;
}

void reject_complex(const char* function, Dtype dtype) {
  if (dtype == complex64) [[unlikely]] {
    fail("[", function, "] complex64 is not supported");
  }
}

// An inline loop: shapes are short.
bool same_shape(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

array unary(Op op, const array& a, const Stream& s) {
  array inputs[] = {a};
  return elementwise_node(op, inputs, s);
}

array float_unary(Op op, const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  return is_inexact(a.dtype()) ? unary(op, a, stream)
                               : unary(op, astype(a, float32, stream), stream);
}

array real_unary(Op op, const char* function, const array& a, StreamOrDevice s) {
  reject_complex(function, a.dtype());
  return float_unary(op, a, s);
}

// Integers are unchanged.
array rounding(Op op, const char* function, const array& a, StreamOrDevice s) {
  reject_complex(function, a.dtype());
  return is_inexact(a.dtype()) ? unary(op, a, to_stream(s)) : a;
}

// The node of a binary operation whose operands get dtype `dtype`.
array binary_as(Op op, const array& a, const array& b, Dtype dtype, const Stream& s) {
  std::vector<array> inputs = broadcast_arrays({astype(a, dtype, s), astype(b, dtype, s)}, s);
  return elementwise_node(op, inputs, s);
}

// Operands that agree, the common case, cost one comparison more than the node;
// those that only broadcast build no vector.
array binary(Op op, const array& a, const array& b, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Node& x = *a.node();
  const Node& y = *b.node();
  if (x.dtype == y.dtype) [[likely]] {
    if (same_shape(x.shape, y.shape)) [[likely]] {
      array inputs[] = {a, b};
      return elementwise_node(op, inputs, stream);
    }
    if (!detail::in_dynamic_tracing()) {
      const Shape shape = y.shape.empty()   ? x.shape
                          : x.shape.empty() ? y.shape
                                            : broadcast_shapes(x.shape, y.shape);
      array inputs[] = {broadcast_to(a, shape, stream), broadcast_to(b, shape, stream)};
      return elementwise_node(op, inputs, stream);
    }
  }
  return binary_as(op, a, b, promote_types(a.dtype(), b.dtype()), stream);
}

array float_binary(Op op, const array& a, const array& b, StreamOrDevice s) {
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  return is_inexact(dtype) ? binary(op, a, b, s) : binary_as(op, a, b, float32, to_stream(s));
}

array real_binary(Op op, const char* function, const array& a, const array& b, StreamOrDevice s) {
  reject_complex(function, promote_types(a.dtype(), b.dtype()));
  return binary(op, a, b, s);
}

array logical(Op op, const array& a, const array& b, StreamOrDevice s) {
  return binary_as(op, a, b, bool_, to_stream(s));
}

array bitwise(Op op, const char* function, const array& a, const array& b, StreamOrDevice s) {
  Dtype dtype = promote_types(a.dtype(), b.dtype());
  if (is_inexact(dtype)) {
    fail<std::runtime_error>("[", function, "] integers or bools are needed: got ", a.dtype(),
                             " and ", b.dtype());
  }
  if (dtype == bool_ && (op == Op::LeftShift || op == Op::RightShift)) {
    dtype = uint8;
  }
  return binary_as(op, a, b, dtype, to_stream(s));
}

// a * factor; a 16-bit factor would be off by up to half a unit, so those
// multiply in float32.
array scaled(const array& a, double factor, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Dtype dtype = at_least_float(a.dtype());
  const Dtype wide = size_of(dtype) == 2 ? float32 : dtype;
  return astype(multiply(astype(a, wide, stream), array(factor, wide), stream), dtype, stream);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

array constant_bool(const array& like, bool value, const Stream& s) {
  return full_like(like, array(value), bool_, s);
}

Dtype unsigned_of_size(size_t bytes) {
  return bytes == 1 ? uint8 : bytes == 2 ? uint16 : bytes == 4 ? uint32 : uint64;
}

// |a - b| without wrapping: for signed integers the bits of the wrapped
// difference are those of the unsigned one.
array integer_distance(const array& a, const array& b, const Stream& s) {
  const array difference = subtract(maximum(a, b, s), minimum(a, b, s), s);
  return a.dtype() == bool_ ? difference : astype(difference, unsigned_of_size(a.itemsize()), s);
}

}  // namespace

array astype(array a, Dtype dtype, StreamOrDevice s) {
  if (a.dtype() == dtype) {
    return a;
  }
  const Stream stream = to_stream(s);
  Shape shape = a.shape();
  return make_array(std::move(shape), dtype, cast_primitive(dtype, stream), std::move(a));
}

// Unary

#define MLX_FLOAT_UNARY(FUNCTION, OP)                \
  array FUNCTION(const array& a, StreamOrDevice s) { \
    return float_unary(Op::OP, a, s);                \
  }
MLX_FLOAT_UNARY(sqrt, Sqrt)
MLX_FLOAT_UNARY(rsqrt, Rsqrt)
MLX_FLOAT_UNARY(exp, Exp)
MLX_FLOAT_UNARY(log, Log)
MLX_FLOAT_UNARY(log2, Log2)
MLX_FLOAT_UNARY(log10, Log10)
MLX_FLOAT_UNARY(log1p, Log1p)
MLX_FLOAT_UNARY(sin, Sin)
MLX_FLOAT_UNARY(cos, Cos)
MLX_FLOAT_UNARY(tan, Tan)
MLX_FLOAT_UNARY(arcsin, ArcSin)
MLX_FLOAT_UNARY(arccos, ArcCos)
MLX_FLOAT_UNARY(arctan, ArcTan)
MLX_FLOAT_UNARY(sinh, Sinh)
MLX_FLOAT_UNARY(cosh, Cosh)
MLX_FLOAT_UNARY(tanh, Tanh)
MLX_FLOAT_UNARY(arcsinh, ArcSinh)
MLX_FLOAT_UNARY(arccosh, ArcCosh)
MLX_FLOAT_UNARY(arctanh, ArcTanh)
#undef MLX_FLOAT_UNARY

#define MLX_REAL_UNARY(FUNCTION, RULE, OP)           \
  array FUNCTION(const array& a, StreamOrDevice s) { \
    return RULE(Op::OP, #FUNCTION, a, s);            \
  }
MLX_REAL_UNARY(expm1, real_unary, Expm1)
MLX_REAL_UNARY(erf, real_unary, Erf)
MLX_REAL_UNARY(erfinv, real_unary, ErfInv)
MLX_REAL_UNARY(sigmoid, real_unary, Sigmoid)
MLX_REAL_UNARY(floor, rounding, Floor)
MLX_REAL_UNARY(ceil, rounding, Ceil)
MLX_REAL_UNARY(trunc, rounding, Trunc)
#undef MLX_REAL_UNARY

array abs(const array& a, StreamOrDevice s) {
  const bool unsigned_already = a.dtype() == bool_ || issubdtype(a.dtype(), unsignedinteger);
  return unsigned_already ? a : unary(Op::Abs, a, to_stream(s));
}

array positive(const array& a, StreamOrDevice) {
  return a;
}

array negative(const array& a, StreamOrDevice s) {
  if (a.dtype() == bool_) {
    fail("[negative] bool is not supported: use logical_not");
  }
  return unary(Op::Negative, a, to_stream(s));
}

array sign(const array& a, StreamOrDevice s) {
  return a.dtype() == bool_ ? a : unary(Op::Sign, a, to_stream(s));
}

array square(const array& a, StreamOrDevice s) {
  return a.dtype() == bool_ ? a : unary(Op::Square, a, to_stream(s));
}

array reciprocal(const array& a, StreamOrDevice s) {
  return divide(array(1.0f, at_least_float(a.dtype())), a, s);
}

array degrees(const array& a, StreamOrDevice s) {
  return scaled(a, 180.0 / std::numbers::pi, s);
}

array radians(const array& a, StreamOrDevice s) {
  return scaled(a, std::numbers::pi / 180.0, s);
}

array round(const array& a, int decimals, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  if (decimals == 0) {
    return is_inexact(a.dtype()) ? unary(Op::Round, a, stream) : a;
  }
  const Dtype dtype = at_least_float(a.dtype());
  const array scale(static_cast<float>(std::pow(10.0, decimals)), dtype);
  const array inverse(static_cast<float>(std::pow(10.0, -decimals)), dtype);
  const array scaled = unary(Op::Round, multiply(a, scale, stream), stream);
  return astype(multiply(scaled, inverse, stream), a.dtype(), stream);
}

array conjugate(const array& a, StreamOrDevice s) {
  return a.dtype() == complex64 ? unary(Op::Conjugate, a, to_stream(s)) : a;
}

array real(const array& a, StreamOrDevice s) {
  return a.dtype() == complex64 ? unary(Op::Real, a, to_stream(s)) : a;
}

array imag(const array& a, StreamOrDevice s) {
  return a.dtype() == complex64 ? unary(Op::Imag, a, to_stream(s)) : zeros_like(a, s);
}

array nan_to_num(const array& a, float nan, const std::optional<float> posinf,
                 const std::optional<float> neginf, StreamOrDevice s) {
  const Dtype dtype = a.dtype();
  if (!is_inexact(dtype)) {
    return a;
  }
  if ((dtype == float64 || dtype == complex64) && !(posinf && neginf)) {
    fail("[nan_to_num] for ", dtype, " posinf and neginf must be given");
  }
  const Stream stream = to_stream(s);
  auto replace = [&](const array& out, const array& condition, double value) {
    return where(condition, array(value, dtype), out, stream);
  };
  array out = replace(a, isnan(a, stream), nan);
  out = replace(out, isposinf(a, stream), posinf ? *posinf : finfo(dtype).max);
  return replace(out, isneginf(a, stream), neginf ? *neginf : finfo(dtype).min);
}

// Binary

#define MLX_BINARY(FUNCTION, RULE, OP)                               \
  array FUNCTION(const array& a, const array& b, StreamOrDevice s) { \
    return RULE(Op::OP, a, b, s);                                    \
  }
#define MLX_CHECKED_BINARY(FUNCTION, RULE, OP)                       \
  array FUNCTION(const array& a, const array& b, StreamOrDevice s) { \
    return RULE(Op::OP, #FUNCTION, a, b, s);                         \
  }
MLX_BINARY(add, binary, Add)
MLX_BINARY(subtract, binary, Subtract)
MLX_BINARY(multiply, binary, Multiply)
MLX_BINARY(divide, float_binary, Divide)
MLX_BINARY(power, binary, Power)
MLX_BINARY(maximum, binary, Maximum)
MLX_BINARY(minimum, binary, Minimum)
MLX_BINARY(logaddexp, float_binary, LogAddExp)
MLX_BINARY(equal, binary, Equal)
MLX_BINARY(not_equal, binary, NotEqual)
MLX_BINARY(greater, binary, Greater)
MLX_BINARY(greater_equal, binary, GreaterEqual)
MLX_BINARY(less, binary, Less)
MLX_BINARY(less_equal, binary, LessEqual)
MLX_BINARY(logical_and, logical, LogicalAnd)
MLX_BINARY(logical_or, logical, LogicalOr)
MLX_BINARY(logical_xor, logical, NotEqual)
MLX_CHECKED_BINARY(floor_divide, real_binary, FloorDivide)
MLX_CHECKED_BINARY(remainder, real_binary, Remainder)
MLX_CHECKED_BINARY(bitwise_and, bitwise, BitwiseAnd)
MLX_CHECKED_BINARY(bitwise_or, bitwise, BitwiseOr)
MLX_CHECKED_BINARY(bitwise_xor, bitwise, BitwiseXor)
MLX_CHECKED_BINARY(left_shift, bitwise, LeftShift)
MLX_CHECKED_BINARY(right_shift, bitwise, RightShift)
#undef MLX_BINARY
#undef MLX_CHECKED_BINARY

array arctan2(const array& a, const array& b, StreamOrDevice s) {
  reject_complex("arctan2", promote_types(a.dtype(), b.dtype()));
  return float_binary(Op::ArcTan2, a, b, s);
}

std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  reject_complex("divmod", dtype);
  std::vector<array> inputs =
      broadcast_arrays({astype(a, dtype, stream), astype(b, dtype, stream)}, stream);
  const Shape& shape = inputs[0].shape();
  return array::make_arrays({shape, shape}, {dtype, dtype}, stateless<DivMod>(stream), inputs);
}

array logical_not(const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  return unary(Op::LogicalNot, astype(a, bool_, stream), stream);
}

array bitwise_invert(const array& a, StreamOrDevice s) {
  if (is_inexact(a.dtype())) {
    fail("[bitwise_invert] an integer or bool array is needed: got ", a.dtype());
  }
  return a.dtype() == bool_ ? logical_not(a, s) : unary(Op::BitwiseInvert, a, to_stream(s));
}

// Predicates

array isnan(const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  return is_inexact(a.dtype()) ? not_equal(a, a, stream) : constant_bool(a, false, stream);
}

array isinf(const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  if (a.dtype() == complex64) {
    return logical_or(isinf(real(a, stream), stream), isinf(imag(a, stream), stream), stream);
  }
  return is_inexact(a.dtype()) ? equal(abs(a, stream), array(kInfinity, a.dtype()), stream)
                               : constant_bool(a, false, stream);
}

array isfinite(const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  if (a.dtype() == complex64) {
    return logical_and(isfinite(real(a, stream), stream), isfinite(imag(a, stream), stream),
                       stream);
  }
  // Neither infinity nor NaN is less than infinity.
  return is_inexact(a.dtype()) ? less(abs(a, stream), array(kInfinity, a.dtype()), stream)
                               : constant_bool(a, true, stream);
}

array isposinf(const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  return is_inexact(a.dtype()) ? equal(a, array(kInfinity, a.dtype()), stream)
                               : constant_bool(a, false, stream);
}

array isneginf(const array& a, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  return is_inexact(a.dtype()) ? equal(a, array(-kInfinity, a.dtype()), stream)
                               : constant_bool(a, false, stream);
}

array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s) {
  if (a.shape() != b.shape()) {
    return array(false);
  }
  return all(binary(equal_nan ? Op::NaNEqual : Op::Equal, a, b, s), false, s);
}

array isclose(const array& a, const array& b, double rtol, double atol, bool equal_nan,
              StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const Dtype dtype = promote_types(a.dtype(), b.dtype());
  const Dtype precision = dtype == float64 ? float64 : float32;
  const array x = astype(a, dtype, stream);
  const array y = astype(b, dtype, stream);
  const array magnitude = abs(y, stream);
  const array distance =
      is_inexact(dtype) ? abs(subtract(x, y, stream), stream) : integer_distance(x, y, stream);
  const array bound =
      add(array(atol, precision), multiply(array(rtol, precision), magnitude, stream), stream);
  array close = less_equal(distance, bound, stream);
  if (is_inexact(dtype)) {
    // An infinite bound would accept everything.
    close = logical_and(close, isfinite(y, stream), stream);
  }
  return logical_or(close, binary(equal_nan ? Op::NaNEqual : Op::Equal, x, y, stream), stream);
}

array allclose(const array& a, const array& b, double rtol, double atol, bool equal_nan,
               StreamOrDevice s) {
  return all(isclose(a, b, rtol, atol, equal_nan, s), false, s);
}

// Selection

array where(const array& condition, const array& x, const array& y, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  if (condition.dtype() == bool_ && x.dtype() == y.dtype() &&
      same_shape(condition.shape(), x.shape()) && same_shape(x.shape(), y.shape())) {
    array inputs[] = {condition, x, y};
    return elementwise_node(Op::Select, inputs, stream);
  }
  const Dtype dtype = promote_types(x.dtype(), y.dtype());
  std::vector<array> inputs = broadcast_arrays(
      {astype(condition, bool_, stream), astype(x, dtype, stream), astype(y, dtype, stream)},
      stream);
  return elementwise_node(Op::Select, inputs, stream);
}

array clip(const array& a, const std::optional<array>& a_min, const std::optional<array>& a_max,
           StreamOrDevice s) {
  if (!a_min && !a_max) {
    fail("[clip] a_min and a_max must not both be None");
  }
  array out = a_min ? maximum(a, *a_min, s) : a;
  return a_max ? minimum(out, *a_max, s) : out;
}

// Operators

array operator-(const array& a) {
  return negative(a);
}
array operator/(const array& a, const array& b) {
  return divide(a, b);
}
array operator/(double a, const array& b) {
  return divide(array(a), b);
}
array operator/(const array& a, double b) {
  return divide(a, array(b));
}
array operator&&(const array& a, const array& b) {
  return logical_and(a, b);
}
array operator||(const array& a, const array& b) {
  return logical_or(a, b);
}
array operator&(const array& a, const array& b) {
  return bitwise_and(a, b);
}
array operator|(const array& a, const array& b) {
  return bitwise_or(a, b);
}
array operator^(const array& a, const array& b) {
  return bitwise_xor(a, b);
}
array operator<<(const array& a, const array& b) {
  return left_shift(a, b);
}
array operator>>(const array& a, const array& b) {
  return right_shift(a, b);
}
array operator~(const array& a) {
  return bitwise_invert(a);
}

}  // namespace mlx::core
