// Step functions of a tier as templates over tiny op structs. An op struct says
// what happens to vectors; it never sees operands in memory, dtypes of
// neighbours, tails or threads. Tier files only.
#pragma once

#include "mlx/fuse/step.h"
#include "mlx/simd/simd.h"

namespace mlx::core::fuse {
namespace {

namespace simd = mlx::core::MLX_SIMD_NAMESPACE;
namespace hn = simd::hn;
using simd::Full;
using simd::Vec;

using Bytes = Vec<uint8_t>;
using StepRun = void (*)(Bytes, Bytes, Bytes, Bytes, const Step*, State*);

// Every step ends in a call in tail position, which the compiler turns into a
// jump. A local array would prevent that: scratch memory is in the state.
#define MLX_STEP Bytes a, Bytes b, Bytes c, Bytes d, const Step *step, State *state
#define MLX_NEXT return reinterpret_cast<StepRun>(step[1].run)(a, b, c, d, step + 1, state)

template <class T>
HWY_INLINE Vec<T> as(Bytes v) {
  return hn::BitCast(Full<T>(), v);
}
template <class V>
HWY_INLINE Bytes bytes(V v) {
  return hn::BitCast(Full<uint8_t>(), v);
}
template <class D, class M>
HWY_INLINE Bytes mask_bytes(D d, M m) {
  return bytes(hn::VecFromMask(d, m));
}

HWY_INLINE const uint8_t* operand(const Step* step, const State* state, int k) {
  return step->operand[k] + (state->offset & step->mask[k]);
}
template <class T>
HWY_INLINE Vec<T> load(const uint8_t* p, size_t k) {
  return hn::LoadU(Full<T>(), reinterpret_cast<const T*>(p) + k * simd::lanes<T>);
}

/// a = F(a).
template <class F, class T>
void unary_step(MLX_STEP) {
  const Full<T> t;
  a = bytes(F::call(t, as<T>(a)));
  b = bytes(F::call(t, as<T>(b)));
  c = bytes(F::call(t, as<T>(c)));
  d = bytes(F::call(t, as<T>(d)));
  MLX_NEXT;
}

/// a = F(a, memory). With `splat` one vector in memory serves all four.
template <class F, class T, bool splat = false>
void binary_step(MLX_STEP) {
  const Full<T> t;
  const uint8_t* p = splat ? step->operand[0] : operand(step, state, 0);
  const Vec<T> first = load<T>(p, 0);
  a = bytes(F::call(t, as<T>(a), first));
  b = bytes(F::call(t, as<T>(b), splat ? first : load<T>(p, 1)));
  c = bytes(F::call(t, as<T>(c), splat ? first : load<T>(p, 2)));
  d = bytes(F::call(t, as<T>(d), splat ? first : load<T>(p, 3)));
  MLX_NEXT;
}

/// a = F(memory, a).
template <class F, class T, bool splat = false>
void reversed_step(MLX_STEP) {
  const Full<T> t;
  const uint8_t* p = splat ? step->operand[0] : operand(step, state, 0);
  const Vec<T> first = load<T>(p, 0);
  a = bytes(F::call(t, first, as<T>(a)));
  b = bytes(F::call(t, splat ? first : load<T>(p, 1), as<T>(b)));
  c = bytes(F::call(t, splat ? first : load<T>(p, 2), as<T>(c)));
  d = bytes(F::call(t, splat ? first : load<T>(p, 3), as<T>(d)));
  MLX_NEXT;
}

/// a = F(memory, memory).
template <class F, class T, bool exchanged = false>
void both_step(MLX_STEP) {
  const Full<T> t;
  const uint8_t* p = operand(step, state, exchanged ? 1 : 0);
  const uint8_t* q = operand(step, state, exchanged ? 0 : 1);
  a = bytes(F::call(t, load<T>(p, 0), load<T>(q, 0)));
  b = bytes(F::call(t, load<T>(p, 1), load<T>(q, 1)));
  c = bytes(F::call(t, load<T>(p, 2), load<T>(q, 2)));
  d = bytes(F::call(t, load<T>(p, 3), load<T>(q, 3)));
  MLX_NEXT;
}

/// Complex values: F takes and gives (real, imaginary) of one vector pair.
template <class F>
void complex_unary_step(MLX_STEP) {
  const Full<float> t;
  Vec<float> x0 = as<float>(a), x1 = as<float>(b), y0 = as<float>(c), y1 = as<float>(d);
  F::call(t, x0, y0);
  F::call(t, x1, y1);
  a = bytes(x0);
  b = bytes(x1);
  c = bytes(y0);
  d = bytes(y1);
  MLX_NEXT;
}
template <class F>
void complex_binary_step(MLX_STEP) {
  const Full<float> t;
  const uint8_t* p = operand(step, state, 0);
  Vec<float> x0 = as<float>(a), x1 = as<float>(b), y0 = as<float>(c), y1 = as<float>(d);
  F::call(t, x0, y0, load<float>(p, 0), load<float>(p, 2));
  F::call(t, x1, y1, load<float>(p, 1), load<float>(p, 3));
  a = bytes(x0);
  b = bytes(x1);
  c = bytes(y0);
  d = bytes(y1);
  MLX_NEXT;
}
template <class F>
void complex_reversed_step(MLX_STEP) {
  const Full<float> t;
  const uint8_t* p = operand(step, state, 0);
  Vec<float> x0 = load<float>(p, 0), x1 = load<float>(p, 1);
  Vec<float> y0 = load<float>(p, 2), y1 = load<float>(p, 3);
  F::call(t, x0, y0, as<float>(a), as<float>(c));
  F::call(t, x1, y1, as<float>(b), as<float>(d));
  a = bytes(x0);
  b = bytes(x1);
  c = bytes(y0);
  d = bytes(y1);
  MLX_NEXT;
}

/// Step functions by op and lane, filled at compile time.
struct UnaryTable {
  StepRun at[op_count][lane_count] = {};
  constexpr void set(Op op, Lane lane, StepRun run) {
    at[static_cast<int>(op)][static_cast<int>(lane)] = run;
  }
  StepFunction find(Op op, Lane lane) const {
    return reinterpret_cast<StepFunction>(at[static_cast<int>(op)][static_cast<int>(lane)]);
  }
};
struct BinaryTable {
  UnaryTable forms[form_count];
  constexpr void set(Op op, Lane lane, StepRun forward, StepRun reversed,
                     StepRun forward_splat = nullptr, StepRun reversed_splat = nullptr,
                     StepRun both = nullptr) {
    forms[0].set(op, lane, forward);
    forms[1].set(op, lane, reversed);
    forms[2].set(op, lane, forward_splat);
    forms[3].set(op, lane, reversed_splat);
    forms[4].set(op, lane, both);
  }
  StepFunction find(Op op, Lane lane, Form form) const {
    return forms[static_cast<int>(form)].find(op, lane);
  }
};

template <class F, class T>
constexpr void commutative(BinaryTable& t, Op op, Lane lane) {
  t.set(op, lane, binary_step<F, T>, binary_step<F, T>, binary_step<F, T, true>,
        binary_step<F, T, true>, both_step<F, T>);
}
template <class F, class T>
constexpr void directed(BinaryTable& t, Op op, Lane lane) {
  t.set(op, lane, binary_step<F, T>, reversed_step<F, T>, binary_step<F, T, true>,
        reversed_step<F, T, true>, both_step<F, T>);
}
/// F with its operands exchanged: greater from less.
template <class F, class T>
constexpr void exchanged(BinaryTable& t, Op op, Lane lane) {
  t.set(op, lane, reversed_step<F, T>, binary_step<F, T>, reversed_step<F, T, true>,
        binary_step<F, T, true>, both_step<F, T, true>);
}

}  // namespace
}  // namespace mlx::core::fuse
