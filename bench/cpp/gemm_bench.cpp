// Matrix products as fractions of what this machine can do now: the peak of
// fused multiply-adds (or of bf16 dot products) in registers, and the read
// bandwidth, measured in the same run with the same threads. Prints a table;
// arguments are rows to run (substring match), none = all.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "mlx/core/parallel.h"
#include "mlx/ops/matmul/gemm.h"

using namespace mlx::core;

namespace {

// With one thread, processor time: other programs then only cost cache.
double now() {
  timespec t;
  clock_gettime(num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

using Call = std::function<void()>;

// Best times of one call of each, in alternating rounds: other programs only
// ever make them slower, and the clock and the memory belong to both.
std::pair<double, double> best_seconds(const Call& call, const Call& limit, double budget = 0.4) {
  auto repeats = [](const Call& f) {
    f();
    const double start = now();
    f();
    return std::max(1, static_cast<int>(1e-3 / std::max(now() - start, 1e-7)));
  };
  const int call_repeats = repeats(call), limit_repeats = repeats(limit);
  auto time = [](const Call& f, int count) {
    const double start = now();
    for (int i = 0; i < count; ++i) f();
    return (now() - start) / count;
  };
  double best_call = 1e30, best_limit = 1e30;
  const double end = now() + budget;
  for (int round = 0; round < 5 || now() < end; ++round) {
    best_call = std::min(best_call, time(call, call_repeats));
    best_limit = std::min(best_limit, time(limit, limit_repeats));
  }
  return {best_call, best_limit};
}

#if defined(__x86_64__)
__attribute__((target("avx512f"))) float fma_loop_512(int64_t steps) {
  __m512 sum[14];
  for (auto& s : sum) s = _mm512_set1_ps(1e-3f);
  const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(1e-3f);
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 14
    for (int j = 0; j < 14; ++j) sum[j] = _mm512_fmadd_ps(sum[j], a, b);
  }
  for (int j = 1; j < 14; ++j) sum[0] = _mm512_add_ps(sum[0], sum[j]);
  return _mm512_reduce_add_ps(sum[0]);
}
__attribute__((target("avx2,fma"))) float fma_loop_256(int64_t steps) {
  __m256 sum[14];
  for (auto& s : sum) s = _mm256_set1_ps(1e-3f);
  const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(1e-3f);
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 14
    for (int j = 0; j < 14; ++j) sum[j] = _mm256_fmadd_ps(sum[j], a, b);
  }
  for (int j = 1; j < 14; ++j) sum[0] = _mm256_add_ps(sum[0], sum[j]);
  return _mm256_cvtss_f32(sum[0]);
}
__attribute__((target("avx512f,avx512bf16"))) float dot_loop_bf16(int64_t steps) {
  __m512 sum[14];
  for (auto& s : sum) s = _mm512_set1_ps(1e-3f);
  const __m512bh a = (__m512bh)_mm512_set1_epi32(0x3c003c00);
  for (int64_t i = 0; i < steps; ++i) {
#pragma GCC unroll 14
    for (int j = 0; j < 14; ++j) sum[j] = _mm512_dpbf16_ps(sum[j], a, a);
  }
  for (int j = 1; j < 14; ++j) sum[0] = _mm512_add_ps(sum[0], sum[j]);
  return _mm512_reduce_add_ps(sum[0]);
}
#endif

volatile float sink;

// Runs multiply-adds on all threads; returns how many operations.
double run_peak(bool bf16) {
#if defined(__x86_64__)
  constexpr int64_t kSteps = 5000;
  const bool wide = __builtin_cpu_supports("avx512f");
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      sink = bf16 ? dot_loop_bf16(kSteps) : wide ? fma_loop_512(kSteps) : fma_loop_256(kSteps);
    }
  };
  const int64_t items = 4 * num_threads();
  parallel_for(items, 20000, run);
  const double lanes = bf16 ? 32 : wide ? 16 : 8;
  return static_cast<double>(items * kSteps) * 14 * lanes * 2;
#else
  return 0;
