// Settings by the names of upstream's interface.
#include <limits>
#include <stdexcept>

#include "mlx/core/settings.h"
#include "mlx/utils.h"

namespace mlx::core::env {

using settings::Name;
using settings::value;

int get_var(const char* name, int default_value) {
  const auto number = settings::read_integer_variable(name);
  if (number && !std::in_range<int>(*number)) {
    throw std::invalid_argument(std::string("[settings] ") + name + " is " +
                                std::to_string(*number) + ": expected a 32-bit integer");
  }
  return static_cast<int>(number.value_or(default_value));
}

std::string get_var(const char* name, const char* default_value) {
  return settings::read_variable(name).value_or(default_value);
}

int bfs_max_width() { return settings::bfs_max_width(); }

int max_ops_per_buffer(int default_value) {
  return static_cast<int>(value<Name::max_ops_per_buffer>().value_or(default_value));
}

int max_mb_per_buffer(int default_value) {
  return static_cast<int>(value<Name::max_mb_per_buffer>().value_or(default_value));
}

int residency_set_max_pct() { return static_cast<int>(value<Name::residency_set_max_pct>()); }

bool residency_debug() { return value<Name::residency_debug>(); }

bool metal_fast_synch() { return value<Name::metal_fast_synch>(); }

bool enable_tf32() { return value<Name::enable_tf32>(); }

int nccl_timeout(int default_value) { return get_var("MLX_NCCL_TIMEOUT", default_value); }

const std::string& metal_gpu_arch() {
  static const std::string arch = value<Name::metal_gpu_arch>().value_or("");
  return arch;
}

}  // namespace mlx::core::env
