// Parsing of einsum subscripts and the greedy contraction order.
#include "mlx/ops/matmul/einsum_path.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "mlx/ops/errors.h"

namespace mlx::core::einsum_detail {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A term as letters with at most one mark for the ellipsis.
struct Term {
  Labels labels;
  int ellipsis = -1;  // position in labels
};

Term parse_term(const std::string& text, const char* tag) {
  Term term;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_letter(text[i])) {
      term.labels.push_back(text[i]);
    } else if (text.compare(i, 3, "...") == 0) {
      if (term.ellipsis >= 0) fail(tag, " a term has more than one ellipsis: '", text, "'");
      term.ellipsis = static_cast<int>(term.labels.size());
      i += 2;
    } else {
      fail(tag, " subscripts must be letters or '...', got '", text[i], "' in '", text, "'");
    }
  }
  return term;
}

// Replaces the ellipsis by labels for `count` axes, numbered from the end so that
// operands align as in broadcasting.
Labels expand(const Term& term, int count) {
  Labels labels = term.labels;
  Labels covered;
  for (int i = count - 1; i >= 0; --i) covered.push_back(kEllipsis + i);
  labels.insert(labels.begin() + term.ellipsis, covered.begin(), covered.end());
  return labels;
}

std::string name(Label label) {
  return label < kEllipsis ? std::string(1, static_cast<char>(label)) : "...";
}

using LabelSet = std::set<Label>;

double size_product(const LabelSet& labels, const std::map<Label, double>& sizes) {
  double product = 1;
  for (Label label : labels) product *= sizes.at(label);
  return product;
}

// Multiplications and additions of one contraction.
double flop_count(const LabelSet& labels, bool sums, size_t terms,
                  const std::map<Label, double>& sizes) {
  const double per_element = std::max<double>(1, static_cast<double>(terms) - 1) + (sums ? 1 : 0);
  return size_product(labels, sizes) * per_element;
}

struct Contraction {
  std::vector<int> positions;
  LabelSet result;  // labels that outlive it
  LabelSet involved;
  double shrinks = 0;  // elements of the operands less those of the result
  double flops = 0;
};

Contraction contract(std::vector<int> positions, const std::vector<LabelSet>& inputs,
                     const LabelSet& output, const std::map<Label, double>& sizes) {
  Contraction c;
  LabelSet needed = output;
  double operands = 0;
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
    if (std::find(positions.begin(), positions.end(), i) == positions.end()) {
      needed.insert(inputs[i].begin(), inputs[i].end());
    } else {
      c.involved.insert(inputs[i].begin(), inputs[i].end());
      operands += size_product(inputs[i], sizes);
    }
  }
  std::set_intersection(c.involved.begin(), c.involved.end(), needed.begin(), needed.end(),
                        std::inserter(c.result, c.result.begin()));
  c.shrinks = operands - size_product(c.result, sizes);
  c.flops = flop_count(c.involved, c.result.size() < c.involved.size(), positions.size(), sizes);
  c.positions = std::move(positions);
  return c;
}

bool disjoint(const LabelSet& a, const LabelSet& b) {
  return std::none_of(a.begin(), a.end(), [&](Label label) { return b.count(label) > 0; });
}

}  // namespace

