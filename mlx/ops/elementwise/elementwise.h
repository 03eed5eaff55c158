// Elementwise functions: arithmetic, comparison, logic, bits, transcendental
// functions, selection, casts. Operands broadcast against each other and are
// promoted to one dtype; results are lazy. Throws std::invalid_argument unless
// a comment says otherwise.
#pragma once

#include <optional>
#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

/// Float to integer truncates, saturates and maps NaN to 0; integers wrap;
/// bool is "not zero"; complex to real keeps the real part.
MLX_API array astype(array a, Dtype dtype, StreamOrDevice s = {});

// Unary. The first group keeps the dtype (abs, real and imag of complex64 give
// float32), the second gives a floating dtype: float32 for integers and bool.

MLX_API array abs(const array& a, StreamOrDevice s = {});
MLX_API array positive(const array& a, StreamOrDevice s = {});
MLX_API array negative(const array& a, StreamOrDevice s = {});
MLX_API array operator-(const array& a);
MLX_API array sign(const array& a, StreamOrDevice s = {});
MLX_API array square(const array& a, StreamOrDevice s = {});
MLX_API array floor(const array& a, StreamOrDevice s = {});
MLX_API array ceil(const array& a, StreamOrDevice s = {});
MLX_API array trunc(const array& a, StreamOrDevice s = {});
/// Half to even, at `decimals` digits after the point.
MLX_API array round(const array& a, int decimals, StreamOrDevice s = {});
inline array round(const array& a, StreamOrDevice s = {}) {
  return round(a, 0, s);
}
MLX_API array conjugate(const array& a, StreamOrDevice s = {});
MLX_API array real(const array& a, StreamOrDevice s = {});
MLX_API array imag(const array& a, StreamOrDevice s = {});
/// Infinities default to the largest finite values; float64 and complex64 need them given.
MLX_API array nan_to_num(const array& a, float nan = 0.0f,
                         const std::optional<float> posinf = std::nullopt,
                         const std::optional<float> neginf = std::nullopt, StreamOrDevice s = {});

MLX_API array sqrt(const array& a, StreamOrDevice s = {});
MLX_API array rsqrt(const array& a, StreamOrDevice s = {});
MLX_API array reciprocal(const array& a, StreamOrDevice s = {});
MLX_API array exp(const array& a, StreamOrDevice s = {});
MLX_API array expm1(const array& a, StreamOrDevice s = {});
MLX_API array log(const array& a, StreamOrDevice s = {});
MLX_API array log2(const array& a, StreamOrDevice s = {});
MLX_API array log10(const array& a, StreamOrDevice s = {});
MLX_API array log1p(const array& a, StreamOrDevice s = {});
MLX_API array sin(const array& a, StreamOrDevice s = {});
MLX_API array cos(const array& a, StreamOrDevice s = {});
MLX_API array tan(const array& a, StreamOrDevice s = {});
MLX_API array arcsin(const array& a, StreamOrDevice s = {});
MLX_API array arccos(const array& a, StreamOrDevice s = {});
MLX_API array arctan(const array& a, StreamOrDevice s = {});
MLX_API array sinh(const array& a, StreamOrDevice s = {});
MLX_API array cosh(const array& a, StreamOrDevice s = {});
MLX_API array tanh(const array& a, StreamOrDevice s = {});
MLX_API array arcsinh(const array& a, StreamOrDevice s = {});
MLX_API array arccosh(const array& a, StreamOrDevice s = {});
MLX_API array arctanh(const array& a, StreamOrDevice s = {});
MLX_API array degrees(const array& a, StreamOrDevice s = {});
MLX_API array radians(const array& a, StreamOrDevice s = {});
MLX_API array erf(const array& a, StreamOrDevice s = {});
MLX_API array erfinv(const array& a, StreamOrDevice s = {});
MLX_API array sigmoid(const array& a, StreamOrDevice s = {});

// Binary arithmetic.

