// Cheap arithmetic of float32, float64 and complex64: what takes one or a few
// instructions. Transcendental functions are in math_steps.tier.cpp.
#include "mlx/fuse/step_functions.h"
#include "mlx/simd/math.h"

namespace mlx::core::fuse {
namespace {

template <class D>
using V = hn::Vec<D>;

// clang-format off
#define MLX_UNARY(name, expression)                                     \
  struct name {                                                         \
    template <class D>                                                  \
    static HWY_INLINE V<D> call(D d, V<D> x) { return expression; }     \
  };
#define MLX_BINARY(name, expression)                                          \
  struct name {                                                               \
    template <class D>                                                        \
    static HWY_INLINE V<D> call(D d, V<D> x, V<D> y) { return expression; }   \
  };
// clang-format on

template <class D>
HWY_INLINE V<D> constant(D d, double c) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(c));
}
template <class D>
HWY_INLINE V<D> sign_of(D d, V<D> x) {
  const auto zero = hn::Zero(d);
  const auto magnitude = hn::IfThenZeroElse(hn::Eq(x, zero), constant(d, 1.0));
  return hn::IfThenElse(hn::IsNaN(x), x, hn::CopySign(magnitude, x));
}
// x86's max gives its second operand when one is NaN; when the first is NaN we
// want that one.
template <class D>
HWY_INLINE V<D> maximum(D, V<D> x, V<D> y) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenElse(hn::Gt(x, y), x, y));
}
template <class D>
HWY_INLINE V<D> minimum(D, V<D> x, V<D> y) {
  return hn::IfThenElse(hn::IsNaN(x), x, hn::IfThenElse(hn::Lt(x, y), x, y));
}
template <class D>
HWY_INLINE V<D> nan_equal(D d, V<D> x, V<D> y) {
  return hn::VecFromMask(d, hn::Or(hn::Eq(x, y), hn::And(hn::IsNaN(x), hn::IsNaN(y))));
}

MLX_UNARY(AbsF, hn::Abs(x))
MLX_UNARY(NegativeF, hn::Neg(x))
MLX_UNARY(SignF, sign_of(d, x))
MLX_UNARY(SquareF, hn::Mul(x, x))
MLX_UNARY(SqrtF, hn::Sqrt(x))
MLX_UNARY(RsqrtF, simd::rsqrt(d, x))
MLX_UNARY(ReciprocalF, hn::Div(constant(d, 1.0), x))
MLX_UNARY(FloorF, hn::Floor(x))
MLX_UNARY(CeilF, hn::Ceil(x))
MLX_UNARY(TruncF, hn::Trunc(x))
MLX_UNARY(RoundF, hn::Round(x))
MLX_BINARY(AddF, hn::Add(x, y))
MLX_BINARY(SubtractF, hn::Sub(x, y))
MLX_BINARY(MultiplyF, hn::Mul(x, y))
MLX_BINARY(DivideF, hn::Div(x, y))
MLX_BINARY(MaximumF, maximum(d, x, y))
MLX_BINARY(MinimumF, minimum(d, x, y))
MLX_BINARY(EqualF, hn::VecFromMask(d, hn::Eq(x, y)))
MLX_BINARY(NaNEqualF, nan_equal(d, x, y))
// Not through hn::Ne, which some targets make false for NaN.
MLX_BINARY(NotEqualF, hn::VecFromMask(d, hn::Not(hn::Eq(x, y))))
MLX_BINARY(LessF, hn::VecFromMask(d, hn::Lt(x, y)))
MLX_BINARY(LessEqualF, hn::VecFromMask(d, hn::Le(x, y)))

// ------------------------------------------------------------------ complex

using VF = Vec<float>;
using DF = Full<float>;

// clang-format off
#define MLX_COMPLEX_UNARY(name, real, imaginary)                          \
  struct name {                                                           \
    static HWY_INLINE void call(DF d, VF& x, VF& y) {                     \
      const VF r = real;                                                  \
      const VF i = imaginary;                                             \
      x = r;                                                              \
      y = i;                                                              \
    }                                                                     \
  };
// (x + iy) op (u + iv)
#define MLX_COMPLEX_BINARY(name, real, imaginary)                         \
  struct name {                                                           \
    static HWY_INLINE void call(DF d, VF& x, VF& y, VF u, VF v) {         \
      const VF r = real;                                                  \
      const VF i = imaginary;                                             \
      x = r;                                                              \
      y = i;                                                              \
    }                                                                     \
  };
