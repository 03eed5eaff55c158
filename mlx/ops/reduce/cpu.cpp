// Evaluation of the reduce family: how an array is cut into runs and columns,
// which parts are computed in parallel, and in which order they are combined.
// Cuts depend on shapes alone, so that results do not depend on the threads.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "mlx/core/cpu_tier.h"
#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/dtype_utils.h"
#include "mlx/ops/reduce/complex_loops.h"
#include "mlx/ops/reduce/kernels.h"
#include "mlx/ops/reduce/primitives.h"
#include "mlx/ops/shape/copy.h"

namespace mlx::core {

namespace {

constexpr int64_t kRun = 16384;       // elements of a run that one kernel call reduces
constexpr int64_t kColumnTile = 2048;  // columns whose accumulators stay in L1
constexpr int64_t kScratch = int64_t{1} << 16;  // longest row that streams its result

// A dimension as a reduction sees it.
struct Dimension {
  int64_t size;
  int64_t stride;      // of the input
  int64_t out_stride;  // of the dense output; 0 for a reduced dimension
  bool reduced;
};

std::vector<Dimension> dimensions(const array& a, const std::vector<int>& axes) {
  std::vector<Dimension> dims;
  int64_t out_stride = 1;
  for (int i = static_cast<int>(a.ndim()); i-- > 0;) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), i);
    if (a.shape()[i] != 1) {
      dims.push_back({a.shape()[i], a.strides()[i], reduced ? 0 : out_stride, reduced});
    }
    out_stride *= reduced ? 1 : a.shape()[i];
  }
  std::stable_sort(dims.begin(), dims.end(), [](const Dimension& x, const Dimension& y) {
    return std::abs(x.stride) > std::abs(y.stride);
  });
  // Neighbours that continue one another become one.
  std::vector<Dimension> merged;
  for (const Dimension& d : dims) {
    if (!merged.empty()) {
      Dimension& outer = merged.back();
      if (outer.reduced == d.reduced && outer.stride == d.stride * d.size &&
          outer.out_stride == d.out_stride * d.size) {
        outer = {outer.size * d.size, d.stride, d.out_stride, d.reduced};
        continue;
      }
    }
    merged.push_back(d);
  }
  return merged;
}

// Offsets of all combinations of some dimensions, in the input and in the output.
struct Offsets {
  std::vector<int64_t> in{0};
  std::vector<int64_t> out{0};

  void add(const Dimension& d) {
    std::vector<int64_t> next_in;
    std::vector<int64_t> next_out;
    next_in.reserve(in.size() * static_cast<size_t>(d.size));
    next_out.reserve(in.size() * static_cast<size_t>(d.size));
    for (size_t k = 0; k < in.size(); ++k) {
      for (int64_t i = 0; i < d.size; ++i) {
        next_in.push_back(in[k] + i * d.stride);
        next_out.push_back(out[k] + i * d.out_stride);
      }
    }
    in = std::move(next_in);
    out = std::move(next_out);
  }
};

// How an array is reduced: runs of the innermost dimension, or columns.
struct Cut {
  bool runs;
  int64_t inner = 1;             // length of a run, or number of columns
  int64_t inner_out_stride = 0;  // of the columns
  Offsets kept;                  // outer kept dimensions
  Offsets reduced;               // outer reduced dimensions
};

Cut cut(const std::vector<Dimension>& dims) {
  Cut c;
  c.runs = dims.empty() || dims.back().reduced;
  if (!dims.empty()) {
    c.inner = dims.back().size;
    c.inner_out_stride = dims.back().out_stride;
  }
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    (dims[i].reduced ? c.reduced : c.kept).add(dims[i]);
  }
  return c;
}

// The array with its innermost dimension contiguous; a dense copy if need be.
array readable(const array& a, const std::vector<int>& axes, std::vector<Dimension>& dims) {
  dims = dimensions(a, axes);
  if (dims.empty() || dims.back().stride == 1) {
    return a;
  }
  array copy = make_placeholder(a.shape(), a.dtype());
  copy_to_row_major(a, copy);
  dims = dimensions(copy, axes);
  return copy;
}