#endif
}

struct Buffer {
  void* data;
  explicit Buffer(size_t bytes) {
    constexpr size_t kHuge = size_t(2) << 20;
    const size_t size = (bytes + kHuge - 1) / kHuge * kHuge;
    data = std::aligned_alloc(kHuge, size);
#if defined(__linux__)
    madvise(data, size, MADV_HUGEPAGE);  // as the allocator of arrays does
#endif
    // Small values that are normal numbers in every dtype.
    std::memset(data, 0x3c, bytes);
  }
  ~Buffer() {
    std::free(data);
  }
};

void run_read(const void* data, int64_t bytes) {
  const uint64_t* words = static_cast<const uint64_t*>(data);
  constexpr int64_t kChunk = 1 << 16;
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t* p = words + i * kChunk;
      uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      for (int64_t j = 0; j < kChunk; j += 32) {  // one word of each line moves it
        s0 += p[j];
        s1 += p[j + 8];
        s2 += p[j + 16];
        s3 += p[j + 24];
      }
      sink = static_cast<float>(s0 + s1 + s2 + s3);
    }
  };
  parallel_for(bytes / 8 / kChunk, 20000, run);
}

int64_t size_of_dtype(Dtype::Val dtype) {
  switch (dtype) {
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16:
      return 2;
    case Dtype::Val::float32:
      return 4;
    default:
      return 8;
  }
}

struct Row {
  const char* name;
  Dtype::Val dtype;
  int64_t batch, m, n, k;
  bool transpose_b;
  enum { of_peak, of_bf16_peak, of_half_peak, of_bandwidth } limit;
  double target;
};

}  // namespace

