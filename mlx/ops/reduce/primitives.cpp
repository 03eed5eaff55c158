// Rules of the reduce family: derivatives, batching, shapes, equality.
// Evaluation is in cpu.cpp.
#include "mlx/ops/reduce/primitives.h"

#include <algorithm>

#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

namespace {

std::vector<Shape> reduced(const Shape& in, const std::vector<int>& axes) {
  Shape shape = in;
  for (int axis : axes) {
    shape[axis] = 1;
  }
  return {shape};
}

// Ones where `a` equals the extreme, shared among ties.
array tie_weights(const array& a, const array& extreme, const std::vector<int>& axes, Dtype dtype,
                  const Stream& s) {
  const array ties = astype(equal(a, extreme, s), dtype, s);
  return divide(ties, sum(ties, axes, true, s), s);
}

// Products of all elements but the one itself, by exclusive products from both
// ends along one merged axis; right where elements are zero.
array products_of_others(const array& a, const std::vector<int>& axes, const Stream& s) {
  const int ndim = static_cast<int>(a.ndim());
  std::vector<int> order;
  for (int i = 0; i < ndim; ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) {
      order.push_back(i);
    }
  }
  const int kept = static_cast<int>(order.size());
  order.insert(order.end(), axes.begin(), axes.end());
  const array permuted = transpose(a, order, s);
  array rows = flatten(permuted, kept, -1, s);
  const int axis = kept;
  const ShapeElem n = rows.shape()[axis];

  // Doubling: after step k an element holds the product of the 2^k before it.
  auto shifted = [&](const array& x, ShapeElem by, bool forward) {
    Shape start(x.ndim(), 0);
    Shape stop = x.shape();
    Shape pad_shape = x.shape();
    pad_shape[axis] = std::min(by, n);
    const array pad = ones(pad_shape, x.dtype(), s);
    if (by >= n) {
      return pad;
    }
    if (forward) {
      stop[axis] = n - by;
      return concatenate({pad, slice(x, start, stop, s)}, axis, s);
    }
    start[axis] = by;
    return concatenate({slice(x, start, stop, s), pad}, axis, s);
  };
  auto exclusive = [&](bool forward) {
    array product = shifted(rows, 1, forward);
    for (ShapeElem step = 1; step < n; step *= 2) {
      product = multiply(product, shifted(product, step, forward), s);
    }
    return product;
  };
  array others = n > 0 ? multiply(exclusive(true), exclusive(false), s) : rows;
  others = reshape(others, permuted.shape(), s);
  std::vector<int> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[order[i]] = static_cast<int>(i);
  }
  return transpose(others, inverse, s);
}

array as_cotangent(const array& a, Dtype dtype, const Stream& s) {
  return astype(a, dtype, s);
}

}  // namespace

// Reduce

const char* Reduce::name() const {
  static constexpr const char* names[] = {"And", "Or", "Sum", "Prod", "Min", "Max"};
  return names[type_];
}

bool Reduce::is_equivalent(const Primitive& other) const {
  const auto& reduce = static_cast<const Reduce&>(other);
  return type_ == reduce.type_ && axes_ == reduce.axes_ && wide_ == reduce.wide_;
}

std::vector<Shape> Reduce::output_shapes(const std::vector<array>& inputs) {
  return reduced(inputs[0].shape(), axes_);
}

std::vector<array> Reduce::vjp(const std::vector<array>& primals,
                               const std::vector<array>& cotangents, const std::vector<int>&,
                               const std::vector<array>& outputs) {
  const Stream s = stream();
  const array& a = primals[0];
  const array& cotangent = cotangents[0];
  switch (type_) {
    case And:
    case Or:
      return {zeros(a.shape(), a.dtype(), s)};
    case Sum:
      return {as_cotangent(broadcast_to(cotangent, a.shape(), s), a.dtype(), s)};
    case Prod: {
      const array values = astype(a, cotangent.dtype(), s);
      return {
          as_cotangent(multiply(conjugate(products_of_others(values, axes_, s), s), cotangent, s),
                       a.dtype(), s)};
    }
    case Min:
    case Max: {
      const Dtype dtype = issubdtype(a.dtype(), inexact) ? a.dtype() : float32;
      return {as_cotangent(multiply(tie_weights(a, outputs[0], axes_, dtype, s), cotangent, s),
                           a.dtype(), s)};
    }
  }
  return {};
}

