// The buffer of a unary operation's output.
#pragma once

#include <functional>

#include "mlx/allocator.h"
#include "mlx/backend/common/utils.h"

namespace mlx::core {

/// A contiguous input passes its layout on (and its buffer, if it can be taken
/// over); otherwise the output is row-major.
inline void set_unary_output_data(
    const array& in, array& out,
    std::function<allocator::Buffer(size_t)> mallocfn = allocator::malloc) {
  if (!in.flags().contiguous) {
    out.set_data(mallocfn(out.nbytes()));
  } else if (is_donatable(in, out)) {
    out.copy_shared_buffer(in);
  } else {
    out.set_data(mallocfn(in.data_size() * out.itemsize()), in.data_size(), in.strides(),
                 in.flags());
  }
}

}  // namespace mlx::core
