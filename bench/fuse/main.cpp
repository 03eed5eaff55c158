// The elementwise engine against hand-fused loops of the same vector math, on
// the same thread pool. Rounds alternate; the best of each is printed.
//   fuse_bench [elements=16777216] [threads=0: all] [rounds=15]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bench/fuse/hand_loops.h"
#include "mlx/core/cpu_tier.h"
#include "mlx/core/parallel.h"
#include "mlx/fuse/engine.h"

using namespace mlx::core;
using fuse::Instruction;
using fuse::Op;
using Val = Dtype::Val;

namespace {

/// With one thread its own CPU time, so that other processes do not count.
double seconds() {
  if (num_threads() == 1) {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T>
T* aligned(size_t n) {
  T* p =
      static_cast<T*>(std::aligned_alloc(size_t{1} << 21, (n * sizeof(T) + (1 << 21)) >> 21 << 21));
  std::fill_n(p, n, T(0));
  return p;
}

double least(const std::vector<double>& v) {
  return *std::min_element(v.begin(), v.end());
}

void compare(const char* label, int64_t n, int rounds, const std::function<void()>& engine,
             const std::function<void()>& hand) {
  const int repeats = std::max<int64_t>(1, (int64_t{1} << 21) / n);
  std::vector<double> a, b;
  engine();
  hand();
  for (int r = 0; r < rounds; ++r) {
    const double t0 = seconds();
    for (int k = 0; k < repeats; ++k) engine();
    const double t1 = seconds();
    for (int k = 0; k < repeats; ++k) hand();
    const double t2 = seconds();
    a.push_back((t1 - t0) / repeats / n * 1e9);
    b.push_back((t2 - t1) / repeats / n * 1e9);
  }
  std::printf("%-10s engine %7.4f  hand %7.4f ns/element   ratio %.2f\n", label, least(a), least(b),
              least(a) / least(b));
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : int64_t{1} << 24;
  if (argc > 2 && std::atoi(argv[2]) > 0) set_num_threads(std::atoi(argv[2]));
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 15;
  const HandLoops& hand = MLX_TIER_TABLE(hand_loops);
  std::printf("tier %s, %lld elements, %d threads\n", cpu_tier_name(cpu_tier()),
              static_cast<long long>(n), num_threads());

  float* x = aligned<float>(n);
  float* y = aligned<float>(n);
  float* z = aligned<float>(n);
  uint16_t* h = aligned<uint16_t>(n);
  for (int64_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 977) / 100.0f - 4.8f;
    y[i] = static_cast<float>(i % 131) / 10.0f;
  }
  const int64_t dense[] = {1}, zero[] = {0};
  constexpr Val f = Val::float32;
  const float constants[] = {2.0f, 0.25f, 0.044715f, 0.7978845608f, 1.0f, 0.5f};
  const fuse::Input ix{x, f, dense}, iy{y, f, dense}, ih{h, Val::bfloat16, dense};
  fuse::Input c[6];
  for (int k = 0; k < 6; ++k) c[k] = {&constants[k], f, zero};

  const auto program = [&](std::vector<fuse::Input> in, std::vector<Instruction> code, void* out) {
    return [=] {
      const fuse::Output o{static_cast<uint16_t>(in.size() + code.size() - 1), out, dense};
      fuse::run({1, &n, static_cast<int>(in.size()), in.data(), static_cast<int>(code.size()),
                 code.data(), 1, &o});
    };
  };
  const bool streaming = n * 8 >= (int64_t{32} << 20);
  const auto parallel = [&](double cost, auto body) {
    return [=] {
      parallel_for(n / 1024, cost * 1024, [&](int64_t b, int64_t e) {
        body(b * 1024, static_cast<size_t>(e - b) * 1024);
      });
    };
  };

  compare("add", n, rounds, program({ix, iy}, {{Op::Add, f, f, {0, 1, 0}}}, z),
          parallel(0.1, [=](int64_t i, size_t m) { hand.add(x + i, y + i, z + i, m, streaming); }));
  compare(
      "2a+b", n, rounds,
      program({ix, c[0], c[1]}, {{Op::Multiply, f, f, {0, 1, 0}}, {Op::Add, f, f, {3, 2, 0}}}, z),
      parallel(0.1,
               [=](int64_t i, size_t m) { hand.axpb(x + i, 2.0f, 0.25f, z + i, m, streaming); }));
  compare("exp", n, rounds, program({ix}, {{Op::Exp, f, f, {0, 0, 0}}}, z),
          parallel(0.3, [=](int64_t i, size_t m) { hand.exp(x + i, z + i, m, streaming); }));
  compare("sigmoid", n, rounds, program({ix}, {{Op::Sigmoid, f, f, {0, 0, 0}}}, z),
          parallel(0.3, [=](int64_t i, size_t m) { hand.sigmoid(x + i, z + i, m, streaming); }));
  compare("f32->bf16", n, rounds, program({ix}, {{Op::Cast, f, Val::bfloat16, {0, 0, 0}}}, h),
          parallel(0.1, [=](int64_t i, size_t m) { hand.to_bf16(x + i, h + i, m); }));
  compare("bf16->f32", n, rounds, program({ih}, {{Op::Cast, Val::bfloat16, f, {0, 0, 0}}}, z),
          parallel(0.1, [=](int64_t i, size_t m) { hand.from_bf16(h + i, z + i, m, streaming); }));
  compare("f32->i32", n, rounds, program({ix}, {{Op::Cast, f, Val::int32, {0, 0, 0}}}, z),
          parallel(0.1, [=](int64_t i, size_t m) {
            hand.to_i32(x + i, reinterpret_cast<int32_t*>(z) + i, m, streaming);
          }));
  // 0.5 x (1 + tanh(0.798 (x + 0.0447 x x x)))
  compare("gelu", n, rounds,
          program({ix, c[2], c[3], c[4], c[5]},
                  {{Op::Square, f, f, {0, 0, 0}},
                   {Op::Multiply, f, f, {5, 0, 0}},
                   {Op::Multiply, f, f, {6, 1, 0}},
                   {Op::Add, f, f, {0, 7, 0}},
                   {Op::Multiply, f, f, {8, 2, 0}},
                   {Op::Tanh, f, f, {9, 0, 0}},
                   {Op::Add, f, f, {10, 3, 0}},
                   {Op::Multiply, f, f, {0, 4, 0}},
                   {Op::Multiply, f, f, {12, 11, 0}}},
                  z),
          parallel(0.5, [=](int64_t i, size_t m) { hand.gelu(x + i, z + i, m, streaming); }));
  return 0;
}
