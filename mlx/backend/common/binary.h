// Layouts of the operands of a binary operation, and its output's buffer.
#pragma once

#include <functional>

#include "mlx/allocator.h"
#include "mlx/array.h"
#include "mlx/backend/common/utils.h"

namespace mlx::core {

enum class BinaryOpType {
  ScalarScalar,  // both operands are one element
  ScalarVector,
  VectorScalar,
  VectorVector,  // the same dense layout
  General,
};

inline BinaryOpType get_binary_op_type(const array& a, const array& b) {
  const bool same_layout = (a.flags().row_contiguous && b.flags().row_contiguous) ||
                           (a.flags().col_contiguous && b.flags().col_contiguous);
  if (a.data_size() == 1 && b.data_size() == 1) {
    return BinaryOpType::ScalarScalar;
  }
  if (a.data_size() == 1 && b.flags().contiguous) {
    return BinaryOpType::ScalarVector;
  }
  if (b.data_size() == 1 && a.flags().contiguous) {
    return BinaryOpType::VectorScalar;
  }
  return same_layout ? BinaryOpType::VectorVector : BinaryOpType::General;
}

namespace detail {

// Takes over the buffer of `in` if possible, keeping its layout.
inline bool take_over_layout(const array& in, array& out) {
  if (!is_donatable(in, out)) {
    return false;
  }
  out.copy_shared_buffer(in);
  return true;
}

inline void allocate_like(const array& in, array& out,
                          const std::function<allocator::Buffer(size_t)>& mallocfn) {
  out.set_data(mallocfn(in.data_size() * out.itemsize()), in.data_size(), in.strides(), in.flags());
}

// An operand whose buffer can serve as a row-major output.
inline bool take_over_row_major(const array& in, array& out) {
  return in.flags().row_contiguous && in.size() == out.size() && take_over_layout(in, out);
}

}  // namespace detail

/// The layout is that of the vector operand; row-major for General.
inline void set_binary_op_output_data(
    const array& a, const array& b, array& out, BinaryOpType bopt,
    std::function<allocator::Buffer(size_t)> mallocfn = allocator::malloc) {
  switch (bopt) {
    case BinaryOpType::ScalarScalar:
      out.set_data(mallocfn(out.itemsize()), 1, a.strides(), a.flags());
      break;
    case BinaryOpType::ScalarVector:
      if (!detail::take_over_layout(b, out)) {
        detail::allocate_like(b, out, mallocfn);
      }
      break;
    case BinaryOpType::VectorScalar:
      if (!detail::take_over_layout(a, out)) {
        detail::allocate_like(a, out, mallocfn);
      }
      break;
    case BinaryOpType::VectorVector:
      if (!detail::take_over_layout(a, out) && !detail::take_over_layout(b, out)) {
        detail::allocate_like(a, out, mallocfn);
      }
      break;
    case BinaryOpType::General:
      if (!detail::take_over_row_major(a, out) && !detail::take_over_row_major(b, out)) {
        out.set_data(mallocfn(out.nbytes()));
      }
      break;
  }
}

}  // namespace mlx::core