std::vector<array> Reduce::jvp(const std::vector<array>& primals,
                               const std::vector<array>& tangents, const std::vector<int>&) {
  const Stream s = stream();
  const array& a = primals[0];
  const array& tangent = tangents[0];
  const Shape out = output_shapes(primals)[0];
  switch (type_) {
    case And:
    case Or:
      return {zeros(out, bool_, s)};
    case Sum:
      if (wide_) {
        return {array(out, *wide_, std::make_shared<Reduce>(s, axes_, *wide_), {tangent})};
      }
      return {sum(tangent, axes_, true, s)};
    case Prod:
      return {sum(multiply(products_of_others(a, axes_, s), tangent, s), axes_, true, s)};
    case Min:
    case Max: {
      const Dtype dtype = issubdtype(a.dtype(), inexact) ? a.dtype() : float32;
      const array extreme = type_ == Min ? min(a, axes_, true, s) : max(a, axes_, true, s);
      return {sum(multiply(tie_weights(a, extreme, axes_, dtype, s), tangent, s), axes_, true, s)};
    }
  }
  return {};
}

std::pair<std::vector<array>, std::vector<int>> Reduce::vmap(const std::vector<array>& inputs,
                                                             const std::vector<int>& axes) {
  const Stream s = stream();
  const std::vector<int> shifted = shift_axes(axes_, axes[0]);
  if (wide_) {
    return {{array(reduced(inputs[0].shape(), shifted)[0], *wide_,
                   std::make_shared<Reduce>(s, shifted, *wide_), {inputs[0]})},
            axes};
  }
  const Dtype dtype = [&] {
    if (type_ == And || type_ == Or) {
      return bool_;
    }
    if (type_ == Min || type_ == Max) {
      return inputs[0].dtype();
    }
    return sum(zeros({1}, inputs[0].dtype(), s), s).dtype();
  }();
  return {{array(reduced(inputs[0].shape(), shifted)[0], dtype,
                 std::make_shared<Reduce>(s, type_, shifted), {inputs[0]})},
          axes};
}

// ArgReduce

bool ArgReduce::is_equivalent(const Primitive& other) const {
  const auto& reduce = static_cast<const ArgReduce&>(other);
  return type_ == reduce.type_ && axis_ == reduce.axis_;
}

std::vector<Shape> ArgReduce::output_shapes(const std::vector<array>& inputs) {
  return reduced(inputs[0].shape(), {axis_});
}

std::vector<array> ArgReduce::vjp(const std::vector<array>& primals, const std::vector<array>&,
                                  const std::vector<int>&, const std::vector<array>&) {
  return {zeros(primals[0].shape(), primals[0].dtype(), stream())};
}

std::vector<array> ArgReduce::jvp(const std::vector<array>& primals, const std::vector<array>&,
                                  const std::vector<int>&) {
  return {zeros(output_shapes(primals)[0], uint32, stream())};
}

std::pair<std::vector<array>, std::vector<int>> ArgReduce::vmap(const std::vector<array>& inputs,
                                                                const std::vector<int>& axes) {
  const int axis = shift_axis(axis_, axes[0]);
  return {{array(reduced(inputs[0].shape(), {axis})[0], uint32,
                 std::make_shared<ArgReduce>(stream(), type_, axis), {inputs[0]})},
          axes};
}

// Variance

namespace {

double deviations_divisor(const array& a, const std::vector<int>& axes, int ddof) {
  int64_t count = 1;
  for (int axis : axes) {
    count *= a.shape()[axis];
  }
  return static_cast<double>(std::max<int64_t>(count - ddof, 0));
}

}  // namespace

std::vector<Shape> Variance::output_shapes(const std::vector<array>& inputs) {
  return reduced(inputs[0].shape(), get<0>());
}

// d var = 2 / divisor * sum Re(conj(x - mean) dx)
std::vector<array> Variance::vjp(const std::vector<array>& primals,
                                 const std::vector<array>& cotangents, const std::vector<int>&,
                                 const std::vector<array>&) {
  const Stream s = stream();
  const array& a = primals[0];
  const array centred = subtract(a, mean(a, get<0>(), true, s), s);
  const array scale = array(2.0 / deviations_divisor(a, get<0>(), get<1>()), cotangents[0].dtype());
  return {as_cotangent(multiply(centred, multiply(cotangents[0], scale, s), s), a.dtype(), s)};
}

