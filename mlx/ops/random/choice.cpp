// Random choices: permutations and categories, and the primitives behind them.
#include <algorithm>
#include <numeric>
#include <vector>

#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/index/index.h"
#include "mlx/ops/random/primitives.h"
#include "mlx/ops/random/random.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/copy.h"
#include "mlx/ops/shape/shape.h"
#include "mlx/ops/vmap_axes.h"

namespace mlx::core {

void RandomOrder::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const array words = inputs[0].flags().row_contiguous ? inputs[0] : [&] {
    array dense(inputs[0].shape(), uint32, nullptr, {});
    copy_to_row_major(inputs[0], dense);
    return dense;
  }();
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  const int64_t n = out.shape(-1);
  const int64_t rows = static_cast<int64_t>(out.size()) / n;
  parallel_for(rows, 50.0 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
    // Equal words keep their order: the index is the lower half.
    std::vector<uint64_t> pairs(static_cast<size_t>(n));
    for (int64_t row = begin; row < end; ++row) {
      const uint32_t* word = words.data<uint32_t>() + row * n;
      for (int64_t i = 0; i < n; ++i) {
        pairs[i] = static_cast<uint64_t>(word[i]) << 32 | static_cast<uint32_t>(i);
      }
      std::sort(pairs.begin(), pairs.end());
      std::transform(pairs.begin(), pairs.end(), out.data<uint32_t>() + row * n,
                     [](uint64_t pair) { return static_cast<uint32_t>(pair); });
    }
  });
}

std::pair<std::vector<array>, std::vector<int>> RandomOrder::vmap(const std::vector<array>& inputs,
                                                                  const std::vector<int>& axes) {
  array words = batch_to_front(inputs[0], axes[0], stream());
  Shape shape = words.shape();
  return {
      {make_array(std::move(shape), uint32, stateless<RandomOrder>(stream()), std::move(words))},
      {0}};
}

void RandomCategory::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  array weights(inputs[0].shape(), float32, nullptr, {});
  array numbers(inputs[1].shape(), float32, nullptr, {});
  copy_to_row_major(inputs[0], weights);
  copy_to_row_major(inputs[1], numbers);
  const int64_t categories = weights.shape(-1);
  const int64_t rows = static_cast<int64_t>(weights.size()) / categories;
  const int64_t draws = static_cast<int64_t>(out.size()) / rows;
  std::vector<float> below(static_cast<size_t>(categories));  // sums of the weights before each
  for (int64_t row = 0; row < rows; ++row) {
    const float* weight = weights.data<float>() + row * categories;
    float sum = 0;
    for (int64_t i = 0; i < categories; ++i) {
      below[i] = sum;
      sum += weight[i];
    }
    const float* number = numbers.data<float>() + row * draws;
    uint32_t* category = out.data<uint32_t>() + row * draws;
    parallel_for(draws, 20, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto next = std::upper_bound(below.begin(), below.end(), number[i]);
        int64_t found = next - below.begin() - (next != below.begin());
        // A number that rounding put beyond the last share belongs to it.
        while (found > 0 && weight[found] == 0) {
          --found;
        }
        category[i] = static_cast<uint32_t>(found);
      }
    });
  }
}

std::vector<Shape> RandomCategory::output_shapes(const std::vector<array>& inputs) {
  return {inputs[1].shape()};
}

std::pair<std::vector<array>, std::vector<int>> RandomCategory::vmap(
    const std::vector<array>& inputs, const std::vector<int>& axes) {
  std::vector<array> batched = batch_all_to_front(inputs, axes, stream());
  Shape shape = batched[1].shape();
  return {{make_array(std::move(shape), uint32,
                      std::make_shared<RandomCategory>(stream(), get<0>() + 1),
                      std::span<array>(batched))},
          {0}};
}

namespace random {

namespace {

// Draws of one distribution, with the probabilities up to a factor.
array draw_one(const array& logits, const Shape& shape, const std::optional<array>& key,
               const Stream& s) {
  const Dtype dtype = promote_types(logits.dtype(), float32);
  const array x = astype(reshape(logits, {-1}, s), dtype, s);
  const array top = max(x, s);
  // With an infinite maximum the categories that have it share everything.
  array weights =
      where(isinf(top, s), astype(equal(x, top, s), dtype, s), exp(subtract(x, top, s), s), s);
  weights = astype(weights, float32, s);
  array numbers = multiply(uniform(shape, float32, key, s), sum(weights, s), s);
  Shape out = shape;
  return make_array(std::move(out), uint32, std::make_shared<RandomCategory>(s, 0),
                    std::move(weights), std::move(numbers));
}

Shape without(const Shape& shape, int axis) {
  Shape rest = shape;
  rest.erase(rest.begin() + axis);
  return rest;
}

}  // namespace

array categorical(const array& logits, int axis, const Shape& shape,
                  const std::optional<array>& key, StreamOrDevice s) {
  const char* tag = "[categorical]";
  const Stream stream = to_stream(s);
  const int ax = normalize_axis_index(axis, ndim_of(logits), "[categorical] ");
  const Shape rest = without(logits.shape(), ax);
  if (broadcast_shapes(rest, shape) != shape) {
    fail(tag, " logits of shape ", logits.shape(), " without axis ", axis,
         " do not broadcast to the shape ", shape);
  }
  const ShapeElem categories = logits.shape(ax);
  if (categories > 0 && static_cast<ShapeElem>(logits.size()) == categories && !shape.empty()) {
    return draw_one(logits, shape, key, stream);
  }
  const int where = ax + static_cast<int>(shape.size()) - static_cast<int>(rest.size());
  Shape noisy = shape;
  noisy.insert(noisy.begin() + where, categories);
  return argmax(add(gumbel(noisy, float32, key, stream), logits, stream), where, false, stream);
}

array categorical(const array& logits, int axis, int num_samples, const std::optional<array>& key,
                  StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const int ax = normalize_axis_index(axis, ndim_of(logits), "[categorical] ");
  Shape shape = without(logits.shape(), ax);
  shape.push_back(num_samples);
  return categorical(expand_dims(logits, -1, stream), ax, shape, key, stream);
}

array categorical(const array& logits, int axis, const std::optional<array>& key,
                  StreamOrDevice s) {
  const int ax = normalize_axis_index(axis, ndim_of(logits), "[categorical] ");
  return categorical(logits, ax, without(logits.shape(), ax), key, s);
}

array permutation(int x, const std::optional<array>& key, StreamOrDevice s) {
  if (x < 0) {
    fail("[permutation] the size must not be negative: got ", x);
  }
  const Stream stream = to_stream(s);
  return make_array(Shape{x}, uint32, stateless<RandomOrder>(stream), bits({x}, 4, key, stream));
}

array permutation(const array& x, int axis, const std::optional<array>& key, StreamOrDevice s) {
  const int ax = checked_axis(axis, ndim_of(x), "[permutation]");
  const Stream stream = to_stream(s);
  const array order = make_array(Shape{x.shape(ax)}, uint32, stateless<RandomOrder>(stream),
                                 bits({x.shape(ax)}, 4, key, stream));
  return take(x, order, ax, stream);
}

}  // namespace random

}  // namespace mlx::core
