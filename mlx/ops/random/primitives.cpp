// The bit streams of the random family: which words of which Threefry blocks
// make up a stream, in parallel; vmap rules.
#include "mlx/ops/random/primitives.h"

#include <algorithm>
#include <cstring>

#include "mlx/core/cpu_tier.h"
#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/ops/random/threefry.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

namespace {

using threefry::Words;

constexpr double kNanosecondsPerBlock = 0.8;

// A stream of `count` words: block i gives word i and word i + distance; of an
// odd count the middle word comes from a block of its own.
struct Plan {
  int64_t count;
  int64_t blocks;
  int64_t distance;

  explicit Plan(int64_t words) : count(words), blocks(words / 2), distance(words - words / 2) {}
  bool odd() const { return distance != blocks; }
};

uint32_t middle_word(Words key, const Plan& plan) {
  return threefry::block(key, {static_cast<uint32_t>(plan.blocks), 0}).first;
}

// Runs `part(begin, end)` over the blocks; boundaries keep vectors and cache lines whole.
void for_blocks(const Plan& plan, FunctionRef<void(int64_t, int64_t)> part) {
  parallel_for(plan.blocks, kNanosecondsPerBlock, part, 256);
}

void fill_bits(Words key, std::byte* out, int64_t bytes) {
  const threefry::Kernels& kernels = MLX_TIER_TABLE(threefry::kernels);
  const Plan plan((bytes + 3) / 4);
  const int64_t tail = bytes % 4;
  // A last word that is cut off ends the second half: it is not written whole.
  const int64_t whole = plan.blocks - (tail != 0 && plan.blocks > 0 ? 1 : 0);
  const auto distance = static_cast<uint32_t>(plan.distance);
  std::byte* second = out + 4 * plan.distance;
  for_blocks(Plan(2 * whole), [&](int64_t begin, int64_t end) {
    kernels.words(key, static_cast<uint32_t>(begin), distance, end - begin, out + 4 * begin,
                  second + 4 * begin);
  });
  if (whole < plan.blocks) {
    const auto counter = static_cast<uint32_t>(whole);
    const Words last = threefry::block(key, {counter, counter + distance});
    std::memcpy(out + 4 * whole, &last.first, 4);
    std::memcpy(second + 4 * whole, &last.second, tail);
  }
  if (plan.odd()) {
    const uint32_t word = middle_word(key, plan);
    std::memcpy(out + 4 * plan.blocks, &word, plan.blocks == 0 && tail != 0 ? tail : 4);
  }
}

void fill_uniform(Words key, float* out, int64_t count, float limit) {
  const threefry::Kernels& kernels = MLX_TIER_TABLE(threefry::kernels);
  const Plan plan(count);
  float* second = out + plan.distance;
  for_blocks(plan, [&](int64_t begin, int64_t end) {
    kernels.uniforms(key, static_cast<uint32_t>(begin), static_cast<uint32_t>(plan.distance),
                     end - begin, limit, out + begin, second + begin);
  });
  if (plan.odd()) {
    const float u = static_cast<float>(middle_word(key, plan)) * 0x1p-32f;
    out[plan.blocks] = std::min(u, limit);
  }
}

// Calls fill(key, index) for every key; `words` of each are made.
template <typename Fill>
void for_each_key(const array& keys, int64_t words, const Fill& fill) {
  const int64_t count = static_cast<int64_t>(keys.size()) / 2;
  const uint32_t* data = keys.data<uint32_t>();
  const int64_t word_stride = keys.strides(-1);
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t place = 0;
      int64_t rest = i;
      for (int d = static_cast<int>(keys.ndim()) - 2; d >= 0; --d) {
        place += rest % keys.shape(d) * keys.strides(d);
        rest /= keys.shape(d);
      }
      fill(Words{data[place], data[place + word_stride]}, i);
    }
  };
  // Few keys with long streams: the streams themselves are cut into parts.
  if (count < 2 * num_threads()) {
    run(0, count);
  } else {
    parallel_for(count, 20 + static_cast<double>(words) * kNanosecondsPerBlock, run);
  }
}

Shape batched_shape(const array& keys, const Shape& shape) {
  Shape batched(keys.shape().begin(), keys.shape().end() - 1);
  for (ShapeElem dim : shape) {
    batched.push_back(dim);
  }
  return batched;
}

template <typename P, typename State>
std::pair<std::vector<array>, std::vector<int>> batch(const std::vector<array>& inputs,
                                                      const std::vector<int>& axes,
                                                      const Shape& shape, State state, Dtype dtype,
                                                      const Stream& s) {
  array keys = batch_to_front(inputs[0], axes[0], s);
  Shape batched = batched_shape(keys, shape);
  return {{make_array(std::move(batched), dtype, std::make_shared<P>(s, shape, state),
                      std::move(keys))},
          {0}};
}

}  // namespace

void RandomBits::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  const int64_t bytes = checked_nbytes(get<0>(), get<1>(), "random_bits");
  for_each_key(inputs[0], (bytes + 3) / 4, [&](Words key, int64_t i) {
    fill_bits(key, out.data<std::byte>() + i * bytes, bytes);
  });
}

std::vector<Shape> RandomBits::output_shapes(const std::vector<array>& inputs) {
  return {batched_shape(inputs[0], get<0>())};
}

std::pair<std::vector<array>, std::vector<int>> RandomBits::vmap(const std::vector<array>& inputs,
                                                                 const std::vector<int>& axes) {
  const Dtype dtype = get<1>() == 4 ? uint32 : get<1>() == 2 ? uint16 : uint8;
  return batch<RandomBits>(inputs, axes, get<0>(), get<1>(), dtype, stream());
}

void RandomUniform::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  const int64_t count = checked_size(get<0>(), "random_uniform");
  for_each_key(inputs[0], count, [&](Words key, int64_t i) {
    fill_uniform(key, out.data<float>() + i * count, count, get<1>());
  });
}

std::vector<Shape> RandomUniform::output_shapes(const std::vector<array>& inputs) {
  return {batched_shape(inputs[0], get<0>())};
}

std::pair<std::vector<array>, std::vector<int>> RandomUniform::vmap(
    const std::vector<array>& inputs, const std::vector<int>& axes) {
  return batch<RandomUniform>(inputs, axes, get<0>(), get<1>(), float32, stream());
}

}  // namespace mlx::core
