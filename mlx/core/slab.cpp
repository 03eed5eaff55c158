// The depot behind the per-thread slab lists: full batches change hands whole,
// so that the lock is taken once per batch.
#include "mlx/core/slab.h"

#include <algorithm>
#include <mutex>

#include "mlx/core/fork.h"

namespace mlx::core::detail {
namespace {

constexpr size_t kChunkHeader = 64;
constexpr size_t kChunkSize = 64 * 1024;

struct Chunk {
  Chunk* next;
};

struct Depot {
  SlabBlock* batches;  // full batches, chained by next_batch
  SlabBlock* loose;    // single blocks, from threads that ended
  char* fresh;         // the part of the newest chunk that was never used
  char* fresh_end;
};

constinit std::mutex depot_mutex;
constinit Depot depots[kMaxSlabBlock / 16 + 1] = {};
constinit Chunk* chunks = nullptr;  // keeps every chunk reachable for leak checkers

constexpr ForkHandlers kForkHandlers = {
    [] { depot_mutex.lock(); },
    [] { depot_mutex.unlock(); },
    [] { depot_mutex.unlock(); },
};
[[maybe_unused]] const bool fork_handled = set_fork_handlers(ForkLevel::slab, kForkHandlers);

constexpr uint32_t batch_length(size_t block_size) {
  return static_cast<uint32_t>(std::clamp<size_t>(16384 / block_size, 16, 64));
}

Depot& depot_of(size_t block_size) {
  return depots[block_size / 16];
}

// Takes up to `wanted` blocks, at least one; the lock is held.
SlabBlock* take_blocks(size_t block_size, uint32_t wanted, uint32_t& taken) {
  Depot& depot = depot_of(block_size);
  SlabBlock* first = nullptr;
  for (taken = 0; taken < wanted && depot.loose; ++taken) {
    SlabBlock* block = depot.loose;
    depot.loose = block->next;
    block->next = first;
    first = block;
  }
  if (taken > 0) {
    return first;
  }
  if (depot.fresh == depot.fresh_end) {
    auto* memory = static_cast<char*>(::operator new (kChunkSize, std::align_val_t{64}));
    auto* chunk = reinterpret_cast<Chunk*>(memory);
    chunk->next = chunks;
    chunks = chunk;
    depot.fresh = memory + kChunkHeader;
    depot.fresh_end = depot.fresh + (kChunkSize - kChunkHeader) / block_size * block_size;
  }
  const auto available = static_cast<size_t>(depot.fresh_end - depot.fresh) / block_size;
  taken = static_cast<uint32_t>(std::min<size_t>(wanted, available));
  char* begin = depot.fresh;
  depot.fresh += taken * block_size;
  for (uint32_t i = 0; i < taken; ++i) {
    auto* block = reinterpret_cast<SlabBlock*>(begin + i * block_size);
    block->next =
        i + 1 < taken ? reinterpret_cast<SlabBlock*>(begin + (i + 1) * block_size) : nullptr;
  }
  return reinterpret_cast<SlabBlock*>(begin);
}

void put_batch(SlabBlock* batch, size_t block_size) {
  Depot& depot = depot_of(block_size);
  batch->next_batch = depot.batches;
  depot.batches = batch;
}

void put_loose(SlabBlock* block, size_t block_size) {
  Depot& depot = depot_of(block_size);
  block->next = depot.loose;
  depot.loose = block;
}

// Hands the lists of a thread back when it ends. Blocks that later thread-local
// destructors free, or allocate, go through the depot one by one.
struct ThreadLists {
  SlabList* first = nullptr;

  ~ThreadLists() {
    std::lock_guard lock(depot_mutex);
    for (SlabList* list = first; list; list = list->next_of_thread) {
      if (list->reserve) {
        put_batch(list->reserve, list->block_size);
      }
      for (SlabBlock* block = list->head; block;) {
        SlabBlock* next = block->next;
        put_loose(block, list->block_size);
        block = next;
      }
      list->head = nullptr;
      list->reserve = nullptr;
      list->room = 0;
      list->state = SlabList::closed;
    }
    first = nullptr;
    ended = true;
  }

  // Trivial, so it can still be read after this destructor has run.
  static thread_local bool ended;
};
thread_local bool ThreadLists::ended = false;
thread_local ThreadLists thread_lists;

void open_list(SlabList& list, size_t block_size) {
  if (ThreadLists::ended) {
    list.state = SlabList::closed;
    return;
  }
  list.state = SlabList::open;
  list.block_size = static_cast<uint32_t>(block_size);
  list.room = batch_length(block_size);
  list.next_of_thread = thread_lists.first;
  thread_lists.first = &list;
}

}  // namespace

void* slab_allocate_slow(SlabList& list, size_t block_size) {
  if (list.state == SlabList::fresh) {
    open_list(list, block_size);
  }
  uint32_t taken = 0;
  if (list.state == SlabList::closed) {
    std::lock_guard lock(depot_mutex);
    return take_blocks(block_size, 1, taken);
  }
  const uint32_t batch = batch_length(block_size);
  SlabBlock* first = list.reserve;
  if (first) {
    list.reserve = nullptr;
    taken = batch;
  } else {
    std::lock_guard lock(depot_mutex);
    Depot& depot = depot_of(block_size);
    if (depot.batches) {
      first = depot.batches;
      depot.batches = first->next_batch;
      taken = batch;
    } else {
      first = take_blocks(block_size, batch, taken);
    }
  }
  list.head = first->next;
  list.room = batch - taken + 1;
  return first;
}

void slab_deallocate_slow(SlabList& list, void* pointer, size_t block_size) noexcept {
  auto* block = static_cast<SlabBlock*>(pointer);
  if (list.state == SlabList::fresh) {
    open_list(list, block_size);
  }
  if (list.state == SlabList::closed) {
    std::lock_guard lock(depot_mutex);
    put_loose(block, block_size);
    return;
  }
  if (list.room == 0) {  // the open list is a full batch
    if (list.reserve) {
      std::lock_guard lock(depot_mutex);
      put_batch(list.reserve, block_size);
    }
    list.reserve = list.head;
    list.head = nullptr;
    list.room = batch_length(block_size);
  }
  block->next = list.head;
  list.head = block;
  --list.room;
}

}  // namespace mlx::core::detail
