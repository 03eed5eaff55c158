// See indexing.h. Basic indices: integers, slices, None and Ellipsis.
#include "python/bindings/indexing.h"

#include "mlx/ops.h"

namespace mlx::bindings {

namespace {

struct Basic {
  mx::Shape start;
  mx::Shape stop;
  mx::Shape step;
  mx::Shape taken;  // elements along each axis of the array
  mx::Shape shape;  // of the result

  void take(int64_t first, int64_t end, int64_t stride, int64_t count) {
    start.push_back(first);
    stop.push_back(end);
    step.push_back(stride);
    taken.push_back(count);
  }
};

Basic parse(const mx::array& a, nb::handle index) {
  std::vector<nb::object> entries;
  if (PyTuple_Check(index.ptr())) {
    for (nb::handle entry : index) {
      entries.push_back(nb::borrow(entry));
    }
  } else {
    entries.push_back(nb::borrow(index));
  }
  size_t used = 0;
  bool ellipsis = false;
  for (const nb::object& entry : entries) {
    if (entry.ptr() == Py_Ellipsis) {
      if (ellipsis) {
        throw std::invalid_argument("an index may hold one Ellipsis only");
      }
      ellipsis = true;
    } else if (!entry.is_none()) {
      ++used;
    }
  }
  if (used > a.ndim()) {
    throw std::invalid_argument("too many indices: " + std::to_string(used) +
                                " for an array with " + std::to_string(a.ndim()) + " dimensions");
  }
  Basic basic;
  size_t axis = 0;
  auto whole = [&] {
    basic.take(0, a.shape()[axis], 1, a.shape()[axis]);
    basic.shape.push_back(a.shape()[axis]);
    ++axis;
  };
  for (const nb::object& entry : entries) {
    if (entry.is_none()) {
      basic.shape.push_back(1);
    } else if (entry.ptr() == Py_Ellipsis) {
      for (size_t i = used; i < a.ndim(); ++i) {
        whole();
      }
    } else if (PySlice_Check(entry.ptr())) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(entry.ptr(), &start, &stop, &step) != 0) {
        throw nb::python_error();
      }
      const Py_ssize_t size = a.shape()[axis];
      const Py_ssize_t n = PySlice_AdjustIndices(size, &start, &stop, step);
      if (n == 0) {
        basic.take(0, 0, 1, 0);
      } else {
        // Going backwards, -1 means before the first element here, the last one in mx::slice.
        basic.take(start, stop < 0 ? stop - size : stop, step, n);
      }
      basic.shape.push_back(n);
      ++axis;
    } else {
      int64_t i = to_int64(entry);
      const int64_t n = a.shape()[axis];
      if (i < -n || i >= n) {
        throw nb::index_error(("index " + std::to_string(i) + " is out of range for axis " +
                               std::to_string(axis) + " of size " + std::to_string(n))
                                  .c_str());
      }
      i = i < 0 ? i + n : i;
      basic.take(i, i + 1, 1, 1);
      ++axis;
    }
  }
  while (axis < a.ndim()) {
    whole();
  }
  return basic;
}

}  // namespace

mx::array get_item(const mx::array& a, nb::handle index) {
  if (mx::array* array = as_array(index)) {
    throw std::invalid_argument("an array is no basic index");
  }
  const Basic basic = parse(a, index);
  return mx::reshape(mx::slice(a, basic.start, basic.stop, basic.step), basic.shape);
}

void set_item(mx::array& a, nb::handle index, nb::handle value) {
  const Basic basic = parse(a, index);
  mx::array update = mx::astype(to_array(value, a.dtype()), a.dtype());
  update = mx::broadcast_to(update, basic.shape);
  a = mx::slice_update(a, mx::reshape(update, basic.taken), basic.start, basic.stop, basic.step);
}

}  // namespace mlx::bindings
