// The creation functions.
#include "mlx/ops/create/create.h"

#include <cmath>

#include "mlx/core/node.h"
#include "mlx/core/tracing.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/create/primitives.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/elementwise/primitives.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

namespace {

void check_size(int64_t n, const char* what, const char* tag) {
  if (n < 0) {
    fail(tag, " the number of ", what, " must not be negative: got ", n);
  }
}

// Row and column number of the elements of an (n, m) matrix, as a column and a
// row that broadcast.
struct Grid {
  array row;
  array column;
};

Grid grid(ShapeElem n, ShapeElem m, const Stream& s) {
  auto count = [&](ShapeElem size) { return arange(static_cast<double>(size), int64, s); };
  return {reshape(count(n), {n, 1}, s), reshape(count(m), {1, m}, s)};
}

array below_diagonal(ShapeElem n, ShapeElem m, int64_t k, const Stream& s) {
  const Grid g = grid(n, m, s);
  return less_equal(g.column, add(g.row, array(k, int64), s), s);
}

}  // namespace

// Ranges

array arange(double start, double stop, double step, Dtype dtype, StreamOrDevice s) {
  const char* tag = "[arange]";
  if (dtype == bool_) {
    fail(tag, " bool is not supported");
  }
  if (std::isnan(start) || std::isnan(stop) || std::isnan(step)) {
    fail(tag, " start, stop and step must not be NaN: got ", start, ", ", stop, " and ", step);
  }
  if (std::isinf(start) || std::isinf(stop)) {
    fail(tag, " start and stop must be finite: got ", start, " and ", stop);
  }
  if (step == 0) {
    fail(tag, " step must not be 0");
  }
  double size = 0;
  if (std::isinf(step)) {
    size = (step > 0 ? start < stop : start > stop) ? 1 : 0;
    step = 0;
  } else {
    size = std::max(std::ceil((stop - start) / step), 0.0);
  }
  if (size >= 0x1p53) {
    fail(tag, " the range has too many elements: ", size);
  }
  return make_array(Shape{static_cast<ShapeElem>(size)}, dtype,
                    std::make_shared<Arange>(to_stream(s), start, stop, step), std::span<array>());
}

array arange(double start, double stop, double step, StreamOrDevice s) {
  return arange(start, stop, step, float32, s);
}
array arange(double start, double stop, Dtype dtype, StreamOrDevice s) {
  return arange(start, stop, 1.0, dtype, s);
}
array arange(double start, double stop, StreamOrDevice s) {
  return arange(start, stop, 1.0, float32, s);
}
array arange(double stop, Dtype dtype, StreamOrDevice s) {
  return arange(0.0, stop, 1.0, dtype, s);
}
array arange(double stop, StreamOrDevice s) {
  return arange(0.0, stop, 1.0, float32, s);
}
array arange(int start, int stop, int step, StreamOrDevice s) {
  return arange(static_cast<double>(start), static_cast<double>(stop), static_cast<double>(step),
                int32, s);
}
array arange(int start, int stop, StreamOrDevice s) {
  return arange(static_cast<double>(start), static_cast<double>(stop), 1.0, int32, s);
}
array arange(int stop, StreamOrDevice s) {
  return arange(0.0, static_cast<double>(stop), 1.0, int32, s);
}

array linspace(double start, double stop, int64_t num, bool endpoint, Dtype dtype,
               StreamOrDevice s) {
  check_size(num, "samples", "[linspace]");
  const Stream stream = to_stream(s);
  const Dtype precision = dtype == float64 ? float64 : float32;
  if (num == 1) {
    return astype(array({start}, Shape{1}, precision), dtype, stream);
  }
  // (1 - t) * start + t * stop: exact where t is exactly 0 or 1.
  const double intervals = static_cast<double>(endpoint ? num - 1 : num);
  const array t = divide(arange(static_cast<double>(num), precision, stream),
                         array(intervals, precision), stream);
  const array rest = subtract(array(1.0, precision), t, stream);
  const array value = add(multiply(rest, array(start, precision), stream),
                          multiply(t, array(stop, precision), stream), stream);
  return astype(value, dtype, stream);
}

// Constants

array full(Shape shape, array vals, Dtype dtype, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  for (ShapeElem dim : shape) {
    if (dim < 0) {
      fail("[full] dimensions must not be negative: got shape ", shape);
    }
  }
  array inputs[] = {broadcast_to(astype(std::move(vals), dtype, stream), shape, stream)};
  return elementwise_node(fuse::Op::Copy, inputs, stream);
}

array full(Shape shape, array vals, StreamOrDevice s) {
  const Dtype dtype = vals.dtype();
  return full(std::move(shape), std::move(vals), dtype, s);
}