bool contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Subscripts parse(const std::string& subscripts, const std::vector<array>& operands,
                 const char* tag) {
  if (operands.empty()) fail(tag, " needs at least one operand");
  Subscripts parsed;
  std::string text;
  std::copy_if(subscripts.begin(), subscripts.end(), std::back_inserter(text),
               [](char c) { return c != ' '; });
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> terms;
  for (size_t start = 0; start <= left.size();) {
    const size_t end = std::min(left.find(',', start), left.size());
    terms.push_back(left.substr(start, end - start));
    start = end + 1;
  }
  if (terms.size() != operands.size()) {
    fail(tag, " '", text, "' has ", terms.size(), " terms for ", operands.size(), " operands");
  }

  int ellipsis_axes = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const Term term = parse_term(terms[i], tag);
    const Shape& shape = operands[i].shape();
    const int covered = static_cast<int>(shape.size()) - static_cast<int>(term.labels.size());
    if (term.ellipsis >= 0 ? covered < 0 : covered != 0) {
      fail(tag, " term '", terms[i], "' does not match operand ", i, " of shape ", shape);
    }
    if (term.ellipsis >= 0) ellipsis_axes = std::max(ellipsis_axes, covered);
    const Labels labels = term.ellipsis >= 0 ? expand(term, covered) : term.labels;
    for (size_t axis = 0; axis < labels.size(); ++axis) {
      const Label label = labels[axis];
      const double size = static_cast<double>(shape[axis]);
      for (size_t other = 0; other < axis; ++other) {
        if (labels[other] == label && shape[other] != shape[axis]) {
          fail(tag, " '", name(label), "' labels axes of sizes ", shape[other], " and ",
               shape[axis], " of operand ", i, " of shape ", shape);
        }
      }
      auto [known, is_new] = parsed.sizes.emplace(label, size);
      if (!is_new && known->second != size) {
        if (known->second != 1 && size != 1) {
          fail(tag, " '", name(label), "' has size ", shape[axis], " in operand ", i, " of shape ",
               shape, " and size ", static_cast<int64_t>(known->second), " in another");
        }
        if (known->second == 1) known->second = size;
      }
    }
    parsed.inputs.push_back(labels);
  }

  if (arrow == std::string::npos) {
    std::map<Label, int> uses;
    for (const Labels& labels : parsed.inputs) {
      for (Label label : labels) ++uses[label];
    }
    for (int i = ellipsis_axes - 1; i >= 0; --i) parsed.output.push_back(kEllipsis + i);
    for (const auto& [label, count] : uses) {
      if (count == 1 && label < kEllipsis) parsed.output.push_back(label);
    }
    return parsed;
  }
  const Term term = parse_term(text.substr(arrow + 2), tag);
  parsed.output = term.ellipsis >= 0 ? expand(term, ellipsis_axes) : term.labels;
  for (size_t i = 0; i < parsed.output.size(); ++i) {
    const Label label = parsed.output[i];
    if (std::count(parsed.output.begin(), parsed.output.end(), label) > 1) {
      fail(tag, " '", name(label), "' is repeated in the result of '", text, "'");
    }
    if (parsed.sizes.count(label) == 0) {
      fail(tag, " '", name(label), "' of the result is in no operand of '", text, "'");
    }
  }
  return parsed;
}

Path greedy_path(const Subscripts& subscripts) {
  const auto& sizes = subscripts.sizes;
  std::vector<LabelSet> inputs;
  for (const Labels& labels : subscripts.inputs) inputs.emplace_back(labels.begin(), labels.end());
  const LabelSet output(subscripts.output.begin(), subscripts.output.end());

  std::vector<int> all;
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) all.push_back(i);
  Path path;
  const Contraction at_once = contract(all, inputs, output, sizes);
  path.naive_scaling = static_cast<int>(at_once.involved.size());
  path.naive_flops = at_once.flops;
  if (inputs.size() <= 2) {
    path.steps = {all};
    path.scaling = path.naive_scaling;
    path.flops = path.naive_flops;
    return path;
  }

  while (inputs.size() > 1) {
    std::optional<Contraction> best;
    auto better = [&](const Contraction& c) {
      return !best || std::tuple(-c.shrinks, c.flops) < std::tuple(-best->shrinks, best->flops);
    };
    // Outer products only when nothing else is left, and then with the latest result.
    for (bool outer : {false, true}) {
      for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
        for (int j = i + 1; j < static_cast<int>(inputs.size()); ++j) {
          const bool latest = path.steps.empty() || j + 1 == static_cast<int>(inputs.size());
          if (outer ? !latest : disjoint(inputs[i], inputs[j])) continue;
          Contraction c = contract({i, j}, inputs, output, sizes);
          if (better(c)) best = std::move(c);
        }
      }
      if (best) break;
    }
    path.steps.push_back(best->positions);
    path.scaling = std::max(path.scaling, static_cast<int>(best->involved.size()));
    path.flops += best->flops;
    inputs.erase(inputs.begin() + best->positions[1]);
    inputs.erase(inputs.begin() + best->positions[0]);
    inputs.push_back(best->result);
  }
  return path;
}

}  // namespace mlx::core::einsum_detail
