// The loops that bound what any framework can reach here, one table per
// instruction-set tier. Plain loops over one chunk; threads are main.cpp's matter.
#pragma once

#include <cstdint>

namespace mlx::bench {

struct LimitKernels {
  // Register-only fused multiply-adds; return how many floating-point operations ran.
  double (*fma_f32)(int64_t iterations);
  double (*fma_f64)(int64_t iterations);

  // Memory. All stores stream past the cache; n is a multiple of 64.
  float (*read)(const float* a, int64_t n);
  void (*write)(float* out, int64_t n);
  void (*copy)(const float* a, float* out, int64_t n);
  void (*add)(const float* a, const float* b, float* out, int64_t n);
  void (*where)(const uint8_t* c, const float* a, const float* b, float* out, int64_t n);
  void (*narrow)(const float* a, uint16_t* out, int64_t n);  // float32 to float16
  void (*widen)(const uint16_t* a, float* out, int64_t n);   // float16 to float32

  // Hand-fused arithmetic with the library's vector math, results streamed.
  void (*exp)(const float* a, float* out, int64_t n);
  // gelu of a * w + b, tanh form; w and b are rows of `columns` values.
  void (*gelu)(const float* a, const float* w, const float* b, float* out, int64_t rows,
               int64_t columns);
  void (*logsumexp)(const float* a, float* out, int64_t rows, int64_t columns);
  void (*softmax)(const float* a, float* out, int64_t rows, int64_t columns);
};

extern const LimitKernels limit_kernels_v2, limit_kernels_v3, limit_kernels_v4;

/// Register-only bf16 dot products; needs AVX-512 bf16.
double bf16_dot_peak(int64_t iterations);

}  // namespace mlx::bench
