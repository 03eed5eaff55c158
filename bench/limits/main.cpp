// Measures what this machine can do right now: arithmetic peak, memory streams,
// and hand-fused loops with the library's own vector math, on the tier, threads
// and sizes that the benchmarks use. Prints one JSON object: seconds per case.
//
//   limits [rounds]     every case once per round; the best round counts
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "bench/limits/kernels.h"
#include "mlx/core/cpu_tier.h"
#include "mlx/core/parallel.h"

using namespace mlx::core;
using mlx::bench::LimitKernels;

namespace {

// Warm memory on huge pages, as the library's allocator hands it out.
template <class T>
T* buffer(int64_t count, T value) {
  constexpr size_t huge = size_t{2} << 20;
  const size_t bytes = (count * sizeof(T) + huge - 1) / huge * huge;
  void* memory = std::aligned_alloc(huge, bytes);
  if (!memory) {
    std::perror("limits");
    std::exit(1);
  }
  madvise(memory, bytes, MADV_HUGEPAGE);
  T* data = static_cast<T*>(memory);
  for (size_t i = 0; i < bytes / sizeof(T); ++i) data[i] = value;
  return data;
}

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

struct Case {
  const char* name;
  std::function<void()> run;
  double best = std::numeric_limits<double>::infinity();
};

double seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

volatile float sink;

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  if (rounds < 1) {
    std::fprintf(stderr, "limits: rounds must be a positive number, got %s\n", argv[1]);
    return 2;
  }
  using mlx::bench::limit_kernels_v2, mlx::bench::limit_kernels_v3, mlx::bench::limit_kernels_v4;
  const LimitKernels& k = MLX_TIER_TABLE(limit_kernels);
  const int threads = num_threads();
  constexpr int64_t side = 4096, n = side * side, small = int64_t{2048} * 2048;

  float* a = buffer<float>(n, 0.5f);
  float* b = buffer<float>(n, 0.25f);
  float* out = buffer<float>(n, 0.0f);
  auto* half = buffer<uint16_t>(n, 0x3800);
  auto* mask = buffer<uint8_t>(n, 1);

  // Work for at least two chunks a thread; a cost per item that always asks for all threads.
  const auto over = [](int64_t count, FunctionRef<void(int64_t, int64_t)> body, int64_t align) {
    parallel_for(count, 1e6 / static_cast<double>(align), body, align);
  };
  const auto flat = [&](int64_t count, auto loop) {
    return [=] {
      over(
          count, [&](int64_t begin, int64_t end) { loop(begin, end - begin); }, 16384);
    };
  };
  const auto by_row = [&](auto loop) {
    return [=] {
      over(
          side, [&](int64_t begin, int64_t end) { loop(begin, end - begin); }, 8);
    };
  };

  constexpr int64_t spins = 20000, shares = 64;
  double flops_f32 = 0, flops_f64 = 0, flops_bf16 = 0;
  std::vector<Case> cases = {
      {"fma_f32",
       [&] {
         over(
             shares,
             [&](int64_t i, int64_t e) {
               for (; i < e; ++i) k.fma_f32(spins);
             },
             1);
         flops_f32 = k.fma_f32(1) * spins * shares;
       }},
      {"fma_f64",
       [&] {
         over(
             shares,
             [&](int64_t i, int64_t e) {
               for (; i < e; ++i) k.fma_f64(spins);
             },
             1);
         flops_f64 = k.fma_f64(1) * spins * shares;
       }},
      {"read", flat(n, [=, &k](int64_t i, int64_t m) { sink = k.read(a + i, m); })},
      {"read_bf16", flat(n / 2, [=, &k](int64_t i, int64_t m) { sink = k.read(a + i, m); })},
      {"write", flat(n, [=, &k](int64_t i, int64_t m) { k.write(out + i, m); })},
      {"copy", flat(n, [=, &k](int64_t i, int64_t m) { k.copy(a + i, out + i, m); })},
      {"add", flat(n, [=, &k](int64_t i, int64_t m) { k.add(a + i, b + i, out + i, m); })},
      {"add_2048", flat(small, [=, &k](int64_t i, int64_t m) { k.add(a + i, b + i, out + i, m); })},
      {"where",
       flat(n, [=, &k](int64_t i, int64_t m) { k.where(mask + i, a + i, b + i, out + i, m); })},
      {"narrow", flat(n, [=, &k](int64_t i, int64_t m) { k.narrow(a + i, half + i, m); })},
      {"widen", flat(n, [=, &k](int64_t i, int64_t m) { k.widen(half + i, out + i, m); })},
      {"exp", flat(n, [=, &k](int64_t i, int64_t m) { k.exp(a + i, out + i, m); })},
      {"gelu", by_row([=, &k](int64_t r, int64_t m) {
         k.gelu(a + r * side, b, b + side, out + r * side, m, side);
       })},
      {"logsumexp",
       by_row([=, &k](int64_t r, int64_t m) { k.logsumexp(a + r * side, out + r, m, side); })},
      {"softmax",
       by_row([=, &k](int64_t r, int64_t m) { k.softmax(a + r * side, out + r * side, m, side); })},
  };
#if defined(MLX_HAVE_V4BF16)
  if (cpu_tier() == CpuTier::v4bf16) {
    cases.push_back({"bf16_dot", [&] {
                       over(
                           shares,
                           [&](int64_t i, int64_t e) {
                             for (; i < e; ++i) mlx::bench::bf16_dot_peak(spins);
                           },
                           1);
                       flops_bf16 = mlx::bench::bf16_dot_peak(1) * spins * shares;
                     }});
  }
#endif

  for (auto& c : cases) c.run();
  for (int round = 0; round < rounds; ++round) {
    for (auto& c : cases) c.best = std::min(c.best, seconds(c.run));
  }

  std::printf("{\"cpu\": \"%s\", \"tier\": \"%s\", \"threads\": %d, \"rounds\": %d,\n",
              cpu_model().c_str(), cpu_tier_name(cpu_tier()), threads, rounds);
  std::printf(" \"flops\": {");
  const char* comma = "";
  for (const auto& c : cases) {
    const std::string name = c.name;
    const double flops = name == "fma_f32"    ? flops_f32
                         : name == "fma_f64"  ? flops_f64
                         : name == "bf16_dot" ? flops_bf16
                                              : 0;
    if (flops > 0) {
      std::printf("%s\"%s\": %.4g", comma, c.name, flops / c.best);
      comma = ", ";
    }
  }
  std::printf("},\n \"seconds\": {");
  comma = "";
  for (const auto& c : cases) {
    std::printf("%s\"%s\": %.4g", comma, c.name, c.best);
    comma = ", ";
  }
  std::printf("}}\n");
  return 0;
}
