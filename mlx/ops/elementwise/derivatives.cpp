// Derivatives of the elementwise operations, one line each: the formulas of
// calculus textbooks. What needs care (zeros, infinities, the complex plane)
// says so.
#include "mlx/ops/elementwise/derivatives.h"

#include <array>
#include <numbers>

#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"

namespace mlx::core {

namespace {

using fuse::Op;

// An array in a formula: operators and functions run on the rule's stream, and
// numbers take the array's dtype.
struct Term {
  array value;
  const Stream& stream;
};

Term constant(double number, const Term& like) {
  return {array(number, like.value.dtype()), like.stream};
}

#define MLX_UNARY_TERM(NAME, FUNCTION)                    \
  Term NAME(const Term& a) {                              \
    return {core::FUNCTION(a.value, a.stream), a.stream}; \
  }
#define MLX_BINARY_TERM(NAME, FUNCTION)                            \
  Term NAME(const Term& a, const Term& b) {                        \
    return {core::FUNCTION(a.value, b.value, a.stream), a.stream}; \
  }                                                                \
  [[maybe_unused]] Term NAME(double a, const Term& b) {            \
    return NAME(constant(a, b), b);                                \
  }                                                                \
  [[maybe_unused]] Term NAME(const Term& a, double b) {            \
    return NAME(a, constant(b, a));                                \
  }

MLX_BINARY_TERM(operator+, add)
MLX_BINARY_TERM(operator-, subtract)
MLX_BINARY_TERM(operator*, multiply)
MLX_BINARY_TERM(operator/, divide)
MLX_BINARY_TERM(operator==, equal)
MLX_BINARY_TERM(operator<, less)
MLX_BINARY_TERM(operator>, greater)
MLX_BINARY_TERM(operator>=, greater_equal)
MLX_BINARY_TERM(operator&, logical_and)
MLX_BINARY_TERM(floor_divide, floor_divide)
MLX_BINARY_TERM(pow, power)
MLX_UNARY_TERM(operator-, negative)
MLX_UNARY_TERM(abs, abs)
MLX_UNARY_TERM(conjugate, conjugate)
MLX_UNARY_TERM(cos, cos)
MLX_UNARY_TERM(cosh, cosh)
MLX_UNARY_TERM(exp, exp)
MLX_UNARY_TERM(imag, imag)
MLX_UNARY_TERM(log, log)
MLX_UNARY_TERM(real, real)
MLX_UNARY_TERM(rsqrt, rsqrt)
MLX_UNARY_TERM(sigmoid, sigmoid)
MLX_UNARY_TERM(sign, sign)
MLX_UNARY_TERM(sin, sin)
MLX_UNARY_TERM(sinh, sinh)
MLX_UNARY_TERM(square, square)
#undef MLX_BINARY_TERM
#undef MLX_UNARY_TERM

Term select(const Term& condition, const Term& x, const Term& y) {
  return {where(condition.value, x.value, y.value, x.stream), x.stream};
}
Term select(const Term& condition, double x, const Term& y) {
  return select(condition, constant(x, y), y);
}
Term select(const Term& condition, const Term& x, double y) {
  return select(condition, x, constant(y, x));
}
bool is_complex(const Term& a) {
  return a.value.dtype() == complex64;
}

Term times_i(const Term& a) {
  return {multiply(a.value, array(complex64_t{0, 1}), a.stream), a.stream};
}
Term to_complex(const Term& a) {
  return {astype(a.value, complex64, a.stream), a.stream};
}

// z / |z| moves only across its radius; at 0 it is held.
Term sign_tangent(const Term& t, const Term& a, const Term& y) {
  if (!is_complex(a)) {
    return {zeros_like(t.value, t.stream), t.stream};
  }
  return select(a == 0.0, 0.0, (t - y * real(conjugate(y) * t)) / abs(a));
}

// The share of the first of two operands in log(exp(a) + exp(b)); a half where
// they are equal, which includes equal infinities.
Term logaddexp_share(const Term& a, const Term& b, const Term& y) {
  return is_complex(a) ? exp(a - y) : select(a == b, 0.5, sigmoid(a - b));
}

// t: tangent; a, b: operands; y: result.
#define RULE(FORMULA)                                                                        \
  [](const array& tangent, std::span<const array> x, const array& result, const Stream& s) { \
    [[maybe_unused]] const Term t{tangent, s}, a{x[0], s}, b{x[x.size() > 1 ? 1 : 0], s};    \
    [[maybe_unused]] const Term y{result, s};                                                \
    return (FORMULA).value;                                                                  \
  }

using Table = std::array<ElementwiseDerivative, fuse::op_count>;

Table make_table() {
  using namespace std::numbers;
  Table table;
  auto unary = [&](Op op, TangentRule rule, TangentRule cotangent = nullptr) {
    table[static_cast<size_t>(op)] = {{rule}, cotangent};
  };
  auto binary = [&](Op op, TangentRule wrt_a, TangentRule wrt_b) {
    table[static_cast<size_t>(op)] = {{wrt_a, wrt_b}};
  };

  unary(Op::Copy, RULE(t));
  unary(Op::Negative, RULE(-t));
  unary(Op::Square, RULE(2.0 * a * t));
  unary(Op::Sqrt, RULE(0.5 * t / y));
  unary(Op::Rsqrt, RULE(-0.5 * t * y / a));
  unary(Op::Exp, RULE(t * y));
  unary(Op::Expm1, RULE(t * (y + 1.0)));
  unary(Op::Log, RULE(t / a));
  unary(Op::Log2, RULE(t / (a * ln2)));
  unary(Op::Log10, RULE(t / (a * ln10)));
  unary(Op::Log1p, RULE(t / (a + 1.0)));
  unary(Op::Sin, RULE(t * cos(a)));
  unary(Op::Cos, RULE(-t * sin(a)));
  unary(Op::Tan, RULE(t * (1.0 + square(y))));
  unary(Op::ArcSin, RULE(t * rsqrt(1.0 - square(a))));
  unary(Op::ArcCos, RULE(-t * rsqrt(1.0 - square(a))));
  unary(Op::ArcTan, RULE(t / (1.0 + square(a))));
  unary(Op::Sinh, RULE(t * cosh(a)));
  unary(Op::Cosh, RULE(t * sinh(a)));
  unary(Op::Tanh, RULE(t * (1.0 - square(y))));
  unary(Op::ArcSinh, RULE(t * rsqrt(square(a) + 1.0)));
  // Two roots: the root of the product leaves the principal branch.
  unary(Op::ArcCosh, RULE(t * rsqrt(a - 1.0) * rsqrt(a + 1.0)));
  unary(Op::ArcTanh, RULE(t / (1.0 - square(a))));
  unary(Op::Erf, RULE(2.0 * inv_sqrtpi * exp(-square(a)) * t));
  unary(Op::ErfInv, RULE(0.5 / inv_sqrtpi * exp(square(y)) * t));
  unary(Op::Sigmoid, RULE(t * y * (1.0 - y)));

  unary(Op::Abs, RULE(real(conjugate(sign(a)) * t)), RULE(t * sign(a)));
  unary(Op::Sign, RULE(sign_tangent(t, a, y)), RULE(sign_tangent(t, a, y)));
  unary(Op::Conjugate, RULE(conjugate(t)));
  unary(Op::Real, RULE(real(t)), RULE(to_complex(t)));
  unary(Op::Imag, RULE(imag(t)), RULE(times_i(t)));

  binary(Op::Add, RULE(t), RULE(t));
  binary(Op::Subtract, RULE(t), RULE(-t));
  binary(Op::Multiply, RULE(t * b), RULE(t * a));
  binary(Op::Divide, RULE(t / b), RULE(-t * y / b));
  binary(Op::Remainder, RULE(t), RULE(-t * floor_divide(a, b)));
  // Constant where the exponent is 0, also at base 0; the exponent has no say
  // where the base is 0 and the power is not a pole.
  binary(Op::Power, RULE(select(b == 0.0, 0.0, t * b * pow(a, b - 1.0))),
         RULE(select((a == 0.0) & (real(b) >= 0.0), 0.0, t * y * log(a))));
  // One operand takes it all, also where they are equal.
  binary(Op::Maximum, RULE(select(a > b, t, 0.0)), RULE(select(a > b, 0.0, t)));
  binary(Op::Minimum, RULE(select(a < b, t, 0.0)), RULE(select(a < b, 0.0, t)));
  binary(Op::LogAddExp, RULE(t * logaddexp_share(a, b, y)), RULE(t * logaddexp_share(b, a, y)));
  binary(Op::ArcTan2, RULE(t * b / (square(a) + square(b))),
         RULE(-t * a / (square(a) + square(b))));

  // `a` is the condition.
  table[static_cast<size_t>(Op::Select)] = {
      {nullptr, RULE(select(a, t, 0.0)), RULE(select(a, 0.0, t))}};

  // All others are constant almost everywhere.
  return table;
}

}  // namespace

const ElementwiseDerivative& elementwise_derivative(Op op) {
  static const Table table = make_table();
  return table[static_cast<size_t>(op)];
}

}  // namespace mlx::core
