// Transcendental functions of float32, and those of float64 that are vector
// code. Reversed forms are left out: the planner reloads the first operand.
#include <cmath>

#include "mlx/fuse/step_functions.h"
#include "mlx/simd/math.h"
#include "mlx/simd/trigonometry.h"

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

MLX_UNARY(Exp, simd::exp(d, x))
MLX_UNARY(Expm1, simd::expm1(d, x))
MLX_UNARY(Log, simd::log(d, x))
MLX_UNARY(Log2, simd::log2(d, x))
MLX_UNARY(Log10, simd::log10(d, x))
MLX_UNARY(Log1p, simd::log1p(d, x))
MLX_UNARY(ArcSin, simd::asin(d, x))
MLX_UNARY(ArcCos, simd::acos(d, x))
MLX_UNARY(ArcTan, simd::atan(d, x))
MLX_UNARY(Sinh, simd::sinh(d, x))
MLX_UNARY(Cosh, simd::cosh(d, x))
MLX_UNARY(Tanh, simd::tanh(d, x))
MLX_UNARY(ArcSinh, simd::asinh(d, x))
MLX_UNARY(ArcCosh, simd::acosh(d, x))
MLX_UNARY(ArcTanh, simd::atanh(d, x))
MLX_UNARY(Erf, simd::erf(d, x))
MLX_UNARY(ErfInv, simd::erfinv(d, x))
MLX_UNARY(Sigmoid, simd::sigmoid(d, x))
MLX_UNARY(ExpD, simd::exp_f64(d, x))
MLX_UNARY(LogD, simd::log_f64(d, x))
MLX_BINARY(Power, simd::pow(d, x, y))
MLX_BINARY(ArcTan2, simd::atan2(d, x, y))
MLX_BINARY(LogAddExp, simd::logaddexp(d, x, y))

// sin, cos, tan: a group with an argument too large for the fast reduction takes
// another step function, which sends only those lanes through libm.
struct Sin {
  static HWY_INLINE Vec<float> call(Full<float> d, Vec<float> x) { return simd::sin_fast(d, x); }
  static double exact(double x) { return ::sin(x); }
};
struct Cos {
  static HWY_INLINE Vec<float> call(Full<float> d, Vec<float> x) { return simd::cos_fast(d, x); }
  static double exact(double x) { return ::cos(x); }
};
struct Tan {
  static HWY_INLINE Vec<float> call(Full<float> d, Vec<float> x) { return simd::tan_fast(d, x); }
  static double exact(double x) { return ::tan(x); }
};

template <class F>
HWY_NOINLINE void large_argument_step(MLX_STEP) {
  const Full<float> t;
  float* exact = reinterpret_cast<float*>(state->scratch);
  constexpr size_t n = simd::lanes<float>;
  hn::StoreU(as<float>(a), t, exact);
  hn::StoreU(as<float>(b), t, exact + n);
  hn::StoreU(as<float>(c), t, exact + 2 * n);
  hn::StoreU(as<float>(d), t, exact + 3 * n);
  for (size_t i = 0; i < 4 * n; ++i) {
    if (std::fabs(exact[i]) > simd::trig_limit) exact[i] = static_cast<float>(F::exact(exact[i]));
  }
  const auto limit = hn::Set(t, simd::trig_limit);
  const auto pick = [&](Bytes v, size_t k) HWY_ATTR {
    const auto x = as<float>(v);
    return bytes(
        hn::IfThenElse(hn::Gt(hn::Abs(x), limit), hn::LoadU(t, exact + k * n), F::call(t, x)));
  };
  a = pick(a, 0);
  b = pick(b, 1);
  c = pick(c, 2);
  d = pick(d, 3);
  MLX_NEXT;
}

template <class F>
void trigonometric_step(MLX_STEP) {
  const Full<float> t;
  const auto limit = hn::Set(t, simd::trig_limit);
  const auto large =
      hn::Or(hn::Or(hn::Gt(hn::Abs(as<float>(a)), limit), hn::Gt(hn::Abs(as<float>(b)), limit)),
             hn::Or(hn::Gt(hn::Abs(as<float>(c)), limit), hn::Gt(hn::Abs(as<float>(d)), limit)));
  if (HWY_UNLIKELY(!hn::AllFalse(t, large))) {
    return large_argument_step<F>(a, b, c, d, step, state);
  }
  a = bytes(F::call(t, as<float>(a)));
  b = bytes(F::call(t, as<float>(b)));
  c = bytes(F::call(t, as<float>(c)));
  d = bytes(F::call(t, as<float>(d)));
  MLX_NEXT;
}