array full_like(const array& a, array vals, Dtype dtype, StreamOrDevice s) {
  if (detail::in_dynamic_tracing()) {
    // Take the shape from whatever stands for `a` when the trace is replayed.
    const Stream stream = to_stream(s);
    array value = astype(std::move(vals), dtype, stream);
    array inputs[] = {value.shape() == a.shape() ? value : broadcast_arrays({value, a}, stream)[0]};
    return elementwise_node(fuse::Op::Copy, inputs, stream);
  }
  return full(a.shape(), std::move(vals), dtype, s);
}

array full_like(const array& a, array vals, StreamOrDevice s) {
  return full_like(a, std::move(vals), a.dtype(), s);
}

array zeros(const Shape& shape, Dtype dtype, StreamOrDevice s) {
  return full(shape, array(0, dtype), dtype, s);
}
array zeros_like(const array& a, Dtype dtype, StreamOrDevice s) {
  return full_like(a, array(0, dtype), dtype, s);
}
array zeros_like(const array& a, StreamOrDevice s) {
  return zeros_like(a, a.dtype(), s);
}

array ones(const Shape& shape, Dtype dtype, StreamOrDevice s) {
  return full(shape, array(1, dtype), dtype, s);
}
array ones_like(const array& a, Dtype dtype, StreamOrDevice s) {
  return full_like(a, array(1, dtype), dtype, s);
}
array ones_like(const array& a, StreamOrDevice s) {
  return ones_like(a, a.dtype(), s);
}

// Matrices

array eye(int64_t n, int64_t m, int64_t k, Dtype dtype, StreamOrDevice s) {
  check_size(n, "rows", "[eye]");
  check_size(m, "columns", "[eye]");
  const Stream stream = to_stream(s);
  const Grid g = grid(n, m, stream);
  return astype(equal(g.column, add(g.row, array(k, int64), stream), stream), dtype, stream);
}

array identity(int64_t n, Dtype dtype, StreamOrDevice s) {
  return eye(n, n, 0, dtype, s);
}

array tri(int64_t n, int64_t m, int64_t k, Dtype type, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  return astype(below_diagonal(std::max<int64_t>(n, 0), std::max<int64_t>(m, 0), k, stream), type,
                stream);
}

array tril(array x, int64_t k, StreamOrDevice s) {
  if (x.ndim() < 2) {
    fail("[tril] at least two dimensions are needed: got shape ", x.shape());
  }
  const Stream stream = to_stream(s);
  return where(below_diagonal(x.shape(-2), x.shape(-1), k, stream), x, array(0, x.dtype()), stream);
}

array triu(array x, int64_t k, StreamOrDevice s) {
  if (x.ndim() < 2) {
    fail("[triu] at least two dimensions are needed: got shape ", x.shape());
  }
  const Stream stream = to_stream(s);
  return where(below_diagonal(x.shape(-2), x.shape(-1), k - 1, stream), array(0, x.dtype()), x,
               stream);
}

array diag(const array& a, int k, StreamOrDevice s) {
  if (a.ndim() == 2) {
    return diagonal(a, k, 0, 1, s);
  }
  if (a.ndim() != 1) {
    fail("[diag] one or two dimensions are needed: got shape ", a.shape());
  }
  // Row i of the result holds a[i - max(-k, 0)] in column i + k.
  const Stream stream = to_stream(s);
  const int64_t low = std::max<int64_t>(-static_cast<int64_t>(k), 0);
  const int64_t high = std::max<int64_t>(k, 0);
  const array rows = pad(a, {0}, Shape{low}, Shape{high}, array(0, a.dtype()), "constant", stream);
  const ShapeElem n = rows.shape(0);
  return where(eye(n, n, k, bool_, stream), reshape(rows, {n, 1}, stream), array(0, a.dtype()),
               stream);
}

std::vector<array> meshgrid(const std::vector<array>& arrays, bool sparse,
                            const std::string& indexing, StreamOrDevice s) {
  if (indexing != "xy" && indexing != "ij") {
    fail("[meshgrid] indexing must be 'xy' or 'ij': got '", indexing, "'");
  }
  const Stream stream = to_stream(s);
  const size_t ndim = arrays.size();
  const bool swap = indexing == "xy" && ndim > 1;
  std::vector<array> grids;
  for (size_t i = 0; i < ndim; ++i) {
    const size_t axis = swap && i < 2 ? 1 - i : i;
    Shape shape(ndim, 1);
    shape[axis] = -1;
    grids.push_back(reshape(arrays[i], std::move(shape), stream));
  }
  return sparse ? grids : broadcast_arrays(grids, stream);
}

}  // namespace mlx::core
