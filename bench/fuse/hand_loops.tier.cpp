// The loops one would write by hand for each chain, with the library's own
// vector math: what a perfect compiler of the whole chain could give.
#include "bench/fuse/hand_loops.h"

#include "hwy/cache_control.h"
#include "mlx/simd/math.h"

namespace {

namespace simd = mlx::core::MLX_SIMD_NAMESPACE;
namespace hn = simd::hn;
using D = simd::Full<float>;
using V = simd::Vec<float>;
constexpr size_t L = simd::lanes<float>;

template <class F>
HWY_INLINE void loop(float* out, size_t n, bool streaming, const F& f) {
  const D d;
  size_t i = 0;
  if (streaming) {
    for (; i + L <= n; i += L) hn::Stream(f(i), d, out + i);
    hwy::FlushStream();
  } else {
    for (; i + L <= n; i += L) hn::StoreU(f(i), d, out + i);
  }
}

void add(const float* x, const float* y, float* out, size_t n, bool streaming) {
  const D d;
  loop(out, n, streaming,
       [=](size_t i) HWY_ATTR { return hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, y + i)); });
}
void axpb(const float* x, float a, float b, float* out, size_t n, bool streaming) {
  const D d;
  const V va = hn::Set(d, a), vb = hn::Set(d, b);
  loop(out, n, streaming,
       [=](size_t i) HWY_ATTR { return hn::Add(hn::Mul(hn::LoadU(d, x + i), va), vb); });
}
void exp_loop(const float* x, float* out, size_t n, bool streaming) {
  const D d;
  loop(out, n, streaming, [=](size_t i) HWY_ATTR { return simd::exp(d, hn::LoadU(d, x + i)); });
}
void sigmoid_loop(const float* x, float* out, size_t n, bool streaming) {
  const D d;
  loop(out, n, streaming, [=](size_t i) HWY_ATTR { return simd::sigmoid(d, hn::LoadU(d, x + i)); });
}
void to_bf16(const float* x, uint16_t* out, size_t n) {
  const D d;
  for (size_t i = 0; i + L <= n; i += L) simd::store_bf16(d, hn::LoadU(d, x + i), out + i);
}
void from_bf16(const uint16_t* x, float* out, size_t n, bool streaming) {
  const D d;
  loop(out, n, streaming, [=](size_t i) HWY_ATTR { return simd::load_bf16(d, x + i); });
}
void to_i32(const float* x, int32_t* out, size_t n, bool streaming) {
  const D d;
  const simd::Full<int32_t> di;
  loop(reinterpret_cast<float*>(out), n, streaming, [=](size_t i) HWY_ATTR {
    const V v = hn::LoadU(d, x + i);
    return hn::BitCast(d, hn::ConvertTo(di, hn::IfThenZeroElse(hn::IsNaN(v), v)));
  });
}
void gelu(const float* x, float* out, size_t n, bool streaming) {
  const D d;
  loop(out, n, streaming, [=](size_t i) HWY_ATTR {
    const V v = hn::LoadU(d, x + i);
    const V cubed = hn::Mul(hn::Mul(v, v), v);
    const V inner =
        hn::Mul(hn::Add(v, hn::Mul(cubed, hn::Set(d, 0.044715f))), hn::Set(d, 0.7978845608f));
    const V t = hn::Add(simd::tanh(d, inner), hn::Set(d, 1.0f));
    return hn::Mul(hn::Mul(v, hn::Set(d, 0.5f)), t);
  });
}

}  // namespace

extern const HandLoops MLX_TIER_SYMBOL(hand_loops) = {
    add, axpb, exp_loop, sigmoid_loop, to_bf16, from_bf16, to_i32, gelu,
};
