// Errors of the checked shape arithmetic.
#include "mlx/core/shape.h"

#include <sstream>
#include <stdexcept>

namespace mlx::core::detail {

void throw_shape_overflow(const Shape& shape, std::string_view op, const char* what) {
  std::ostringstream msg;
  if (!op.empty()) {
    msg << '[' << op << "] ";
  }
  msg << what << " of (";
  for (size_t i = 0; i < shape.size(); ++i) {
    msg << (i > 0 ? ", " : "") << shape[i];
  }
  msg << ") does not fit in 64 bits";
  throw std::overflow_error(msg.str());
}

}  // namespace mlx::core::detail
