// Transformations of the elementwise primitives, and the primitives that nodes
// share. Derivative formulas are in derivatives.cpp, evaluation is in cpu.cpp.
#include "mlx/ops/elementwise/primitives.h"

#include <array>
#include <optional>

#include "mlx/core/node.h"
#include "mlx/core/per_thread.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/derivatives.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/errors.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

namespace {

using fuse::Op;

std::shared_ptr<Primitive> make_primitive(Op op, const Stream& s) {
  switch (op) {
#define MLX_CASE(NAME) \
  case Op::NAME:       \
    return std::make_shared<NAME>(s);
    MLX_ELEMENTWISE_PRIMITIVES(MLX_CASE)
#undef MLX_CASE
    case Op::Copy:
      return std::make_shared<Full>(s);
    case Op::Sqrt:
    case Op::Rsqrt:
      return std::make_shared<Sqrt>(s, op == Op::Rsqrt);
    case Op::Log:
      return std::make_shared<Log>(s, Log::e);
    case Op::Log2:
      return std::make_shared<Log>(s, Log::two);
    case Op::Log10:
      return std::make_shared<Log>(s, Log::ten);
    case Op::Equal:
    case Op::NaNEqual:
      return std::make_shared<Equal>(s, op == Op::NaNEqual);
    case Op::BitwiseAnd:
    case Op::BitwiseOr:
    case Op::BitwiseXor:
    case Op::LeftShift:
    case Op::RightShift:
      return std::make_shared<BitwiseBinary>(
          s,
          static_cast<BitwiseBinary::Op>(static_cast<int>(op) - static_cast<int>(Op::BitwiseAnd)));
    default:
      throw std::logic_error(std::string("no primitive stands for ") + fuse::name(op));
  }
}

array as_dtype(array a, Dtype dtype, const Stream& s) {
  return a.dtype() == dtype ? a : astype(std::move(a), dtype, s);
}

}  // namespace

const std::shared_ptr<Primitive>& elementwise_primitive(Op op, const Stream& s) {
  using Table = std::array<std::shared_ptr<Primitive>, fuse::op_count>;
  std::shared_ptr<Primitive>& entry = per_thread<Table>()[static_cast<size_t>(op)];
  if (!entry || !(entry->stream() == s)) [[unlikely]] {
    static constexpr char kind = 0;
    entry = shared_primitive(&kind, static_cast<int>(op), s, [&] { return make_primitive(op, s); });
  }
  return entry;
}

const std::shared_ptr<Primitive>& cast_primitive(Dtype dtype, const Stream& s) {
  using Table = std::array<std::shared_ptr<Primitive>, 14>;  // one per dtype
  std::shared_ptr<Primitive>& entry = per_thread<Table>()[static_cast<size_t>(dtype.val())];
  if (!entry || !(entry->stream() == s)) [[unlikely]] {
    static constexpr char kind = 0;
    entry = shared_primitive(&kind, static_cast<int>(dtype.val()), s,
                             [&] { return std::make_shared<AsType>(s, dtype); });
  }
  return entry;
}

array elementwise_node(Op op, std::span<array> inputs, const Stream& s) {
  const array& like = inputs.back();
  return make_array(like.shape(), elementwise_dtype(op, like.dtype()), elementwise_primitive(op, s),
                    inputs);
}

std::vector<Shape> ElementwisePrimitive::output_shapes(const std::vector<array>& inputs) {
  // A graph that is replayed with other shapes may have lost a broadcast.
  for (const array& in : inputs) {
    if (in.shape() != inputs[0].shape()) {
      fail("[", name(), "] operands need one shape: got ", inputs[0].shape(), " and ", in.shape());
    }
  }
  return {inputs[0].shape()};
}

std::vector<array> ElementwisePrimitive::jvp(const std::vector<array>& primals,
                                             const std::vector<array>& tangents,
                                             const std::vector<int>& argnums) {
  const ElementwiseDerivative& derivative = elementwise_derivative(op_);
  std::vector<array> operands = primals;
  const array output = elementwise_node(op_, operands, stream());
  std::optional<array> total;
  for (size_t i = 0; i < argnums.size(); ++i) {
    if (TangentRule rule = derivative.tangent[argnums[i]]) {
      array term = as_dtype(rule(tangents[i], primals, output, stream()), output.dtype(), stream());
      total = total ? add(*total, term, stream()) : term;
    }
  }
  return {total ? *total : zeros_like(output, stream())};
}

std::vector<array> ElementwisePrimitive::vjp(const std::vector<array>& primals,
                                             const std::vector<array>& cotangents,
                                             const std::vector<int>& argnums,
                                             const std::vector<array>& outputs) {
  const ElementwiseDerivative& derivative = elementwise_derivative(op_);
  const Stream& s = stream();
  std::vector<array> pulled;
  for (int argnum : argnums) {
    const array& primal = primals[argnum];
    TangentRule rule = derivative.tangent[argnum];
    if (rule == nullptr) {
      pulled.push_back(zeros_like(primal, s));
    } else if (derivative.cotangent != nullptr) {
      pulled.push_back(
          as_dtype(derivative.cotangent(cotangents[0], primals, outputs[0], s), primal.dtype(), s));
    } else {
      array value = rule(conjugate(cotangents[0], s), primals, outputs[0], s);
      pulled.push_back(as_dtype(conjugate(value, s), primal.dtype(), s));
    }
  }
  return pulled;
}

std::pair<std::vector<array>, std::vector<int>> ElementwisePrimitive::vmap(
    const std::vector<array>& inputs, const std::vector<int>& axes) {
  auto [aligned, axis] = align_batch_axes(inputs, axes, stream());
  aligned = broadcast_arrays(aligned, stream());
  return {{elementwise_node(op_, aligned, stream())}, {axis}};
}

std::vector<array> AsType::jvp(const std::vector<array>&, const std::vector<array>& tangents,
                               const std::vector<int>&) {
  return {astype(tangents[0], dtype_, stream())};
}

std::vector<array> AsType::vjp(const std::vector<array>& primals,
                               const std::vector<array>& cotangents, const std::vector<int>&,
                               const std::vector<array>&) {
  return {astype(cotangents[0], primals[0].dtype(), stream())};
}

std::pair<std::vector<array>, std::vector<int>> AsType::vmap(const std::vector<array>& inputs,
                                                             const std::vector<int>& axes) {
  return {{astype(inputs[0], dtype_, stream())}, axes};
}

// The quotient is constant almost everywhere; the remainder is a - q * b.

std::vector<array> DivMod::jvp(const std::vector<array>& primals,
                               const std::vector<array>& tangents,
                               const std::vector<int>& argnums) {
  Remainder remainder(stream());
  return {zeros_like(primals[0], stream()), remainder.jvp(primals, tangents, argnums)[0]};
}

std::vector<array> DivMod::vjp(const std::vector<array>& primals,
                               const std::vector<array>& cotangents,
                               const std::vector<int>& argnums, const std::vector<array>& outputs) {
  Remainder remainder(stream());
  return remainder.vjp(primals, {cotangents[1]}, argnums, {outputs[1]});
}

std::pair<std::vector<array>, std::vector<int>> DivMod::vmap(const std::vector<array>& inputs,
                                                             const std::vector<int>& axes) {
  auto [aligned, axis] = align_batch_axes(inputs, axes, stream());
  return {divmod(aligned[0], aligned[1], stream()), {axis, axis}};
}

}  // namespace mlx::core
