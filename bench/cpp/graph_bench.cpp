// Cost of a node: making, evaluating and dropping one-element additions, alone
// and in chains.
#include <benchmark/benchmark.h>

#include "mlx/mlx.h"

namespace mx = mlx::core;

namespace {

void one_add(benchmark::State& state) {
  const mx::array a(1.0f), b(2.0f);
  for (auto _ : state) {
    mx::array x = mx::add(a, b);
    x.eval();
    benchmark::DoNotOptimize(x);
  }
}
BENCHMARK(one_add);

void make_and_drop(benchmark::State& state) {
  const mx::array a(1.0f), b(2.0f);
  for (auto _ : state) {
    mx::array x = mx::add(a, b);
    benchmark::DoNotOptimize(x);
  }
}
BENCHMARK(make_and_drop);

// Time per node is the time divided by the length.
void chain(benchmark::State& state) {
  const mx::array one(1.0f);
  for (auto _ : state) {
    mx::array x = one;
    for (int64_t i = 0; i < state.range(0); ++i) x = mx::add(x, one);
    x.eval();
    benchmark::DoNotOptimize(x);
  }
  state.counters["per_node"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(chain)->Arg(10)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
