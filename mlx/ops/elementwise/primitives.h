// Primitives of the elementwise family: an operation code of the engine
// (mlx/fuse/engine.h) and a stream. Their derivative rules are the table in
// derivatives.cpp; functions that build the nodes are in elementwise.h.
#pragma once

#include "mlx/core/primitive.h"
#include "mlx/dtype.h"
#include "mlx/fuse/engine.h"

namespace mlx::core {

/// One engine operation. Inputs have the shape of the output and, but for the
/// condition of Select, one dtype: broadcasts and casts are nodes of their own.
class MLX_API ElementwisePrimitive : public BuiltinPrimitive {
 public:
  ElementwisePrimitive(Stream stream, fuse::Op op) : BuiltinPrimitive(stream), op_(op) {}

  fuse::Op op() const { return op_; }
  int elementwise_op() const final { return static_cast<int>(op_); }
  const char* name() const override { return fuse::name(op_); }
  bool is_equivalent(const Primitive& other) const override {
    return other.elementwise_op() == elementwise_op();
  }

  void evaluate(std::span<const array> inputs, std::span<array> outputs) override;
  std::vector<array> jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                         const std::vector<int>& argnums) override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums,
                         const std::vector<array>& outputs) override;
  std::pair<std::vector<array>, std::vector<int>> vmap(const std::vector<array>& inputs,
                                                       const std::vector<int>& axes) override;
  std::vector<Shape> output_shapes(const std::vector<array>& inputs) override;

 private:
  fuse::Op op_;
};

// The stateless classes, named as their operations.
#define MLX_ELEMENTWISE_PRIMITIVES(X)                                                              \
  X(Abs)                                                                                           \
  X(Add) X(ArcCos) X(ArcCosh) X(ArcSin) X(ArcSinh) X(ArcTan) X(ArcTan2) X(ArcTanh)                 \
      X(BitwiseInvert) X(Ceil) X(Conjugate) X(Cos) X(Cosh) X(Divide) X(Erf) X(ErfInv) X(Exp)       \
          X(Expm1) X(Floor) X(FloorDivide) X(Greater) X(GreaterEqual) X(Imag) X(Less) X(LessEqual) \
              X(Log1p) X(LogAddExp) X(LogicalAnd) X(LogicalNot) X(LogicalOr) X(Maximum) X(Minimum) \
                  X(Multiply) X(Negative) X(NotEqual) X(Power) X(Real) X(Remainder) X(Round)       \
                      X(Select) X(Sigmoid) X(Sign) X(Sin) X(Sinh) X(Square) X(Subtract) X(Tan)     \
                          X(Tanh) X(Trunc)

#define MLX_DECLARE_ELEMENTWISE(NAME)                                              \
  class MLX_API NAME : public ElementwisePrimitive {                               \
   public:                                                                         \
    explicit NAME(Stream stream) : ElementwisePrimitive(stream, fuse::Op::NAME) {} \
  };
MLX_ELEMENTWISE_PRIMITIVES(MLX_DECLARE_ELEMENTWISE)
#undef MLX_DECLARE_ELEMENTWISE

// The classes that stand for several operations; their state tells which.

class MLX_API BitwiseBinary : public ElementwisePrimitive {
 public:
  enum Op { And, Or, Xor, LeftShift, RightShift };
  explicit BitwiseBinary(Stream stream, Op op)
      : ElementwisePrimitive(stream, static_cast<fuse::Op>(static_cast<int>(fuse::Op::BitwiseAnd) +
                                                           static_cast<int>(op))) {}
  Op state() const {
    return static_cast<Op>(elementwise_op() - static_cast<int>(fuse::Op::BitwiseAnd));
  }
};

class MLX_API Equal : public ElementwisePrimitive {
 public:
  explicit Equal(Stream stream, bool equal_nan = false)
      : ElementwisePrimitive(stream, equal_nan ? fuse::Op::NaNEqual : fuse::Op::Equal) {}
  bool state() const { return op() == fuse::Op::NaNEqual; }
};

class MLX_API Log : public ElementwisePrimitive {
 public:
  enum Base { two, ten, e };
  explicit Log(Stream stream, Base base)
      : ElementwisePrimitive(stream, base == two   ? fuse::Op::Log2
                                     : base == ten ? fuse::Op::Log10
                                                   : fuse::Op::Log) {}
  Base state() const { return op() == fuse::Op::Log2 ? two : op() == fuse::Op::Log10 ? ten : e; }
};

class MLX_API Sqrt : public ElementwisePrimitive {
 public:
  explicit Sqrt(Stream stream, bool recip = false)
      : ElementwisePrimitive(stream, recip ? fuse::Op::Rsqrt : fuse::Op::Sqrt) {}
  bool state() const { return op() == fuse::Op::Rsqrt; }
};

/// Writes out its input, a broadcast value.
class MLX_API Full : public ElementwisePrimitive {
 public:
  explicit Full(Stream stream) : ElementwisePrimitive(stream, fuse::Op::Copy) {}
  DEFINE_NAME(Full)
};

class MLX_API AsType : public ElementwisePrimitive {
 public:
  explicit AsType(Stream stream, Dtype dtype)
      : ElementwisePrimitive(stream, fuse::Op::Cast), dtype_(dtype) {}
  const char* name() const override { return "AsType"; }
  bool is_equivalent(const Primitive& other) const override {
    return dtype_ == static_cast<const AsType&>(other).dtype_;
  }
  Dtype state() const { return dtype_; }
  std::vector<array> jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                         const std::vector<int>& argnums) override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums,
                         const std::vector<array>& outputs) override;
  DEFINE_VMAP()

 private:
  Dtype dtype_;
};

/// Floored quotient and remainder.
class MLX_API DivMod : public BuiltinPrimitive {
 public:
  explicit DivMod(Stream stream) : BuiltinPrimitive(stream) {}
  DEFINE_NAME(DivMod)
  DEFINE_DEFAULT_IS_EQUIVALENT()
  DEFINE_GRADS()
  DEFINE_VMAP()
  void evaluate(std::span<const array> inputs, std::span<array> outputs) override;
  std::vector<Shape> output_shapes(const std::vector<array>& inputs) override {
    return {inputs[0].shape(), inputs[0].shape()};
  }
};

/// The dtype that `op` gives for operands of dtype `in`; not for casts.
inline Dtype elementwise_dtype(fuse::Op op, Dtype in) {
  if (op >= fuse::Op::Equal && op <= fuse::Op::GreaterEqual) {
    return bool_;
  }
  if (in == complex64 && (op == fuse::Op::Abs || op == fuse::Op::Real || op == fuse::Op::Imag)) {
    return float32;
  }
  return in;
}

/// The primitive of an operation (not a cast) on a stream. A thread's nodes
/// share it, so that creating a node allocates no primitive.
const std::shared_ptr<Primitive>& elementwise_primitive(fuse::Op op, const Stream& s);

const std::shared_ptr<Primitive>& cast_primitive(Dtype dtype, const Stream& s);

/// The node that applies `op` to inputs of equal shapes and the right dtypes.
array elementwise_node(fuse::Op op, std::span<array> inputs, const Stream& s);

}  // namespace mlx::core
