// finfo, iinfo and the promotion of several arrays.
#include <limits>
#include <sstream>
#include <stdexcept>

#include "mlx/dtype_utils.h"
#include "mlx/types/limits.h"
#include "mlx/utils.h"

namespace mlx::core {

finfo::finfo(Dtype dtype_) : dtype(dtype_ == complex64 ? float32 : dtype_) {
  dispatch_float_types(dtype, "[finfo]", [this](auto tag) {
    using T = MLX_GET_TYPE(tag);
    bits = 8 * sizeof(T);
    min = static_cast<double>(numeric_limits<T>::lowest());
    max = static_cast<double>(numeric_limits<T>::max());
    smallest_normal = static_cast<double>(numeric_limits<T>::min());
    eps = static_cast<double>(numeric_limits<T>::epsilon());
  });
}

iinfo::iinfo(Dtype dtype_) : dtype(dtype_) {
  dispatch_int_types(dtype, "[iinfo]", [this](auto tag) {
    using T = MLX_GET_TYPE(tag);
    min = static_cast<int64_t>(std::numeric_limits<T>::min());
    max = static_cast<uint64_t>(std::numeric_limits<T>::max());
  });
}

Dtype result_type(const std::vector<array>& arrays) {
  Dtype result = bool_;
  for (const array& a : arrays) {
    result = promote_types(result, a.dtype());
  }
  return result;
}

}  // namespace mlx::core
