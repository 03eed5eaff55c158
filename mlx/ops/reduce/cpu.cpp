// Evaluation of the reduce family: one generic loop per output element.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "mlx/core/node.h"
#include "mlx/core/parallel.h"
#include "mlx/dtype_utils.h"
#include "mlx/ops/reduce/primitives.h"

namespace mlx::core {

namespace {

// Element offsets of the reduced dimensions, and of the first element of each output.
struct Walk {
  std::vector<int64_t> inner;
  std::vector<int64_t> outer;
};

void append_offsets(const Shape& shape, const Strides& strides, const std::vector<int>& dims,
                    std::vector<int64_t>& offsets) {
  offsets = {0};
  for (int d : dims) {
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(shape[d]));
    for (int64_t base : offsets) {
      for (int64_t i = 0; i < shape[d]; ++i) {
        next.push_back(base + i * strides[d]);
      }
    }
    offsets = std::move(next);
  }
}

Walk make_walk(const array& a, const std::vector<int>& axes) {
  Walk walk;
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(a.ndim()); ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) {
      kept.push_back(i);
    }
  }
  append_offsets(a.shape(), a.strides(), axes, walk.inner);
  append_offsets(a.shape(), a.strides(), kept, walk.outer);
  return walk;
}

template <typename T>
bool is_nan(const T& v) {
  if constexpr (std::is_same_v<T, complex64_t>) {
    return std::isnan(v.real()) || std::isnan(v.imag());
  } else if constexpr (is_floating_point_v<T>) {
    return std::isnan(static_cast<float>(v));
  } else {
    return false;
  }
}
template <>
bool is_nan(const double& v) {
  return std::isnan(v);
}

template <typename T>
bool is_true(const T& v) {
  return detail::convert_element<bool, T>(v);
}

// What sums of T are kept in.
template <typename T>
using Accumulator = std::conditional_t<
    std::is_same_v<T, complex64_t>, std::complex<double>,
    std::conditional_t<is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

template <typename T, typename F>
void for_each_output(const array& a, array& out, const std::vector<int>& axes, F&& f) {
  const Walk walk = make_walk(a, axes);
  const T* data = a.data<T>();
  parallel_for(static_cast<int64_t>(walk.outer.size()),
               static_cast<double>(walk.inner.size()) + 1,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   f(data + walk.outer[i], walk.inner, i);
                 }
               });
}

}  // namespace

void Reduce::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const array& a = inputs[0];
  array& out = outputs[0];
  allocate_output(out);
  dispatch_all_types(a.dtype(), [&](auto in_tag) {
    using T = typename decltype(in_tag)::type;
    if (type_ == And || type_ == Or) {
      bool* result = out.data<bool>();
      for_each_output<T>(a, out, axes_, [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
        bool value = type_ == And;
        for (int64_t k : at) {
          value = type_ == And ? value && is_true(x[k]) : value || is_true(x[k]);
        }
        result[i] = value;
      });
      return;
    }
    if (type_ == Min || type_ == Max) {
      T* result = out.data<T>();
      for_each_output<T>(a, out, axes_, [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
        T best = x[at[0]];
        for (int64_t k : at) {
          if (is_nan(best)) {
            break;
          }
          if (is_nan(x[k]) || (type_ == Min ? x[k] < best : best < x[k])) {
            best = x[k];
          }
        }
        result[i] = best;
      });
      return;
    }
    dispatch_all_types(out.dtype(), [&](auto out_tag) {
      using R = typename decltype(out_tag)::type;
      using A = Accumulator<T>;
      R* result = out.data<R>();
      for_each_output<T>(a, out, axes_, [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
        A total = type_ == Sum ? A(0) : A(1);
        for (int64_t k : at) {
          const A value = static_cast<A>(x[k]);
          total = type_ == Sum ? total + value : total * value;
        }
        if constexpr (std::is_same_v<A, std::complex<double>>) {
          const std::complex<float> narrow(static_cast<float>(total.real()),
                                           static_cast<float>(total.imag()));
          result[i] = detail::convert_element<R, std::complex<float>>(narrow);
        } else if constexpr (std::is_integral_v<A> && std::is_integral_v<R>) {
          result[i] = static_cast<R>(total);  // wraps
        } else {
          result[i] = detail::convert_element<R, A>(total);
        }
      });
    });
  });
}

