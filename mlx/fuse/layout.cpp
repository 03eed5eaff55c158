// Merges dimensions and decides how each input is read.
#include "mlx/fuse/layout.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace mlx::core::fuse {

namespace {

// Of transposed inputs: a few lines of each row in memory, rows that fit the second
// cache when turned, together with those of other inputs.
constexpr int64_t panel_line_bytes = 256;
constexpr int64_t most_panel_columns = 512;
constexpr int64_t all_panels_bytes = int64_t{192} << 10;

bool is_constant(const Program& p, const int64_t* strides) {
  for (int k = 0; k < p.ndim; ++k) {
    if (p.shape[k] != 1 && strides[k] != 0) return false;
  }
  return true;
}

/// Sorts dimensions by the first output's strides, then merges neighbours that
/// every array walks alike.
void collapse(const Program& p, Layout& layout) {
  const int operands = p.num_inputs + p.num_outputs;
  layout.storage.reset(new int64_t[static_cast<size_t>(p.ndim) * (operands + 2)]);
  int64_t* shape = layout.storage.get();
  int64_t* order = shape + p.ndim;
  int64_t* strides = order + p.ndim;
  int n = 0;
  for (int k = 0; k < p.ndim; ++k) {
    if (p.shape[k] != 1) order[n++] = k;
  }
  const int64_t* first = p.outputs[0].strides;
  for (int i = 1; i < n; ++i) {
    const int64_t k = order[i];
    int j = i;
    for (; j > 0 && std::abs(first[order[j - 1]]) < std::abs(first[k]); --j) {
      order[j] = order[j - 1];
    }
    order[j] = k;
  }
  const auto stride_of = [&](int operand, int64_t k) {
    return operand < p.num_inputs ? p.inputs[operand].strides[k]
                                  : p.outputs[operand - p.num_inputs].strides[k];
  };
  // merged dimension m ends (innermost) at order[last]
  int m = 0;
  for (int i = 0; i < n; ++i) {
    bool merge = m > 0;
    for (int a = 0; merge && a < operands; ++a) {
      merge = strides[a * p.ndim + m - 1] == stride_of(a, order[i]) * p.shape[order[i]];
    }
    if (!merge) {
      shape[m] = 1;
      ++m;
    }
    shape[m - 1] *= p.shape[order[i]];
    for (int a = 0; a < operands; ++a) strides[a * p.ndim + m - 1] = stride_of(a, order[i]);
  }
  if (m > max_dimensions) {
    throw std::invalid_argument("[elementwise engine] more than 64 dimensions");
  }
  layout.ndim = m;
  layout.shape = shape;
  for (int i = 0; i < p.num_inputs; ++i) layout.input_strides[i] = strides + i * p.ndim;
  for (int o = 0; o < p.num_outputs; ++o) {
    layout.output_strides[o] = strides + (p.num_inputs + o) * p.ndim;
  }
}

bool dense_collapsed(const Layout& layout, const int64_t* strides) {
  int64_t expected = 1;
  for (int k = layout.ndim - 1; k >= 0; --k) {
    if (strides[k] != expected) return false;
    expected *= layout.shape[k];
  }
  return true;
}

/// Whether input i has unit stride along the dimension of the other transposed
/// inputs (or any, if it is the first), and rows that lie far apart.
bool can_be_transposed(Layout& layout, int i) {
  const int last = layout.ndim - 1;
  const int64_t* strides = layout.input_strides[i];
  if (std::abs(strides[last]) * layout.input_size[i] < 64) return false;
  int along = layout.along;
  for (int k = 0; along < 0 && k < last; ++k) {
    if (strides[k] == 1 && layout.shape[k] >= 4) along = k;
  }
  if (along < 0 || strides[along] != 1) return false;
  layout.along = along;
  return true;
}

}  // namespace

bool is_dense(const Program& p, const int64_t* strides) {
  int64_t expected = 1;
  for (int k = p.ndim - 1; k >= 0; --k) {
    if (p.shape[k] == 1) continue;
    if (strides[k] != expected) return false;
    expected *= p.shape[k];
  }
  return true;
}

Dtype::Val value_dtype(const Program& p, int value) {
  return value < p.num_inputs ? p.inputs[value].dtype : p.instructions[value - p.num_inputs].out;
}

void analyse(const Program& p, Layout& layout) {
  for (int k = 0; k < p.ndim; ++k) layout.total *= p.shape[k];
  layout.inner = layout.total;
  bool flat = true;
  for (int i = 0; i < p.num_inputs; ++i) {
    layout.input_size[i] = item_size(storage_of(p.inputs[i].dtype));
    if (layout.total == 1 || is_dense(p, p.inputs[i].strides)) {
      layout.input_access[i] = Access::direct;
    } else if (is_constant(p, p.inputs[i].strides)) {
      layout.input_access[i] = Access::constant;
    } else {
      flat = false;
    }
  }
  for (int o = 0; o < p.num_outputs; ++o) {
    layout.output_size[o] = item_size(storage_of(value_dtype(p, p.outputs[o].value)));
    layout.output_direct[o] = true;
    if (layout.total != 1 && !is_dense(p, p.outputs[o].strides)) flat = false;
  }
  if (flat || layout.total == 0) return;

  collapse(p, layout);
  const int last = layout.ndim - 1;
  layout.inner = layout.shape[last];
  // Short rows cost more than gathering.
  layout.rows = layout.ndim == 1 || layout.inner >= 64;
  int largest = 0;          // item of a transposed input
  int64_t panel_bytes = 0;  // of all transposed inputs, per element
  for (int i = 0; i < p.num_inputs; ++i) {
    const int64_t* strides = layout.input_strides[i];
    bool constant = true;
    for (int k = 0; k < layout.ndim; ++k) constant &= strides[k] == 0;
    Access access = Access::gather;
    if (constant) {
      access = Access::constant;
    } else if (layout.rows ? strides[last] == 1 : dense_collapsed(layout, strides)) {
      access = Access::direct;
    } else if (layout.rows && strides[last] == 0) {
      access = Access::row_constant;
    } else if (layout.rows && can_be_transposed(layout, i)) {
      access = Access::transposed;
      largest = std::max(largest, layout.input_size[i]);
      panel_bytes += layout.input_size[i];
    }
    layout.input_access[i] = access;
    layout.any_gather |= access == Access::gather;
    layout.any_row_constant |= access == Access::row_constant;
  }
  for (int o = 0; o < p.num_outputs; ++o) {
    const int64_t* strides = layout.output_strides[o];
    layout.output_direct[o] = layout.rows ? strides[last] == 1 : dense_collapsed(layout, strides);
    layout.any_gather |= !layout.output_direct[o];
  }
  if (layout.along >= 0) {
    layout.panel_rows = std::min(layout.shape[layout.along], panel_line_bytes / largest);
    const int64_t columns = all_panels_bytes / (panel_bytes * layout.panel_rows);
    layout.panel_columns =
        std::min(layout.inner, std::clamp(columns / 64 * 64, int64_t{64}, most_panel_columns));
  }
  if (layout.ndim == 1) layout.rows = layout.any_gather || layout.any_row_constant;
}

}  // namespace mlx::core::fuse
