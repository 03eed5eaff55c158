// Evaluation of argmin and argmax. Positions follow the axis as it is: no merging,
// no sorting. Rows of the last axis, or columns of the contiguous axes behind it.
#include <algorithm>
#include <vector>

#include "mlx/core/cpu_tier.h"
#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/ops/reduce/complex_loops.h"
#include "mlx/ops/reduce/cut.h"
#include "mlx/ops/reduce/kernels.h"
#include "mlx/ops/reduce/primitives.h"

namespace mlx::core {

namespace {

ArgKernel find_kernel(bool min, Dtype dtype) {
  const auto column = static_cast<int>(dtype.val());
  const PositionKernels& floats = MLX_TIER_TABLE(position_kernels);
  const ReduceIntegerKernels& integers = MLX_TIER_TABLE(reduce_integer_kernels);
  const ArgKernel& kernel = min ? floats.arg_min[column] : floats.arg_max[column];
  if (kernel.rows != nullptr) {
    return kernel;
  }
  return min ? integers.arg_min[column] : integers.arg_max[column];
}

// Long rows are searched in blocks.
void arg_rows(const ArgKernel& kernel, const std::byte* data, int64_t itemsize, int64_t outer,
              int64_t n, uint32_t* result) {
  constexpr int64_t block = kRun;
  const int64_t blocks = outer >= 64 || n < 2 * block ? 1 : (n + block - 1) / block;
  const int64_t length = blocks == 1 ? n : block;
  std::vector<int64_t> found(static_cast<size_t>(blocks == 1 ? 0 : outer * blocks));
  auto size = [&](int64_t i) { return std::min(length, n - i % blocks * length); };
  parallel_for(outer * blocks, read_nanoseconds(itemsize) * static_cast<double>(length) + 5,
               [&](int64_t begin, int64_t end) {
                 for_four(begin, end, length * itemsize < kNearBytes,
                          [&](const int64_t* items, int64_t count) {
                            const void* x[4];
                            int64_t positions[4];
                            bool same = true;
                            for (int64_t i = 0; i < count; ++i) {
                              x[i] = data + (items[i] / blocks * n + items[i] % blocks * length) *
                                                itemsize;
                              same &= size(items[i]) == size(items[0]);
                            }
                            if (same) {
                              kernel.rows(x, count, size(items[0]), positions);
                            } else {
                              for (int64_t i = 0; i < count; ++i) {
                                kernel.rows(x + i, 1, size(items[i]), positions + i);
                              }
                            }
                            for (int64_t i = 0; i < count; ++i) {
                              if (blocks == 1) {
                                result[items[i]] = static_cast<uint32_t>(positions[i]);
                              } else {
                                found[items[i]] = items[i] % blocks * length + positions[i];
                              }
                            }
                          });
               });
  for (int64_t k = 0; blocks > 1 && k < outer; ++k) {
    // The winners of the blocks, each a column of one row.
    alignas(8) std::byte best[8];
    alignas(8) std::byte other[8];
    const std::byte* row = data + k * n * itemsize;
    uint32_t none;
    kernel.columns(row + found[k * blocks] * itemsize, 0, 1, 1, best, &none);
    auto index = static_cast<uint32_t>(found[k * blocks]);
    for (int64_t b = 1; b < blocks; ++b) {
      const int64_t at = found[k * blocks + b];
      kernel.columns(row + at * itemsize, 0, 1, 1, other, &none);
      kernel.combine(best, &index, other, &none, at, 1);
    }
    result[k] = index;
  }
}

void arg_columns(const ArgKernel& kernel, const std::byte* data, int64_t itemsize, int64_t outer,
                 int64_t n, int64_t inner, uint32_t* result) {
  const auto bytes = static_cast<int64_t>(kernel.best_bytes);
  const int64_t tile = 8192 / bytes;  // what is known of a tile stays in L1
  const int64_t tiles = (inner + tile - 1) / tile;
  // Few tiles: rows are cut, too, into parts of fixed size.
  const int64_t columns = outer * tiles;
  const int64_t wanted = columns >= 16 ? 1 : std::clamp<int64_t>(n / 64, 1, 16 / columns);
  const int64_t part_rows = (n + wanted - 1) / wanted;
  const int64_t parts = (n + part_rows - 1) / part_rows;
  const int64_t width = std::min(inner, tile);
  const bool whole = parts == 1;
  std::vector<std::byte> best(static_cast<size_t>(whole ? 0 : columns * parts * width * bytes));
  std::vector<uint32_t> index(static_cast<size_t>(whole ? 0 : columns * parts * width));
  const double cost = read_nanoseconds(itemsize) * static_cast<double>(part_rows * width) + 10;
  auto columns_of = [&](int64_t g) { return std::min(width, inner - g % tiles * width); };
  parallel_for(columns * parts, cost, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> best_of_tile(static_cast<size_t>(whole ? width * bytes : 0));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t g = i / parts;
      const int64_t row = i % parts * part_rows;
      const std::byte* x = data + ((g / tiles * n + row) * inner + g % tiles * width) * itemsize;
      kernel.columns(
          x, inner, std::min(part_rows, n - row), columns_of(g),
          whole ? best_of_tile.data() : best.data() + i * width * bytes,
          whole ? result + g / tiles * inner + g % tiles * width : index.data() + i * width);
    }
  });
  for (int64_t g = 0; !whole && g < columns; ++g) {
    const int64_t first = g * parts;
    for (int64_t p = 1; p < parts; ++p) {
      kernel.combine(best.data() + first * width * bytes, index.data() + first * width,
                     best.data() + (first + p) * width * bytes, index.data() + (first + p) * width,
                     p * part_rows, columns_of(g));
    }
    std::copy_n(index.data() + first * width, columns_of(g),
                result + g / tiles * inner + g % tiles * width);
  }
}

}  // namespace

void ArgReduce::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  if (inputs[0].dtype() == complex64) {
    complex_arg_reduce(type_ == ArgMin, inputs[0], axis_, out);
    return;
  }
  const array a = dense(inputs[0]);
  const ArgKernel kernel = find_kernel(type_ == ArgMin, a.dtype());
  int64_t outer = 1;
  int64_t inner = 1;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    (i < axis_ ? outer : inner) *= i == axis_ ? 1 : a.shape()[i];
  }
  const int64_t n = a.shape()[axis_];
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  if (inner == 1) {
    arg_rows(kernel, a.data<std::byte>(), itemsize, outer, n, out.data<uint32_t>());
  } else {
    arg_columns(kernel, a.data<std::byte>(), itemsize, outer, n, inner, out.data<uint32_t>());
  }
}

}  // namespace mlx::core