void ArgReduce::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const array& a = inputs[0];
  array& out = outputs[0];
  allocate_output(out);
  dispatch_all_types(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    uint32_t* result = out.data<uint32_t>();
    for_each_output<T>(a, out, {axis_}, [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
      size_t best = 0;
      for (size_t k = 0; k < at.size() && !is_nan(x[at[best]]); ++k) {
        if (is_nan(x[at[k]]) ||
            (type_ == ArgMin ? x[at[k]] < x[at[best]] : x[at[best]] < x[at[k]])) {
          best = k;
        }
      }
      result[i] = static_cast<uint32_t>(best);
    });
  });
}

void Variance::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const array& a = inputs[0];
  array& out = outputs[0];
  allocate_output(out);
  const int ddof = get<1>();
  dispatch_inexact_types(a.dtype(), "[var]", [&](auto tag) {
    using T = typename decltype(tag)::type;
    using A = Accumulator<T>;
    using R = std::conditional_t<std::is_same_v<T, complex64_t>, float, T>;
    R* result = out.data<R>();
    for_each_output<T>(a, out, get<0>(), [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
      A total = 0;
      for (int64_t k : at) {
        total += static_cast<A>(x[k]);
      }
      const auto count = static_cast<double>(at.size());
      const A mean = total / count;
      double squares = 0;
      for (int64_t k : at) {
        squares += std::norm(static_cast<A>(x[k]) - mean);
      }
      result[i] =
          detail::convert_element<R, double>(squares / std::max(count - ddof, 0.0));
    });
  });
}

void LogSumExp::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const array& a = inputs[0];
  array& out = outputs[0];
  allocate_output(out);
  dispatch_float_types(a.dtype(), "[logsumexp]", [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* result = out.data<T>();
    const int last = static_cast<int>(a.ndim()) - 1;
    for_each_output<T>(a, out, {last}, [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
      double largest = -std::numeric_limits<double>::infinity();
      for (int64_t k : at) {
        const auto value = static_cast<double>(x[k]);
        largest = value > largest || std::isnan(value) ? value : largest;
      }
      double total = 0;
      for (int64_t k : at) {
        total += std::exp(static_cast<double>(x[k]) - largest);
      }
      result[i] = detail::convert_element<T, double>(
          std::isinf(largest) ? largest : largest + std::log(total));
    });
  });
}

void Softmax::evaluate(std::span<const array> inputs, std::span<array> outputs) {
  const array& a = inputs[0];
  array& out = outputs[0];
  allocate_output(out);
  dispatch_float_types(a.dtype(), "[softmax]", [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* result = out.data<T>();
    const int last = static_cast<int>(a.ndim()) - 1;
    const int64_t n = a.shape()[last];
    for_each_output<T>(a, out, {last}, [&](const T* x, const std::vector<int64_t>& at, int64_t i) {
      double largest = -std::numeric_limits<double>::infinity();
      for (int64_t k : at) {
        const auto value = static_cast<double>(x[k]);
        largest = value > largest || std::isnan(value) ? value : largest;
      }
      double total = 0;
      for (int64_t k : at) {
        total += std::exp(static_cast<double>(x[k]) - largest);
      }
      T* row = result + i * n;
      for (size_t k = 0; k < at.size(); ++k) {
        row[k] = detail::convert_element<T, double>(
            std::exp(static_cast<double>(x[at[k]]) - largest) / total);
      }
    });
  });
}

}  // namespace mlx::core
