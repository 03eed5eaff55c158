// Matrix products and contractions. Operands promote to a common dtype; what
// multiplies matrices needs a floating-point or complex one. Throws
// std::invalid_argument unless a comment says otherwise. einsum is in mlx/einsum.h.
#pragma once

#include <vector>

#include "mlx/api.h"
#include "mlx/array.h"
#include "mlx/utils.h"

namespace mlx::core {

/// NumPy's rule: 1-d operands become a row or a column, which the result drops;
/// leading axes broadcast. The inner size may be 0: the result is zeros.
MLX_API array matmul(const array& a, const array& b, StreamOrDevice s = {});

/// beta * c + alpha * (a @ b), in one pass. `c` broadcasts to the shape of a @ b.
MLX_API array addmm(array c, array a, array b, const float& alpha = 1.f, const float& beta = 1.f,
                    StreamOrDevice s = {});

/// Contracts the last axes; multiplies when an operand is 0-d.
MLX_API array inner(const array& a, const array& b, StreamOrDevice s = {});

/// All products of an element of `a` with one of `b`, shape (a.size, b.size); any dtype.
MLX_API array outer(const array& a, const array& b, StreamOrDevice s = {});

/// Contracts the last `axis` axes of `a` with the first `axis` of `b`.
MLX_API array tensordot(const array& a, const array& b, const int axis = 2, StreamOrDevice s = {});
/// Contracts the listed axes pairwise. std::out_of_range for an axis that does not exist.
MLX_API array tensordot(const array& a, const array& b, const std::vector<int>& axes_a,
                        const std::vector<int>& axes_b, StreamOrDevice s = {});

/// Sum of conj(a) * b along an axis, which counts alike in both; the other axes
/// broadcast. Any dtype.
MLX_API array vecdot(const array& a, const array& b, int axis = -1, StreamOrDevice s = {});

/// Kronecker product; the operand of lower rank gets leading axes. Any dtype.
MLX_API array kron(const array& a, const array& b, StreamOrDevice s = {});

}  // namespace mlx::core
