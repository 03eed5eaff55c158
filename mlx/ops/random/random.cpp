// The samplers. Numbers are rounded op by op in the dtype that each comment
// names; drawn values are part of the interface.
#include "mlx/ops/random/random.h"

#include <cmath>

#include "mlx/core/node.h"
#include "mlx/ops/axis.h"
#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/random/primitives.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core::random {

namespace {

array checked_key(const std::optional<array>& key, const char* tag) {
  if (!key) {
    return KeySequence::default_().next();
  }
  if (key->dtype() != uint32) {
    fail(tag, " a key has dtype uint32: got ", key->dtype());
  }
  if (key->shape() != Shape{2}) {
    fail(tag, " a key has shape (2): got ", key->shape());
  }
  return *key;
}

void check_shape(const Shape& shape, const char* tag) {
  for (ShapeElem dim : shape) {
    if (dim < 0) {
      fail(tag, " dimensions must not be negative: got shape ", shape);
    }
  }
  checked_size(shape, tag);
}

// `parameter` gives every element of `shape` a value, and no more.
void check_broadcast(const Shape& parameter, const Shape& shape, const char* tag) {
  if (broadcast_shapes(parameter, shape) != shape) {
    fail(tag, " parameters of shape ", parameter, " do not broadcast to the shape ", shape);
  }
}

void check_real_floating(Dtype dtype, const char* tag) {
  if (!issubdtype(dtype, floating)) {
    fail(tag, " the dtype must be floating and real: got ", dtype);
  }
}

// [0, 1) in float32, at most the largest number below 1 of `dtype`.
array unit(const Shape& shape, Dtype dtype, const std::optional<array>& key, const char* tag,
           const Stream& s) {
  check_shape(shape, tag);
  array from = checked_key(key, tag);
  const float limit = dtype == float16    ? 0.99951172f
                      : dtype == bfloat16 ? 0.99609375f
                                          : 0.99999994f;
  return make_array(shape, float32, std::make_shared<RandomUniform>(s, shape, limit),
                    std::move(from));
}

// (-1, 1) in float32: the difference of the bounds rounds to 2.
array symmetric(const Shape& shape, const std::optional<array>& key, const char* tag,
                const Stream& s) {
  return add(multiply(array(2.0f), unit(shape, float32, key, tag, s), s), array(-0.99999994f), s);
}

void check_uniform_dtype(Dtype dtype) {
  check_real_floating(dtype, "[uniform]");
  if (dtype == float64) {
    fail<std::runtime_error>("[uniform] float64 is not supported: draws have 32 bits");
  }
}

}  // namespace

array bits(const Shape& shape, int width, const std::optional<array>& key, StreamOrDevice s) {
  const char* tag = "[random_bits]";
  const Stream stream = to_stream(s);
  check_shape(shape, tag);
  array from = checked_key(key, tag);
  if (width != 1 && width != 2 && width != 4) {
    fail(tag, " the width must be 1, 2 or 4 bytes: got ", width);
  }
  const Dtype dtype = width == 4 ? uint32 : width == 2 ? uint16 : uint8;
  return make_array(shape, dtype, std::make_shared<RandomBits>(stream, shape, width),
                    std::move(from));
}

array uniform(const Shape& shape, Dtype dtype, const std::optional<array>& key, StreamOrDevice s) {
  check_uniform_dtype(dtype);
  const Stream stream = to_stream(s);
  return astype(unit(shape, dtype, key, "[uniform]", stream), dtype, stream);
}

array uniform(const array& low, const array& high, const Shape& shape, Dtype dtype,
              const std::optional<array>& key, StreamOrDevice s) {
  const char* tag = "[uniform]";
  check_uniform_dtype(dtype);
  const Stream stream = to_stream(s);
  const array lo = astype(low, dtype, stream);
  const array range = subtract(astype(high, dtype, stream), lo, stream);
  check_broadcast(range.shape(), shape, tag);
  const array u = astype(unit(shape, dtype, key, tag, stream), dtype, stream);
  return add(multiply(range, u, stream), lo, stream);
}

array normal(const Shape& shape, Dtype dtype, const std::optional<array>& loc,
             const std::optional<array>& scale, const std::optional<array>& key, StreamOrDevice s) {
  const char* tag = "[normal]";
  const Stream stream = to_stream(s);
  if (loc) {
    check_broadcast(loc->shape(), shape, tag);
  }
  if (scale) {
    check_broadcast(scale->shape(), shape, tag);
  }
  if (dtype == complex64) {
    // Without the factor sqrt(2): real and imaginary part have variance 1/2.
    Shape parts = shape;
    parts.push_back(2);
    const array z = erfinv(symmetric(parts, key, tag, stream), stream);
    array value = squeeze(view(z, complex64, stream), -1, stream);
    if (scale) {
      value = multiply(*scale, value, stream);
    }
    return loc ? add(*loc, value, stream) : value;
  }
  if (!issubdtype(dtype, floating)) {
    fail(tag, " the dtype must be floating or complex: got ", dtype);
  }
  const array z = astype(erfinv(symmetric(shape, key, tag, stream), stream), dtype, stream);
  array factor(std::sqrt(2.0), dtype);
  if (scale) {
    factor = multiply(factor, astype(*scale, dtype, stream), stream);
  }
  const array value = multiply(factor, z, stream);
  return loc ? add(astype(*loc, dtype, stream), value, stream) : value;
}

