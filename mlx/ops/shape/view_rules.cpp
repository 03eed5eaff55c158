// Shape, derivative and vmap rules of the view primitives. All are linear: the
// tangent goes through the same operation, the cotangent through its transpose.
#include <algorithm>
#include <numeric>

#include "mlx/core/node.h"
#include "mlx/dtype_utils.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/primitives.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

namespace {

using Arrays = std::vector<array>;
using Axes = std::vector<int>;
using Batched = std::pair<std::vector<array>, std::vector<int>>;

Axes plus_one(Axes axes) {
  for (int& axis : axes) {
    ++axis;
  }
  return axes;
}

Shape with_front(ShapeElem first, const Shape& rest) {
  Shape shape = rest;
  shape.insert(shape.begin(), first);
  return shape;
}

// Sums what a broadcast repeated; the result has the shape of `like`.
array sum_broadcast(const array& cotangent, const array& like, const Stream& s) {
  const int missing = ndim_of(cotangent) - ndim_of(like);
  Axes axes;
  for (int i = 0; i < ndim_of(cotangent); ++i) {
    if (i < missing || (like.shape(i - missing) == 1 && cotangent.shape(i) != 1)) {
      axes.push_back(i);
    }
  }
  if (axes.empty()) {
    return cotangent;
  }
  const array total = astype(sum(cotangent, axes, true, s), cotangent.dtype(), s);
  Axes leading(missing);
  std::iota(leading.begin(), leading.end(), 0);
  return squeeze(total, leading, s);
}

// Only the first input of a broadcast has a say in the values.
Arrays broadcast_vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                     const Stream& s) {
  Arrays pulled;
  for (int argnum : argnums) {
    pulled.push_back(argnum == 0 ? sum_broadcast(cotangents[0], primals[0], s)
                                 : zeros_like(primals[argnum], s));
  }
  return pulled;
}

// Batch axes in front, followed by as many axes of size 1 as make all ranks equal.
Arrays align_ranks(const Arrays& inputs, const Axes& axes, size_t ndim, const Stream& s) {
  Arrays aligned;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool batched = axes[i] >= 0;
    const array front = batch_to_front(inputs[i], axes[i], s);
    Axes missing(ndim - (front.ndim() - batched) + !batched);
    std::iota(missing.begin(), missing.end(), batched ? 1 : 0);
    aligned.push_back(expand_dims(front, missing, s));
  }
  return aligned;
}

}  // namespace

// Shape rules

std::vector<Shape> Reshape::output_shapes(const Arrays& inputs) {
  return {output_shape(inputs[0], state())};
}
std::vector<Shape> Flatten::output_shapes(const Arrays& inputs) {
  return {output_shape(inputs[0], get<0>(), get<1>())};
}
std::vector<Shape> Unflatten::output_shapes(const Arrays& inputs) {
  return {output_shape(inputs[0], get<0>(), get<1>())};
}
std::vector<Shape> ExpandDims::output_shapes(const Arrays& inputs) {
  return {output_shape(inputs[0], get<0>())};
}
std::vector<Shape> Squeeze::output_shapes(const Arrays& inputs) {
  return {output_shape(inputs[0], get<0>())};
}
std::vector<Shape> Transpose::output_shapes(const Arrays& inputs) {
  Shape shape;
  for (int axis : get<0>()) {
    shape.push_back(inputs[0].shape(axis));
  }
  return {shape};
}
std::vector<Shape> Broadcast::output_shapes(const Arrays& inputs) {
  if (inputs.size() > 1) {
    return {output_shape(inputs)};
  }
  const Shape& shape = get<0>();
  if (inputs[0].ndim() > shape.size() || broadcast_shapes(inputs[0].shape(), shape) != shape) {
    fail("[broadcast_to] an array of shape ", inputs[0].shape(), " does not broadcast to ", shape);
  }
  return {shape};
}
std::vector<Shape> BroadcastAxes::output_shapes(const Arrays& inputs) {
  return {output_shape(inputs, get<0>())};
}

// Tangents

#define MLX_LINEAR_JVP(PRIMITIVE, TANGENT)                                                    \
  Arrays PRIMITIVE::jvp(const Arrays& primals, const Arrays& tangents, const Axes& argnums) { \
    [[maybe_unused]] const Stream& s = stream();                                              \
    const array& t = tangents[0];                                                             \
    return {TANGENT};                                                                         \
  }
