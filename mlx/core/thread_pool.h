// The process-wide thread pool behind parallel_for: what evaluation needs of it
// beyond parallel.h.
#pragma once

#include "mlx/core/parallel.h"

namespace mlx::core {

/// Starts or wakes the workers, so that the next parallel region finds them
/// spinning. A hint for the start of an evaluation that is worth more than
/// about 100 microseconds; costs a few microseconds when they sleep.
MLX_API void wake_workers();

/// Threads that this process may use: affinity mask and control group quota,
/// whatever the settings say.
int available_cpus();

}  // namespace mlx::core
