// The few operations that the core's walkers need from the families above it.
// Declared here, defined in mlx/wiring.cpp.
#pragma once

#include "mlx/array.h"

namespace mlx::core::graph_ops {

array add(const array& a, const array& b, Stream s);
array zeros(const Shape& shape, Dtype dtype, Stream s);
array astype(const array& a, Dtype dtype, Stream s);
array broadcast_to(const array& a, const Shape& shape, Stream s);
array reshape(const array& a, const Shape& shape, Stream s);
array expand_dims(const array& a, int axis, Stream s);
array moveaxis(const array& a, int source, int destination, Stream s);
/// An identity node on stream `s`, which a trace can mark.
array copy(const array& a, Stream s);
/// Identity whose derivative is zero.
array stop_gradient(const array& a, Stream s);
/// Sub-array `index` along the first axis.
array row(const array& a, int64_t index);

/// Whether the node is a copy made by `copy`, or stops gradients.
bool is_copy(const Primitive& primitive);
bool is_stop_gradient(const Primitive& primitive);

}  // namespace mlx::core::graph_ops
