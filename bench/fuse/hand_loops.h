// Hand-fused loops that the elementwise engine is compared with.
#pragma once

#include <cstddef>
#include <cstdint>

struct HandLoops {
  void (*add)(const float* x, const float* y, float* out, size_t n, bool streaming);
  void (*axpb)(const float* x, float a, float b, float* out, size_t n, bool streaming);
  void (*exp)(const float* x, float* out, size_t n, bool streaming);
  void (*sigmoid)(const float* x, float* out, size_t n, bool streaming);
  void (*to_bf16)(const float* x, uint16_t* out, size_t n);
  void (*from_bf16)(const uint16_t* x, float* out, size_t n, bool streaming);
  void (*to_i32)(const float* x, int32_t* out, size_t n, bool streaming);
  void (*gelu)(const float* x, float* out, size_t n, bool streaming);
};

extern const HandLoops hand_loops_v2, hand_loops_v3, hand_loops_v4;