MLX_LINEAR_JVP(Reshape, reshape(t, get<0>(), s))
MLX_LINEAR_JVP(Flatten, flatten(t, get<0>(), get<1>(), s))
MLX_LINEAR_JVP(Unflatten, unflatten(t, get<0>(), get<1>(), s))
MLX_LINEAR_JVP(ExpandDims, expand_dims(t, get<0>(), s))
MLX_LINEAR_JVP(Squeeze, squeeze(t, get<0>(), s))
MLX_LINEAR_JVP(Transpose, transpose(t, get<0>(), s))
MLX_LINEAR_JVP(AsStrided, as_strided(t, get<0>(), get<1>(), get<2>(), s))
MLX_LINEAR_JVP(
    AsStridedAdjoint,
    make_array(get<3>(), t.dtype(),
               std::make_shared<AsStridedAdjoint>(s, get<0>(), get<1>(), get<2>(), get<3>()), t))
MLX_LINEAR_JVP(Contiguous, t)
MLX_LINEAR_JVP(Copy, t)
MLX_LINEAR_JVP(Broadcast, argnums[0] == 0 ? broadcast_to(t, output_shapes(primals)[0], s)
                                          : zeros(output_shapes(primals)[0], primals[0].dtype(), s))
MLX_LINEAR_JVP(BroadcastAxes, argnums[0] == 0
                                  ? broadcast_to(t, output_shapes(primals)[0], s)
                                  : zeros(output_shapes(primals)[0], primals[0].dtype(), s))
#undef MLX_LINEAR_JVP

// Cotangents

#define MLX_LINEAR_VJP(PRIMITIVE, COTANGENT)                                                  \
  Arrays PRIMITIVE::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums, \
                        const Arrays&) {                                                      \
    [[maybe_unused]] const Stream& s = stream();                                              \
    const array& ct = cotangents[0];                                                          \
    [[maybe_unused]] const array& x = primals[0];                                             \
    return {COTANGENT};                                                                       \
  }
MLX_LINEAR_VJP(Reshape, reshape(ct, x.shape(), s))
MLX_LINEAR_VJP(Flatten,
               unflatten(ct, get<0>(),
                         Shape(x.shape().begin() + get<0>(), x.shape().begin() + get<1>() + 1), s))
MLX_LINEAR_VJP(Unflatten,
               flatten(ct, get<0>(), get<0>() + static_cast<int>(get<1>().size()) - 1, s))
MLX_LINEAR_VJP(ExpandDims, squeeze(ct, get<0>(), s))
MLX_LINEAR_VJP(Squeeze, expand_dims(ct, get<0>(), s))
MLX_LINEAR_VJP(AsStrided, make_array(x.shape(), ct.dtype(),
                                     std::make_shared<AsStridedAdjoint>(s, get<0>(), get<1>(),
                                                                        get<2>(), x.shape()),
                                     ct))
MLX_LINEAR_VJP(AsStridedAdjoint, as_strided(ct, get<0>(), get<1>(), get<2>(), s))
MLX_LINEAR_VJP(Contiguous, ct)
MLX_LINEAR_VJP(Copy, ct)
#undef MLX_LINEAR_VJP

Arrays Transpose::vjp(const Arrays&, const Arrays& cotangents, const Axes&, const Arrays&) {
  const Axes& axes = get<0>();
  Axes inverse(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    inverse[axes[i]] = static_cast<int>(i);
  }
  return {transpose(cotangents[0], std::move(inverse), stream())};
}

Arrays Broadcast::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                      const Arrays&) {
  return broadcast_vjp(primals, cotangents, argnums, stream());
}

Arrays BroadcastAxes::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                          const Arrays&) {
  return broadcast_vjp(primals, cotangents, argnums, stream());
}

Arrays Depends::vjp(const Arrays& primals, const Arrays& cotangents, const Axes& argnums,
                    const Arrays&) {
  Arrays pulled;
  for (int argnum : argnums) {
    pulled.push_back(argnum < static_cast<int>(cotangents.size())
                         ? cotangents[argnum]
                         : zeros_like(primals[argnum], stream()));
  }
  return pulled;
}

// Batches. The batch axis goes to the front, except where it can stay.

