// Kinds of copies and the buffer of a copy's output.
#pragma once

#include <functional>

#include "mlx/backend/common/utils.h"

namespace mlx::core {

enum class CopyType {
  Scalar,          // one element fills a dense output
  Vector,          // the raw data, layout kept
  General,         // strided to row-major
  GeneralGeneral,  // strided to strided
};

/// Gives `out` a buffer, or that of `in` if it can be taken over: then the
/// result is true and, where the dtypes agree, nothing is left to copy.
inline bool set_copy_output_data(
    const array& in, array& out, CopyType ctype,
    std::function<allocator::Buffer(size_t)> mallocfn = allocator::malloc) {
  if (ctype != CopyType::Vector) {
    out.set_data(mallocfn(out.nbytes()));
    return false;
  }
  if (is_donatable(in, out)) {
    out.copy_shared_buffer(in);
    return true;
  }
  out.set_data(mallocfn(in.data_size() * out.itemsize()), in.data_size(), in.strides(), in.flags());
  return false;
}

}  // namespace mlx::core
