// Regions, spans and large mappings. Everything is found again from the address
// alone: one table byte per 16 KB tells the class, the region's head the rest.
#include "mlx/core/page_source.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <new>

#include "mlx/core/poison.h"

namespace mlx::core {
namespace {

void* map_pages(size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// `size` bytes at a multiple of `alignment`, with huge pages where there are any.
void* map_aligned(size_t size, size_t alignment) {
  auto* memory = static_cast<char*>(map_pages(size + alignment));
  if (memory == nullptr) {
    return nullptr;
  }
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const size_t before = (alignment - address % alignment) % alignment;
  if (before > 0) {
    munmap(memory, before);
  }
  munmap(memory + before + size, alignment - before);
  madvise(memory + before, size, MADV_HUGEPAGE);
  return memory + before;
}

constexpr int kWords(int bits) {
  return bits / 64;
}

}  // namespace

// The blocks of one span that were given back; the others are with the caller.
struct PageSource::Span {
  void* free_list;
  Span* previous;
  Span* next;
  uint32_t free_blocks;
};

// The head of a region lies in its first granules.
struct PageSource::Region {
  Region* previous;
  Region* next;
  int free_granules;
  int longest_run;  // no run of free granules is longer
  uint64_t used[kWords(kGranules)];
  Span spans[kGranules];  // of those granules that are spans

  static constexpr int head_granules();
  bool is_used(int granule) const { return used[granule / 64] >> (granule % 64) & 1; }

  // The first position from `position` on whose state is `state`, or kGranules.
  int find(int position, bool state) const {
    while (position < kGranules) {
      uint64_t word = used[position / 64];
      word = (state ? word : ~word) >> (position % 64);
      if (word != 0) {
        return position + std::countr_zero(word);
      }
      position = (position / 64 + 1) * 64;
    }
    return kGranules;
  }

  int find_free(int count) {
    int longest = 0;
    for (int begin = find(0, false); begin < kGranules;) {
      const int end = find(begin, true);
      if (end - begin >= count) {
        return begin;
      }
      longest = std::max(longest, end - begin);
      begin = find(end, false);
    }
    longest_run = longest;
    return -1;
  }

