// malloc + free of array buffers: from the cache, and first touch against reuse.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "mlx/allocator.h"
#include "mlx/memory.h"

using namespace mlx::core;

namespace {

void malloc_free(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    allocator::Buffer buffer = allocator::malloc(size);
    benchmark::DoNotOptimize(buffer.raw_ptr());
    allocator::free(buffer);
  }
}
BENCHMARK(malloc_free)->Arg(4)->Arg(4096)->Arg(1 << 20)->Arg(64 << 20);

void malloc_free_256_live(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  std::vector<allocator::Buffer> buffers(256, allocator::Buffer{nullptr});
  for (auto _ : state) {
    for (auto& buffer : buffers) {
      buffer = allocator::malloc(size);
    }
    for (auto& buffer : buffers) {
      allocator::free(buffer);
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * 256);
}
BENCHMARK(malloc_free_256_live)->Arg(64)->Arg(4096)->Arg(1 << 20);

void malloc_write_free(benchmark::State& state, bool cached) {
  const auto size = static_cast<size_t>(state.range(0));
  const size_t limit = set_cache_limit(cached ? size_t{1} << 40 : 0);
  for (auto _ : state) {
    allocator::Buffer buffer = allocator::malloc(size);
    std::memset(buffer.raw_ptr(), 1, size);
    allocator::free(buffer);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
  set_cache_limit(limit);
}
BENCHMARK_CAPTURE(malloc_write_free, cached, true)->Arg(1 << 20)->Arg(16 << 20)->Arg(64 << 20);
BENCHMARK_CAPTURE(malloc_write_free, fresh, false)->Arg(1 << 20)->Arg(16 << 20)->Arg(64 << 20);

}  // namespace

BENCHMARK_MAIN();
