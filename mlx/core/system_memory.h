// How much memory this process may have: the machine's, cut down by its control
// groups.
#pragma once

#include <cstdint>

namespace mlx::core {

/// The memory of the machine, or the limit of the control group when that is
/// smaller; 8 GiB when unknown. Read once.
uint64_t total_memory();

/// What can be had now without swapping. Reads a few files at each call.
uint64_t available_memory();

}  // namespace mlx::core
