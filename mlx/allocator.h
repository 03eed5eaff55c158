// Memory of arrays: the opaque buffer handle and the allocator interface.
// Counters and limits are in memory.h.
#pragma once

#include <cstdlib>

#include "mlx/api.h"

namespace mlx::core::allocator {

/// A handle to a block of memory. On the CPU it is the address of the block.
class MLX_API Buffer {
 public:
  explicit Buffer(void* ptr) : ptr_(ptr) {}

  /// The address that the host may use; null for a null buffer.
  void* raw_ptr() { return ptr_; }

  const void* ptr() const { return ptr_; }
  void* ptr() { return ptr_; }

 private:
  void* ptr_;
};

class MLX_API Allocator {
 public:
  /// At least `size` bytes, aligned to 64; `size` may be 0. Throws an error
  /// derived from std::bad_alloc when there is not that much memory.
  virtual Buffer malloc(size_t size) = 0;
  /// Null buffers are ignored.
  virtual void free(Buffer buffer) = 0;
  /// The capacity of the block, which may exceed what was asked for; 0 for
  /// memory that is not the allocator's own.
  virtual size_t size(Buffer buffer) const = 0;
  /// Wraps foreign memory without a copy; null where that is not possible. Hand
  /// it back with `release`.
  virtual Buffer make_buffer(void* /* ptr */, size_t /* size */) { return Buffer{nullptr}; }
  virtual void release(Buffer /* buffer */) {}

  Allocator() = default;
  Allocator(const Allocator& other) = delete;
  Allocator(Allocator&& other) = delete;
  Allocator& operator=(const Allocator& other) = delete;
  Allocator& operator=(Allocator&& other) = delete;
  virtual ~Allocator() = default;
};

MLX_API Allocator& allocator();

inline Buffer malloc(size_t size) {
  return allocator().malloc(size);
}
inline void free(Buffer buffer) {
  allocator().free(buffer);
}
inline Buffer make_buffer(void* ptr, size_t size) {
  return allocator().make_buffer(ptr, size);
}
inline void release(Buffer buffer) {
  allocator().release(buffer);
}

/// Whether memory of another library may serve as an array's buffer.
MLX_API bool can_reuse_alien_buffer(void* ptr);

}  // namespace mlx::core::allocator
