// Evaluation of variances: groups of elements in one pass over memory, joined in
// double precision by the formula of Chan, Golub and LeVeque (1979).
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

void join(Moments& a, int64_t& a_count, const Moments& b, int64_t b_count) {
  const auto n = static_cast<double>(a_count + b_count);
  const double share = static_cast<double>(b_count) / n;
  const double delta = b.mean - a.mean;
  a.mean += delta * share;
  a.squares += b.squares + delta * delta * (static_cast<double>(a_count) * share);
  a_count += b_count;
}

// Groups of `counts` elements, pairwise into the first.
void join_pairwise(Moments* groups, int64_t* counts, int64_t n) {
  for (int64_t step = 1; step < n; step *= 2) {
    for (int64_t i = 0; i + step < n; i += 2 * step) {
      join(groups[i], counts[i], groups[i + step], counts[i + step]);
    }
  }
}

// The sums of squared deviations, in output order.
void squares_of_runs(const VarianceKernel& kernel, const Cut& c, const std::byte* data,
                     int64_t itemsize, double* squares) {
  const auto outputs = static_cast<int64_t>(c.kept.in.size());
  const Pieces pieces(c, data, itemsize);
  const int64_t parts = pieces.per_output;
  const double item_cost = 2 * read_nanoseconds(itemsize);
  auto moments = [&](int64_t begin, int64_t end, auto&& put) {
    pieces.for_pieces(begin, end,
                      [&](const int64_t* items, const void* const* x, int64_t count, int64_t n) {
                        Moments found[4];
                        kernel.rows(x, count, n, found);
                        for (int64_t i = 0; i < count; ++i) {
                          put(items[i], found[i]);
                        }
                      });
  };
  if (parts == 1) {
    parallel_for(
        outputs, item_cost * static_cast<double>(c.inner) + 8, [&](int64_t begin, int64_t end) {
          moments(begin, end,
                  [&](int64_t k, const Moments& m) { squares[c.kept.out[k]] = m.squares; });
        });
    return;
  }
  auto finish = [&](int64_t k, Moments* groups, std::vector<int64_t>& counts) {
    for (int64_t p = 0; p < parts; ++p) {
      counts[p] = pieces.length(p);
    }
    join_pairwise(groups, counts.data(), parts);
    squares[c.kept.out[k]] = groups[0].squares;
  };
  if (outputs >= 64) {
    parallel_for(outputs, item_cost * static_cast<double>(pieces.elements_per_output) + 8,
                 [&](int64_t begin, int64_t end) {
                   std::vector<Moments> groups(static_cast<size_t>(parts));
                   std::vector<int64_t> counts(groups.size());
                   for (int64_t k = begin; k < end; ++k) {
                     moments(k * parts, (k + 1) * parts,
                             [&](int64_t i, const Moments& m) { groups[i - k * parts] = m; });
                     finish(k, groups.data(), counts);
                   }
                 });
    return;
  }
  std::vector<Moments> groups(static_cast<size_t>(outputs * parts));
  parallel_for(outputs * parts, item_cost * static_cast<double>(std::min(c.inner, kRun)) + 8,
               [&](int64_t begin, int64_t end) {
                 moments(begin, end, [&](int64_t i, const Moments& m) { groups[i] = m; });
               });
  std::vector<int64_t> counts(static_cast<size_t>(parts));
  for (int64_t k = 0; k < outputs; ++k) {
    finish(k, groups.data() + k * parts, counts);
  }
}

void squares_of_columns(const VarianceKernel& kernel, const Cut& c, const std::byte* data,
                        int64_t itemsize, double* squares) {
  const ColumnTasks tasks(c, 1024);
  const int64_t width = tasks.width;
  std::vector<Moments> partials(static_cast<size_t>(tasks.count * width));
  const double cost =
      2 * read_nanoseconds(itemsize) * static_cast<double>(width * tasks.part_rows) + 10;
  parallel_for(tasks.count, cost, [&](int64_t begin, int64_t end) {
    std::vector<Moments> wide;
    for (int64_t i = begin; i < end; ++i) {
      const ColumnTasks::Task t = tasks[i];
      const std::byte* x = data + t.offset * itemsize;
      const int64_t* offsets = c.reduced.in.data() + t.first_row;
      Moments* found = partials.data() + i * width;
      const int64_t together = tasks.rows_together(t);
      if (together == 1) {
        kernel.columns(x, offsets, t.rows, t.columns, found);
        continue;
      }
      // Narrow: several rows, which follow one another in memory, as a wide one.
      wide.resize(static_cast<size_t>((together + 1) * width));
      const std::vector<int64_t> starts = tasks.wide_rows(t, together);
      const int64_t rest = t.rows % together;
      kernel.columns(x, starts.data(), static_cast<int64_t>(starts.size()), together * width,
                     wide.data());
      if (rest != 0) {
        kernel.columns(x, offsets + t.rows - rest, rest, width, wide.data() + together * width);
      }
      for (int64_t j = 0; j < width; ++j) {
        auto known = static_cast<int64_t>(starts.size());
        found[j] = wide[j];
        for (int64_t g = 1; g < together; ++g) {
          join(found[j], known, wide[g * width + j], static_cast<int64_t>(starts.size()));
        }
        if (rest != 0) {
          join(found[j], known, wide[together * width + j], rest);
        }
      }
    }
  });
  parallel_for(tasks.count / tasks.parts, 3.0 * static_cast<double>(width * tasks.parts),
               [&](int64_t begin, int64_t end) {
                 for (int64_t g = begin; g < end; ++g) {
                   const ColumnTasks::Task t = tasks[g * tasks.parts];
                   Moments* found = partials.data() + g * tasks.parts * width;
                   for (int64_t j = 0; j < t.columns; ++j) {
                     int64_t known = t.rows;
                     for (int64_t p = 1; p < tasks.parts; ++p) {
                       join(found[j], known, found[p * width + j], tasks[g * tasks.parts + p].rows);
                     }
                     squares[t.output + j * c.inner_out_stride] = found[j].squares;
                   }
                 }
               });
}

}  // namespace

void Variance::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  const std::vector<int>& axes = get<0>();
  int64_t count = 1;
  for (int axis : axes) {
    count *= inputs[0].shape()[axis];
  }
  const double divisor = std::max(static_cast<double>(count) - get<1>(), 0.0);
  if (inputs[0].dtype() == complex64 || inputs[0].size() == 0) {
    complex_variance(inputs[0], axes, divisor, out);
    return;
  }
  const array a = readable(inputs[0], axes);
  const Cut c = cut(a, axes);
  const VarianceKernel& kernel =
      MLX_TIER_TABLE(variance_kernels).variance[static_cast<int>(a.dtype().val())];
  std::vector<double> squares(out.size());
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  if (c.runs) {
    squares_of_runs(kernel, c, a.data<std::byte>(), itemsize, squares.data());
  } else {
    squares_of_columns(kernel, c, a.data<std::byte>(), itemsize, squares.data());
  }
  for (double& square : squares) {
    square /= divisor;
  }
  kernel.store(squares.data(), static_cast<int64_t>(out.size()), out.data<void>());
}

}  // namespace mlx::core
