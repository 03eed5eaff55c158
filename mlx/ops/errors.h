// Throwing with a message that is put together from values: shapes, dtypes, axes.
#pragma once

#include <sstream>
#include <stdexcept>

#include "mlx/utils.h"

namespace mlx::core {

/// Throws Exception; its message is all parts as they print.
template <typename Exception = std::invalid_argument, typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Exception(message.str());
}

}  // namespace mlx::core
