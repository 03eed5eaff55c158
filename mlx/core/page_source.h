// Blocks of the allocator's size classes, straight from the system: small ones
// cut from 16 KB spans, medium ones from 32 MB regions, large ones mapped one by
// one at 2 MB boundaries. No cache, no counters, no lock: see allocator.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mlx/core/allocator_classes.h"

namespace mlx::core {

class PageSource {
 public:
  static constexpr size_t kSpanSize = size_t{16} << 10;
  static constexpr size_t kHugePage = size_t{2} << 20;
  static constexpr size_t kSmallLimit = kSpanSize / 2;  // largest class cut from spans

  constexpr PageSource() = default;

  static constexpr bool is_small(int size_class) {
    return size_class_capacity(size_class) <= kSmallLimit;
  }

  /// The class of the block at this address, -1 for foreign memory. Needs no lock.
  int class_of(const void* block) const;

  /// A medium or large block; null when the system refuses.
  void* take(int size_class);
  /// At least one small block: [begin, end) is to be cut by the caller. Both are
  /// null when the system refuses.
  struct Run {
    char* begin;
    char* end;
  };
  Run take_small(int size_class);
  void give_back(void* block, int size_class);

 private:
  static constexpr int kGranuleBits = 14;  // regions are handed out in 16 KB pieces
  static constexpr size_t kRegionSize = size_t{32} << 20;
  static constexpr int kGranules = kRegionSize >> kGranuleBits;

  struct Span;
  struct Region;
  using ClassByte = std::atomic<uint8_t>;  // class + 1; 0: not the start of a block
  // One table for each 4 GB of address space, one byte per granule.
  static constexpr int kTableBits = 32;
  static constexpr size_t kTables = size_t{1} << (48 - kTableBits);

  static Region* region_of(const void* address);
  static int granule_of(const void* address);
  bool set_class(void* block, int size_class);
  void* take_granules(int count);
  void give_back_granules(void* address, int count);
  Region* map_region();
  void* map_large(size_t size);
  void give_back_small(void* block, int size_class);
  void unlink(Span* span, int size_class);

  Region* regions_ = nullptr;
  int empty_regions_ = 0;
  Span* partial_[kPowerClasses] = {};  // spans with free blocks
  std::atomic<ClassByte*> tables_[kTables] = {};
};

}  // namespace mlx::core
