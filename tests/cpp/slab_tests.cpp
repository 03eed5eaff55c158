// The slab of graph nodes: alignment, reuse, blocks that change threads.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "mlx/core/slab.h"

using mlx::core::Slab;
using mlx::core::SlabAllocator;

TEST_CASE("slab blocks are aligned, distinct and reused") {
  using Block = Slab<100, 64>;
  std::vector<void*> blocks;
  std::set<void*> seen;
  for (int i = 0; i < 5000; ++i) {
    void* block = Block::allocate();
    CHECK(reinterpret_cast<uintptr_t>(block) % 64 == 0);
    CHECK(seen.insert(block).second);
    std::memset(block, i & 0xff, 100);
    blocks.push_back(block);
  }
  for (int i = 0; i < 5000; ++i) {
    CHECK(static_cast<unsigned char*>(blocks[i])[99] == (i & 0xff));
    Block::deallocate(blocks[i]);
  }
#if !defined(MLX_SLAB_USES_HEAP)
  void* again = Block::allocate();
  CHECK(again == blocks.back());
  Block::deallocate(again);
#endif
}

TEST_CASE("slab blocks freed by another thread come back") {
  using Block = Slab<48>;
  constexpr int kThreads = 4;
  std::vector<std::vector<void*>> blocks(kThreads);
  auto run_all = [&](auto body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back(body, t);
    }
    for (auto& thread : threads) {
      thread.join();
    }
  };
  for (int round = 0; round < 5; ++round) {
    run_all([&](int t) {
      for (int i = 0; i < 1000; ++i) {
        void* block = Block::allocate();
        std::memset(block, t + 1, 48);
        blocks[t].push_back(block);
      }
    });
    std::set<void*> seen;
    for (auto& list : blocks) {
      for (void* block : list) {
        CHECK(seen.insert(block).second);
      }
    }
    run_all([&](int t) {
      auto& others = blocks[(t + 1) % kThreads];
      bool intact = true;
      for (void* block : others) {
        intact &= static_cast<unsigned char*>(block)[47] == (t + 1) % kThreads + 1;
        Block::deallocate(block);
      }
      CHECK(intact);
      others.clear();
    });
  }
}

namespace {
struct FreesAtThreadExit {
  std::vector<void*> blocks;
  ~FreesAtThreadExit() {
    for (void* block : blocks) {
      Slab<208>::deallocate(block);
    }
    Slab<208>::deallocate(Slab<208>::allocate());
  }
};
}  // namespace

TEST_CASE("slab blocks may be freed by thread-local destructors") {
  for (int round = 0; round < 3; ++round) {
    std::thread([] {
      thread_local FreesAtThreadExit owner;  // constructed before the lists: destroyed after them
      for (int i = 0; i < 300; ++i) {
        owner.blocks.push_back(Slab<208>::allocate());
      }
    }).join();
  }
}

TEST_CASE("SlabAllocator serves allocate_shared") {
  struct Payload {
    int64_t values[4];
  };
  std::weak_ptr<Payload> weak;
  {
    auto shared = std::allocate_shared<Payload>(SlabAllocator<Payload>{});
    shared->values[3] = 7;
    weak = shared;
    CHECK(weak.lock()->values[3] == 7);
  }
  CHECK(weak.expired());
  std::vector<int, SlabAllocator<int>> numbers(1000, 3);
  CHECK(numbers[999] == 3);
}