const ReduceKernel* find_kernel(ReduceOp op, Dtype dtype) {
  const auto row = static_cast<int>(op);
  const auto column = static_cast<int>(dtype.val());
  const ReduceKernel& floats = MLX_TIER_TABLE(reduce_float_kernels).reduce[row][column];
  if (floats.row != nullptr) {
    return &floats;
  }
  const ReduceKernel& integers = MLX_TIER_TABLE(reduce_integer_kernels).reduce[row][column];
  return integers.row != nullptr ? &integers : nullptr;
}

// Rough time of one element, for the split among threads.
double nanoseconds(size_t itemsize) { return 0.03 * static_cast<double>(itemsize) / 4.0 + 0.01; }

// Combines `count` partial results of `width` accumulators each, pairwise, into the first.
void combine_pairwise(const ReduceKernel& kernel, std::byte* partials, int64_t count,
                      int64_t width) {
  const int64_t bytes = width * static_cast<int64_t>(kernel.accumulator_bytes);
  for (int64_t step = 1; step < count; step *= 2) {
    for (int64_t i = 0; i + step < count; i += 2 * step) {
      kernel.combine(partials + i * bytes, partials + (i + step) * bytes, width);
    }
  }
}

// Kernels of sums of squared deviations take the means as well.
struct Reduction {
  const ReduceKernel& kernel;
  const DeviationKernel* deviation = nullptr;
  const std::byte* means = nullptr;  // one accumulator per output, in output order

  void row(const std::byte* x, int64_t n, int64_t output, std::byte* accumulator) const {
    if (deviation != nullptr) {
      deviation->row(x, n, means + output * kernel.accumulator_bytes, accumulator);
    } else {
      kernel.row(x, n, accumulator);
    }
  }
};

// `result` holds one accumulator per output, in output order.
void reduce_runs(const Reduction& r, const Cut& c, const std::byte* data, size_t itemsize,
                 std::byte* result) {
  const auto bytes = static_cast<int64_t>(r.kernel.accumulator_bytes);
  const auto outputs = static_cast<int64_t>(c.kept.in.size());
  const auto segments = static_cast<int64_t>(c.reduced.in.size());
  const int64_t pieces = (c.inner + kRun - 1) / kRun;
  const int64_t parts = segments * pieces;
  auto part = [&](int64_t output, int64_t p, std::byte* accumulator) {
    const int64_t start = p % pieces * kRun;
    const std::byte* x =
        data + (c.kept.in[output] + c.reduced.in[p / pieces] + start) *
                   static_cast<int64_t>(itemsize);
    r.row(x, std::min(kRun, c.inner - start), c.kept.out[output], accumulator);
  };
  const double item_cost = nanoseconds(itemsize);
  if (outputs >= 64 || parts == 1) {
    parallel_for(outputs, item_cost * static_cast<double>(c.inner * segments) + 4,
                 [&](int64_t begin, int64_t end) {
                   std::vector<std::byte> partials(static_cast<size_t>(parts * bytes));
                   for (int64_t k = begin; k < end; ++k) {
                     for (int64_t p = 0; p < parts; ++p) {
                       part(k, p, partials.data() + p * bytes);
                     }
                     combine_pairwise(r.kernel, partials.data(), parts, 1);
                     std::memcpy(result + c.kept.out[k] * bytes, partials.data(), bytes);
                   }
                 });
    return;
  }
  std::vector<std::byte> partials(static_cast<size_t>(outputs * parts * bytes));
  const double part_cost =
      item_cost * static_cast<double>(std::min(c.inner, kRun)) + 4;
  parallel_for(outputs * parts, part_cost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      part(i / parts, i % parts, partials.data() + i * bytes);
    }
  });
  for (int64_t k = 0; k < outputs; ++k) {
    std::byte* first = partials.data() + k * parts * bytes;
    combine_pairwise(r.kernel, first, parts, 1);
    std::memcpy(result + c.kept.out[k] * bytes, first, bytes);
  }
}

