// Einstein summation as a graph: diagonals, sums, and one matrix product (or a
// plain product) per pair of operands.
#include "mlx/einsum.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "mlx/ops/elementwise/elementwise.h"
#include "mlx/ops/errors.h"
#include "mlx/ops/matmul/einsum_path.h"
#include "mlx/ops/matmul/matmul.h"
#include "mlx/ops/reduce/reduce.h"
#include "mlx/ops/shape/shape.h"

namespace mlx::core {
namespace {

using einsum_detail::contains;
using einsum_detail::Label;
using einsum_detail::Labels;

// An array whose axes have labels, each once after `simplify`.
struct Operand {
  array value;
  Labels labels;

  ShapeElem size(Label label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? 1 : value.shape(static_cast<int>(at - labels.begin()));
  }
};

// Takes diagonals of repeated labels and sums out those not in `kept`.
Operand simplify(Operand x, const Labels& kept, const Stream& s) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    for (size_t j = i + 1; j < x.labels.size();) {
      if (x.labels[i] != x.labels[j]) {
        ++j;
        continue;
      }
      const Label label = x.labels[i];
      x.value = diagonal(x.value, 0, static_cast<int>(i), static_cast<int>(j), s);
      x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(j));
      x.labels.erase(x.labels.begin() + static_cast<std::ptrdiff_t>(i));
      x.labels.push_back(label);  // where `diagonal` puts it
      j = i + 1;
    }
  }
  std::vector<int> summed;
  Labels left;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (contains(kept, x.labels[i])) {
      left.push_back(x.labels[i]);
    } else {
      summed.push_back(static_cast<int>(i));
    }
  }
  if (!summed.empty()) x.value = sum(x.value, summed, false, s);
  x.labels = left;
  return x;
}

// The axes in the order of `labels`; axes it lacks get size 1.
array arrange(const Operand& x, const Labels& labels, const Stream& s) {
  std::vector<int> order, missing;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto at = std::find(x.labels.begin(), x.labels.end(), labels[i]);
    if (at == x.labels.end()) {
      missing.push_back(static_cast<int>(i));
    } else {
      order.push_back(static_cast<int>(at - x.labels.begin()));
    }
  }
  const array moved =
      std::is_sorted(order.begin(), order.end()) ? x.value : transpose(x.value, order, s);
  return missing.empty() ? moved : expand_dims(moved, missing, s);
}

// Batch axes, then one axis for all of `first`, one for all of `second`.
array as_matrices(const Operand& x, const Labels& batch, const Labels& first, const Labels& second,
                  const std::vector<ShapeElem>& summed_sizes, bool first_is_summed,
                  const Stream& s) {
  Labels order = batch;
  order.insert(order.end(), first.begin(), first.end());
  order.insert(order.end(), second.begin(), second.end());
  array arranged = arrange(x, order, s);
  // Summed axes of size 1 stretch to those of the other operand.
  Shape full = arranged.shape();
  const size_t at = batch.size() + (first_is_summed ? 0 : first.size());
  for (size_t i = 0; i < summed_sizes.size(); ++i) full[at + i] = summed_sizes[i];
  if (full != arranged.shape()) arranged = broadcast_to(arranged, full, s);
  if (first.size() == 1 && second.size() == 1) return arranged;
  Shape shape(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(batch.size()));
  const auto split = full.begin() + static_cast<std::ptrdiff_t>(batch.size() + first.size());
  shape.push_back(checked_size(
      Shape(full.begin() + static_cast<std::ptrdiff_t>(batch.size()), split), "einsum"));
  shape.push_back(checked_size(Shape(split, full.end()), "einsum"));
  return reshape(arranged, shape, s);
}

// `kept` are the labels that the result and later steps need.
Operand contract_pair(Operand a, Operand b, const Labels& kept, const Stream& s) {
  auto needs = [&](const Operand& other) {
    Labels labels = kept;
    labels.insert(labels.end(), other.labels.begin(), other.labels.end());
    return labels;
  };
  const Labels a_needs = needs(b), b_needs = needs(a);
  a = simplify(std::move(a), a_needs, s);
  b = simplify(std::move(b), b_needs, s);

  Labels batch, summed, only_a, only_b;
  for (Label label : a.labels) {
    const bool shared = contains(b.labels, label);
    (!shared ? only_a : contains(kept, label) ? batch : summed).push_back(label);
  }
  for (Label label : b.labels) {
    if (!contains(a.labels, label)) only_b.push_back(label);
  }
  Labels result = batch;
  result.insert(result.end(), only_a.begin(), only_a.end());
  result.insert(result.end(), only_b.begin(), only_b.end());
  if (summed.empty()) {
    return {multiply(arrange(a, result, s), arrange(b, result, s), s), result};
  }

  std::vector<ShapeElem> sizes;
  for (Label label : summed) {
    const ShapeElem size_a = a.size(label), size_b = b.size(label);
    sizes.push_back(size_a == 1 ? size_b : size_a);
  }
  const array left = as_matrices(a, batch, only_a, summed, sizes, false, s);
  const array right = as_matrices(b, batch, summed, only_b, sizes, true, s);
  array out = matmul(left, right, s);
  Shape shape;
  for (Label label : result) {
    const ShapeElem size_a = a.size(label), size_b = b.size(label);
    shape.push_back(size_a == 1 ? size_b : size_a);
  }
  if (out.shape() != shape) out = reshape(out, shape, s);
  return {out, result};
}

}  // namespace

std::pair<std::vector<std::vector<int>>, std::string> einsum_path(
    const std::string& subscripts, const std::vector<array>& operands) {
  const auto parsed = einsum_detail::parse(subscripts, operands, "[einsum_path]");
  const auto path = einsum_detail::greedy_path(parsed);
  std::ostringstream report;
  report << "  Complete contraction:  " << subscripts << "\n"
         << "         Naive scaling:  " << path.naive_scaling << "\n"
         << "     Optimized scaling:  " << path.scaling << "\n"
         << std::fixed << std::setprecision(0)  //
         << "      Naive FLOP count:  " << path.naive_flops << "\n"
         << "  Optimized FLOP count:  " << path.flops << "\n";
  return {path.steps, report.str()};
}

array einsum(const std::string& subscripts, const std::vector<array>& operands, StreamOrDevice s_) {
  const Stream s = to_stream(s_);
  const auto parsed = einsum_detail::parse(subscripts, operands, "[einsum]");
  std::vector<Operand> list;
  for (size_t i = 0; i < operands.size(); ++i) list.push_back({operands[i], parsed.inputs[i]});
  if (list.size() > 1) {
    for (const std::vector<int>& step : einsum_detail::greedy_path(parsed).steps) {
      Operand a = std::move(list[static_cast<size_t>(step[0])]);
      Operand b = std::move(list[static_cast<size_t>(step[1])]);
      list.erase(list.begin() + step[1]);
      list.erase(list.begin() + step[0]);
      Labels kept = parsed.output;
      for (const Operand& other : list) {
        kept.insert(kept.end(), other.labels.begin(), other.labels.end());
      }
      list.push_back(contract_pair(std::move(a), std::move(b), kept, s));
    }
  }
  return arrange(simplify(std::move(list[0]), parsed.output, s), parsed.output, s);
}

}  // namespace mlx::core
