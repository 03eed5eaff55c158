// The elementwise operations that the engine knows. Plain: tier files read it.
#pragma once

#include <cstdint>

namespace mlx::core::fuse {

enum class Op : uint8_t {
  // Unary. Cast converts `in` to `out`; all others keep the dtype, except
  // Abs, Real, Imag of complex64 (float32).
  Copy,
  Cast,
  Abs,
  Negative,
  Sign,
  Square,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Exp,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  ArcSin,
  ArcCos,
  ArcTan,
  Sinh,
  Cosh,
  Tanh,
  ArcSinh,
  ArcCosh,
  ArcTanh,
  Erf,
  ErfInv,
  Sigmoid,
  Floor,
  Ceil,
  Trunc,
  Round,  // half to even
  Conjugate,
  Real,
  Imag,
  LogicalNot,  // bool only
  BitwiseInvert,
  // Binary; both operands have dtype `in`.
  Add,
  Subtract,
  Multiply,
  Divide,  // inexact dtypes only
  FloorDivide,
  Remainder,
  Power,
  Maximum,
  Minimum,
  LogAddExp,
  ArcTan2,
  BitwiseAnd,
  BitwiseOr,
  BitwiseXor,
  LeftShift,
  RightShift,
  LogicalAnd,  // bool only
  LogicalOr,   // bool only
  // Binary with a bool result.
  Equal,
  NaNEqual,  // as Equal, and NaN equals NaN
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // Ternary: args[0] is a bool, args[1] and args[2] have dtype `in`.
  Select,
};

inline constexpr int op_count = static_cast<int>(Op::Select) + 1;

}  // namespace mlx::core::fuse
