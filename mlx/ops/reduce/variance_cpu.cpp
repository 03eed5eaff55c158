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

// Where variances go.
struct Result {
  const VarianceKernel& kernel;
  std::byte* out;
  int64_t itemsize;
  double divisor;

  void put(int64_t output, double squares) const {
    const double variance = squares / divisor;
    kernel.store(&variance, 1, out + output * itemsize);
  }
};

void variance_of_runs(const Result& result, const Cut& c, const std::byte* data) {
  const VarianceKernel& kernel = result.kernel;
  const int64_t itemsize = result.itemsize;
  const auto outputs = c.kept.count();
  const Pieces pieces(c, data, itemsize);
  const int64_t parts = pieces.per_output;
  const double item_cost = 2 * read_nanoseconds(itemsize);
  if (parts == 1) {
    const bool near = c.inner * itemsize < kNearBytes;
    parallel_for(outputs, item_cost * static_cast<double>(c.inner) + 8,
                 [&](int64_t begin, int64_t end) {
                   for_four(begin, end, near, [&](const int64_t* items, int64_t count) {
                     const void* x[4];
                     Moments found[4];
                     for (int64_t i = 0; i < count; ++i) {
                       x[i] = data + c.kept.in(items[i]) * itemsize;
                     }
                     kernel.rows(x, count, c.inner, found);
                     for (int64_t i = 0; i < count; ++i) {
                       result.put(c.kept.out(items[i]), found[i].squares);
                     }
                   });
                 });
    return;
  }
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
  auto finish = [&](int64_t k, Moments* groups, std::vector<int64_t>& counts) {
    for (int64_t p = 0; p < parts; ++p) {
      counts[p] = pieces.length(p);
    }
    join_pairwise(groups, counts.data(), parts);
    result.put(c.kept.out(k), groups[0].squares);
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

void variance_of_columns(const Result& result, const Cut& c, const std::byte* data) {
  const VarianceKernel& kernel = result.kernel;
  const int64_t itemsize = result.itemsize;
  const ColumnTasks tasks(c, 1024);
  const int64_t width = tasks.width;
  auto put = [&](const ColumnTasks::Task& t, const Moments* found) {
    if (c.inner_out_stride == 1) {
      double variances[1024];
      for (int64_t j = 0; j < t.columns; ++j) {
        variances[j] = found[j].squares / result.divisor;
      }
      kernel.store(variances, t.columns, result.out + t.output * itemsize);
      return;
    }
    for (int64_t j = 0; j < t.columns; ++j) {
      result.put(t.output + j * c.inner_out_stride, found[j].squares);
    }
  };
  const bool whole = tasks.parts == 1;
  std::vector<Moments> partials(static_cast<size_t>(whole ? 0 : tasks.count * width));
  const double cost =
      2 * read_nanoseconds(itemsize) * static_cast<double>(width * tasks.part_rows) + 10;
  parallel_for(tasks.count, cost, [&](int64_t begin, int64_t end) {
    std::vector<Moments> columns(static_cast<size_t>(whole ? width : 0));
    std::vector<Moments> wide;
    std::vector<int64_t> offsets;
    for (int64_t i = begin; i < end; ++i) {
      const ColumnTasks::Task t = tasks[i];
      const std::byte* x = data + t.offset * itemsize;
      Moments* found = whole ? columns.data() : partials.data() + i * width;
      const int64_t together = tasks.rows_together(t);
      tasks.offsets(t, together, offsets);
      const auto groups = static_cast<int64_t>(offsets.size());
      if (together == 1) {
        kernel.columns(x, offsets.data(), groups, t.columns, found);
      } else {
        // Narrow: several rows, which follow one another in memory, as a wide one.
        wide.resize(static_cast<size_t>((together + 1) * width));
        kernel.columns(x, offsets.data(), groups, together * width, wide.data());
        const int64_t rest = t.rows % together;
        if (rest != 0) {
          tasks.offsets(t, 1, offsets);
          kernel.columns(x, offsets.data() + groups * together, rest, width,
                         wide.data() + together * width);
        }
        for (int64_t j = 0; j < width; ++j) {
          int64_t known = groups;
          found[j] = wide[j];
          for (int64_t g = 1; g < together; ++g) {
            join(found[j], known, wide[g * width + j], groups);
          }
          if (rest != 0) {
            join(found[j], known, wide[together * width + j], rest);
          }
        }
      }
      if (whole) {
        put(t, found);
      }
    }
  });
  if (whole) {
    return;
  }
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
                   }
                   put(t, found);
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
  const Result result{kernel, out.data<std::byte>(), static_cast<int64_t>(a.itemsize()), divisor};
  if (c.runs) {
    variance_of_runs(result, c, a.data<std::byte>());
  } else {
    variance_of_columns(result, c, a.data<std::byte>());
  }
}

}  // namespace mlx::core
