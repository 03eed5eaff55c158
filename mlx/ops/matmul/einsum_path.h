// Subscripts of Einstein sums, parsed, and the order of contractions. No graph
// is built here; see einsum.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mlx/array.h"

namespace mlx::core::einsum_detail {

/// One axis: a letter, or kEllipsis + position from the end for axes under `...`.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label kEllipsis = 1000;

struct Subscripts {
  std::vector<Labels> inputs;
  Labels output;
  std::map<Label, double> sizes;
};

/// Checks everything that shapes and subscripts allow to check.
Subscripts parse(const std::string& subscripts, const std::vector<array>& operands,
                 const char* tag);

struct Path {
  std::vector<std::vector<int>> steps;
  int naive_scaling = 0;
  int scaling = 0;
  double naive_flops = 0;
  double flops = 0;
};

/// Contracts in pairs, each time the one that shrinks the operands most.
Path greedy_path(const Subscripts& subscripts);

bool contains(const Labels& labels, Label label);

}  // namespace mlx::core::einsum_detail
