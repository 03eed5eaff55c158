// See array_operators.h. Operands follow the weak rule of to_arrays; errors are
// set as Python errors, never thrown into the interpreter.
#include "python/bindings/array_operators.h"

#include <cstring>

#include "mlx/ops.h"
#include "mlx/transforms.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/indexing.h"

namespace mlx::bindings {

namespace {

using BinaryFunction = mx::array (*)(const mx::array&, const mx::array&, mx::StreamOrDevice);

mx::array apply(BinaryFunction f, PyObject* a, PyObject* b) {
  mx::array* x = as_array(a);
  mx::array* y = as_array(b);
  if (x != nullptr && y != nullptr) {
    return f(*x, *y, {});
  }
  auto [p, q] = to_arrays(a, b);
  return f(p, q, {});
}

template <BinaryFunction f>
PyObject* binary(PyObject* a, PyObject* b) {
  return guarded([&] { return wrap_raw(apply(f, a, b)); });
}

template <BinaryFunction f>
PyObject* inplace(PyObject* a, PyObject* b) {
  return guarded([&] {
    mx::array result = apply(f, a, b);
    *as_array(a) = std::move(result);
    Py_INCREF(a);
    return a;
  });
}

// Only the left operand may be converted: there are no reflected forms.
template <BinaryFunction f>
PyObject* binary_left(PyObject* a, PyObject* b) {
  if (as_array(a) == nullptr) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return binary<f>(a, b);
}

mx::array checked_bitwise(BinaryFunction f, const char* symbol, const mx::array& a,
                          const mx::array& b) {
  if (mx::issubdtype(a.dtype(), mx::inexact) || mx::issubdtype(b.dtype(), mx::inexact)) {
    throw std::invalid_argument(std::string("the operator ") + symbol +
                                " needs integer or bool arrays");
  }
  return f(a, b, {});
}

#define MLX_BITWISE(name, function, symbol)                                             \
  mx::array name(const mx::array& a, const mx::array& b, mx::StreamOrDevice) {          \
    return checked_bitwise(                                                             \
        [](const mx::array& x, const mx::array& y, mx::StreamOrDevice s) {              \
          return mx::function(x, y, s);                                                 \
        },                                                                              \
        symbol, a, b);                                                                  \
  }
MLX_BITWISE(bit_and, bitwise_and, "&")
MLX_BITWISE(bit_or, bitwise_or, "|")
MLX_BITWISE(bit_xor, bitwise_xor, "^")
MLX_BITWISE(shift_left, left_shift, "<<")
MLX_BITWISE(shift_right, right_shift, ">>")
#undef MLX_BITWISE

#define MLX_FORWARD(name, function)                                              \
  mx::array name(const mx::array& a, const mx::array& b, mx::StreamOrDevice s) { \
    return mx::function(a, b, s);                                                \
  }
MLX_FORWARD(op_add, add)
MLX_FORWARD(op_subtract, subtract)
MLX_FORWARD(op_multiply, multiply)
MLX_FORWARD(op_divide, divide)
MLX_FORWARD(op_floor_divide, floor_divide)
MLX_FORWARD(op_remainder, remainder)
MLX_FORWARD(op_power, power)
MLX_FORWARD(op_less, less)
MLX_FORWARD(op_less_equal, less_equal)
MLX_FORWARD(op_greater, greater)
MLX_FORWARD(op_greater_equal, greater_equal)
MLX_FORWARD(op_equal, equal)
MLX_FORWARD(op_not_equal, not_equal)
#undef MLX_FORWARD

mx::array inplace_divide(const mx::array& a, const mx::array& b, mx::StreamOrDevice s) {
  if (!mx::issubdtype(a.dtype(), mx::inexact)) {
    throw std::invalid_argument("in-place division needs a floating or complex array");
  }
  return mx::divide(a, b, s);
}

PyObject* power_slot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) {
    PyErr_SetString(PyExc_TypeError, "pow() of arrays takes no modulus");
    return nullptr;
  }
  return binary<op_power>(a, b);
}

PyObject* inplace_power_slot(PyObject* a, PyObject* b, PyObject*) { return inplace<op_power>(a, b); }

PyObject* matmul_slot(PyObject* a, PyObject* b) {
  mx::array* x = as_array(a);
  mx::array* y = as_array(b);
  if (x == nullptr || y == nullptr) {
    PyErr_SetString(PyExc_TypeError, "the operator @ needs an array on both sides");
    return nullptr;
  }
  return guarded([&] { return wrap_raw(mx::matmul(*x, *y)); });
}

