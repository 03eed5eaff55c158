// Operators of the array class as raw type slots: the path of every expression.
#pragma once

#include <nanobind/nanobind.h>

namespace mlx::bindings {

/// Slots for nanobind's type_slots, ended by a zero entry.
PyType_Slot* array_operator_slots();

}  // namespace mlx::bindings
