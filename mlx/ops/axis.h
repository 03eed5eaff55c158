// Checks of axis arguments.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mlx/ops/errors.h"

namespace mlx::core {

inline int ndim_of(const array& a) {
  return static_cast<int>(a.ndim());
}

/// Axes counted from the front, sorted. Throws std::invalid_argument for one that
/// is out of range or given twice. `tag` is "[function]".
inline std::vector<int> normalize_axes(std::vector<int> axes, int ndim, const char* tag) {
  for (int& axis : axes) {
    axis = normalize_axis_index(axis, ndim, std::string(tag) + " ");
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    fail(tag, " an axis is given twice: ", axes);
  }
  return axes;
}

/// As normalize_axis_index, for the functions that promise std::out_of_range.
inline int checked_axis(int axis, int ndim, const char* tag) {
  if (axis < -ndim || axis >= ndim) {
    fail<std::out_of_range>(tag, " axis ", axis, " is out of range for an array with ", ndim,
                            " dimensions");
  }
  return axis < 0 ? axis + ndim : axis;
}

}  // namespace mlx::core
