// Argument checks and graph building of matrix products and contractions.
#include "mlx/ops/matmul/matmul.h"

#include <algorithm>

#include "mlx/core/node.h"
#include "mlx/core/settings.h"
#include "mlx/core/tracing.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/matmul/primitives.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {
namespace {

// Operands of a matrix product with at least two dimensions each.
struct Matrices {
  array a;
  array b;
  bool a_was_vector;
  bool b_was_vector;
};

Dtype checked_dtype(Dtype dtype, const char* tag) {
  if (!issubdtype(dtype, inexact)) {
    fail(tag, " needs a floating-point or complex dtype, got ", dtype);
  }
  if (dtype == float32) {
    // The CPU always computes in full precision; a malformed setting is an
    // error on every device.
    (void)settings::value<settings::Name::enable_tf32>();
  }
  return dtype;
}

Matrices as_matrices(const array& a, const array& b, Dtype dtype, const char* tag,
                     const Stream& s) {
  if (a.ndim() == 0 || b.ndim() == 0) {
    fail(tag, " operands must have at least 1 dimension, got shapes ", a.shape(), " and ",
         b.shape());
  }
  const bool a_vector = a.ndim() == 1;
  const bool b_vector = b.ndim() == 1;
  const ShapeElem a_inner = a.shape(-1);
  const ShapeElem b_inner = b.shape(b_vector ? 0 : -2);
  if (a_inner != b_inner) {
    fail(tag, " last dimension of a ", a.shape(), " must equal ",
         b_vector ? "the dimension" : "second-to-last", " of b ", b.shape(), ": got ", a_inner,
         " and ", b_inner);
  }
  array wide_a = astype(a, dtype, s);
  array wide_b = astype(b, dtype, s);
  return {a_vector ? expand_dims(wide_a, 0, s) : wide_a,
          b_vector ? expand_dims(wide_b, 1, s) : wide_b, a_vector, b_vector};
}

// Shape of the product before vectors drop their axis.
Shape product_shape(const Matrices& m, const char* tag) {
  const Shape a_batch(m.a.shape().begin(), m.a.shape().end() - 2);
  const Shape b_batch(m.b.shape().begin(), m.b.shape().end() - 2);
  Shape shape;
  try {
    shape = broadcast_shapes(a_batch, b_batch);
  } catch (const std::invalid_argument&) {
    fail(tag, " leading dimensions of a ", m.a.shape(), " and b ", m.b.shape(),
         " do not broadcast");
  }
  shape.push_back(m.a.shape(-2));
  shape.push_back(m.b.shape(-1));
  return shape;
}

// One matrix b for all of a: the rows of a are one tall matrix. The gradient of
// b is then one product as well. Shapeless traces must not freeze the sizes.
bool folds(const Matrices& m) {
  return m.a.ndim() > 2 && m.b.ndim() == 2 && !detail::in_dynamic_tracing();
}

array drop_vector_axes(const array& out, const Matrices& m, const Stream& s) {
  std::vector<int> axes;
  if (m.a_was_vector) axes.push_back(-2);
  if (m.b_was_vector) axes.push_back(-1);
  return axes.empty() ? out : squeeze(out, axes, s);
}

Shape without(const Shape& shape, const std::vector<int>& axes) {
  Shape kept;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(shape[i]);
  }
  return kept;
}

ShapeElem product(const Shape& shape) {
  return checked_size(shape, "tensordot");
}

// Axes `first`, then `second`, as one matrix.
array to_matrix(const array& a, const std::vector<int>& first, const std::vector<int>& second,
                const Shape& shape, const Stream& s) {
  std::vector<int> order = first;
  order.insert(order.end(), second.begin(), second.end());
  const bool in_order = std::is_sorted(order.begin(), order.end());
  const array moved = in_order ? a : transpose(a, order, s);
  return moved.shape() == shape ? moved : reshape(moved, shape, s);
}

}  // namespace

array matmul(const array& a, const array& b, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const char* tag = "[matmul]";
  const Dtype dtype = checked_dtype(result_type(a, b), tag);
  Matrices m = as_matrices(a, b, dtype, tag, s);
  Shape shape = product_shape(m, tag);
  if (folds(m)) {
    const array rows = flatten(m.a, 0, -2, s);
    const array out =
        make_array(Shape{rows.shape(0), shape.back()}, dtype, stateless<Matmul>(s), rows, m.b);
    return drop_vector_axes(reshape(out, shape, s), m, s);
  }
  if (m.a.ndim() > 2 || m.b.ndim() > 2) {
    std::vector<array> operands = broadcast_arrays({m.a, m.b}, {-2, -1}, s);
    m.a = operands[0];
    m.b = operands[1];
  }
  return drop_vector_axes(make_array(std::move(shape), dtype, stateless<Matmul>(s), m.a, m.b), m,
                          s);
}

