// Layouts of the operands of a ternary operation, and its output's buffer.
#pragma once

#include <functional>

#include "mlx/allocator.h"
#include "mlx/array.h"
#include "mlx/backend/common/binary.h"
#include "mlx/backend/common/utils.h"

namespace mlx::core {

enum class TernaryOpType {
  ScalarScalarScalar,
  VectorVectorVector,
  VectorVectorScalar,
  VectorScalarVector,
  General,
};

inline TernaryOpType get_ternary_op_type(const array& a, const array& b, const array& c) {
  auto dense = [](const array& x, const array& y) {
    return (x.flags().row_contiguous && y.flags().row_contiguous) ||
           (x.flags().col_contiguous && y.flags().col_contiguous);
  };
  if (a.data_size() == 1 && b.data_size() == 1 && c.data_size() == 1) {
    return TernaryOpType::ScalarScalarScalar;
  }
  if ((a.flags().row_contiguous && b.flags().row_contiguous && c.flags().row_contiguous) ||
      (a.flags().col_contiguous && b.flags().col_contiguous && c.flags().col_contiguous)) {
    return TernaryOpType::VectorVectorVector;
  }
  if (c.data_size() == 1 && dense(a, b)) {
    return TernaryOpType::VectorVectorScalar;
  }
  if (b.data_size() == 1 && dense(a, c)) {
    return TernaryOpType::VectorScalarVector;
  }
  return TernaryOpType::General;
}

/// The layout is that of the vector operands; row-major for General.
inline void set_ternary_op_output_data(
    const array& a, const array& b, const array& c, array& out, TernaryOpType topt,
    std::function<allocator::Buffer(size_t)> mallocfn = allocator::malloc) {
  using detail::take_over_layout;
  switch (topt) {
    case TernaryOpType::ScalarScalarScalar:
      out.set_data(mallocfn(out.itemsize()), 1, b.strides(), b.flags());
      break;
    case TernaryOpType::VectorVectorVector:
      if (!take_over_layout(a, out) && !take_over_layout(b, out) && !take_over_layout(c, out)) {
        detail::allocate_like(a, out, mallocfn);
      }
      break;
    case TernaryOpType::VectorVectorScalar:
      if (!take_over_layout(a, out) && !take_over_layout(b, out)) {
        detail::allocate_like(a, out, mallocfn);
      }
      break;
    case TernaryOpType::VectorScalarVector:
      if (!take_over_layout(a, out) && !take_over_layout(c, out)) {
        detail::allocate_like(a, out, mallocfn);
      }
      break;
    case TernaryOpType::General:
      if (!detail::take_over_row_major(a, out) && !detail::take_over_row_major(b, out) &&
          !detail::take_over_row_major(c, out)) {
        out.set_data(mallocfn(out.nbytes()));
      }
      break;
  }
}

}  // namespace mlx::core