void reduce_columns(const Reduction& r, const Cut& c, const std::byte* data, size_t itemsize,
                    std::byte* result) {
  const auto bytes = static_cast<int64_t>(r.kernel.accumulator_bytes);
  const auto outputs = static_cast<int64_t>(c.kept.in.size());
  const auto rows = static_cast<int64_t>(c.reduced.in.size());
  const int64_t tiles = (c.inner + kColumnTile - 1) / kColumnTile;
  // Few tiles: rows are cut, too, into parts of fixed size.
  const int64_t parts =
      outputs * tiles >= 16 ? 1 : std::clamp<int64_t>(rows / 64, 1, 16 / (outputs * tiles));
  const int64_t part_rows = (rows + parts - 1) / parts;
  const int64_t width = std::min(c.inner, kColumnTile);
  const int64_t tasks = outputs * tiles * parts;
  std::vector<std::byte> partials(static_cast<size_t>(tasks * width * bytes));
  const double cost =
      nanoseconds(itemsize) * static_cast<double>(width * part_rows) + 10;
  parallel_for(tasks, cost, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> means;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t p = i % parts;
      const int64_t tile = i / parts % tiles;
      const int64_t k = i / parts / tiles;
      const int64_t first = tile * kColumnTile;
      const int64_t n = std::min(kColumnTile, c.inner - first);
      const int64_t row = p * part_rows;
      const int64_t count = std::min(part_rows, rows - row);
      std::byte* accumulator = partials.data() + i * width * bytes;
      const std::byte* x = data + (c.kept.in[k] + first) * static_cast<int64_t>(itemsize);
      if (r.deviation == nullptr) {
        r.kernel.columns(x, c.reduced.in.data() + row, count, n, accumulator);
        continue;
      }
      means.resize(static_cast<size_t>(n * bytes));
      for (int64_t j = 0; j < n; ++j) {
        const int64_t output = c.kept.out[k] + (first + j) * c.inner_out_stride;
        std::memcpy(means.data() + j * bytes, r.means + output * bytes, bytes);
      }
      r.deviation->columns(x, c.reduced.in.data() + row, count, n, means.data(), accumulator);
    }
  });
  for (int64_t g = 0; g < outputs * tiles; ++g) {
    std::byte* accumulator = partials.data() + g * parts * width * bytes;
    const int64_t first = g % tiles * kColumnTile;
    const int64_t n = std::min(kColumnTile, c.inner - first);
    // All parts of a tile are `width` apart, the last tile's as well.
    for (int64_t step = 1; step < parts; step *= 2) {
      for (int64_t i = 0; i + step < parts; i += 2 * step) {
        r.kernel.combine(accumulator + i * width * bytes, accumulator + (i + step) * width * bytes,
                         n);
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      const int64_t output = c.kept.out[g / tiles] + (first + j) * c.inner_out_stride;
      std::memcpy(result + output * bytes, accumulator + j * bytes, bytes);
    }
  }
}

void reduce_all_parts(const Reduction& r, const Cut& c, const std::byte* data, size_t itemsize,
                      std::byte* result) {
  if (c.runs) {
    reduce_runs(r, c, data, itemsize, result);
  } else {
    reduce_columns(r, c, data, itemsize, result);
  }
}