array multivariate_normal(const array& mean, const array& cov, const Shape& shape, Dtype dtype,
                          const std::optional<array>&, StreamOrDevice) {
  const char* tag = "[multivariate_normal]";
  if (dtype != float32) {
    fail(tag, " only float32 is supported: got ", dtype);
  }
  if (mean.ndim() < 1 || cov.ndim() < 2) {
    fail(tag, " the mean needs one dimension and the covariance two: got shapes ", mean.shape(),
         " and ", cov.shape());
  }
  const ShapeElem n = mean.shape(-1);
  if (cov.shape(-1) != n || cov.shape(-2) != n) {
    fail(tag, " the covariance of a mean of size ", n, " is a square matrix of that size: got ",
         cov.shape());
  }
  fail<std::runtime_error>(tag, " needs a singular value decomposition, which this version lacks");
}

array randint(const array& low, const array& high, const Shape& shape, Dtype dtype,
              const std::optional<array>& key, StreamOrDevice s) {
  if (dtype != bool_ && !issubdtype(dtype, integer)) {
    fail("[randint] the dtype must be an integer or bool: got ", dtype);
  }
  const Stream stream = to_stream(s);
  const array top = high.dtype() == bool_ ? astype(high, int32, stream) : high;
  const array last = astype(subtract(top, array(1, top.dtype()), stream), dtype, stream);
  const array first = astype(low, dtype, stream);
  auto within = [&](const array& drawn) {
    // The rounding of wide ranges may leave them, and there are empty ones.
    return maximum(minimum(astype(drawn, dtype, stream), last, stream), first, stream);
  };
  if (issubdtype(low.dtype(), inexact) || issubdtype(high.dtype(), inexact)) {
    return within(floor(uniform(low, high, shape, float32, key, stream), stream));
  }
  // The distance from `low` is drawn in float32, which need not resolve `low` itself: at 2^25 or
  // 2^41 every integer of the range is still reached.
  const array from = astype(low, int64, stream);
  const array width = subtract(astype(high, int64, stream), from, stream);
  const array overflowed =
      subtract(astype(high, float32, stream), astype(low, float32, stream), stream);
  const array zero(0, int64);
  const array span =
      where(less(width, zero, stream), overflowed, astype(width, float32, stream), stream);
  const array distance = uniform(array(0.0f), span, shape, float32, key, stream);
  return within(add(from, astype(floor(distance, stream), int64, stream), stream));
}

array bernoulli(const array& p, const Shape& shape, const std::optional<array>& key,
                StreamOrDevice s) {
  const char* tag = "[bernoulli]";
  if (!issubdtype(p.dtype(), floating)) {
    fail(tag, " the probability must be floating: got ", p.dtype());
  }
  check_broadcast(p.shape(), shape, tag);
  const Stream stream = to_stream(s);
  // The float above 2^32: a probability of 1 is above every draw.
  const array threshold = multiply(p, array(4294967808.0f), stream);
  const array draw = astype(bits(shape, 4, key, stream), float32, stream);
  return less(draw, threshold, stream);
}

array bernoulli(const array& p, const std::optional<array>& key, StreamOrDevice s) {
  return bernoulli(p, p.shape(), key, s);
}

array bernoulli(const std::optional<array>& key, StreamOrDevice s) {
  return bernoulli(array(0.5f), Shape{}, key, s);
}

array truncated_normal(const array& lower, const array& upper, const Shape& shape, Dtype dtype,
                       const std::optional<array>& key, StreamOrDevice s) {
  const char* tag = "[truncated_normal]";
  check_real_floating(dtype, tag);
  check_broadcast(broadcast_shapes(lower.shape(), upper.shape()), shape, tag);
  const Stream stream = to_stream(s);
  const array root(std::sqrt(2.0), dtype);
  const array low = astype(lower, dtype, stream);
  const array high = astype(upper, dtype, stream);
  const array a = erf(divide(low, root, stream), stream);
  const array b = erf(divide(high, root, stream), stream);
  const array u = uniform(a, b, shape, dtype, key, stream);
  const array x = multiply(root, erfinv(u, stream), stream);
  return maximum(minimum(high, x, stream), low, stream);
}

array truncated_normal(const array& lower, const array& upper, Dtype dtype,
                       const std::optional<array>& key, StreamOrDevice s) {
  return truncated_normal(lower, upper, broadcast_shapes(lower.shape(), upper.shape()), dtype, key,
                          s);
}

array gumbel(const Shape& shape, Dtype dtype, const std::optional<array>& key, StreamOrDevice s) {
  const Stream stream = to_stream(s);
  const array u = uniform(shape, dtype, key, stream);
  return negative(log(negative(log(u, stream), stream), stream), stream);
}

array laplace(const Shape& shape, Dtype dtype, const float loc, const float scale,
              const std::optional<array>& key, StreamOrDevice s) {
  const char* tag = "[laplace]";
  check_real_floating(dtype, tag);
  const Stream stream = to_stream(s);
  // The logarithm is not taken in 16 bits: there 1 - |u| is often 0.
  const Dtype precision = dtype == float64 ? float64 : float32;
  const array u = astype(symmetric(shape, key, tag, stream), precision, stream);
  const array magnitude = log1p(negative(abs(u, stream), stream), stream);
  array value = astype(multiply(sign(u, stream), magnitude, stream), dtype, stream);
  if (scale != 1) {
    value = multiply(array(scale, dtype), value, stream);
  }
  return loc != 0 ? add(array(loc, dtype), value, stream) : value;
}

}  // namespace mlx::core::random
