// Shape rules, derivatives, batching and evaluation of matrix products.
#include "mlx/ops/matmul/primitives.h"

#include <algorithm>

#include "mlx/core/node.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/matmul/gemm.h"
#include "mlx/ops/matmul/matmul.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {
namespace {

// The transpose of the matrices, conjugated where complex.
array adjoint(const array& a, const Stream& s) {
  return swapaxes(conjugate(a, s), -1, -2, s);
}

array scale(const array& a, float factor, const Stream& s) {
  return factor == 1.0f ? a : multiply(array(factor, a.dtype()), a, s);
}

Shape product_shape(const array& a, const array& b) {
  Shape shape = a.shape();
  shape.back() = b.shape(-1);
  return shape;
}

gemm::Operand operand(const array& a) {
  const Strides& strides = a.strides();
  const size_t n = strides.size();
  return {a.data<void>(), strides[n - 2], strides[n - 1], strides.data()};
}

void multiply_into(const array& a, const array& b, const array* c, double alpha, double beta,
                   array& out) {
  allocate_output(out);
  if (out.size() == 0) return;
  gemm::Product p;
  p.dtype = out.dtype().val();
  p.m = a.shape(-2);
  p.k = a.shape(-1);
  p.n = b.shape(-1);
  p.a = operand(a);
  p.b = operand(b);
  if (c != nullptr) p.c0 = operand(*c);
  p.alpha = alpha;
  p.beta = beta;
  p.batch_ndim = static_cast<int>(a.ndim()) - 2;
  p.batch_shape = a.shape().data();
  p.c = {out.data<void>(), p.n, 1, out.strides().data()};
  gemm::multiply(p);
}

// Batch axes first. An operand without one is left as it is: its axes align
// with the last ones of the others, as broadcasting wants.
std::vector<array> batched(const std::vector<array>& inputs, const std::vector<int>& axes,
                           const Stream& s) {
  std::vector<array> moved;
  moved.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    moved.push_back(batch_to_front(inputs[i], axes[i], s));
  }
  return moved;
}

}  // namespace

// ---- Matmul --------------------------------------------------------------

void Matmul::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  multiply_into(inputs[0], inputs[1], nullptr, 1.0, 0.0, outputs[0]);
}

std::vector<Shape> Matmul::output_shapes(const std::vector<array>& inputs) {
  return {product_shape(inputs[0], inputs[1])};
}

std::vector<array> Matmul::vjp(const std::vector<array>& primals,
                               const std::vector<array>& cotangents,
                               const std::vector<int>& argnums, const std::vector<array>&) {
  const array& g = cotangents[0];
  std::vector<array> vjps;
  for (int arg : argnums) {
    vjps.push_back(arg == 0 ? matmul(g, adjoint(primals[1], stream()), stream())
                            : matmul(adjoint(primals[0], stream()), g, stream()));
  }
  return vjps;
}

std::vector<array> Matmul::jvp(const std::vector<array>& primals,
                               const std::vector<array>& tangents,
                               const std::vector<int>& argnums) {
  auto term = [&](size_t i) {
    return argnums[i] == 0 ? matmul(tangents[i], primals[1], stream())
                           : matmul(primals[0], tangents[i], stream());
  };
  array sum = term(0);
  for (size_t i = 1; i < argnums.size(); ++i) sum = add(sum, term(i), stream());
  return {sum};
}

std::pair<std::vector<array>, std::vector<int>> Matmul::vmap(const std::vector<array>& inputs,
                                                             const std::vector<int>& axes) {
  const std::vector<array> moved = batched(inputs, axes, stream());
  return {{matmul(moved[0], moved[1], stream())}, {0}};
}

// ---- AddMM ---------------------------------------------------------------

void AddMM::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  multiply_into(inputs[0], inputs[1], &inputs[2], get<0>(), get<1>(), outputs[0]);
}

std::vector<Shape> AddMM::output_shapes(const std::vector<array>& inputs) {
  return {product_shape(inputs[0], inputs[1])};
}

std::vector<array> AddMM::vjp(const std::vector<array>& primals,
                              const std::vector<array>& cotangents, const std::vector<int>& argnums,
                              const std::vector<array>&) {
  const array& g = cotangents[0];
  const Stream& s = stream();
  std::vector<array> vjps;
  for (int arg : argnums) {
    if (arg == 0) {
      vjps.push_back(scale(matmul(g, adjoint(primals[1], s), s), get<0>(), s));
    } else if (arg == 1) {
      vjps.push_back(scale(matmul(adjoint(primals[0], s), g, s), get<0>(), s));
    } else {
      vjps.push_back(scale(g, get<1>(), s));
    }
  }
  return vjps;
}

std::vector<array> AddMM::jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                              const std::vector<int>& argnums) {
  const Stream& s = stream();
  auto term = [&](size_t i) {
    if (argnums[i] == 2) return scale(tangents[i], get<1>(), s);
    return scale(
        argnums[i] == 0 ? matmul(tangents[i], primals[1], s) : matmul(primals[0], tangents[i], s),
        get<0>(), s);
  };
  array sum = term(0);
  for (size_t i = 1; i < argnums.size(); ++i) sum = add(sum, term(i), s);
  return {sum};
}

std::pair<std::vector<array>, std::vector<int>> AddMM::vmap(const std::vector<array>& inputs,
                                                            const std::vector<int>& axes) {
  std::vector<array> moved = batched(inputs, axes, stream());
  if (axes[0] < 0 && axes[1] < 0) {
    // addmm does not let c enlarge the product.
    Shape shape = inputs[0].shape();
    shape.insert(shape.begin(), batch_size(inputs, axes));
    moved[0] = broadcast_to(moved[0], shape, stream());
  }
  return {{addmm(moved[2], moved[0], moved[1], get<0>(), get<1>(), stream())}, {0}};
}

}  // namespace mlx::core