// A comparison: the mask takes the place of the real part.
#define MLX_COMPLEX_COMPARE(name, mask)                                   \
  struct name {                                                           \
    static HWY_INLINE void call(DF d, VF& x, VF& y, VF u, VF v) {         \
      x = hn::VecFromMask(d, mask);                                       \
      y = hn::Zero(d);                                                    \
    }                                                                     \
  };
// clang-format on

/// Modulus through float64: neither overflow nor underflow.
HWY_INLINE VF modulus(DF d, VF x, VF y) {
  const VF r = simd::in_f64(d, x, y, [](auto dd, auto u, auto v) HWY_ATTR {
    return hn::Sqrt(hn::Add(hn::Mul(u, u), hn::Mul(v, v)));
  });
  const VF inf = simd::infinity(d);
  const auto infinite = hn::Or(hn::Eq(hn::Abs(x), inf), hn::Eq(hn::Abs(y), inf));
  return hn::IfThenElse(infinite, inf, r);
}
HWY_INLINE auto less(DF, VF x, VF y, VF u, VF v) {
  return hn::Or(hn::Lt(x, u), hn::And(hn::Eq(x, u), hn::Lt(y, v)));
}
HWY_INLINE auto less_equal(DF, VF x, VF y, VF u, VF v) {
  return hn::Or(hn::Lt(x, u), hn::And(hn::Eq(x, u), hn::Le(y, v)));
}
HWY_INLINE auto has_nan(VF x, VF y) {
  return hn::Or(hn::IsNaN(x), hn::IsNaN(y));
}
HWY_INLINE auto equal(VF x, VF y, VF u, VF v) {
  return hn::And(hn::Eq(x, u), hn::Eq(y, v));
}

MLX_COMPLEX_UNARY(AbsC, modulus(d, x, y), hn::Zero(d))
MLX_COMPLEX_UNARY(NegativeC, hn::Neg(x), hn::Neg(y))
MLX_COMPLEX_UNARY(SquareC, hn::Sub(hn::Mul(x, x), hn::Mul(y, y)),
                  hn::Add(hn::Mul(x, y), hn::Mul(y, x)))
MLX_COMPLEX_UNARY(RoundC, hn::Round(x), hn::Round(y))
MLX_COMPLEX_BINARY(AddC, hn::Add(x, u), hn::Add(y, v))
MLX_COMPLEX_BINARY(SubtractC, hn::Sub(x, u), hn::Sub(y, v))
MLX_COMPLEX_BINARY(MultiplyC, hn::Sub(hn::Mul(x, u), hn::Mul(y, v)),
                   hn::Add(hn::Mul(x, v), hn::Mul(y, u)))
MLX_COMPLEX_COMPARE(EqualC, equal(x, y, u, v))
MLX_COMPLEX_COMPARE(NaNEqualC, hn::Or(equal(x, y, u, v), hn::And(has_nan(x, y), has_nan(u, v))))
MLX_COMPLEX_COMPARE(NotEqualC, hn::Not(equal(x, y, u, v)))
MLX_COMPLEX_COMPARE(LessC, less(d, x, y, u, v))
MLX_COMPLEX_COMPARE(LessEqualC, less_equal(d, x, y, u, v))

struct MaximumC {
  static HWY_INLINE void call(DF d, VF& x, VF& y, VF u, VF v) {
    const auto keep = hn::Or(has_nan(x, y), hn::AndNot(has_nan(u, v), less(d, u, v, x, y)));
    x = hn::IfThenElse(keep, x, u);
    y = hn::IfThenElse(keep, y, v);
  }
};
struct MinimumC {
  static HWY_INLINE void call(DF d, VF& x, VF& y, VF u, VF v) {
    const auto keep = hn::Or(has_nan(x, y), hn::AndNot(has_nan(u, v), less(d, x, y, u, v)));
    x = hn::IfThenElse(keep, x, u);
    y = hn::IfThenElse(keep, y, v);
  }
};

// ------------------------------------------------------------------ tables

