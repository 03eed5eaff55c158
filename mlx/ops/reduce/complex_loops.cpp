// See complex_loops.h. Complex values are ordered by real, then imaginary part;
// a NaN in either part counts as NaN.
#include "mlx/ops/reduce/complex_loops.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "mlx/core/parallel.h"
#include "mlx/dtype_utils.h"

namespace mlx::core {

namespace {

using Value = std::complex<float>;
using Wide = std::complex<double>;

bool is_nan(const Value& v) {
  return std::isnan(v.real()) || std::isnan(v.imag());
}

bool less(const Value& a, const Value& b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

Value reduce_values(ReduceOp op, const Value* x, const std::vector<int64_t>& at, int64_t n,
                    int64_t stride) {
  Wide total = op == ReduceOp::Prod ? 1.0 : 0.0;
  bool truth = op == ReduceOp::And;
  Value best = x[at[0]];
  for (int64_t offset : at) {
    for (int64_t i = 0; i < n; ++i) {
      const Value& v = x[offset + i * stride];
      switch (op) {
        case ReduceOp::And:
          truth = truth && v != Value(0);
          break;
        case ReduceOp::Or:
          truth = truth || v != Value(0);
          break;
        case ReduceOp::Sum:
          total += Wide(v);
          break;
        case ReduceOp::Prod:
          total *= Wide(v);
          break;
        default:
          if (!is_nan(best) &&
              (is_nan(v) || (op == ReduceOp::Min ? less(v, best) : less(best, v)))) {
            best = v;
          }
      }
    }
  }
  if (op == ReduceOp::And || op == ReduceOp::Or) {
    return truth ? 1.0f : 0.0f;
  }
  if (op == ReduceOp::Min || op == ReduceOp::Max) {
    return best;
  }
  return {static_cast<float>(total.real()), static_cast<float>(total.imag())};
}

// Offsets of the elements of each output, for arrays of any layout.
void walk_outputs(const array& a, const std::vector<int>& axes, std::vector<int64_t>& outer,
                  std::vector<int64_t>& inner) {
  outer = {0};
  inner = {0};
  for (int d = 0; d < static_cast<int>(a.ndim()); ++d) {
    std::vector<int64_t>& offsets = std::binary_search(axes.begin(), axes.end(), d) ? inner : outer;
    std::vector<int64_t> next;
    for (int64_t base : offsets) {
      for (int64_t i = 0; i < a.shape()[d]; ++i) {
        next.push_back(base + i * a.strides()[d]);
      }
    }
    offsets = std::move(next);
  }
}

}  // namespace

void complex_reduce(ReduceOp op, const array& a, const Cut& cut, array& out) {
  const auto* x = reinterpret_cast<const Value*>(a.data<complex64_t>());
  std::vector<int64_t> reduced(static_cast<size_t>(cut.reduced.count()));
  for (size_t r = 0; r < reduced.size(); ++r) {
    reduced[r] = cut.reduced.in(static_cast<int64_t>(r));
  }
  const int64_t columns = cut.runs ? 1 : cut.inner;
  const int64_t run = cut.runs ? cut.inner : 1;
  const double cost = 2.0 * static_cast<double>(cut.reduced.count() * run);
  parallel_for(cut.kept.count() * columns, cost + 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t k = i / columns;
      const int64_t j = i % columns;
      const Value v = reduce_values(op, x + cut.kept.in(k) + j, reduced, run, 1);
      const int64_t to = cut.kept.out(k) + j * cut.inner_out_stride;
      if (out.dtype() == bool_) {
        out.data<bool>()[to] = v.real() != 0.0f;
      } else {
        out.data<complex64_t>()[to] = v;
      }
    }
  });
}

void complex_arg_reduce(bool min, const array& a, int axis, array& out) {
  std::vector<int64_t> outer;
  std::vector<int64_t> inner;
  walk_outputs(a, {axis}, outer, inner);
  const auto* data = reinterpret_cast<const Value*>(a.data<complex64_t>());
  auto* result = out.data<uint32_t>();
  parallel_for(static_cast<int64_t>(outer.size()), 2.0 * static_cast<double>(inner.size()) + 2,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const Value* x = data + outer[i];
                   size_t best = 0;
                   for (size_t k = 1; k < inner.size() && !is_nan(x[inner[best]]); ++k) {
                     const Value& v = x[inner[k]];
                     if (is_nan(v) || (min ? less(v, x[inner[best]]) : less(x[inner[best]], v))) {
                       best = k;
                     }
                   }
                   result[i] = static_cast<uint32_t>(best);
                 }
               });
}

void complex_variance(const array& a, const std::vector<int>& axes, double divisor, array& out) {
  std::vector<int64_t> outer;
  std::vector<int64_t> inner;
  walk_outputs(a, axes, outer, inner);
  const auto* data = a.dtype() == complex64 ? reinterpret_cast<const Value*>(a.data<complex64_t>())
                                            : nullptr;  // no elements
  for (size_t i = 0; i < out.size(); ++i) {
    Wide total = 0;
    for (int64_t k : inner) {
      total += Wide(data[outer[i] + k]);
    }
    const Wide mean = total / static_cast<double>(inner.size());
    double squares = 0;
    for (int64_t k : inner) {
      squares += std::norm(Wide(data[outer[i] + k]) - mean);
    }
    dispatch_float_types(out.dtype(), "[var]", [&](auto tag) {
      using T = typename decltype(tag)::type;
      out.data<T>()[i] = detail::convert_element<T, double>(squares / divisor);
    });
  }
}

}  // namespace mlx::core