// exp: a group without large arguments, NaN or results that are subnormal takes a
// third fewer instructions. One instruction scales by any power of two in tier v4.
#if HWY_TARGET == HWY_AVX3
constexpr StepRun exp_step = unary_step<Exp, float>;
#else
HWY_NOINLINE void exp_of_any_step(MLX_STEP) {
  return unary_step<Exp, float>(a, b, c, d, step, state);
}

void exp_step(MLX_STEP) {
  const Full<float> t;
  const Full<int32_t> ti;
  const auto magnitude = [&](Bytes v)
                             HWY_ATTR { return hn::And(as<int32_t>(v), hn::Set(ti, 0x7FFFFFFF)); };
  const auto largest =
      hn::Max(hn::Max(magnitude(a), magnitude(b)), hn::Max(magnitude(c), magnitude(d)));
  const auto limit = hn::BitCast(ti, hn::Set(t, 87.0f));  // bits of floats are in their order
  if (HWY_UNLIKELY(!hn::AllFalse(ti, hn::Gt(largest, limit)))) {
    return exp_of_any_step(a, b, c, d, step, state);
  }
  a = bytes(simd::exp_of_moderate(t, as<float>(a)));
  b = bytes(simd::exp_of_moderate(t, as<float>(b)));
  c = bytes(simd::exp_of_moderate(t, as<float>(c)));
  d = bytes(simd::exp_of_moderate(t, as<float>(d)));
  MLX_NEXT;
}
#endif

constexpr UnaryTable make_unary() {
  UnaryTable t;
  constexpr Lane f = Lane::f32;
  t.set(Op::Exp, f, exp_step);
  t.set(Op::Expm1, f, unary_step<Expm1, float>);
  t.set(Op::Log, f, unary_step<Log, float>);
  t.set(Op::Log2, f, unary_step<Log2, float>);
  t.set(Op::Log10, f, unary_step<Log10, float>);
  t.set(Op::Log1p, f, unary_step<Log1p, float>);
  t.set(Op::Sin, f, trigonometric_step<Sin>);
  t.set(Op::Cos, f, trigonometric_step<Cos>);
  t.set(Op::Tan, f, trigonometric_step<Tan>);
  t.set(Op::ArcSin, f, unary_step<ArcSin, float>);
  t.set(Op::ArcCos, f, unary_step<ArcCos, float>);
  t.set(Op::ArcTan, f, unary_step<ArcTan, float>);
  t.set(Op::Sinh, f, unary_step<Sinh, float>);
  t.set(Op::Cosh, f, unary_step<Cosh, float>);
  t.set(Op::Tanh, f, unary_step<Tanh, float>);
  t.set(Op::ArcSinh, f, unary_step<ArcSinh, float>);
  t.set(Op::ArcCosh, f, unary_step<ArcCosh, float>);
  t.set(Op::ArcTanh, f, unary_step<ArcTanh, float>);
  t.set(Op::Erf, f, unary_step<Erf, float>);
  t.set(Op::ErfInv, f, unary_step<ErfInv, float>);
  t.set(Op::Sigmoid, f, unary_step<Sigmoid, float>);
  t.set(Op::Exp, Lane::f64, unary_step<ExpD, double>);
  t.set(Op::Log, Lane::f64, unary_step<LogD, double>);
  return t;
}

constexpr BinaryTable make_binary() {
  BinaryTable t;
  t.set(Op::Power, Lane::f32, binary_step<Power, float>, nullptr);
  t.set(Op::ArcTan2, Lane::f32, binary_step<ArcTan2, float>, nullptr);
  t.set(Op::LogAddExp, Lane::f32, binary_step<LogAddExp, float>, nullptr);
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

extern const ArithmeticSteps MLX_TIER_SYMBOL(math_steps) = {find_unary, find_binary};

}  // namespace mlx::core::fuse