int64_t reduced_size(const array& a, const std::vector<int>& axes) {
  int64_t size = 1;
  for (int axis : axes) {
    size *= a.shape()[axis];
  }
  return size;
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
  std::vector<Dimension> dims;
  const array a = readable(inputs[0], axes_, dims);
  if (a.dtype() == complex64) {
    const Cut c = cut(dims);
    complex_reduce(static_cast<ReduceOp>(type_), a, c.kept.in, c.kept.out, c.reduced.in, c.runs,
                   c.inner, c.inner_out_stride, out);
    return;
  }
  const ReduceKernel& kernel = *find_kernel(static_cast<ReduceOp>(type_), a.dtype());
  const Cut c = cut(dims);
  const auto* data = a.data<std::byte>();
  // Accumulators that are stored as they are need no second buffer.
  const auto count = static_cast<int64_t>(out.size());
  std::vector<std::byte> accumulators;
  std::byte* result = out.data<std::byte>();
  const bool narrow = kernel.accumulator_bytes != out.itemsize();
  if (narrow) {
    accumulators.resize(out.size() * kernel.accumulator_bytes);
    result = accumulators.data();
  }
  reduce_all_parts({kernel}, c, data, a.itemsize(), result);
  if (narrow) {
    kernel.store(result, count, out.data<void>(), 1);
  }
}

void ArgReduce::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  const std::vector<int> axes{axis_};
  if (inputs[0].dtype() == complex64) {
    complex_arg_reduce(type_ == ArgMin, inputs[0], axis_, out);
    return;
  }
  // Positions follow the axis as it is: no merging, no sorting. Rows of the last
  // axis, or columns of the contiguous axes behind it.
  array a = inputs[0];
  if (!a.flags().row_contiguous) {
    array copy = make_placeholder(a.shape(), a.dtype());
    copy_to_row_major(a, copy);
    a = copy;
  }
  const auto column = static_cast<int>(a.dtype().val());
  const ReduceFloatKernels& floats = MLX_TIER_TABLE(reduce_float_kernels);
  const ReduceIntegerKernels& integers = MLX_TIER_TABLE(reduce_integer_kernels);
  ArgKernel kernel = type_ == ArgMin ? floats.arg_min[column] : floats.arg_max[column];
  if (kernel.row == nullptr) {
    kernel = type_ == ArgMin ? integers.arg_min[column] : integers.arg_max[column];
  }
  int64_t outer = 1;
  int64_t inner = 1;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    (i < axis_ ? outer : inner) *= i == axis_ ? 1 : a.shape()[i];
  }
  const int64_t n = a.shape()[axis_];
  const auto* data = a.data<std::byte>();
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  auto* result = out.data<uint32_t>();
  if (inner == 1) {
    // Long rows are searched in blocks by several threads.
    constexpr int64_t block = int64_t{1} << 18;
    const int64_t blocks = outer >= 16 ? 1 : (n + block - 1) / block;
    const int64_t length = blocks == 1 ? n : block;
    std::vector<int64_t> found(static_cast<size_t>(outer * blocks));
    parallel_for(outer * blocks, nanoseconds(a.itemsize()) * static_cast<double>(length) + 5,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t start = i % blocks * length;
                     found[i] = start + kernel.row(data + (i / blocks * n + start) * itemsize,
                                                   std::min(length, n - start));
                   }
                 });
    for (int64_t k = 0; k < outer; ++k) {
      // The winners of the blocks, as columns of one row each, in order.
      std::vector<int64_t> winners(found.begin() + k * blocks, found.begin() + (k + 1) * blocks);
      uint32_t best = 0;
      if (blocks > 1) {
        kernel.columns(data + k * n * itemsize, winners.data(), blocks, 1, &best);
      }
      result[k] = static_cast<uint32_t>(winners[best]);
    }
    return;
  }
  std::vector<int64_t> rows(static_cast<size_t>(n));
  for (int64_t r = 0; r < n; ++r) {
    rows[r] = r * inner;
  }
  constexpr int64_t tile = 1024;
  const int64_t tiles = (inner + tile - 1) / tile;
  parallel_for(outer * tiles, nanoseconds(a.itemsize()) * static_cast<double>(n * std::min(inner, tile)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t first = i % tiles * tile;
                   const int64_t k = i / tiles;
                   kernel.columns(data + (k * n * inner + first) * itemsize, rows.data(), n,
                                  std::min(tile, inner - first), result + k * inner + first);
                 }
               });
}

