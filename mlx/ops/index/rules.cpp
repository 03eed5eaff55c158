// Shape, derivative and vmap rules of the index primitives.
#include <algorithm>

#include "mlx/core/node.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/index/index.h"
#include "mlx/ops/index/primitives.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

namespace {

using Arrays = std::vector<array>;
using Axes = std::vector<int>;
using Batched = std::pair<std::vector<array>, std::vector<int>>;

[[noreturn]] void fail_indices(const Primitive& primitive) {
  fail("[", primitive.name(), "] indices have no derivative: use stop_gradient on them");
}

bool contains(const Axes& argnums, int argnum) {
  return std::find(argnums.begin(), argnums.end(), argnum) != argnums.end();
}

array tangent_or_zeros(int argnum, const Arrays& primals, const Arrays& tangents,
                       const Axes& argnums, const Stream& s) {
  const auto found = std::find(argnums.begin(), argnums.end(), argnum);
  return found == argnums.end() ? zeros_like(primals[argnum], s)
                                : tangents[found - argnums.begin()];
}

Arrays index_inputs(const Arrays& inputs, size_t count) {
  return Arrays(inputs.begin() + 1, inputs.begin() + 1 + count);
}

// The indices of a batch with the batch axis in front, and before them the
// number of the batch element: an index for the batch axis of the array.
Arrays batched_indices(const Arrays& indices, const Axes& axes, const Stream& s) {
  const ShapeElem size = batch_size(indices, axes);
  Arrays all = batch_all_to_front(indices, axes, s);
  Shape column(all[0].ndim(), 1);
  column[0] = size;
  const array number = arange(0.0, static_cast<double>(size), int64, s);
  all.insert(all.begin(), broadcast_to(reshape(number, column, s), all[0].shape(), s));
  return all;
}

bool any_batched(const Axes& axes) {
  return std::any_of(axes.begin(), axes.end(), [](int axis) { return axis >= 0; });
}

// The array of a batch: with its batch axis in front, repeated if it has none.
array batched_array(const array& a, int axis, ShapeElem size, const Stream& s) {
  if (axis >= 0) {
    return batch_to_front(a, axis, s);
  }
  Shape shape = a.shape();
  shape.insert(shape.begin(), size);
  return broadcast_to(a, shape, s);
}

}  // namespace

// Gather

std::vector<Shape> Gather::output_shapes(const Arrays& inputs) {
  Shape shape = inputs.size() > 1 ? inputs[1].shape() : Shape{};
  for (ShapeElem size : get<1>()) {
    shape.push_back(size);
  }
  return {shape};
}

Arrays Gather::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  if (argnums.size() > 1 || argnums[0] != 0) {
    fail_indices(*this);
  }
  return {
      gather(tangents[0], index_inputs(primals, get<0>().size()), get<0>(), get<1>(), stream())};
}

Arrays Gather::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                   const Arrays&) {
  if (argnums.size() > 1 || argnums[0] != 0) {
    fail_indices(*this);
  }
  return {scatter_add(zeros_like(primals[0], stream()), index_inputs(primals, get<0>().size()),
                      cotangents[0], get<0>(), stream())};
}

Batched Gather::vmap(const Arrays& inputs, const Axes& axes) {
  const Stream& s = stream();
  const Arrays indices = index_inputs(inputs, get<0>().size());
  const Axes index_axes(axes.begin() + 1, axes.end());
  if (!any_batched(index_axes)) {
    const int where = indices.empty() ? 0 : ndim_of(indices[0]);
    Shape sizes = get<1>();
    sizes.insert(sizes.begin(), inputs[0].shape(axes[0]));
    return {
        {gather(batch_to_front(inputs[0], axes[0], s), indices, shift_axes(get<0>(), 0), sizes, s)},
        {where}};
  }
  if (axes[0] < 0) {
    return {{gather(inputs[0], batch_all_to_front(indices, index_axes, s), get<0>(), get<1>(), s)},
            {0}};
  }
  Axes shifted = shift_axes(get<0>(), 0);
  shifted.insert(shifted.begin(), 0);
  Shape sizes = get<1>();
  sizes.insert(sizes.begin(), 1);
  const Arrays all = batched_indices(indices, index_axes, s);
  const array out = gather(batch_to_front(inputs[0], axes[0], s), all, shifted, sizes, s);
  return {{squeeze(out, ndim_of(all[0]), s)}, {0}};
}

// Scatter

const char* Scatter::name() const {
  switch (reduce_type_) {
    case Max:
      return "Scatter Max";
    case Min:
      return "Scatter Min";
    case Sum:
      return "Scatter Sum";
    case Prod:
      return "Scatter Prod";
    default:
      return "Scatter";
  }
}

namespace {

array scatter_as(Scatter::ReduceType reduce, const array& a, const Arrays& indices,
                 const array& updates, const Axes& axes, const Stream& s) {
  switch (reduce) {
    case Scatter::Max:
      return scatter_max(a, indices, updates, axes, s);
    case Scatter::Min:
      return scatter_min(a, indices, updates, axes, s);
    case Scatter::Sum:
      return scatter_add(a, indices, updates, axes, s);
    case Scatter::Prod:
      return scatter_prod(a, indices, updates, axes, s);
    default:
      return scatter(a, indices, updates, axes, s);
  }
}

}  // namespace

