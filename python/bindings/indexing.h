// Python indexing of arrays: a[index], a[index] = value.
#pragma once

#include "python/bindings/convert.h"

namespace mlx::bindings {

mx::array get_item(const mx::array& a, nb::handle index);
/// Replaces the value of `a` by its update.
void set_item(mx::array& a, nb::handle index, nb::handle value);

}  // namespace mlx::bindings
