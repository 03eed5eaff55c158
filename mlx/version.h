// Version of the library. Build scripts read the three numbers textually: keep
// one #define per line.
#pragma once

#include "mlx/api.h"

#define MLX_VERSION_MAJOR 0
#define MLX_VERSION_MINOR 32
#define MLX_VERSION_PATCH 2
#define MLX_VERSION_NUMERIC (100000 * MLX_VERSION_MAJOR + 1000 * MLX_VERSION_MINOR + MLX_VERSION_PATCH)

namespace mlx::core {

/// Version string of the library that was built, e.g. "0.32.2".
MLX_API const char* version();

}  // namespace mlx::core
