// Choice of the instruction-set tier: what the CPU has and the operating system
// saves, then the setting MLX_CPU_TIER.
#include "mlx/core/cpu_tier.h"

#include <stdexcept>
#include <string>

#include "mlx/core/settings.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mlx::core {
namespace {

constexpr CpuTier kTiers[] = {CpuTier::v2, CpuTier::v3, CpuTier::v4, CpuTier::v4bf16};

#if defined(__x86_64__)

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

constexpr bool has(unsigned value, unsigned bits) {
  return (value & bits) == bits;
}

// The register states that the operating system saves (XCR0).
unsigned saved_states() {
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

CpuTier detect() {
  const Registers basic = cpuid(1);
  const Registers extended = cpuid(7, 0);
  const Registers amd = cpuid(0x80000001);
  // Highway counts AES and carry-less multiplication to its AVX2 and AVX-512 targets.
  constexpr unsigned kV3Basic = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C | bit_AES |
                                bit_PCLMUL | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT;
  constexpr unsigned kXmmYmm = 0x6;
  const bool v3 = has(basic.ecx, kV3Basic) && has(saved_states(), kXmmYmm) &&
                  has(extended.ebx, bit_AVX2 | bit_BMI | bit_BMI2) && has(amd.ecx, bit_LZCNT);
  if (!v3) {
    return CpuTier::v2;
  }
  constexpr unsigned kV4 = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
  constexpr unsigned kXmmYmmZmm = 0xe6;
  if (!has(extended.ebx, kV4) || !has(saved_states(), kXmmYmmZmm)) {
    return CpuTier::v3;
  }
  constexpr unsigned kAvx512Bf16 = 1u << 5;  // leaf 7.1, eax
  const bool bf16 =
      extended.eax >= 1 && has(cpuid(7, 1).eax, kAvx512Bf16) && has(extended.ecx, bit_AVX512VNNI);
  return bf16 ? CpuTier::v4bf16 : CpuTier::v4;
}

#else

// The tiers are those of x86-64.
CpuTier detect() { return CpuTier::v2; }

#endif

CpuTier choose() {
  const CpuTier best = best_cpu_tier();
#if defined(MLX_SINGLE_TIER_v3)
  if (best < CpuTier::v3) {
    throw std::runtime_error("this build holds only the v3 (AVX2) kernels, which this CPU lacks");
  }
  return CpuTier::v3;
#else
  // Unknown names do not get past the settings.
  const auto setting = settings::value<settings::Name::cpu_tier>();
  CpuTier tier = best;
  for (CpuTier candidate : kTiers) {
    if (setting && *setting == cpu_tier_name(candidate)) {
      tier = candidate;
    }
  }
  if (tier > best) {
    throw std::invalid_argument("MLX_CPU_TIER=" + *setting + ": this CPU has at most " +
                                cpu_tier_name(best));
  }
  return tier;
#endif
}

}  // namespace

CpuTier best_cpu_tier() {
  static const CpuTier best = detect();
  return best;
}

CpuTier cpu_tier() {
  static const CpuTier tier = choose();  // a throw leaves it undecided: the next call throws again
  return tier;
}

const char* cpu_tier_name(CpuTier tier) {
  switch (tier) {
    case CpuTier::v2:
      return "v2";
    case CpuTier::v3:
      return "v3";
    case CpuTier::v4:
      return "v4";
    case CpuTier::v4bf16:
      return "v4bf16";
  }
  return "unknown";
}

}  // namespace mlx::core
