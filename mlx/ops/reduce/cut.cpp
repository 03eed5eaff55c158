// Cuts of reductions.
#include "mlx/ops/reduce/cut.h"

#include <algorithm>
#include <cstdlib>

#include "mlx/core/node.h"
#include "mlx/ops/shape/copy.h"

namespace mlx::core {

namespace {

using Dimension = ReducedDimension;

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

}  // namespace

void ReducedOffsets::add(const Dimension& d) {
  if (count_ == 1) {
    count_ = d.size;
    stride_ = d.stride;
    out_stride_ = d.out_stride;
    return;
  }
  std::vector<int64_t> next_in;
  std::vector<int64_t> next_out;
  next_in.reserve(static_cast<size_t>(count_ * d.size));
  next_out.reserve(static_cast<size_t>(count_ * d.size));
  for (int64_t k = 0; k < count_; ++k) {
    for (int64_t i = 0; i < d.size; ++i) {
      next_in.push_back(in(k) + i * d.stride);
      next_out.push_back(out(k) + i * d.out_stride);
    }
  }
  in_ = std::move(next_in);
  out_ = std::move(next_out);
  count_ *= d.size;
}

Cut cut(const array& a, const std::vector<int>& axes) {
  const std::vector<Dimension> dims = dimensions(a, axes);
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

ColumnTasks::ColumnTasks(const Cut& c_, int64_t widest) : c(c_) {
  const auto outputs = c.kept.count();
  const auto rows = c.reduced.count();
  tiles = (c.inner + widest - 1) / widest;
  width = std::min(c.inner, widest);
  const int64_t columns = outputs * tiles;
  parts = columns >= 16 ? 1 : std::clamp<int64_t>(rows / 64, 1, 16 / columns);
  part_rows = (rows + parts - 1) / parts;
  parts = (rows + part_rows - 1) / part_rows;
  count = columns * parts;
}

ColumnTasks::Task ColumnTasks::operator[](int64_t i) const {
  const auto rows = c.reduced.count();
  const int64_t k = i / parts / tiles;
  const int64_t first = i / parts % tiles * width;
  const int64_t row = i % parts * part_rows;
  return {c.kept.in(k) + first, c.kept.out(k) + first * c.inner_out_stride,
          std::min(width, c.inner - first), row, std::min(part_rows, rows - row)};
}

int64_t ColumnTasks::rows_together(const Task& t) const {
  constexpr int64_t wide = 256;
  const int64_t together = std::min(wide / c.inner, t.rows / 4);
  return together >= 2 && c.reduced.in_steps_by(c.inner) ? together : 1;
}

void ColumnTasks::offsets(const Task& t, int64_t step, std::vector<int64_t>& to) const {
  to.resize(static_cast<size_t>(t.rows / step));
  for (size_t g = 0; g < to.size(); ++g) {
    to[g] = c.reduced.in(t.first_row + static_cast<int64_t>(g) * step);
  }
}

array dense(const array& a) {
  if (a.flags().row_contiguous) {
    return a;
  }
  array copy = make_placeholder(a.shape(), a.dtype());
  copy_to_row_major(a, copy);
  return copy;
}

array readable(const array& a, const std::vector<int>& axes) {
  const std::vector<Dimension> dims = dimensions(a, axes);
  return dims.empty() || dims.back().stride == 1 ? a : dense(a);
}

}  // namespace mlx::core
