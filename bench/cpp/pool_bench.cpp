// Cost of parallel regions: empty, hot and after the workers went to sleep, and
// the break-even of y = a*x + b.
#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>
#include <vector>

#include "mlx/core/thread_pool.h"

using namespace mlx::core;

namespace {

void empty_region_hot(benchmark::State& state) {
  for (auto _ : state) {
    parallel_for(1024, 4.0, [](int64_t begin, int64_t) { benchmark::DoNotOptimize(begin); });
  }
}
BENCHMARK(empty_region_hot)->UseRealTime();

void region_too_small_to_share(benchmark::State& state) {
  for (auto _ : state) {
    parallel_for(1024, 1.0, [](int64_t begin, int64_t) { benchmark::DoNotOptimize(begin); });
  }
}
BENCHMARK(region_too_small_to_share)->UseRealTime();

void wake_up_after_sleep(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    std::this_thread::sleep_for(std::chrono::microseconds(500));
    state.ResumeTiming();
    parallel_for(1024, 100.0, [](int64_t begin, int64_t) { benchmark::DoNotOptimize(begin); });
  }
}
BENCHMARK(wake_up_after_sleep)->UseRealTime()->Iterations(2000);

// Out of line, so that both variants run the same code.
__attribute__((noinline)) void axpb_range(const float* x, float* y, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    y[i] = 3.0f * x[i] + 1.0f;
  }
}

void axpb(benchmark::State& state, bool parallel) {
  const auto n = static_cast<int64_t>(state.range(0));
  std::vector<float> x(n, 1.0f), y(n);
  auto body = [&](int64_t begin, int64_t end) { axpb_range(x.data(), y.data(), begin, end); };
  for (auto _ : state) {
    if (parallel) {
      parallel_for(n, 0.3, body, 16);
    } else {
      body(0, n);
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(axpb, serial, false)->RangeMultiplier(4)->Range(4096, 1 << 20)->UseRealTime();
BENCHMARK_CAPTURE(axpb, parallel, true)->RangeMultiplier(4)->Range(4096, 1 << 20)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
