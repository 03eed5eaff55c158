// See errors.h.
#include "python/bindings/errors.h"

#include <nanobind/nanobind.h>

#include <new>
#include <stdexcept>

#include "mlx/ops/index/index_error.h"

namespace nb = nanobind;
namespace mx = mlx::core;

namespace mlx::bindings {

PyObject* index_error_type() {
  static PyObject* const type = [] {
    const nb::tuple bases =
        nb::make_tuple(nb::handle(PyExc_IndexError), nb::handle(PyExc_ValueError));
    return PyErr_NewExceptionWithDoc(
        "mlx.core.IndexOutOfRangeError",
        "An index outside of an array; both an IndexError and a ValueError.", bases.ptr(), nullptr);
  }();
  return type;
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const nb::builtin_exception& error) {
    switch (error.type()) {
      case nb::exception_type::stop_iteration:
        PyErr_SetString(PyExc_StopIteration, error.what());
        break;
      case nb::exception_type::index_error:
        PyErr_SetString(PyExc_IndexError, error.what());
        break;
      case nb::exception_type::key_error:
        PyErr_SetString(PyExc_KeyError, error.what());
        break;
      case nb::exception_type::value_error:
        PyErr_SetString(PyExc_ValueError, error.what());
        break;
      case nb::exception_type::buffer_error:
        PyErr_SetString(PyExc_BufferError, error.what());
        break;
      case nb::exception_type::attribute_error:
        PyErr_SetString(PyExc_AttributeError, error.what());
        break;
      default:
        PyErr_SetString(PyExc_TypeError, error.what());
        break;
    }
  } catch (const std::bad_alloc& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::domain_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::length_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const mx::IndexOutOfRange& error) {
    PyErr_SetString(index_error_type(), error.what());
  } catch (const std::out_of_range& error) {
    PyErr_SetString(PyExc_IndexError, error.what());
  } catch (const std::overflow_error& error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown error in the library");
  }
}

}  // namespace mlx::bindings
