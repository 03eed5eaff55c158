// Data-parallel loops over the process-wide thread pool. The pool itself is in
// thread_pool.cpp.
#pragma once

#include <cstdint>

#include "mlx/api.h"
#include "mlx/core/function_ref.h"

namespace mlx::core {

/// Calls `body(begin, end)` for disjoint ranges that cover [0, count). Range
/// boundaries are multiples of `alignment`. The estimate `nanoseconds_per_item`
/// decides whether the work is worth more than one thread. The caller takes
/// part; a region started inside another one, or while another thread runs one,
/// runs serially. If bodies throw, the exception of the lowest range is
/// rethrown after all ranges have finished.
MLX_API void parallel_for(int64_t count, double nanoseconds_per_item,
                          FunctionRef<void(int64_t begin, int64_t end)> body,
                          int64_t alignment = 1);

/// Threads that a parallel loop may use, the caller included.
MLX_API int num_threads();

/// Caps the number of threads (1 = serial). Returns the previous value.
MLX_API int set_num_threads(int threads);

}  // namespace mlx::core
