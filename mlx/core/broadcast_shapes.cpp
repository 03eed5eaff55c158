// Broadcasting of shapes and normalisation of axes.
#include <sstream>
#include <stdexcept>

#include "mlx/utils.h"

namespace mlx::core {

Shape broadcast_shapes(const Shape& s1, const Shape& s2) {
  if (s1 == s2) {
    return s1;
  }
  const Shape& longer = s1.size() >= s2.size() ? s1 : s2;
  const Shape& shorter = s1.size() >= s2.size() ? s2 : s1;
  Shape out = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const ShapeElem a = longer[lead + i];
    const ShapeElem b = shorter[i];
    if (a == 1) {
      out[lead + i] = b;
    } else if (b != 1 && a != b) {
      std::ostringstream msg;
      msg << "[broadcast_shapes] Shapes " << s1 << " and " << s2 << " cannot be broadcast.";
      throw std::invalid_argument(msg.str());
    }
  }
  return out;
}

int normalize_axis_index(int axis, int ndim, const std::string& msg_prefix) {
  if (axis < -ndim || axis >= ndim) {
    std::ostringstream msg;
    msg << msg_prefix << "Axis " << axis << " is out of bounds for array with " << ndim
        << " dimensions.";
    throw std::invalid_argument(msg.str());
  }
  return axis < 0 ? axis + ndim : axis;
}

void detail::throw_dimension_overflow(std::string_view op) {
  std::ostringstream msg;
  if (!op.empty()) {
    msg << '[' << op << "] ";
  }
  msg << "a dimension does not fit in 64 bits";
  throw std::overflow_error(msg.str());
}

}  // namespace mlx::core