std::vector<array> Variance::jvp(const std::vector<array>& primals,
                                 const std::vector<array>& tangents, const std::vector<int>&) {
  const Stream s = stream();
  const array& a = primals[0];
  const array centred = subtract(a, mean(a, get<0>(), true, s), s);
  const array total =
      real(sum(multiply(conjugate(centred, s), tangents[0], s), get<0>(), true, s), s);
  return {
      multiply(total, array(2.0 / deviations_divisor(a, get<0>(), get<1>()), total.dtype()), s)};
}

std::pair<std::vector<array>, std::vector<int>> Variance::vmap(const std::vector<array>& inputs,
                                                               const std::vector<int>& axes) {
  const std::vector<int> shifted = shift_axes(get<0>(), axes[0]);
  const Dtype dtype = inputs[0].dtype() == complex64 ? float32 : inputs[0].dtype();
  return {{array(reduced(inputs[0].shape(), shifted)[0], dtype,
                 std::make_shared<Variance>(stream(), shifted, get<1>()), {inputs[0]})},
          axes};
}

// LogSumExp and Softmax

namespace {

// The batch axis out of the last place, where the rows are.
std::pair<array, int> rows_last(const array& a, int axis, const Stream& s) {
  if (axis != static_cast<int>(a.ndim()) - 1) {
    return {a, axis};
  }
  return {moveaxis(a, axis, 0, s), 0};
}

}  // namespace

std::vector<Shape> LogSumExp::output_shapes(const std::vector<array>& inputs) {
  return reduced(inputs[0].shape(), {static_cast<int>(inputs[0].ndim()) - 1});
}

std::vector<array> LogSumExp::vjp(const std::vector<array>& primals,
                                  const std::vector<array>& cotangents, const std::vector<int>&,
                                  const std::vector<array>&) {
  const Stream s = stream();
  return {multiply(softmax(primals[0], std::vector<int>{-1}, true, s), cotangents[0], s)};
}

std::vector<array> LogSumExp::jvp(const std::vector<array>& primals,
                                  const std::vector<array>& tangents, const std::vector<int>&) {
  const Stream s = stream();
  const array weights = softmax(primals[0], std::vector<int>{-1}, true, s);
  return {sum(multiply(weights, tangents[0], s), std::vector<int>{-1}, true, s)};
}

std::pair<std::vector<array>, std::vector<int>> LogSumExp::vmap(const std::vector<array>& inputs,
                                                                const std::vector<int>& axes) {
  const Stream s = stream();
  auto [rows, axis] = rows_last(inputs[0], axes[0], s);
  return {{array(output_shapes({rows})[0], rows.dtype(), stateless<LogSumExp>(s), {rows})}, {axis}};
}

// y * (c - sum(c * y)) for the output y and the cotangent or tangent c.
static array softmax_derivative(const array& y, const array& c, const Stream& s) {
  const array weighted = multiply(y, c, s);
  return subtract(weighted, multiply(y, sum(weighted, std::vector<int>{-1}, true, s), s), s);
}

std::vector<array> Softmax::vjp(const std::vector<array>&, const std::vector<array>& cotangents,
                                const std::vector<int>&, const std::vector<array>& outputs) {
  return {softmax_derivative(outputs[0], cotangents[0], stream())};
}

std::vector<array> Softmax::jvp(const std::vector<array>& primals,
                                const std::vector<array>& tangents, const std::vector<int>&) {
  const Stream s = stream();
  return {
      softmax_derivative(softmax(primals[0], std::vector<int>{-1}, get<0>(), s), tangents[0], s)};
}

std::pair<std::vector<array>, std::vector<int>> Softmax::vmap(const std::vector<array>& inputs,
                                                              const std::vector<int>& axes) {
  const Stream s = stream();
  auto [rows, axis] = rows_last(inputs[0], axes[0], s);
  return {{array(rows.shape(), rows.dtype(), std::make_shared<Softmax>(s, get<0>()), {rows})},
          {axis}};
}

}  // namespace mlx::core
