// The error of the dtype dispatchers.
#include "mlx/dtype_utils.h"

namespace mlx::core::detail {

void throw_unsupported_dtype(std::string_view tag, const char* accepted, Dtype dtype) {
  std::ostringstream msg;
  msg << tag << (tag.empty() ? "" : " ") << "only " << accepted << " types are supported: got "
      << dtype_to_string(dtype);
  throw std::invalid_argument(msg.str());
}

}  // namespace mlx::core::detail
