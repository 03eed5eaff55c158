// The instruction-set tier: agreement with the compiler's view of the CPU.
#include <doctest/doctest.h>

#include <string>

#include "mlx/core/cpu_tier.h"

using namespace mlx::core;

#if defined(__x86_64__)

TEST_CASE("the detected tier agrees with the compiler's run-time library") {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("aes") &&
                  __builtin_cpu_supports("pclmul");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  const bool bf16 =
      v4 && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vnni");
  const CpuTier expected = bf16 ? CpuTier::v4bf16
                           : v4 ? CpuTier::v4
                           : v3 ? CpuTier::v3
                                : CpuTier::v2;
  CHECK(best_cpu_tier() == expected);
}

TEST_CASE("the tier in use is one that the CPU has") {
  CHECK(cpu_tier() <= best_cpu_tier());
  CHECK(std::string(cpu_tier_name(CpuTier::v4bf16)) == "v4bf16");
}

#endif