PyObject* inplace_matmul_slot(PyObject* a, PyObject* b) {
  PyObject* result = matmul_slot(a, b);
  if (result == nullptr) {
    return nullptr;
  }
  *as_array(a) = *as_array(result);
  Py_DECREF(result);
  Py_INCREF(a);
  return a;
}

PyObject* negative_slot(PyObject* a) {
  return guarded([&] { return wrap_raw(mx::negative(*as_array(a))); });
}

PyObject* positive_slot(PyObject* a) {
  return guarded([&] { return wrap_raw(mx::array(*as_array(a))); });
}

PyObject* absolute_slot(PyObject* a) {
  return guarded([&] { return wrap_raw(mx::abs(*as_array(a))); });
}

PyObject* invert_slot(PyObject* a) {
  return guarded([&] {
    const mx::array& x = *as_array(a);
    if (mx::issubdtype(x.dtype(), mx::inexact)) {
      throw std::invalid_argument("the operator ~ needs an integer or bool array");
    }
    return wrap_raw(x.dtype() == mx::bool_ ? mx::logical_not(x) : mx::bitwise_invert(x));
  });
}

int bool_slot(PyObject* a) {
  return guarded_status([&] { return PyObject_IsTrue(to_scalar(*as_array(a)).ptr()); });
}

PyObject* int_slot(PyObject* a) {
  return guarded([&] { return PyNumber_Long(to_scalar(*as_array(a)).ptr()); });
}

PyObject* float_slot(PyObject* a) {
  return guarded([&] { return PyNumber_Float(to_scalar(*as_array(a)).ptr()); });
}

// Only integer arrays stand for an index, as the array API standard has it.
PyObject* index_slot(PyObject* a) {
  return guarded([&]() -> PyObject* {
    mx::array& x = *as_array(a);
    if (!mx::issubdtype(x.dtype(), mx::integer) || x.size() != 1) {
      PyErr_SetString(PyExc_TypeError, "only integer arrays of size 1 can be used as an index");
      return nullptr;
    }
    return to_scalar(x).release().ptr();
  });
}

PyObject* compare_slot(PyObject* a, PyObject* b, int operation) {
  return guarded([&]() -> PyObject* {
    const bool equality = operation == Py_EQ || operation == Py_NE;
    if (equality && as_array(b) == nullptr && !is_convertible(b)) {
      return PyBool_FromLong(operation == Py_NE);
    }
    switch (operation) {
      case Py_LT:
        return wrap_raw(apply(op_less, a, b));
      case Py_LE:
        return wrap_raw(apply(op_less_equal, a, b));
      case Py_GT:
        return wrap_raw(apply(op_greater, a, b));
      case Py_GE:
        return wrap_raw(apply(op_greater_equal, a, b));
      case Py_EQ:
        return wrap_raw(apply(op_equal, a, b));
      default:
        return wrap_raw(apply(op_not_equal, a, b));
    }
  });
}

Py_hash_t hash_slot(PyObject* a) {
  // Identity, as for plain objects: equality is elementwise.
  auto address = reinterpret_cast<size_t>(a);
  address = (address >> 4) | (address << (8 * sizeof(size_t) - 4));
  const auto hash = static_cast<Py_hash_t>(address);
  return hash == -1 ? -2 : hash;
}

Py_ssize_t length_slot(PyObject* a) {
  const mx::array& x = *as_array(a);
  if (x.ndim() == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of a 0-d array");
    return -1;
  }
  return static_cast<Py_ssize_t>(x.shape()[0]);
}

PyObject* subscript_slot(PyObject* a, PyObject* index) {
  return guarded([&] { return wrap_raw(get_item(*as_array(a), index)); });
}

int assign_slot(PyObject* a, PyObject* index, PyObject* value) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
    return -1;
  }
  return guarded_status([&] {
    set_item(*as_array(a), index, value);
    return 0;
  });
}

// Buffer protocol

const char* buffer_format(mx::Dtype dtype) {
  switch (dtype) {
    case mx::bool_:
      return "?";
    case mx::uint8:
      return "B";
    case mx::uint16:
      return "H";
    case mx::uint32:
      return "I";
    case mx::uint64:
      return "Q";
    case mx::int8:
      return "b";
    case mx::int16:
      return "h";
    case mx::int32:
      return "i";
    case mx::int64:
      return "q";
    case mx::float16:
      return "e";
    case mx::float32:
      return "f";
    case mx::float64:
      return "d";
    case mx::bfloat16:
      return "bfloat16";
    case mx::complex64:
      return "Zf";
  }
  return "B";
}