void Variance::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  if (out.size() == 0) {
    return;
  }
  const std::vector<int>& axes = get<0>();
  const auto count = static_cast<double>(reduced_size(inputs[0], axes));
  const double divisor = std::max(count - get<1>(), 0.0);
  if (inputs[0].dtype() == complex64 || inputs[0].size() == 0) {
    complex_variance(inputs[0], axes, divisor, out);
    return;
  }
  std::vector<Dimension> dims;
  const array a = readable(inputs[0], axes, dims);
  const Cut c = cut(dims);
  const ReduceKernel& sum = *find_kernel(ReduceOp::Sum, a.dtype());
  const DeviationKernel& deviation =
      MLX_TIER_TABLE(reduce_float_kernels).deviation[static_cast<int>(a.dtype().val())];
  std::vector<std::byte> means(out.size() * sum.accumulator_bytes);
  std::vector<std::byte> squares(means.size());
  const auto* data = a.data<std::byte>();
  reduce_all_parts({sum}, c, data, a.itemsize(), means.data());
  auto divide = [&](std::vector<std::byte>& values, double by) {
    if (sum.accumulator_bytes == sizeof(double)) {
      auto* v = reinterpret_cast<double*>(values.data());
      for (size_t i = 0; i < out.size(); ++i) {
        v[i] /= by;
      }
    } else {
      auto* v = reinterpret_cast<float*>(values.data());
      for (size_t i = 0; i < out.size(); ++i) {
        v[i] = static_cast<float>(static_cast<double>(v[i]) / by);
      }
    }
  };
  divide(means, count);
  reduce_all_parts({sum, &deviation, means.data()}, c, data, a.itemsize(), squares.data());
  divide(squares, divisor);
  sum.store(squares.data(), static_cast<int64_t>(out.size()), out.data<void>(), 1);
}

namespace {

const SoftKernel& soft_kernel(Dtype dtype) {
  return MLX_TIER_TABLE(soft_kernels).soft[static_cast<int>(dtype.val())];
}

// The input with contiguous rows of the last axis, dense.
array dense_rows(const array& a) {
  if (a.flags().row_contiguous) {
    return a;
  }
  array copy = make_placeholder(a.shape(), a.dtype());
  copy_to_row_major(a, copy);
  return copy;
}

}  // namespace

void LogSumExp::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  allocate_output(out);
  const array a = dense_rows(inputs[0]);
  const SoftKernel& kernel = soft_kernel(a.dtype());
  const int64_t n = a.shape().back();
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  parallel_for(static_cast<int64_t>(out.size()), 0.3 * static_cast<double>(n) + 10,
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) {
                   kernel.logsumexp(a.data<std::byte>() + k * n * itemsize, n,
                                    out.data<std::byte>() + k * itemsize);
                 }
               });
}

void Softmax::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  array& out = outputs[0];
  const array a = dense_rows(inputs[0]);
  if (inputs[0].flags().row_contiguous && can_donate(inputs[0], out, 2)) {  // `a` is the second
    out.copy_shared_buffer(inputs[0]);
  } else {
    allocate_output(out);
  }
  const SoftKernel& kernel = soft_kernel(a.dtype());
  const int64_t n = a.shape().back();
  const auto itemsize = static_cast<int64_t>(a.itemsize());
  const size_t lane = a.dtype() == float64 ? sizeof(double) : sizeof(float);
  const bool streaming = a.data<void>() != out.data<void>() &&
                         2 * a.nbytes() >= (size_t{32} << 20) && n <= kScratch;
  const int64_t rows = n == 0 ? 0 : static_cast<int64_t>(a.size()) / n;
  parallel_for(rows, 0.4 * static_cast<double>(n) + 10, [&](int64_t begin, int64_t end) {
    std::vector<std::byte> scratch(static_cast<size_t>(n) * lane);
    for (int64_t k = begin; k < end; ++k) {
      kernel.softmax(a.data<std::byte>() + k * n * itemsize, n,
                     out.data<std::byte>() + k * n * itemsize, scratch.data(), streaming);
    }
  });
}

}  // namespace mlx::core
