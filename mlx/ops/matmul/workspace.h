// Packing buffers of matrix products: one growing block per thread, kept for
// the next product. Its size is bounded by the blocking in gemm.cpp, not by the
// operands.
#pragma once

#include <cstddef>

namespace mlx::core::gemm {

/// At least `bytes` bytes, 64-byte aligned, valid until the calling thread asks
/// again. Throws std::bad_alloc.
void* workspace(size_t bytes);

}  // namespace mlx::core::gemm
