// Memory statistics and limits, in bytes. Setters return the previous value.
#pragma once

#include <cstddef>

#include "mlx/api.h"

namespace mlx::core {

/// Bytes in live buffers (whole blocks); cached ones are not counted.
MLX_API size_t get_active_memory();

/// The largest active memory since the start or the last reset.
MLX_API size_t get_peak_memory();
MLX_API void reset_peak_memory();

/// Bytes of freed blocks that are kept for reuse.
MLX_API size_t get_cache_memory();

/// A guideline: evaluation waits for running work while active memory exceeds
/// it. The default is 0.8 of the memory of the machine or control group.
MLX_API size_t set_memory_limit(size_t limit);
MLX_API size_t get_memory_limit();

/// The surplus is released at once; 0 turns caching off. Waits for all streams.
MLX_API size_t set_cache_limit(size_t limit);

/// Gives all cached memory back to the system. Waits for all streams.
MLX_API void clear_cache();

/// For devices that wire memory; does nothing and returns 0 elsewhere.
MLX_API size_t set_wired_limit(size_t limit);

}  // namespace mlx::core
