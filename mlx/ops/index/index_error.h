// The error of an index that lies outside of an array.
#pragma once

#include <stdexcept>

#include "mlx/api.h"

namespace mlx::core {

/// Names index, axis and size. In Python an exception that is an IndexError and
/// a ValueError.
class MLX_API IndexOutOfRange : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

}  // namespace mlx::core