array addmm(array c, array a, array b, const float& alpha, const float& beta, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const char* tag = "[addmm]";
  const Dtype dtype = checked_dtype(result_type(a, b, c), tag);
  Matrices m = as_matrices(a, b, dtype, tag, s);
  Shape shape = product_shape(m, tag);
  std::vector<int> vector_axes;
  if (m.a_was_vector) vector_axes.push_back(static_cast<int>(shape.size()) - 2);
  if (m.b_was_vector) vector_axes.push_back(static_cast<int>(shape.size()) - 1);
  const Shape result = without(shape, vector_axes);
  auto fits = [&] {
    if (c.ndim() > result.size()) return false;
    for (size_t i = 0; i < c.ndim(); ++i) {
      const ShapeElem have = c.shape()[c.ndim() - 1 - i];
      if (have != 1 && have != result[result.size() - 1 - i]) return false;
    }
    return true;
  };
  if (!fits()) {
    fail(tag, " c ", c.shape(), " does not broadcast to the shape of the product ", result);
  }
  c = astype(c, dtype, s);
  // Where the product has axes that the result drops, c gets them too.
  if (m.b_was_vector) c = expand_dims(c, -1, s);
  if (m.a_was_vector && c.ndim() > (m.b_was_vector ? 1 : 0)) c = expand_dims(c, -2, s);
  const auto primitive = std::make_shared<AddMM>(s, alpha, beta);
  if (folds(m)) {
    const array rows = flatten(m.a, 0, -2, s);
    const Shape flat{rows.shape(0), shape.back()};
    // A bias that all rows share stays small.
    const bool shared = std::all_of(c.shape().begin(), c.shape().end() - (c.ndim() > 0),
                                    [](ShapeElem size) { return size == 1; });
    if (shared && c.ndim() > 2) {
      c = reshape(c, Shape{1, c.shape(-1)}, s);
    } else if (!shared) {
      c = flatten(broadcast_to(c, shape, s), 0, -2, s);
    }
    const array out = make_array(flat, dtype, primitive, rows, m.b, broadcast_to(c, flat, s));
    return drop_vector_axes(reshape(out, shape, s), m, s);
  }
  if (m.a.ndim() > 2 || m.b.ndim() > 2) {
    std::vector<array> operands = broadcast_arrays({m.a, m.b}, {-2, -1}, s);
    m.a = operands[0];
    m.b = operands[1];
  }
  if (detail::in_dynamic_tracing() && c.shape() != shape) {
    // The sizes that c takes on must follow the operands.
    c = broadcast_arrays({c, matmul(m.a, m.b, s)}, s)[0];
  }
  c = broadcast_to(c, shape, s);
  return drop_vector_axes(make_array(std::move(shape), dtype, primitive, m.a, m.b, c), m, s);
}

array inner(const array& a, const array& b, StreamOrDevice s) {
  if (a.ndim() == 0 || b.ndim() == 0) return multiply(a, b, s);
  if (a.shape(-1) != b.shape(-1)) {
    fail("[inner] last dimensions of a ", a.shape(), " and b ", b.shape(), " must be equal");
  }
  return tensordot(a, b, std::vector<int>{-1}, std::vector<int>{-1}, s);
}

array outer(const array& a, const array& b, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  return multiply(reshape(a, Shape{static_cast<ShapeElem>(a.size()), 1}, s), flatten(b, s), s);
}

array tensordot(const array& a, const array& b, const int axis, StreamOrDevice s) {
  const int rank = std::min(ndim_of(a), ndim_of(b));
  if (axis < 0 || axis > rank) {
    fail("[tensordot] the number of axes must be between 0 and ", rank, " for operands of shapes ",
         a.shape(), " and ", b.shape(), ": got ", axis);
  }
  std::vector<int> axes_a, axes_b;
  for (int i = 0; i < axis; ++i) {
    axes_a.push_back(ndim_of(a) - axis + i);
    axes_b.push_back(i);
  }
  return tensordot(a, b, axes_a, axes_b, s);
}

