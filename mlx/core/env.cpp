// Settings read by arbitrary name, as upstream's interface has it.
#include <limits>
#include <stdexcept>

#include "mlx/utils.h"

namespace mlx::core::env {

int get_var(const char* name, int default_value) {
  const auto value = settings::read_integer_variable(name);
  if (value && !std::in_range<int>(*value)) {
    throw std::invalid_argument(std::string("[settings] ") + name + " is " +
                                std::to_string(*value) + ": expected a 32-bit integer");
  }
  return static_cast<int>(value.value_or(default_value));
}

std::string get_var(const char* name, const char* default_value) {
  return settings::read_variable(name).value_or(default_value);
}

}  // namespace mlx::core::env
