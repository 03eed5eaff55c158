// Evaluation of reductions: which parts are computed in parallel, and in which
// order they are combined.
#include <algorithm>
#include <cstring>
#include <vector>

#include "mlx/core/cpu_tier.h"
#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/dtype_utils.h"
#include "mlx/ops/reduce/complex_loops.h"
#include "mlx/ops/reduce/cut.h"
#include "mlx/ops/reduce/kernels.h"
#include "mlx/ops/reduce/primitives.h"

namespace mlx::core {

namespace {

constexpr size_t kWidestAccumulator = 8;

const ReduceKernel& find_kernel(ReduceOp op, Dtype dtype, bool wide) {
  if (wide && !issubdtype(dtype, inexact)) {
    return MLX_TIER_TABLE(reduce_integer_kernels).wide_sum[static_cast<int>(dtype.val())];
  }
  const auto row = static_cast<int>(op);
  const auto column = static_cast<int>(dtype.val());
  const ReduceKernel& floats = MLX_TIER_TABLE(reduce_float_kernels).reduce[row][column];
  return floats.rows != nullptr ? floats
                                : MLX_TIER_TABLE(reduce_integer_kernels).reduce[row][column];
}

// Combines `count` partial results of `width` accumulators each, pairwise, into the first.
void combine_pairwise(const ReduceKernel& kernel, std::byte* partials, int64_t count, int64_t width,
                      int64_t apart) {
  const auto bytes = static_cast<int64_t>(kernel.accumulator_bytes);
  for (int64_t step = 1; step < count; step *= 2) {
    for (int64_t i = 0; i + step < count; i += 2 * step) {
      kernel.combine(partials + i * apart * bytes, partials + (i + step) * apart * bytes, width);
    }
  }
}

// `result` holds one accumulator per output, in output order.
void reduce_runs(const ReduceKernel& kernel, const Cut& c, const std::byte* data, int64_t itemsize,
                 std::byte* result) {
  const auto bytes = static_cast<int64_t>(kernel.accumulator_bytes);
  const auto outputs = c.kept.count();
  const Pieces pieces(c, data, itemsize);
  const double item_cost = read_nanoseconds(itemsize);
  if (pieces.per_output == 1) {
    const bool near = c.inner * itemsize < kNearBytes;
    const bool in_order = near && c.kept.out_steps_by(1);
    parallel_for(
        outputs, item_cost * static_cast<double>(c.inner) + 4, [&](int64_t begin, int64_t end) {
          for_four(begin, end, near, [&](const int64_t* items, int64_t count) {
            alignas(8) std::byte accumulators[4 * kWidestAccumulator];
            const void* x[4];
            for (int64_t i = 0; i < count; ++i) {
              x[i] = data + c.kept.in(items[i]) * itemsize;
            }
            if (in_order) {
              kernel.rows(x, count, c.inner, result + items[0] * bytes);
              return;
            }
            kernel.rows(x, count, c.inner, accumulators);
            for (int64_t i = 0; i < count; ++i) {
              std::memcpy(result + c.kept.out(items[i]) * bytes, accumulators + i * bytes, bytes);
            }
          });
        });
    return;
  }
  // Pieces [begin, end), counted through all outputs.
  auto reduce_pieces = [&](int64_t begin, int64_t end, auto&& to) {
    pieces.for_pieces(begin, end,
                      [&](const int64_t* items, const void* const* x, int64_t count, int64_t n) {
                        alignas(8) std::byte accumulators[4 * kWidestAccumulator];
                        kernel.rows(x, count, n, accumulators);
                        for (int64_t i = 0; i < count; ++i) {
                          std::memcpy(to(items[i]), accumulators + i * bytes, bytes);
                        }
                      });
  };
  const int64_t parts = pieces.per_output;
  if (outputs >= 64) {
    parallel_for(outputs, item_cost * static_cast<double>(pieces.elements_per_output) + 4,
                 [&](int64_t begin, int64_t end) {
                   std::vector<std::byte> partials(static_cast<size_t>(parts * bytes));
                   for (int64_t k = begin; k < end; ++k) {
                     reduce_pieces(k * parts, (k + 1) * parts, [&](int64_t i) {
                       return partials.data() + (i - k * parts) * bytes;
                     });
                     combine_pairwise(kernel, partials.data(), parts, 1, 1);
                     std::memcpy(result + c.kept.out(k) * bytes, partials.data(), bytes);
                   }
                 });
    return;
  }
  std::vector<std::byte> partials(static_cast<size_t>(outputs * parts * bytes));
  parallel_for(outputs * parts, item_cost * static_cast<double>(std::min(c.inner, kRun)) + 4,
               [&](int64_t begin, int64_t end) {
                 reduce_pieces(begin, end, [&](int64_t i) { return partials.data() + i * bytes; });
               });
  for (int64_t k = 0; k < outputs; ++k) {
    std::byte* first = partials.data() + k * parts * bytes;
    combine_pairwise(kernel, first, parts, 1, 1);
    std::memcpy(result + c.kept.out(k) * bytes, first, bytes);
  }
}

void reduce_columns(const ReduceKernel& kernel, const Cut& c, const std::byte* data,
                    int64_t itemsize, std::byte* result) {
  const auto bytes = static_cast<int64_t>(kernel.accumulator_bytes);
  const ColumnTasks tasks(c, 16384 / bytes);
  const int64_t width = tasks.width;
  // Whole columns that stay neighbours go to the result at once.
  const bool direct = tasks.parts == 1 && c.inner_out_stride == 1;
  std::vector<std::byte> partials(static_cast<size_t>(direct ? 0 : tasks.count * width * bytes));
  const double cost =
      read_nanoseconds(itemsize) * static_cast<double>(width * tasks.part_rows) + 10;
  parallel_for(tasks.count, cost, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> wide;
    std::vector<int64_t> offsets;
    for (int64_t i = begin; i < end; ++i) {
      const ColumnTasks::Task t = tasks[i];
      const std::byte* x = data + t.offset * itemsize;
      std::byte* accumulator =
          direct ? result + t.output * bytes : partials.data() + i * width * bytes;
      const int64_t together = tasks.rows_together(t);
      tasks.offsets(t, together, offsets);
      const auto groups = static_cast<int64_t>(offsets.size());
      if (together == 1) {
        kernel.columns(x, offsets.data(), groups, t.columns, accumulator);
        continue;
      }
      // Narrow: several rows, which follow one another in memory, as a wide one.
      wide.resize(static_cast<size_t>((together + 1) * width * bytes));
      kernel.columns(x, offsets.data(), groups, together * width, wide.data());
      int64_t found = together;
      if (t.rows % together != 0) {
        tasks.offsets(t, 1, offsets);
        kernel.columns(x, offsets.data() + groups * together, t.rows % together, width,
                       wide.data() + found * width * bytes);
        ++found;
      }
      combine_pairwise(kernel, wide.data(), found, width, width);
      std::memcpy(accumulator, wide.data(), width * bytes);
    }
  });
  if (direct) {
    return;
  }
  // All parts of a tile are `width` apart, the last tile's as well.
  parallel_for(tasks.count / tasks.parts, static_cast<double>(width * tasks.parts),
               [&](int64_t begin, int64_t end) {
                 for (int64_t g = begin; g < end; ++g) {
                   const ColumnTasks::Task t = tasks[g * tasks.parts];
                   std::byte* accumulator = partials.data() + g * tasks.parts * width * bytes;
                   combine_pairwise(kernel, accumulator, tasks.parts, t.columns, width);
                   for (int64_t j = 0; j < t.columns; ++j) {
                     std::memcpy(result + (t.output + j * c.inner_out_stride) * bytes,
                                 accumulator + j * bytes, bytes);
                   }
                 }
               });
}

// What a reduction of nothing gives: 0 and false, or 1 and true.
void fill_identity(array& out, bool one) {
  dispatch_all_types(out.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(out.data<T>(), out.size(), one ? T(1) : T(0));
  });
}

}  // namespace

