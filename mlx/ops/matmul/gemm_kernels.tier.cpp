// The matrix-product kernels of one instruction-set tier.
#include "mlx/ops/matmul/gemm_kernels-inl.h"

#if defined(MLX_TIER_v3)
static_assert(HWY_STATIC_TARGET == HWY_AVX2, "AVX2 flags are incomplete");
#elif defined(MLX_TIER_v4)
static_assert(HWY_STATIC_TARGET == HWY_AVX3, "AVX-512 flags are incomplete");
#elif defined(MLX_TIER_v2)
static_assert(HWY_STATIC_TARGET == HWY_SSE4, "SSE4 flags are incomplete");
#endif

#define MLX_GEMM_NAME2(prefix, tier) prefix##tier
#define MLX_GEMM_NAME(prefix, tier) MLX_GEMM_NAME2(prefix, tier)

namespace mlx::core::gemm {

extern constexpr MatmulKernels MLX_GEMM_NAME(matmul_kernels_, MLX_TIER) = {
    real_kernels<Half>(), real_kernels<BFloat>(), real_kernels<float>(), real_kernels<double>(),
    complex_kernels()};

}  // namespace mlx::core::gemm
