// Packing buffers of matrix products: two growing blocks per thread, kept for
// the next product. Its size is bounded by the blocking in gemm.cpp, not by the
// operands.
#pragma once

#include <cstddef>

namespace mlx::core::gemm {

/// `shared`: of the thread that started a product, read by those that help.
/// `own`: of each thread while it works on a part.
enum class Workspace { shared, own };

/// At least `bytes` bytes, 64-byte aligned, valid until the calling thread asks
/// for the same one again. Throws std::bad_alloc.
void* workspace(Workspace which, size_t bytes);

}  // namespace mlx::core::gemm
