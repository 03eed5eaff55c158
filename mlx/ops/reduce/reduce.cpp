// Reductions: argument checks, dtypes and node creation.
#include "mlx/ops/reduce/reduce.h"

#include <limits>
#include <numeric>

#include "mlx/core/node.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/create/create.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/reduce/primitives.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {

namespace {

std::vector<int> all_axes(const array& a) {
  std::vector<int> axes(a.ndim());
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Sorted axes from the front; the reductions promise std::out_of_range.
std::vector<int> checked_axes(const array& a, const std::vector<int>& axes, const char* tag) {
  std::vector<int> checked;
  checked.reserve(axes.size());
  for (int axis : axes) {
    checked.push_back(checked_axis(axis, ndim_of(a), tag));
  }
  return normalize_axes(std::move(checked), ndim_of(a), tag);
}

Shape reduced_shape(const array& a, const std::vector<int>& axes) {
  Shape shape = a.shape();
  for (int axis : axes) {
    shape[axis] = 1;
  }
  return shape;
}

int64_t reduced_size(const array& a, const std::vector<int>& axes) {
  int64_t size = 1;
  for (int axis : axes) {
    size *= a.shape()[axis];
  }
  return size;
}

array finish(array reduced, const std::vector<int>& axes, bool keepdims, const Stream& s) {
  return keepdims || axes.empty() ? reduced : squeeze(reduced, axes, s);
}

array reduce(Reduce::ReduceType type, const array& a, Dtype dtype, const std::vector<int>& axes,
             bool keepdims, const Stream& s) {
  array reduced =
      make_array(reduced_shape(a, axes), dtype, std::make_shared<Reduce>(s, type, axes), array(a));
  return finish(std::move(reduced), axes, keepdims, s);
}

Dtype sum_dtype(Dtype dtype) {
  switch (dtype) {
    case bool_:
    case int8:
    case int16:
      return int32;
    case uint8:
    case uint16:
      return uint32;
    default:
      return dtype;
  }
}

Dtype at_least_float(Dtype dtype) {
  return issubdtype(dtype, inexact) ? dtype : float32;
}

// min and max of nothing have no value.
void require_elements(const array& a, const std::vector<int>& axes, const char* tag) {
  for (int axis : axes) {
    if (a.shape()[axis] == 0) {
      fail(tag, " axis ", axis, " of an array of shape ", a.shape(), " has no elements");
    }
  }
}

}  // namespace

#define MLX_OVER_EVERYTHING(name)                               \
  array name(const array& a, bool keepdims, StreamOrDevice s) { \
    return name(a, all_axes(a), keepdims, s);                   \
  }
MLX_OVER_EVERYTHING(all)
MLX_OVER_EVERYTHING(any)
MLX_OVER_EVERYTHING(sum)
MLX_OVER_EVERYTHING(prod)
MLX_OVER_EVERYTHING(max)
MLX_OVER_EVERYTHING(min)
MLX_OVER_EVERYTHING(mean)
MLX_OVER_EVERYTHING(logsumexp)
MLX_OVER_EVERYTHING(count_nonzero)
#undef MLX_OVER_EVERYTHING

array all(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  return reduce(Reduce::And, a, bool_, checked_axes(a, axes, "[all]"), keepdims, s);
}

array any(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  return reduce(Reduce::Or, a, bool_, checked_axes(a, axes, "[any]"), keepdims, s);
}

array sum(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s_) {
  if (axes.empty() && a.ndim() > 0) {
    return a;
  }
  const Stream s = to_stream(s_);
  return reduce(Reduce::Sum, a, sum_dtype(a.dtype()), checked_axes(a, axes, "[sum]"), keepdims, s);
}

array prod(const array& a, const std::vector<int>& axes, bool keepdims, StreamOrDevice s_) {
  if (axes.empty() && a.ndim() > 0) {
    return a;
  }
  const Stream s = to_stream(s_);
  return reduce(Reduce::Prod, a, sum_dtype(a.dtype()), checked_axes(a, axes, "[prod]"), keepdims,
                s);
}

array max(const array& a, const std::vector<int>& axes_, bool keepdims, StreamOrDevice s_) {
  const std::vector<int> axes = checked_axes(a, axes_, "[max]");
  require_elements(a, axes, "[max]");
  if (axes.empty()) {
    return a;
  }
  return reduce(Reduce::Max, a, a.dtype(), axes, keepdims, to_stream(s_));
}

array min(const array& a, const std::vector<int>& axes_, bool keepdims, StreamOrDevice s_) {
  const std::vector<int> axes = checked_axes(a, axes_, "[min]");
  require_elements(a, axes, "[min]");
  if (axes.empty()) {
    return a;
  }
  return reduce(Reduce::Min, a, a.dtype(), axes, keepdims, to_stream(s_));
}

array count_nonzero(const array& a, const std::vector<int>& axes, bool keepdims,
                    StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  return reduce(Reduce::Sum, astype(a, bool_, s), int32, checked_axes(a, axes, "[count_nonzero]"),
                keepdims, s);
}

array mean(const array& a, const std::vector<int>& axes_, bool keepdims, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const std::vector<int> axes = normalize_axes(axes_, ndim_of(a), "[mean]");
  const Dtype dtype = at_least_float(a.dtype());
  const int64_t count = reduced_size(a, axes);
  if (axes.empty()) {
    return astype(a, dtype, s);
  }
  // 16-bit floats are summed and divided in float32; integers exactly.
  const Dtype wide = dtype == float16 || dtype == bfloat16 ? float32 : dtype;
  auto sum_in = [&](Dtype exact) {
    if (exact == a.dtype()) {
      return reduce(Reduce::Sum, a, exact, axes, keepdims, s);
    }
    array reduced = make_array(reduced_shape(a, axes), exact,
                               std::make_shared<Reduce>(s, axes, exact), array(a));
    return finish(std::move(reduced), axes, keepdims, s);
  };
  const array total =
      issubdtype(a.dtype(), inexact)
          ? sum_in(wide)
          : astype(sum_in(issubdtype(a.dtype(), unsignedinteger) ? uint64 : int64), float32, s);
  const double scale =
      count == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0 / static_cast<double>(count);
  if (total.dtype() == complex64) {
    return multiply(total, array(static_cast<float>(scale), float32), s);
  }
  return astype(multiply(total, array(scale, total.dtype()), s), dtype, s);
}

array var(const array& a, const std::vector<int>& axes_, bool keepdims, int ddof,
          StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const std::vector<int> axes = normalize_axes(axes_, ndim_of(a), "[var]");
  const Dtype dtype = at_least_float(a.dtype());
  const Dtype out = dtype == complex64 ? float32 : dtype;
  array values = astype(a, dtype, s);
  array reduced = make_array(reduced_shape(a, axes), out, std::make_shared<Variance>(s, axes, ddof),
                             std::move(values));
  return finish(std::move(reduced), axes, keepdims, s);
}

array var(const array& a, bool keepdims, int ddof, StreamOrDevice s) {
  return var(a, all_axes(a), keepdims, ddof, s);
}

array std(const array& a, const std::vector<int>& axes, bool keepdims, int ddof, StreamOrDevice s) {
  return sqrt(var(a, axes, keepdims, ddof, s), s);
}

array std(const array& a, bool keepdims, int ddof, StreamOrDevice s) {
  return std(a, all_axes(a), keepdims, ddof, s);
}

// Row reductions

namespace {

// The axes of a row reduction moved to the end and merged there; `restore` gives
// the result its place back.
struct Rows {
  array rows;
  std::vector<int> order;  // permutation that brought the axes to the end
  Shape permuted;          // shape before the merge
};

Rows to_rows(const array& a, const std::vector<int>& axes, const Stream& s) {
  std::vector<int> order;
  for (int i = 0; i < ndim_of(a); ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) {
      order.push_back(i);
    }
  }
  const int kept = static_cast<int>(order.size());
  order.insert(order.end(), axes.begin(), axes.end());
  array permuted = std::is_sorted(order.begin(), order.end()) ? a : transpose(a, order, s);
  Shape shape = permuted.shape();
  array rows = axes.size() == 1 ? permuted : flatten(permuted, kept, -1, s);
  return {std::move(rows), std::move(order), std::move(shape)};
}

}  // namespace