MLX_API array add(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array subtract(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array multiply(const array& a, const array& b, StreamOrDevice s = {});
/// True division: floating also for integers.
MLX_API array divide(const array& a, const array& b, StreamOrDevice s = {});
/// floor(a / b); for integers division by zero gives 0.
MLX_API array floor_divide(const array& a, const array& b, StreamOrDevice s = {});
/// a - floor_divide(a, b) * b: takes the sign of the divisor. 0 for integer b = 0.
MLX_API array remainder(const array& a, const array& b, StreamOrDevice s = {});
/// {floor_divide(a, b), remainder(a, b)}
MLX_API std::vector<array> divmod(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array power(const array& a, const array& b, StreamOrDevice s = {});
/// NaN in either operand gives NaN; complex numbers compare by real, then imaginary part.
MLX_API array maximum(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array minimum(const array& a, const array& b, StreamOrDevice s = {});
/// log(exp(a) + exp(b))
MLX_API array logaddexp(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array arctan2(const array& a, const array& b, StreamOrDevice s = {});

// Comparison: bool results.

MLX_API array equal(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array not_equal(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array greater(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array greater_equal(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array less(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array less_equal(const array& a, const array& b, StreamOrDevice s = {});
/// A 0-d bool. Arrays of different shapes are not equal.
MLX_API array array_equal(const array& a, const array& b, bool equal_nan, StreamOrDevice s = {});
inline array array_equal(const array& a, const array& b, StreamOrDevice s = {}) {
  return array_equal(a, b, false, s);
}
/// |a - b| <= atol + rtol * |b|; infinities are close to themselves only.
MLX_API array isclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8,
                      bool equal_nan = false, StreamOrDevice s = {});
MLX_API array allclose(const array& a, const array& b, double rtol = 1e-5, double atol = 1e-8,
                       bool equal_nan = false, StreamOrDevice s = {});
MLX_API array isnan(const array& a, StreamOrDevice s = {});
MLX_API array isinf(const array& a, StreamOrDevice s = {});
MLX_API array isfinite(const array& a, StreamOrDevice s = {});
MLX_API array isposinf(const array& a, StreamOrDevice s = {});
MLX_API array isneginf(const array& a, StreamOrDevice s = {});

// Logic: operands become bool first.

MLX_API array logical_not(const array& a, StreamOrDevice s = {});
MLX_API array logical_and(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array logical_or(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array logical_xor(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array operator&&(const array& a, const array& b);
MLX_API array operator||(const array& a, const array& b);

// Bits. std::runtime_error where the promoted dtype is not an integer or bool;
// shifts of bool give uint8.

MLX_API array bitwise_and(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array bitwise_or(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array bitwise_xor(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array left_shift(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array right_shift(const array& a, const array& b, StreamOrDevice s = {});
MLX_API array bitwise_invert(const array& a, StreamOrDevice s = {});
MLX_API array operator&(const array& a, const array& b);
MLX_API array operator|(const array& a, const array& b);
MLX_API array operator^(const array& a, const array& b);
MLX_API array operator<<(const array& a, const array& b);
MLX_API array operator>>(const array& a, const array& b);
MLX_API array operator~(const array& a);

// Selection.

/// `x` where the condition is not zero, else `y`.
MLX_API array where(const array& condition, const array& x, const array& y, StreamOrDevice s = {});
/// At least one bound must be given.
MLX_API array clip(const array& a, const std::optional<array>& a_min = std::nullopt,
                   const std::optional<array>& a_max = std::nullopt, StreamOrDevice s = {});

// Operators of two arrays, and of an array with a number: the number becomes an
// array of its own dtype.

#define MLX_ARRAY_OPERATOR(OPERATOR, FUNCTION)                     \
  inline array operator OPERATOR(const array& a, const array& b) { \
    return FUNCTION(a, b);                                         \
  }                                                                \
  template <typename T>                                            \
  array operator OPERATOR(T a, const array& b) {                   \
    return FUNCTION(array(a), b);                                  \
  }                                                                \
  template <typename T>                                            \
  array operator OPERATOR(const array& a, T b) {                   \
    return FUNCTION(a, array(b));                                  \
  }
MLX_ARRAY_OPERATOR(==, equal)
MLX_ARRAY_OPERATOR(!=, not_equal)
MLX_ARRAY_OPERATOR(>, greater)
MLX_ARRAY_OPERATOR(>=, greater_equal)
MLX_ARRAY_OPERATOR(<, less)
MLX_ARRAY_OPERATOR(<=, less_equal)
MLX_ARRAY_OPERATOR(+, add)
MLX_ARRAY_OPERATOR(-, subtract)
MLX_ARRAY_OPERATOR(*, multiply)
MLX_ARRAY_OPERATOR(%, remainder)
#undef MLX_ARRAY_OPERATOR

// Not a template: an integer divisor means floating division too.
MLX_API array operator/(const array& a, const array& b);
MLX_API array operator/(double a, const array& b);
MLX_API array operator/(const array& a, double b);

}  // namespace mlx::core
