// Arithmetic of integers and of bool masks. Division, powers and narrow shifts
// go lane by lane (lane_calls.cpp).
#include "mlx/fuse/step_functions.h"

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
HWY_INLINE V<D> one(D d) {
  return hn::Set(d, hn::TFromD<D>(1));
}
template <class D>
HWY_INLINE V<D> times(D d, V<D> x, V<D> y) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    // No 8-bit multiply: even and odd bytes in 16-bit lanes.
    const hn::Repartition<uint16_t, D> d16;
    const auto x16 = hn::BitCast(d16, x);
    const auto y16 = hn::BitCast(d16, y);
    const auto even = hn::And(hn::Mul(x16, y16), hn::Set(d16, uint16_t{0xFF}));
    const auto odd = hn::Mul(hn::ShiftRight<8>(x16), hn::ShiftRight<8>(y16));
    return hn::BitCast(d, hn::Or(even, hn::ShiftLeft<8>(odd)));
  } else {
    return x * y;
  }
}
template <class D>
HWY_INLINE V<D> sign_of(D d, V<D> x) {
  using T = hn::TFromD<D>;
  const auto zero = hn::Zero(d);
  if constexpr (T(-1) < T(0)) {
    const auto positive = hn::IfThenElseZero(hn::Gt(x, zero), one(d));
    return hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, T(-1)), positive);
  } else {
    return hn::Min(x, one(d));
  }
}
/// Shifts by the width or more give 0 (or the sign); negative counts are large.
template <class D>
HWY_INLINE V<D> shift_left(D d, V<D> x, V<D> y) {
  static_assert(hwy::IsSigned<hn::TFromD<D>>() == false);
  const auto bits = hn::Set(d, hn::TFromD<D>(8 * sizeof(hn::TFromD<D>)));
  const auto fits = hn::Lt(y, bits);
  return hn::IfThenElseZero(fits, hn::Shl(x, hn::IfThenElseZero(fits, y)));
}
template <class D>
HWY_INLINE V<D> shift_right(D d, V<D> x, V<D> y) {
  using T = hn::TFromD<D>;
  const hn::RebindToUnsigned<D> du;
  const auto last = hn::Set(du, static_cast<hn::TFromD<decltype(du)>>(8 * sizeof(T) - 1));
  const auto count = hn::BitCast(du, y);
  if constexpr (T(-1) < T(0)) {
    return hn::Shr(x, hn::BitCast(d, hn::Min(count, last)));
  } else {
    const auto fits = hn::Not(hn::Lt(last, count));
    return hn::IfThenElseZero(fits, hn::Shr(x, hn::IfThenElseZero(fits, y)));
  }
}

MLX_UNARY(NegativeI, hn::Sub(hn::Zero(d), x))
MLX_UNARY(AbsI, hn::Abs(x))
MLX_UNARY(SignI, sign_of(d, x))
MLX_UNARY(SquareI, times(d, x, x))
MLX_UNARY(InvertI, hn::Not(x))
MLX_BINARY(AddI, hn::Add(x, y))
MLX_BINARY(SubtractI, hn::Sub(x, y))
MLX_BINARY(MultiplyI, times(d, x, y))
MLX_BINARY(MaximumI, hn::Max(x, y))
MLX_BINARY(MinimumI, hn::Min(x, y))
MLX_BINARY(AndI, hn::And(x, y))
MLX_BINARY(OrI, hn::Or(x, y))
MLX_BINARY(XorI, hn::Xor(x, y))
MLX_BINARY(ShiftLeftI, shift_left(d, x, y))
MLX_BINARY(ShiftRightI, shift_right(d, x, y))
MLX_BINARY(EqualI, hn::VecFromMask(d, hn::Eq(x, y)))
MLX_BINARY(NotEqualI, hn::VecFromMask(d, hn::Ne(x, y)))
MLX_BINARY(LessI, hn::VecFromMask(d, hn::Lt(x, y)))
MLX_BINARY(LessEqualI, hn::VecFromMask(d, hn::Not(hn::Lt(y, x))))

// Masks, in lanes of any width.
MLX_BINARY(XnorM, hn::Not(hn::Xor(x, y)))
MLX_BINARY(AndNotM, hn::AndNot(y, x))  // x and not y
MLX_BINARY(OrNotM, hn::Or(x, hn::Not(y)))