array logsumexp(const array& a, const std::vector<int>& axes_, bool keepdims, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  if (a.size() == 0) {
    fail("[logsumexp] the array of shape ", a.shape(), " has no elements");
  }
  if (a.ndim() == 0 && !axes_.empty()) {
    fail("[logsumexp] a 0-d array has no axes");
  }
  const std::vector<int> axes = checked_axes(a, axes_, "[logsumexp]");
  const array values = astype(a, at_least_float(a.dtype()), s);
  if (axes.empty()) {
    return values;  // log(exp(x))
  }
  if (values.dtype() == complex64) {
    // Shifted by the largest real part, which is where exp could overflow.
    const array shift = stop_gradient(max(real(values, s), axes, true, s), s);
    const array finite = where(isfinite(shift, s), shift, array(0.0f), s);
    const array total = sum(exp(subtract(values, finite, s), s), axes, true, s);
    return finish(add(log(total, s), finite, s), axes, keepdims, s);
  }
  const Rows rows = to_rows(values, axes, s);
  Shape shape = rows.rows.shape();
  shape.back() = 1;
  array reduced = make_array(shape, values.dtype(), stateless<LogSumExp>(s), array(rows.rows));
  return reshape(reduced, keepdims ? reduced_shape(a, axes) : [&] {
    Shape kept;
    for (int i = 0; i < ndim_of(a); ++i) {
      if (!std::binary_search(axes.begin(), axes.end(), i)) {
        kept.push_back(a.shape()[i]);
      }
    }
    return kept;
  }(), s);
}

