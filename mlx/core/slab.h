// Fixed-size blocks for graph nodes and control blocks: per-thread free lists
// over a shared depot. Array data is allocated elsewhere (allocator.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "mlx/api.h"

#if defined(__SANITIZE_ADDRESS__)
#define MLX_SLAB_USES_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MLX_SLAB_USES_HEAP 1
#endif
#endif

namespace mlx::core {

namespace detail {

struct SlabBlock {
  SlabBlock* next;
  SlabBlock* next_batch;  // meaningful in the first block of a batch in the depot
};

/// The free blocks of one size that one thread holds: an open list and,
/// possibly, one full batch in reserve. Zero-initialised it is empty and full
/// at once, so that the first call of either kind takes the slow path, which
/// arranges for the blocks to be handed back when the thread ends.
struct SlabList {
  SlabBlock* head;
  SlabBlock* reserve;
  uint32_t room;  // blocks that still fit into the open list
  enum : uint32_t { fresh, open, closed } state;
  uint32_t block_size;
  SlabList* next_of_thread;
};

MLX_API void* slab_allocate_slow(SlabList& list, size_t block_size);
MLX_API void slab_deallocate_slow(SlabList& list, void* block, size_t block_size) noexcept;

inline constexpr size_t kMaxSlabBlock = 1024;

// initial-exec: one load instead of a call. The lists are small enough for the
// static TLS space that the loader keeps for libraries opened at run time.
template <size_t BlockSize>
struct SlabLists {
  static inline constinit thread_local SlabList local
      __attribute__((tls_model("initial-exec"))) = {};
};

}  // namespace detail

/// Blocks of `Size` bytes aligned to `Align`. Any thread may free a block.
/// Memory is reused, never given back to the system. Under AddressSanitizer
/// blocks come from the heap, which sees every stale access.
template <size_t Size, size_t Align = alignof(std::max_align_t)>
struct Slab {
  static_assert(Align <= 64 && (Align & (Align - 1)) == 0);
  static constexpr size_t kGranule = Align < 16 ? 16 : Align;
  static constexpr size_t kBlockSize = (Size + kGranule - 1) / kGranule * kGranule;
  static_assert(kBlockSize <= detail::kMaxSlabBlock);

  static void* allocate() {
#if defined(MLX_SLAB_USES_HEAP)
    return ::operator new (kBlockSize, std::align_val_t{kGranule});
#else
    detail::SlabList& list = detail::SlabLists<kBlockSize>::local;
    detail::SlabBlock* block = list.head;
    if (block == nullptr) [[unlikely]] {
      return detail::slab_allocate_slow(list, kBlockSize);
    }
    list.head = block->next;
    ++list.room;
    return block;
#endif
  }

  static void deallocate(void* pointer) noexcept {
#if defined(MLX_SLAB_USES_HEAP)
    ::operator delete (pointer, std::align_val_t{kGranule});
#else
    detail::SlabList& list = detail::SlabLists<kBlockSize>::local;
    if (list.room == 0) [[unlikely]] {
      detail::slab_deallocate_slow(list, pointer, kBlockSize);
      return;
    }
    auto* block = static_cast<detail::SlabBlock*>(pointer);
    block->next = list.head;
    list.head = block;
    --list.room;
#endif
  }
};

/// For std::allocate_shared and node-based containers; arrays of T come from
/// the heap.
template <typename T>
struct SlabAllocator {
  using value_type = T;

  SlabAllocator() = default;
  template <typename U>
  SlabAllocator(const SlabAllocator<U>&) noexcept {}

  T* allocate(size_t n) {
    if (n == 1) {
      return static_cast<T*>(Slab<sizeof(T), alignof(T)>::allocate());
    }
    if (n > static_cast<size_t>(-1) / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{alignof(T)}));
  }

  void deallocate(T* pointer, size_t n) noexcept {
    if (n == 1) {
      Slab<sizeof(T), alignof(T)>::deallocate(pointer);
    } else {
      ::operator delete (pointer, std::align_val_t{alignof(T)});
    }
  }

  template <typename U>
  bool operator==(const SlabAllocator<U>&) const noexcept {
    return true;
  }
};

}  // namespace mlx::core