#define MLX_BATCH_IN_FRONT(PRIMITIVE, BATCHED)                      \
  Batched PRIMITIVE::vmap(const Arrays& inputs, const Axes& axes) { \
    const Stream& s = stream();                                     \
    const array x = batch_to_front(inputs[0], axes[0], s);          \
    return {{BATCHED}, {0}};                                        \
  }
MLX_BATCH_IN_FRONT(Reshape, reshape(x, with_front(x.shape(0), get<0>()), s))
MLX_BATCH_IN_FRONT(Flatten, flatten(x, get<0>() + 1, get<1>() + 1, s))
MLX_BATCH_IN_FRONT(Unflatten, unflatten(x, get<0>() + 1, get<1>(), s))
MLX_BATCH_IN_FRONT(ExpandDims, expand_dims(x, plus_one(get<0>()), s))
MLX_BATCH_IN_FRONT(Squeeze, squeeze(x, plus_one(get<0>()), s))
#undef MLX_BATCH_IN_FRONT

#define MLX_BATCH_ANYWHERE(PRIMITIVE, BATCHED)                      \
  Batched PRIMITIVE::vmap(const Arrays& inputs, const Axes& axes) { \
    return {{BATCHED}, axes};                                       \
  }
MLX_BATCH_ANYWHERE(Contiguous, contiguous(inputs[0], get<0>(), stream()))
MLX_BATCH_ANYWHERE(Copy, copy(inputs[0], stream()))
MLX_BATCH_ANYWHERE(StopGradient, stop_gradient(inputs[0], stream()))
#undef MLX_BATCH_ANYWHERE

Batched View::vmap(const Arrays& inputs, const Axes& axes) {
  // Sizes may change, which happens along the last axis.
  return {{view(batch_to_front(inputs[0], axes[0], stream()), get<0>(), stream())}, {0}};
}

Batched Transpose::vmap(const Arrays& inputs, const Axes& axes) {
  Axes permutation = shift_axes(get<0>(), axes[0]);
  permutation.insert(permutation.begin(), axes[0]);
  return {{transpose(inputs[0], std::move(permutation), stream())}, {0}};
}

Batched Broadcast::vmap(const Arrays& inputs, const Axes& axes) {
  const Stream& s = stream();
  const Arrays aligned = align_ranks(inputs, axes, get<0>().size(), s);
  if (inputs.size() > 1) {
    return {{broadcast_arrays(aligned, s)[0]}, {0}};
  }
  return {{broadcast_to(aligned[0], with_front(aligned[0].shape(0), get<0>()), s)}, {0}};
}

Batched BroadcastAxes::vmap(const Arrays& inputs, const Axes& axes) {
  size_t ndim = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ndim = std::max(ndim, inputs[i].ndim() - (axes[i] >= 0));
  }
  const Arrays aligned = align_ranks(inputs, axes, ndim, stream());
  return {{broadcast_arrays(aligned, get<0>(), stream())[0]}, {0}};
}

Batched AsStrided::vmap(const Arrays& inputs, const Axes& axes) {
  // One more stride leads from one flat input to the next.
  const array x = batch_to_front(inputs[0], axes[0], stream());
  Strides strides = get<1>();
  strides.insert(strides.begin(), x.shape(1));
  return {{as_strided(x, with_front(x.shape(0), get<0>()), std::move(strides), get<2>(), stream())},
          {0}};
}

Batched AsStridedAdjoint::vmap(const Arrays& inputs, const Axes& axes) {
  const array x = batch_to_front(inputs[0], axes[0], stream());
  const ShapeElem size = get<3>()[0];
  Strides strides = get<1>();
  strides.insert(strides.begin(), size);
  auto primitive =
      std::make_shared<AsStridedAdjoint>(stream(), with_front(x.shape(0), get<0>()),
                                         std::move(strides), get<2>(), Shape{x.shape(0) * size});
  const array flat = make_array(Shape{x.shape(0) * size}, x.dtype(), std::move(primitive), x);
  return {{unflatten(flat, 0, {x.shape(0), size}, stream())}, {0}};
}

Batched NumberOfElements::vmap(const Arrays& inputs, const Axes& axes) {
  return {
      {number_of_elements(inputs[0], shift_axes(get<0>(), axes[0]), get<1>(), get<2>(), stream())},
      {-1}};
}

View::View(Stream stream, Dtype dtype)
    : StatefulPrimitive(stream, dtype), name_(std::string("View ") + dtype_to_string(dtype)) {}

}  // namespace mlx::core