Arrays Scatter::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  const int last = static_cast<int>(primals.size()) - 1;
  for (int argnum : argnums) {
    if (argnum != 0 && argnum != last) {
      fail_indices(*this);
    }
  }
  if (reduce_type_ != None && reduce_type_ != Sum) {
    fail<std::runtime_error>("[", name(), "] has no forward derivative");
  }
  const Stream& s = stream();
  return {scatter_as(reduce_type_, tangent_or_zeros(0, primals, tangents, argnums, s),
                     index_inputs(primals, axes_.size()),
                     tangent_or_zeros(last, primals, tangents, argnums, s), axes_, s)};
}

Arrays Scatter::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                    const Arrays& outputs) {
  const Stream& s = stream();
  const int last = static_cast<int>(primals.size()) - 1;
  if (reduce_type_ == Prod) {
    fail<std::runtime_error>("[", name(), "] has no derivative");
  }
  const array& ct = cotangents[0];
  const array& updates = primals[last];
  const Arrays indices = index_inputs(primals, axes_.size());
  const size_t batch = updates.ndim() - primals[0].ndim();
  const Shape sizes(updates.shape().begin() + batch, updates.shape().end());
  auto at_places = [&](const array& a) { return gather(a, indices, axes_, sizes, s); };
  const array zero(0, ct.dtype());
  Arrays pulled;
  for (int argnum : argnums) {
    if (argnum != 0 && argnum != last) {
      fail_indices(*this);
    }
    const bool to_updates = argnum == last;
    switch (reduce_type_) {
      case None:
        pulled.push_back(to_updates ? at_places(ct)
                                    : scatter(ct, indices, zeros_like(updates, s), axes_, s));
        break;
      case Sum:
        pulled.push_back(to_updates ? at_places(ct) : ct);
        break;
      default:  // both sides of a tie
        pulled.push_back(
            to_updates ? where(equal(at_places(outputs[0]), updates, s), at_places(ct), zero, s)
                       : where(equal(primals[0], outputs[0], s), ct, zero, s));
    }
  }
  return pulled;
}

Batched Scatter::vmap(const Arrays& inputs, const Axes& axes) {
  const Stream& s = stream();
  const ShapeElem size = batch_size(inputs, axes);
  const Arrays indices = index_inputs(inputs, axes_.size());
  const Axes index_axes(axes.begin() + 1, axes.end() - 1);
  const array a = batched_array(inputs[0], axes[0], size, s);
  const array updates = batched_array(inputs.back(), axes.back(), size, s);
  Axes shifted = shift_axes(axes_, 0);
  if (!any_batched(index_axes)) {
    const int where = indices.empty() ? 0 : ndim_of(indices[0]);
    return {{scatter_as(reduce_type_, a, indices, moveaxis(updates, 0, where, s), shifted, s)},
            {0}};
  }
  const Arrays all = batched_indices(indices, index_axes, s);
  shifted.insert(shifted.begin(), 0);
  return {{scatter_as(reduce_type_, a, all, expand_dims(updates, ndim_of(all[0]), s), shifted, s)},
          {0}};
}

// GatherAxis and ScatterAxis

std::vector<Shape> GatherAxis::output_shapes(const Arrays& inputs) {
  return {inputs[1].shape()};
}

Arrays GatherAxis::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  if (contains(argnums, 1)) {
    fail_indices(*this);
  }
  return {take_along_axis(tangents[0], primals[1], get<0>(), stream())};
}

Arrays GatherAxis::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                       const Arrays&) {
  if (contains(argnums, 1)) {
    fail_indices(*this);
  }
  return {scatter_add_axis(zeros_like(primals[0], stream()), primals[1], cotangents[0], get<0>(),
                           stream())};
}

Batched GatherAxis::vmap(const Arrays& inputs, const Axes& axes) {
  const Arrays batched = batch_all_to_front(inputs, axes, stream());
  return {{take_along_axis(batched[0], batched[1], get<0>() + 1, stream())}, {0}};
}

Arrays ScatterAxis::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) {
  if (contains(argnums, 1)) {
    fail_indices(*this);
  }
  const Stream& s = stream();
  const array a = tangent_or_zeros(0, primals, tangents, argnums, s);
  const array updates = tangent_or_zeros(2, primals, tangents, argnums, s);
  return {reduce_type_ == Sum ? scatter_add_axis(a, primals[1], updates, axis_, s)
                              : put_along_axis(a, primals[1], updates, axis_, s)};
}

Arrays ScatterAxis::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                        const Arrays&) {
  const Stream& s = stream();
  const array& ct = cotangents[0];
  Arrays pulled;
  for (int argnum : argnums) {
    if (argnum == 1) {
      fail_indices(*this);
    }
    if (argnum == 2) {
      pulled.push_back(take_along_axis(ct, primals[1], axis_, s));
    } else {
      pulled.push_back(reduce_type_ == Sum
                           ? ct
                           : put_along_axis(ct, primals[1], array(0, ct.dtype()), axis_, s));
    }
  }
  return pulled;
}

Batched ScatterAxis::vmap(const Arrays& inputs, const Axes& axes) {
  const Arrays b = batch_all_to_front(inputs, axes, stream());
  return {{reduce_type_ == Sum ? scatter_add_axis(b[0], b[1], b[2], axis_ + 1, stream())
                               : put_along_axis(b[0], b[1], b[2], axis_ + 1, stream())},
          {0}};
}

}  // namespace mlx::core
