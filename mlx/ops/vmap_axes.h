// Batch axes of vmap rules: bringing the inputs of a primitive to one batch axis.
#pragma once

#include <vector>

#include "mlx/array.h"
#include "mlx/stream.h"

namespace mlx::core {

/// `a` with its batch axis first; an array without one (-1) is returned as is.
array batch_to_front(const array& a, int axis, const Stream& s);

struct AlignedBatch {
  std::vector<array> inputs;
  int axis;
};

/// For operations on inputs of equal shapes: moves every batch axis to where the
/// first batched input has it, and gives the others an axis of size 1 there.
AlignedBatch align_batch_axes(const std::vector<array>& inputs, const std::vector<int>& axes,
                              const Stream& s);

/// Size of the batch; at least one axis is not -1.
ShapeElem batch_size(const std::vector<array>& inputs, const std::vector<int>& axes);

/// All inputs with the batch axis first; those without one are repeated.
std::vector<array> batch_all_to_front(const std::vector<array>& inputs,
                                      const std::vector<int>& axes, const Stream& s);

/// Axes of an unbatched array as axes of the array with one more axis at `batch_axis`.
std::vector<int> shift_axes(const std::vector<int>& axes, int batch_axis);
inline int shift_axis(int axis, int batch_axis) {
  return axis >= batch_axis ? axis + 1 : axis;
}

}  // namespace mlx::core