void Reduce::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  if (inputs[0].size() == 0) {
    fill_identity(out, type_ == And || type_ == Prod);
    return;
  }
  const auto op = static_cast<ReduceOp>(type_);
  const array a = readable(inputs[0], axes_);
  if (a.dtype() == complex64) {
    const Cut c = cut(a, axes_);
    complex_reduce(op, a, c, out);
    return;
  }
  const ReduceKernel& kernel = find_kernel(op, a.dtype(), wide_.has_value());
  const auto* data = a.data<std::byte>();
  // Accumulators that are stored as they are need no second buffer.
  std::byte* result = out.data<std::byte>();
  const bool narrow = kernel.accumulator_bytes != out.itemsize();
  if (out.size() == 1 && a.flags().row_contiguous && a.size() <= static_cast<size_t>(kRun)) {
    alignas(8) std::byte accumulator[kWidestAccumulator];
    const void* x = data;
    kernel.rows(&x, 1, static_cast<int64_t>(a.size()), narrow ? accumulator : result);
    if (narrow) {
      kernel.store(accumulator, 1, result);
    }
    return;
  }
  const Cut c = cut(a, axes_);
  std::vector<std::byte> accumulators;
  if (narrow) {
    accumulators.resize(out.size() * kernel.accumulator_bytes);
    result = accumulators.data();
  }
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  if (c.runs) {
    reduce_runs(kernel, c, data, itemsize, result);
  } else {
    reduce_columns(kernel, c, data, itemsize, result);
  }
  if (narrow) {
    kernel.store(result, static_cast<int64_t>(out.size()), out.data<void>());
  }
}

}  // namespace mlx::core