array tensordot(const array& a, const array& b, const std::vector<int>& axes_a,
                const std::vector<int>& axes_b, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const char* tag = "[tensordot]";
  if (axes_a.size() != axes_b.size()) {
    fail(tag, " lists of axes must have equal lengths, got ", axes_a.size(), " and ",
         axes_b.size());
  }
  const Dtype dtype = checked_dtype(result_type(a, b), tag);
  auto normalised = [&](const array& x, const std::vector<int>& axes) {
    std::vector<int> out;
    for (int axis : axes) {
      const int from_front = checked_axis(axis, ndim_of(x), tag);
      if (std::find(out.begin(), out.end(), from_front) != out.end()) {
        fail(tag, " an axis is given twice: ", axes);
      }
      out.push_back(from_front);
    }
    return out;
  };
  const std::vector<int> sum_a = normalised(a, axes_a);
  const std::vector<int> sum_b = normalised(b, axes_b);
  for (size_t i = 0; i < sum_a.size(); ++i) {
    if (a.shape(sum_a[i]) != b.shape(sum_b[i])) {
      fail(tag, " axis ", sum_a[i], " of a ", a.shape(), " and axis ", sum_b[i], " of b ",
           b.shape(), " must have equal sizes");
    }
  }
  auto others = [](const array& x, const std::vector<int>& axes) {
    std::vector<int> kept;
    for (int i = 0; i < ndim_of(x); ++i) {
      if (std::find(axes.begin(), axes.end(), i) == axes.end()) kept.push_back(i);
    }
    return kept;
  };
  const std::vector<int> keep_a = others(a, sum_a);
  const std::vector<int> keep_b = others(b, sum_b);
  const Shape shape_a = without(a.shape(), sum_a);
  const Shape shape_b = without(b.shape(), sum_b);
  Shape summed;
  for (int axis : sum_a) summed.push_back(a.shape(axis));
  const ShapeElem k = product(summed);
  const array left = to_matrix(astype(a, dtype, s), keep_a, sum_a, Shape{product(shape_a), k}, s);
  const array right = to_matrix(astype(b, dtype, s), sum_b, keep_b, Shape{k, product(shape_b)}, s);
  Shape shape = shape_a;
  shape.insert(shape.end(), shape_b.begin(), shape_b.end());
  const array out = matmul(left, right, s);
  return out.shape() == shape ? out : reshape(out, shape, s);
}

array vecdot(const array& a, const array& b, int axis, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const char* tag = "[vecdot]";
  if (a.ndim() == 0 || b.ndim() == 0) {
    fail(tag, " operands must have at least 1 dimension, got shapes ", a.shape(), " and ",
         b.shape());
  }
  auto resolve = [&](const array& x) {
    if (axis < -ndim_of(x) || axis >= ndim_of(x)) {
      fail(tag, " axis ", axis, " is out of range for an operand of shape ", x.shape());
    }
    return axis < 0 ? axis + ndim_of(x) : axis;
  };
  const int axis_a = resolve(a);
  const int axis_b = resolve(b);
  if (axis_a != axis_b) {
    fail(tag, " axis ", axis, " is a different one in shapes ", a.shape(), " and ", b.shape());
  }
  if (a.shape(axis_a) != b.shape(axis_b)) {
    fail(tag, " axis ", axis, " of a ", a.shape(), " and b ", b.shape(), " must have equal sizes");
  }
  const array left = moveaxis(conjugate(a, s), axis_a, -1, s);
  const array right = moveaxis(b, axis_b, -1, s);
  return sum(multiply(left, right, s), -1, false, s);
}

array kron(const array& a, const array& b, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  if (a.size() == 0 || b.size() == 0) {
    fail("[kron] operands must not be empty, got shapes ", a.shape(), " and ", b.shape());
  }
  const int rank = std::max(ndim_of(a), ndim_of(b));
  Shape shape_a, shape_b, shape;
  for (int i = 0; i < rank; ++i) {
    const int at_a = i - rank + ndim_of(a);
    const int at_b = i - rank + ndim_of(b);
    const ShapeElem size_a = at_a < 0 ? 1 : a.shape(at_a);
    const ShapeElem size_b = at_b < 0 ? 1 : b.shape(at_b);
    shape_a.push_back(size_a);
    shape_a.push_back(1);
    shape_b.push_back(1);
    shape_b.push_back(size_b);
    shape.push_back(checked_size(Shape{size_a, size_b}, "kron"));
  }
  const array products = multiply(reshape(a, shape_a, s), reshape(b, shape_b, s), s);
  return reshape(products, shape, s);
}

}  // namespace mlx::core