struct BufferDescription {
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
  mx::array keep_alive;
};

int get_buffer(PyObject* exporter, Py_buffer* view, int flags) {
  view->obj = nullptr;
  return guarded_status([&] {
    mx::array a = *as_array(exporter);
    eval_released(a);
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !a.flags().row_contiguous) {
      PyErr_SetString(PyExc_BufferError, "the array is not contiguous: ask for strides");
      return -1;
    }
    auto* description = new BufferDescription{{}, {}, a};
    const auto itemsize = static_cast<Py_ssize_t>(a.itemsize());
    for (size_t i = 0; i < a.ndim(); ++i) {
      description->shape.push_back(static_cast<Py_ssize_t>(a.shape()[i]));
      description->strides.push_back(static_cast<Py_ssize_t>(a.strides()[i]) * itemsize);
    }
    view->buf = a.data<void>();
    view->len = static_cast<Py_ssize_t>(a.nbytes());
    view->readonly = 0;
    view->itemsize = itemsize;
    view->format =
        (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(buffer_format(a.dtype())) : nullptr;
    view->ndim = static_cast<int>(a.ndim());
    view->shape = (flags & PyBUF_ND) != 0 ? description->shape.data() : nullptr;
    view->strides =
        (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? description->strides.data() : nullptr;
    view->suboffsets = nullptr;
    view->internal = description;
    view->obj = exporter;
    Py_INCREF(exporter);
    return 0;
  });
}

void release_buffer(PyObject*, Py_buffer* view) {
  delete static_cast<BufferDescription*>(view->internal);
}

template <typename F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}

}  // namespace

PyType_Slot* array_operator_slots() {
  static PyType_Slot slots[] = {
      {Py_nb_add, slot(binary<op_add>)},
      {Py_nb_subtract, slot(binary<op_subtract>)},
      {Py_nb_multiply, slot(binary<op_multiply>)},
      {Py_nb_true_divide, slot(binary<op_divide>)},
      {Py_nb_floor_divide, slot(binary<op_floor_divide>)},
      {Py_nb_remainder, slot(binary<op_remainder>)},
      {Py_nb_power, slot(power_slot)},
      {Py_nb_matrix_multiply, slot(matmul_slot)},
      {Py_nb_and, slot(binary_left<bit_and>)},
      {Py_nb_or, slot(binary_left<bit_or>)},
      {Py_nb_xor, slot(binary_left<bit_xor>)},
      {Py_nb_lshift, slot(binary_left<shift_left>)},
      {Py_nb_rshift, slot(binary_left<shift_right>)},
      {Py_nb_inplace_add, slot(inplace<op_add>)},
      {Py_nb_inplace_subtract, slot(inplace<op_subtract>)},
      {Py_nb_inplace_multiply, slot(inplace<op_multiply>)},
      {Py_nb_inplace_true_divide, slot(inplace<inplace_divide>)},
      {Py_nb_inplace_floor_divide, slot(inplace<op_floor_divide>)},
      {Py_nb_inplace_remainder, slot(inplace<op_remainder>)},
      {Py_nb_inplace_power, slot(inplace_power_slot)},
      {Py_nb_inplace_matrix_multiply, slot(inplace_matmul_slot)},
      {Py_nb_inplace_and, slot(inplace<bit_and>)},
      {Py_nb_inplace_or, slot(inplace<bit_or>)},
      {Py_nb_inplace_xor, slot(inplace<bit_xor>)},
      {Py_nb_inplace_lshift, slot(inplace<shift_left>)},
      {Py_nb_inplace_rshift, slot(inplace<shift_right>)},
      {Py_nb_negative, slot(negative_slot)},
      {Py_nb_positive, slot(positive_slot)},
      {Py_nb_absolute, slot(absolute_slot)},
      {Py_nb_invert, slot(invert_slot)},
      {Py_nb_bool, slot(bool_slot)},
      {Py_nb_int, slot(int_slot)},
      {Py_nb_float, slot(float_slot)},
      {Py_nb_index, slot(index_slot)},
      {Py_tp_richcompare, slot(compare_slot)},
      {Py_tp_hash, slot(hash_slot)},
      {Py_mp_length, slot(length_slot)},
      {Py_mp_subscript, slot(subscript_slot)},
      {Py_mp_ass_subscript, slot(assign_slot)},
      {Py_bf_getbuffer, slot(get_buffer)},
      {Py_bf_releasebuffer, slot(release_buffer)},
      {0, nullptr},
  };
  return slots;
}

}  // namespace mlx::bindings
