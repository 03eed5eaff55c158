// Which instruction-set tier this process uses; chosen once, before any kernel
// runs, from cpuid and the setting MLX_CPU_TIER.
#pragma once

namespace mlx::core {

enum class CpuTier { v2, v3, v4, v4bf16 };

/// The tier in use. Throws std::invalid_argument when MLX_CPU_TIER names an
/// unknown tier or one that this CPU lacks.
CpuTier cpu_tier();

/// The best tier that this CPU has, whatever the setting says.
CpuTier best_cpu_tier();

const char* cpu_tier_name(CpuTier tier);

/// Picks the table of the current tier. v4bf16 has no engine tables of its own:
/// it uses those of v4.
template <typename Table>
const Table& tier_table(const Table& v2, const Table& v3, const Table& v4) {
  switch (cpu_tier()) {
    case CpuTier::v2:
      return v2;
    case CpuTier::v3:
      return v3;
    default:
      return v4;
  }
}

}  // namespace mlx::core

// MLX_TIER_TABLE(reduce_kernels) is the table of the current tier among
// reduce_kernels_v2, _v3 and _v4. Sanitizer builds hold one tier only.
#if defined(MLX_SINGLE_TIER_v3)
#define MLX_TIER_TABLE(name) (name##_v3)
#else
#define MLX_TIER_TABLE(name) (::mlx::core::tier_table(name##_v2, name##_v3, name##_v4))
#endif