int main(int argc, char** argv) {
  using V = Dtype::Val;
  const bool bf16_dot = cpu_tier() == CpuTier::v4bf16;
  const auto bf16_limit = bf16_dot ? Row::of_bf16_peak : Row::of_peak;
  const Row rows[] = {
      {"f32 64", V::float32, 1, 64, 64, 64, false, Row::of_peak, 0},
      {"f32 128", V::float32, 1, 128, 128, 128, false, Row::of_peak, 0},
      {"f32 256", V::float32, 1, 256, 256, 256, false, Row::of_peak, 0},
      {"f32 512", V::float32, 1, 512, 512, 512, false, Row::of_peak, 0.75},
      {"f32 1024", V::float32, 1, 1024, 1024, 1024, false, Row::of_peak, 0.85},
      {"f32 2048", V::float32, 1, 2048, 2048, 2048, false, Row::of_peak, 0.85},
      {"f32 1024 NT", V::float32, 1, 1024, 1024, 1024, true, Row::of_peak, 0.85},
      {"f32 256x512x784 NT", V::float32, 1, 256, 512, 784, true, Row::of_peak, 0},
      {"f32 256x10x512 NT", V::float32, 1, 256, 10, 512, true, Row::of_peak, 0},
      {"f32 32x4096x4096 NT", V::float32, 1, 32, 4096, 4096, true, Row::of_peak, 0},
      {"f32 32x4096x4096", V::float32, 1, 32, 4096, 4096, false, Row::of_peak, 0},
      {"f32 8x4096x4096 NT", V::float32, 1, 8, 4096, 4096, true, Row::of_bandwidth, 0},
      {"f32 8x4096x4096", V::float32, 1, 8, 4096, 4096, false, Row::of_bandwidth, 0},
      {"f32 gemv 4096 NT", V::float32, 1, 1, 4096, 4096, true, Row::of_bandwidth, 0.8},
      {"f32 gemv 4096", V::float32, 1, 1, 4096, 4096, false, Row::of_bandwidth, 0.8},
      {"bf16 512", V::bfloat16, 1, 512, 512, 512, false, bf16_limit, 0},
      {"bf16 1024", V::bfloat16, 1, 1024, 1024, 1024, false, bf16_limit, 0.8},
      {"bf16 1024 NT", V::bfloat16, 1, 1024, 1024, 1024, true, bf16_limit, 0.8},
      {"bf16 2048", V::bfloat16, 1, 2048, 2048, 2048, false, bf16_limit, 0},
      {"bf16 8x4096x4096 NT", V::bfloat16, 1, 8, 4096, 4096, true, Row::of_bandwidth, 0},
      {"bf16 gemv 4096 NT", V::bfloat16, 1, 1, 4096, 4096, true, Row::of_bandwidth, 0},
      {"f16 512", V::float16, 1, 512, 512, 512, false, Row::of_peak, 0},
      {"f16 1024", V::float16, 1, 1024, 1024, 1024, false, Row::of_peak, 0.75},
      {"f64 1024", V::float64, 1, 1024, 1024, 1024, false, Row::of_half_peak, 0},
      {"c64 512", V::complex64, 1, 512, 512, 512, false, Row::of_peak, 0},
      {"batch f32 1024x16x64x16", V::float32, 1024, 16, 16, 64, false, Row::of_peak, 0.6},
      {"batch f32 64x128x128x64 NT", V::float32, 64, 128, 128, 64, true, Row::of_peak, 0},
      {"batch bf16 1024x16x64x16", V::bfloat16, 1024, 16, 16, 64, false, bf16_limit, 0},
  };
  std::printf("tier %s, %d threads\n", cpu_tier_name(cpu_tier()), num_threads());
  for (const Row& row : rows) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted |= std::strstr(row.name, argv[i]) != nullptr;
    if (!wanted) continue;
    const int64_t size = size_of_dtype(row.dtype);
    Buffer a(static_cast<size_t>(row.batch * row.m * row.k * size));
    // Memory-bound cases cycle through enough copies of B to leave the caches.
    const bool streams = row.limit == Row::of_bandwidth;
    const int64_t b_bytes = row.batch * row.k * row.n * size;
    const int64_t copies = streams ? std::max<int64_t>(1, (int64_t(256) << 20) / b_bytes) : 1;
    Buffer b(static_cast<size_t>(b_bytes * copies));
    Buffer c(static_cast<size_t>(row.batch * row.m * row.n * size));
    const int64_t a_batch = row.m * row.k, b_batch = row.k * row.n, c_batch = row.m * row.n;
    gemm::Product p;
    p.dtype = row.dtype;
    p.m = row.m;
    p.n = row.n;
    p.k = row.k;
    p.a = {a.data, row.k, 1, &a_batch};
    p.b = {b.data, row.transpose_b ? 1 : row.n, row.transpose_b ? row.k : 1, &b_batch};
    p.c = {c.data, row.n, 1, &c_batch};
    p.batch_ndim = 1;
    p.batch_shape = &row.batch;
    int64_t turn = 0;
    double limit_work = 0;
    const auto [seconds, limit_seconds] = best_seconds(
        [&] {
          p.b.data = static_cast<char*>(b.data) + turn++ % copies * b_bytes;
          gemm::multiply(p);
        },
        [&] {
          if (streams) {
            run_read(static_cast<char*>(b.data) + turn++ % copies * b_bytes, b_bytes);
            limit_work = static_cast<double>(b_bytes);
          } else {
            limit_work = run_peak(row.limit == Row::of_bf16_peak);
          }
        });
    double work = static_cast<double>(b_bytes);
    if (!streams) {
      work = 2.0 * static_cast<double>(row.batch * row.m * row.n) * static_cast<double>(row.k) *
             (row.dtype == V::complex64 ? 4 : 1);
    }
    const double limit = limit_work / limit_seconds / (row.limit == Row::of_half_peak ? 2 : 1);
    const double fraction = work / seconds / limit;
    std::printf("%-28s %9.1f us %7.1f of %6.1f %-8s %5.2f", row.name, seconds * 1e6,
                work / seconds * 1e-9, limit * 1e-9, streams ? "GB/s" : "GFLOP/s", fraction);
    if (row.target > 0) {
      std::printf("  (want %.2f)%s", row.target, fraction < row.target ? " LOW" : "");
    }
    std::printf("\n");
  }
  return 0;
}