array softmax(const array& a, const std::vector<int>& axes_, bool precise, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const Dtype dtype = at_least_float(a.dtype());
  if (a.ndim() == 0 && !axes_.empty()) {
    fail("[softmax] a 0-d array has no axes");
  }
  const std::vector<int> axes = checked_axes(a, axes_, "[softmax]");
  const array values = astype(a, dtype, s);
  if (a.size() == 0) {
    return values;
  }
  if (axes.empty()) {
    return divide(values, values, s);  // a softmax over one element each
  }
  if (dtype == complex64) {
    const array shift = stop_gradient(max(real(values, s), axes, true, s), s);
    const array powers = exp(subtract(values, shift, s), s);
    return divide(powers, sum(powers, axes, true, s), s);
  }
  const Rows rows = to_rows(values, axes, s);
  array result =
      make_array(rows.rows.shape(), dtype, std::make_shared<Softmax>(s, precise), array(rows.rows));
  if (axes.size() > 1) {
    result = reshape(result, rows.permuted, s);
  }
  if (!std::is_sorted(rows.order.begin(), rows.order.end())) {
    std::vector<int> inverse(rows.order.size());
    for (size_t i = 0; i < rows.order.size(); ++i) {
      inverse[rows.order[i]] = static_cast<int>(i);
    }
    result = transpose(result, inverse, s);
  }
  return result;
}

array softmax(const array& a, bool precise, StreamOrDevice s) {
  return softmax(a, all_axes(a), precise, s);
}

// Positions of extremes

namespace {

array arg_reduce(ArgReduce::ReduceType type, const array& a, int axis_, bool keepdims,
                 StreamOrDevice s_, const char* tag) {
  const Stream s = to_stream(s_);
  const int axis = checked_axis(axis_, ndim_of(a), tag);
  if (a.size() == 0) {
    fail(tag, " the array of shape ", a.shape(), " has no elements");
  }
  array result = make_array(reduced_shape(a, {axis}), uint32,
                            std::make_shared<ArgReduce>(s, type, axis), array(a));
  return finish(std::move(result), {axis}, keepdims, s);
}

array arg_reduce_flat(ArgReduce::ReduceType type, const array& a, bool keepdims, StreamOrDevice s,
                      const char* tag) {
  if (a.size() == 0) {
    fail(tag, " the array of shape ", a.shape(), " has no elements");
  }
  array result = arg_reduce(type, flatten(a, s), 0, true, s, tag);
  return reshape(result, keepdims ? Shape(a.ndim(), 1) : Shape{}, s);
}

}  // namespace

array argmin(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return arg_reduce(ArgReduce::ArgMin, a, axis, keepdims, s, "[argmin]");
}
array argmin(const array& a, bool keepdims, StreamOrDevice s) {
  return arg_reduce_flat(ArgReduce::ArgMin, a, keepdims, s, "[argmin]");
}
array argmax(const array& a, int axis, bool keepdims, StreamOrDevice s) {
  return arg_reduce(ArgReduce::ArgMax, a, axis, keepdims, s, "[argmax]");
}
array argmax(const array& a, bool keepdims, StreamOrDevice s) {
  return arg_reduce_flat(ArgReduce::ArgMax, a, keepdims, s, "[argmax]");
}

}  // namespace mlx::core
