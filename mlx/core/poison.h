// Marks memory as out of bounds for AddressSanitizer; nothing in other builds.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define MLX_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MLX_HAS_ASAN 1
#endif
#endif

#if defined(MLX_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace mlx::core {

inline void poison([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#if defined(MLX_HAS_ASAN)
  __asan_poison_memory_region(memory, size);
#endif
}

inline void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
#if defined(MLX_HAS_ASAN)
  __asan_unpoison_memory_region(memory, size);
#endif
}

}  // namespace mlx::core
