// How the arrays of a program are walked: merged dimensions, and how each input is
// read. Private to the engine.
#pragma once

#include <cstdint>
#include <memory>

#include "mlx/fuse/compile.h"

namespace mlx::core::fuse {

inline constexpr int max_dimensions = 64;  // after merging

// `transposed` inputs lie along another dimension than the last: panels of them are
// turned at once, several lines of each of their rows, so that whole cache lines are
// used and the turned rows stay in the second cache.
enum class Access : uint8_t { direct, constant, row_constant, gather, transposed };

/// How the arrays of a program are walked: dimensions of size one dropped,
/// adjacent ones merged. `row` mode walks rows of the last dimension, else
/// the whole is one sequence of elements.
struct Layout {
  int64_t total = 1;
  int64_t inner = 1;  // length of a row
  bool rows = false;
  int ndim = 0;
  const int64_t* shape = nullptr;
  Access input_access[max_inputs];
  int input_size[max_inputs];
  const int64_t* input_strides[max_inputs];  // collapsed; unset in the flat case
  bool output_direct[max_outputs];
  int output_size[max_outputs];
  const int64_t* output_strides[max_outputs];
  int along = -1;  // the dimension of unit stride of transposed inputs
  int64_t panel_rows = 0;
  int64_t panel_columns = 0;
  bool any_gather = false;
  bool any_row_constant = false;
  std::unique_ptr<int64_t[]> storage;
};

Dtype::Val value_dtype(const Program& p, int value);

/// Between turned rows; no power of two, so that they fall into all sets of a cache.
inline int64_t panel_pitch(const Layout& layout) {
  return layout.panel_columns + 16;
}

/// Elements in row-major order without gaps.
bool is_dense(const Program& program, const int64_t* strides);

/// Fills a fresh layout.
void analyse(const Program& program, Layout& layout);

}  // namespace mlx::core::fuse