  void mark(int begin, int count, bool state) {
    for (int i = begin; i < begin + count; ++i) {
      const uint64_t bit = uint64_t{1} << (i % 64);
      used[i / 64] = state ? used[i / 64] | bit : used[i / 64] & ~bit;
    }
    free_granules += state ? -count : count;
  }
};

constexpr int PageSource::Region::head_granules() {
  return (sizeof(Region) + (size_t{1} << kGranuleBits) - 1) >> kGranuleBits;
}

PageSource::Region* PageSource::region_of(const void* address) {
  return reinterpret_cast<Region*>(reinterpret_cast<uintptr_t>(address) & ~(kRegionSize - 1));
}

int PageSource::granule_of(const void* address) {
  return static_cast<int>((reinterpret_cast<uintptr_t>(address) & (kRegionSize - 1)) >>
                          kGranuleBits);
}

int PageSource::class_of(const void* block) const {
  const auto address = reinterpret_cast<uintptr_t>(block);
  const size_t table = address >> kTableBits;
  if (table >= kTables) {
    return -1;
  }
  const ClassByte* classes = tables_[table].load(std::memory_order_acquire);
  if (classes == nullptr) {
    return -1;
  }
  const size_t granule = (address & ((uint64_t{1} << kTableBits) - 1)) >> kGranuleBits;
  return classes[granule].load(std::memory_order_relaxed) - 1;
}

bool PageSource::set_class(void* block, int size_class) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  const size_t table = address >> kTableBits;
  if (table >= kTables) {
    return false;
  }
  ClassByte* classes = tables_[table].load(std::memory_order_relaxed);
  if (classes == nullptr) {
    // Fresh pages are zero, which is what an empty table is.
    void* memory = map_pages(size_t{1} << (kTableBits - kGranuleBits));
    if (memory == nullptr) {
      return false;
    }
    classes = static_cast<ClassByte*>(memory);
    tables_[table].store(classes, std::memory_order_release);
  }
  const size_t granule = (address & ((uint64_t{1} << kTableBits) - 1)) >> kGranuleBits;
  classes[granule].store(static_cast<uint8_t>(size_class + 1), std::memory_order_relaxed);
  return true;
}

PageSource::Region* PageSource::map_region() {
  void* memory = map_aligned(kRegionSize, kRegionSize);
  if (memory == nullptr) {
    return nullptr;
  }
  auto* region = static_cast<Region*>(memory);  // zero pages are a valid, empty head
  region->free_granules = kGranules;
  region->longest_run = kGranules;
  region->mark(0, Region::head_granules(), true);
  region->next = regions_;
  if (regions_) {
    regions_->previous = region;
  }
  regions_ = region;
  ++empty_regions_;
  return region;
}

void* PageSource::take_granules(int count) {
  Region* region = regions_;
  int begin = -1;
  for (; region != nullptr; region = region->next) {
    if (region->longest_run >= count && region->free_granules >= count &&
        (begin = region->find_free(count)) >= 0) {
      break;
    }
  }
  if (region == nullptr) {
    region = map_region();
    if (region == nullptr) {
      return nullptr;
    }
    begin = region->find_free(count);
  }
  if (region->free_granules == kGranules - Region::head_granules()) {
    --empty_regions_;
  }
  region->mark(begin, count, true);
  return reinterpret_cast<char*>(region) + (static_cast<size_t>(begin) << kGranuleBits);
}

void PageSource::give_back_granules(void* address, int count) {
  Region* region = region_of(address);
  region->mark(granule_of(address), count, false);
  region->longest_run = kGranules;
  const size_t size = static_cast<size_t>(count) << kGranuleBits;
  unpoison(address, size);
  madvise(address, size, MADV_DONTNEED);
  if (region->free_granules < kGranules - Region::head_granules()) {
    return;
  }
  if (++empty_regions_ > 1) {  // one stays for what comes next
    --empty_regions_;
    (region->previous ? region->previous->next : regions_) = region->next;
    if (region->next) {
      region->next->previous = region->previous;
    }
    munmap(region, kRegionSize);
  }
}

void* PageSource::take(int size_class) {
  const size_t capacity = size_class_capacity(size_class);
  if (capacity >= kHugePage) {
    void* block = map_aligned(capacity, kHugePage);
    if (block != nullptr && !set_class(block, size_class)) {
      munmap(block, capacity);
      return nullptr;
    }
    return block;
  }
  const auto granules = static_cast<int>(capacity >> kGranuleBits);
  void* block = take_granules(granules);
  if (block != nullptr && !set_class(block, size_class)) {
    give_back_granules(block, granules);
    return nullptr;
  }
  return block;
}

PageSource::Run PageSource::take_small(int size_class) {
  const size_t capacity = size_class_capacity(size_class);
  if (Span* span = partial_[size_class]) {
    void* block = span->free_list;
    unpoison(block, capacity);
    span->free_list = *static_cast<void**>(block);
    if (--span->free_blocks == 0) {
      unlink(span, size_class);
    }
    return {static_cast<char*>(block), static_cast<char*>(block) + capacity};
  }
  auto* begin = static_cast<char*>(take_granules(1));
  if (begin == nullptr) {
    return {nullptr, nullptr};
  }
  if (!set_class(begin, size_class)) {
    give_back_granules(begin, 1);
    return {nullptr, nullptr};
  }
  region_of(begin)->spans[granule_of(begin)] = Span{};
  return {begin, begin + kSpanSize};
}

void PageSource::unlink(Span* span, int size_class) {
  (span->previous ? span->previous->next : partial_[size_class]) = span->next;
  if (span->next) {
    span->next->previous = span->previous;
  }
  span->previous = nullptr;
  span->next = nullptr;
}

void PageSource::give_back_small(void* block, int size_class) {
  Span* span = &region_of(block)->spans[granule_of(block)];
  unpoison(block, sizeof(void*));
  *static_cast<void**>(block) = span->free_list;
  span->free_list = block;
  if (++span->free_blocks == 1) {
    span->next = partial_[size_class];
    if (span->next) {
      span->next->previous = span;
    }
    partial_[size_class] = span;
  }
  if (span->free_blocks == kSpanSize / size_class_capacity(size_class)) {
    unlink(span, size_class);
    void* begin = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(block) & ~(kSpanSize - 1));
    set_class(begin, -1);
    give_back_granules(begin, 1);
  }
}

void PageSource::give_back(void* block, int size_class) {
  if (is_small(size_class)) {
    give_back_small(block, size_class);
    return;
  }
  const size_t capacity = size_class_capacity(size_class);
  set_class(block, -1);
  if (capacity >= kHugePage) {
    unpoison(block, capacity);
    munmap(block, capacity);
  } else {
    give_back_granules(block, static_cast<int>(capacity >> kGranuleBits));
  }
}

}  // namespace mlx::core