template <class I, class U>
constexpr void add_unary(UnaryTable& t, Lane i, Lane u) {
  for (Lane lane : {i, u}) {
    t.set(Op::Negative, lane, unary_step<NegativeI, U>);
    t.set(Op::Square, lane, unary_step<SquareI, U>);
    t.set(Op::BitwiseInvert, lane, unary_step<InvertI, uint8_t>);
  }
  t.set(Op::Abs, i, unary_step<AbsI, I>);
  t.set(Op::Sign, i, unary_step<SignI, I>);
  t.set(Op::Sign, u, unary_step<SignI, U>);
}

template <class T>
constexpr void add_ordered(BinaryTable& t, Lane lane) {
  commutative<MaximumI, T>(t, Op::Maximum, lane);
  commutative<MinimumI, T>(t, Op::Minimum, lane);
  directed<LessI, T>(t, Op::Less, lane);
  directed<LessEqualI, T>(t, Op::LessEqual, lane);
  exchanged<LessI, T>(t, Op::Greater, lane);
  exchanged<LessEqualI, T>(t, Op::GreaterEqual, lane);
  if constexpr (sizeof(T) >= 4) directed<ShiftRightI, T>(t, Op::RightShift, lane);
}

template <class I, class U>
constexpr void add_binary(BinaryTable& t, Lane i, Lane u) {
  for (Lane lane : {i, u}) {
    commutative<AddI, U>(t, Op::Add, lane);
    directed<SubtractI, U>(t, Op::Subtract, lane);
    commutative<MultiplyI, U>(t, Op::Multiply, lane);
    commutative<AndI, uint8_t>(t, Op::BitwiseAnd, lane);
    commutative<OrI, uint8_t>(t, Op::BitwiseOr, lane);
    commutative<XorI, uint8_t>(t, Op::BitwiseXor, lane);
    commutative<EqualI, U>(t, Op::Equal, lane);
    commutative<EqualI, U>(t, Op::NaNEqual, lane);
    commutative<NotEqualI, U>(t, Op::NotEqual, lane);
    if constexpr (sizeof(U) >= 4) directed<ShiftLeftI, U>(t, Op::LeftShift, lane);
  }
  add_ordered<I>(t, i);
  add_ordered<U>(t, u);
}

constexpr UnaryTable make_unary() {
  UnaryTable t;
  add_unary<int8_t, uint8_t>(t, Lane::i8, Lane::u8);
  add_unary<int16_t, uint16_t>(t, Lane::i16, Lane::u16);
  add_unary<int32_t, uint32_t>(t, Lane::i32, Lane::u32);
  add_unary<int64_t, uint64_t>(t, Lane::i64, Lane::u64);
  t.set(Op::LogicalNot, Lane::mask, unary_step<InvertI, uint8_t>);
  t.set(Op::BitwiseInvert, Lane::mask, unary_step<InvertI, uint8_t>);
  return t;
}

constexpr BinaryTable make_binary() {
  BinaryTable t;
  add_binary<int8_t, uint8_t>(t, Lane::i8, Lane::u8);
  add_binary<int16_t, uint16_t>(t, Lane::i16, Lane::u16);
  add_binary<int32_t, uint32_t>(t, Lane::i32, Lane::u32);
  add_binary<int64_t, uint64_t>(t, Lane::i64, Lane::u64);
  for (Op op : {Op::Multiply, Op::Minimum, Op::BitwiseAnd, Op::LogicalAnd, Op::FloorDivide}) {
    commutative<AndI, uint8_t>(t, op, Lane::mask);
  }
  for (Op op : {Op::Add, Op::Maximum, Op::BitwiseOr, Op::LogicalOr}) {
    commutative<OrI, uint8_t>(t, op, Lane::mask);
  }
  for (Op op : {Op::Subtract, Op::BitwiseXor, Op::NotEqual}) {
    commutative<XorI, uint8_t>(t, op, Lane::mask);
  }
  for (Op op : {Op::Equal, Op::NaNEqual}) commutative<XnorM, uint8_t>(t, op, Lane::mask);
  // True is greater than false; 0 // 0 = 0, 0 % 0 = 0, 1 % 0 = 1; 0 ** 0 = 1.
  for (Op op : {Op::Greater, Op::Remainder}) directed<AndNotM, uint8_t>(t, op, Lane::mask);
  for (Op op : {Op::GreaterEqual, Op::Power}) directed<OrNotM, uint8_t>(t, op, Lane::mask);
  exchanged<AndNotM, uint8_t>(t, Op::Less, Lane::mask);
  exchanged<OrNotM, uint8_t>(t, Op::LessEqual, Lane::mask);
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

extern const ArithmeticSteps MLX_TIER_SYMBOL(integer_steps) = {find_unary, find_binary};

}  // namespace mlx::core::fuse
