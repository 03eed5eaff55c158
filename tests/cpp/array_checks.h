// What tests of operations share: reading values, comparing them, derivatives
// against finite differences, vmap against a loop.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "mlx/dtype_utils.h"
#include "mlx/mlx.h"

namespace array_checks {

using namespace mlx::core;

/// The elements in row-major order, real parts.
inline std::vector<double> values(const array& a) {
  array dense = contiguous(a);
  dense.eval();
  std::vector<double> out(dense.size());
  dispatch_all_types(dense.dtype(), [&](auto tag) {
    using T = MLX_GET_TYPE(tag);
    for (size_t i = 0; i < out.size(); ++i) {
      if constexpr (std::is_same_v<T, complex64_t>) {
        out[i] = dense.data<T>()[i].real();
      } else {
        out[i] = static_cast<double>(dense.data<T>()[i]);
      }
    }
  });
  return out;
}

/// Absolute and relative tolerance in one; NaN equals NaN.
inline bool near(double got, double want, double tolerance) {
  if (std::isnan(want) || std::isnan(got)) {
    return std::isnan(want) == std::isnan(got);
  }
  return got == want || std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want));
}

inline void check_values(const array& a, const std::vector<double>& want, double tolerance = 0) {
  const std::vector<double> got = values(a);
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CAPTURE(got[i]);
    CAPTURE(want[i]);
    CHECK(near(got[i], want[i], tolerance));
  }
}

inline void check_array(const array& a, const Shape& shape, Dtype dtype,
                        const std::vector<double>& want, double tolerance = 0) {
  CHECK(a.shape() == shape);
  CHECK(a.dtype() == dtype);
  check_values(a, want, tolerance);
}

/// 1, 2, ... as `dtype`.
inline array counting(const Shape& shape, Dtype dtype = float64) {
  std::vector<double> numbers(static_cast<size_t>(checked_size(shape, "counting")));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<double>(i + 1);
  }
  return array(numbers.begin(), shape, dtype);
}

/// Numbers in (0, 1) without a pattern, the same on every run.
inline array scattered(const Shape& shape, uint32_t seed = 1, Dtype dtype = float64) {
  std::vector<double> numbers(static_cast<size_t>(checked_size(shape, "scattered")));
  uint32_t state = seed * 2654435761u + 1;
  for (double& number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = (static_cast<double>(state >> 8) + 0.5) / (1 << 24);
  }
  return array(numbers.begin(), shape, dtype);
}

inline double dot(const array& a, const array& b) {
  const std::vector<double> x = values(a);
  const std::vector<double> y = values(b);
  REQUIRE(x.size() == y.size());
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    total += x[i] * y[i];
  }
  return total;
}

/// `fun` of one output: jvp against central differences, vjp against jvp.
inline void check_derivatives(const std::function<array(const std::vector<array>&)>& fun,
                              const std::vector<array>& inputs, double tolerance = 1e-6) {
  const VectorFunction wrapped = [&](const std::vector<array>& x) {
    return std::vector<array>{fun(x)};
  };
  std::vector<array> tangents;
  std::vector<array> forward;
  std::vector<array> backward;
  const double step = 1e-5;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tangents.push_back(scattered(inputs[i].shape(), static_cast<uint32_t>(i + 7)));
    const array move = multiply(tangents[i], array(step, float64));
    forward.push_back(add(inputs[i], move));
    backward.push_back(subtract(inputs[i], move));
  }
  const array difference =
      multiply(subtract(fun(forward), fun(backward)), array(0.5 / step, float64));
  const auto [outputs, pushed] = jvp(wrapped, inputs, tangents);
  CHECK(pushed[0].shape() == outputs[0].shape());
  CHECK(pushed[0].dtype() == outputs[0].dtype());
  check_values(pushed[0], values(difference), tolerance);

  const array cotangent = scattered(outputs[0].shape(), 99);
  const auto [same_outputs, pulled] = vjp(wrapped, inputs, {cotangent});
  double total = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    CHECK(pulled[i].shape() == inputs[i].shape());
    CHECK(pulled[i].dtype() == inputs[i].dtype());
    total += dot(pulled[i], tangents[i]);
  }
  CHECK(near(total, dot(cotangent, pushed[0]), 1e-9));
}

/// vmap of `fun` over `axes` (-1: not mapped) against a loop over the batch.
inline void check_vmap(const VectorFunction& fun, const std::vector<array>& inputs,
                       const std::vector<int>& axes) {
  ShapeElem batch = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    batch = axes[i] >= 0 ? inputs[i].shape(axes[i]) : batch;
  }
  std::vector<std::vector<array>> rows;
  for (ShapeElem b = 0; b < batch; ++b) {
    std::vector<array> one;
    for (size_t i = 0; i < inputs.size(); ++i) {
      one.push_back(axes[i] < 0 ? inputs[i] : unstack(inputs[i], axes[i])[b]);
    }
    const std::vector<array> outputs = fun(one);
    rows.resize(outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      rows[k].push_back(outputs[k]);
    }
  }
  const std::vector<array> mapped = vmap(fun, axes, std::vector<int>(rows.size(), 0))(inputs);
  REQUIRE(mapped.size() == rows.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    const array looped = stack(rows[k], 0);
    CHECK(mapped[k].shape() == looped.shape());
    CHECK(mapped[k].dtype() == looped.dtype());
    check_values(mapped[k], values(looped), 1e-12);
  }
}

}  // namespace array_checks
