// See workspace.h.
#include "mlx/ops/matmul/workspace.h"

#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mlx::core::gemm {
namespace {

constexpr size_t kHugePage = size_t(2) << 20;

struct Block {
  void* data = nullptr;
  size_t size = 0;
  ~Block() { std::free(data); }
};

}  // namespace

void* workspace(Workspace which, size_t bytes) {
  thread_local Block blocks[2];
  Block& block = blocks[which == Workspace::own];
  if (bytes > block.size) {
    const size_t alignment = bytes >= kHugePage / 2 ? kHugePage : size_t(4096);
    const size_t size = (bytes + alignment - 1) / alignment * alignment;
    void* data = std::aligned_alloc(alignment, size);
    if (data == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (alignment == kHugePage) madvise(data, size, MADV_HUGEPAGE);  // a hint: failure is harmless
#endif
    std::free(block.data);
    block.data = data;
    block.size = size;
  }
  return block.data;
}

}  // namespace mlx::core::gemm
