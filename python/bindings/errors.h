// C++ exceptions as Python errors, for functions that Python calls directly
// (type slots); nanobind does the same for bound functions.
#pragma once

#include <Python.h>

namespace mlx::bindings {

/// mlx.core.IndexOutOfRangeError, an IndexError and a ValueError. Borrowed.
PyObject* index_error_type();

/// Sets the Python error for the exception in flight. Call it in a catch block.
void set_python_error() noexcept;

template <typename F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <typename F>
int guarded_status(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    set_python_error();
    return -1;
  }
}

}  // namespace mlx::bindings
