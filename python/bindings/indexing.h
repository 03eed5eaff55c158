// Python indexing of arrays: a[index], a[index] = value, a.at[index].
#pragma once

#include "python/bindings/convert.h"

namespace mlx::bindings {

mx::array get_item(const mx::array& a, nb::handle index);
/// Replaces the value of `a` by its update.
void set_item(mx::array& a, nb::handle index, nb::handle value);
/// Adds the property `at` to the class array.
void bind_array_at(nb::module_& m);

}  // namespace mlx::bindings