template <class T>
constexpr void add_unary(UnaryTable& t, Lane lane) {
  t.set(Op::Abs, lane, unary_step<AbsF, T>);
  t.set(Op::Negative, lane, unary_step<NegativeF, T>);
  t.set(Op::Sign, lane, unary_step<SignF, T>);
  t.set(Op::Square, lane, unary_step<SquareF, T>);
  t.set(Op::Sqrt, lane, unary_step<SqrtF, T>);
  t.set(Op::Rsqrt, lane, unary_step<RsqrtF, T>);
  t.set(Op::Reciprocal, lane, unary_step<ReciprocalF, T>);
  t.set(Op::Floor, lane, unary_step<FloorF, T>);
  t.set(Op::Ceil, lane, unary_step<CeilF, T>);
  t.set(Op::Trunc, lane, unary_step<TruncF, T>);
  t.set(Op::Round, lane, unary_step<RoundF, T>);
}

template <class T>
constexpr void add_binary(BinaryTable& t, Lane lane) {
  commutative<AddF, T>(t, Op::Add, lane);
  directed<SubtractF, T>(t, Op::Subtract, lane);
  commutative<MultiplyF, T>(t, Op::Multiply, lane);
  directed<DivideF, T>(t, Op::Divide, lane);
  // Not commutative: equal zeros of two signs.
  directed<MaximumF, T>(t, Op::Maximum, lane);
  directed<MinimumF, T>(t, Op::Minimum, lane);
  commutative<EqualF, T>(t, Op::Equal, lane);
  commutative<NaNEqualF, T>(t, Op::NaNEqual, lane);
  commutative<NotEqualF, T>(t, Op::NotEqual, lane);
  directed<LessF, T>(t, Op::Less, lane);
  directed<LessEqualF, T>(t, Op::LessEqual, lane);
  exchanged<LessF, T>(t, Op::Greater, lane);
  exchanged<LessEqualF, T>(t, Op::GreaterEqual, lane);
}

template <class F>
constexpr void commutative_complex(BinaryTable& t, Op op) {
  t.set(op, Lane::c64, complex_binary_step<F>, complex_binary_step<F>);
}
template <class F>
constexpr void directed_complex(BinaryTable& t, Op op) {
  t.set(op, Lane::c64, complex_binary_step<F>, complex_reversed_step<F>);
}

constexpr UnaryTable make_unary() {
  UnaryTable t;
  add_unary<float>(t, Lane::f32);
  add_unary<double>(t, Lane::f64);
  t.set(Op::Abs, Lane::c64, complex_unary_step<AbsC>);
  t.set(Op::Negative, Lane::c64, complex_unary_step<NegativeC>);
  t.set(Op::Square, Lane::c64, complex_unary_step<SquareC>);
  t.set(Op::Round, Lane::c64, complex_unary_step<RoundC>);
  return t;
}

constexpr BinaryTable make_binary() {
  BinaryTable t;
  add_binary<float>(t, Lane::f32);
  add_binary<double>(t, Lane::f64);
  commutative_complex<AddC>(t, Op::Add);
  directed_complex<SubtractC>(t, Op::Subtract);
  directed_complex<MultiplyC>(t, Op::Multiply);
  directed_complex<MaximumC>(t, Op::Maximum);
  directed_complex<MinimumC>(t, Op::Minimum);
  commutative_complex<EqualC>(t, Op::Equal);
  commutative_complex<NaNEqualC>(t, Op::NaNEqual);
  commutative_complex<NotEqualC>(t, Op::NotEqual);
  directed_complex<LessC>(t, Op::Less);
  directed_complex<LessEqualC>(t, Op::LessEqual);
  t.set(Op::Greater, Lane::c64, complex_reversed_step<LessC>, complex_binary_step<LessC>);
  t.set(Op::GreaterEqual, Lane::c64, complex_reversed_step<LessEqualC>,
        complex_binary_step<LessEqualC>);
  return t;
}

constexpr UnaryTable unary_table = make_unary();
constexpr BinaryTable binary_table = make_binary();

StepFunction find_unary(Op op, Lane lane) {
  return unary_table.find(op, lane);
}
StepFunction find_binary(Op op, Lane lane, Form form) {
  return binary_table.find(op, lane, form);
}

}  // namespace

extern const ArithmeticSteps MLX_TIER_SYMBOL(float_steps) = {find_unary, find_binary};

}  // namespace mlx::core::fuse
