// Batch axes of vmap rules.
#include "mlx/ops/vmap_axes.h"

#include <algorithm>

#include "mlx/ops/shape/shape.h"

namespace mlx::core {

array batch_to_front(const array& a, int axis, const Stream& s) {
  return axis > 0 ? moveaxis(a, axis, 0, s) : a;
}

AlignedBatch align_batch_axes(const std::vector<array>& inputs, const std::vector<int>& axes,
                              const Stream& s) {
  const int target = *std::find_if(axes.begin(), axes.end(), [](int axis) { return axis >= 0; });
  AlignedBatch aligned{{}, target};
  aligned.inputs.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    aligned.inputs.push_back(axes[i] < 0         ? expand_dims(inputs[i], target, s)
                             : axes[i] == target ? inputs[i]
                                                 : moveaxis(inputs[i], axes[i], target, s));
  }
  return aligned;
}

ShapeElem batch_size(const std::vector<array>& inputs, const std::vector<int>& axes) {
  size_t i = 0;
  while (axes[i] < 0) {
    ++i;
  }
  return inputs[i].shape(axes[i]);
}

std::vector<array> batch_all_to_front(const std::vector<array>& inputs,
                                      const std::vector<int>& axes, const Stream& s) {
  const ShapeElem size = batch_size(inputs, axes);
  std::vector<array> batched;
  batched.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (axes[i] >= 0) {
      batched.push_back(batch_to_front(inputs[i], axes[i], s));
      continue;
    }
    Shape shape = inputs[i].shape();
    shape.insert(shape.begin(), size);
    batched.push_back(broadcast_to(inputs[i], shape, s));
  }
  return batched;
}

std::vector<int> shift_axes(const std::vector<int>& axes, int batch_axis) {
  std::vector<int> shifted = axes;
  for (int& axis : shifted) {
    axis = shift_axis(axis, batch_axis);
  }
  return shifted;
}

}  // namespace mlx::core
