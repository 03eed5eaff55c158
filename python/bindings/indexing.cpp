// See indexing.h. An index is parsed into slices of all axes, new axes, and
// index arrays of some axes; NumPy's rules say where those go in the result.
#include "python/bindings/indexing.h"

#include <algorithm>

#include "mlx/core/tracing.h"
#include "mlx/ops.h"
#include "mlx/ops/errors.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

struct Entry {
  enum Kind { integer, slice, new_axis, ellipsis, array } kind;
  int64_t value = 0;                // integer
  nb::object object;                // slice
  std::optional<mx::array> values;  // array
  bool takes_axis() const { return kind != new_axis && kind != ellipsis; }
};

[[noreturn]] void fail_kind(nb::handle object) {
  throw std::invalid_argument(
      std::string("an array is indexed by integers, slices, None, Ellipsis and integer arrays, or "
                  "by one bool array: got ") +
      nb::type_name(object.type()).c_str());
}

bool is_foreign_array(nb::handle object) {
  return nb::hasattr(object, "__array__") && as_array(object) == nullptr;
}

int64_t to_index(nb::handle object) {
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) {
    throw nb::python_error();
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    throw mx::IndexOutOfRange("an index does not fit 64 bits");
  }
  return value;
}

Entry parse_array(mx::array values) {
  if (values.dtype() == mx::bool_) {
    throw std::invalid_argument("a bool mask must be the whole index");
  }
  if (!mx::issubdtype(values.dtype(), mx::integer)) {
    mx::fail("index arrays must be integers: got ", values.dtype());
  }
  return {Entry::array, 0, {}, std::move(values)};
}

Entry parse_entry(nb::handle object) {
  if (object.is_none()) {
    return {Entry::new_axis, 0, {}, {}};
  }
  if (object.ptr() == Py_Ellipsis) {
    return {Entry::ellipsis, 0, {}, {}};
  }
  if (PySlice_Check(object.ptr())) {
    for (const char* bound : {"start", "stop", "step"}) {
      const nb::object value = object.attr(bound);
      if (!value.is_none() && (as_array(value) != nullptr || !PyIndex_Check(value.ptr()))) {
        throw std::invalid_argument("the bounds of a slice are integers or None");
      }
    }
    return {Entry::slice, 0, nb::borrow(object), {}};
  }
  if (mx::array* values = as_array(object)) {
    return parse_array(*values);
  }
  if (PyBool_Check(object.ptr())) {
    throw std::invalid_argument("a bool mask must be the whole index");
  }
  if (PyList_Check(object.ptr())) {
    return parse_array(array_from_python(object, std::nullopt));
  }
  if (!PyIndex_Check(object.ptr()) ||
      (is_foreign_array(object) && to_int(nb::object(object.attr("ndim"))) > 0)) {
    fail_kind(object);
  }
  return {Entry::integer, to_index(object), {}, {}};
}

// What an index selects.
struct Selection {
  // Slices of all axes; whole ones where there is an index array.
  mx::Shape start;
  mx::Shape stop;
  mx::Shape step;
  mx::Shape sliced;  // their shape
  // The dimensions of the result that are no index arrays'.
  mx::Shape rest;
  std::vector<mx::array> arrays;
  std::vector<int> axes;
  mx::Shape batch;   // of the arrays, broadcast
  size_t where = 0;  // in the result the batch stands before rest[where]

  bool whole(const mx::array& a) const {
    return sliced == a.shape() &&
           std::all_of(step.begin(), step.end(), [](int64_t s) { return s == 1; });
  }
  mx::Shape shape() const {
    mx::Shape out(rest.begin(), rest.begin() + where);
    out.insert(out.end(), batch.begin(), batch.end());
    out.insert(out.end(), rest.begin() + where, rest.end());
    return out;
  }
  // The shape of slices at the index arrays.
  mx::Shape slice_sizes() const {
    mx::Shape sizes = sliced;
    for (int axis : axes) {
      sizes[axis] = 1;
    }
    return sizes;
  }
};

mx::Shape concatenated(const mx::Shape& a, const mx::Shape& b) {
  mx::Shape both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

int64_t checked_integer(int64_t index, size_t axis, int64_t n) {
  if (index < -n || index >= n) {
    mx::fail<mx::IndexOutOfRange>("index ", index, " is out of range for axis ", axis, " of size ",
                                  n);
  }
  return index < 0 ? index + n : index;
}

Selection select(const mx::array& a, nb::handle index) {
  std::vector<Entry> entries;
  if (PyTuple_Check(index.ptr())) {
    for (nb::handle entry : index) {
      entries.push_back(parse_entry(entry));
    }
  } else {
    entries.push_back(parse_entry(index));
  }
  size_t used = 0;
  size_t ellipses = 0;
  bool has_arrays = false;
  for (const Entry& entry : entries) {
    used += entry.takes_axis();
    ellipses += entry.kind == Entry::ellipsis;
    has_arrays |= entry.kind == Entry::array;
  }
  if (ellipses > 1) {
    throw std::invalid_argument("an index may hold one Ellipsis only");
  }
  if (used > a.ndim()) {
    throw std::invalid_argument("too many indices: " + std::to_string(used) +
                                " for an array with " + std::to_string(a.ndim()) + " dimensions");
  }
  if (ellipses == 0) {
    entries.push_back({Entry::ellipsis, 0, {}, {}});
  }
  Selection out;
  size_t axis = 0;
  auto add_slice = [&](int64_t start, int64_t stop, int64_t step, int64_t size) {
    // A stop before the first element has no other spelling.
    out.start.push_back(start);
    out.stop.push_back(step < 0 && stop < 0 ? -a.shape()[axis] - 1 : stop);
    out.step.push_back(step);
    out.sliced.push_back(size);
    ++axis;
  };
  auto add_whole = [&] { add_slice(0, a.shape()[axis], 1, a.shape()[axis]); };
  size_t last_array = 0;
  bool adjacent = true;
  for (size_t i = 0; i < entries.size(); ++i) {
    Entry& entry = entries[i];
    if (entry.kind == Entry::new_axis) {
      out.rest.push_back(1);
    } else if (entry.kind == Entry::ellipsis) {
      for (size_t k = used; k < a.ndim(); ++k) {
        out.rest.push_back(a.shape()[axis]);
        add_whole();
      }
    } else if (entry.kind == Entry::slice) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(entry.object.ptr(), &start, &stop, &step) != 0) {
        throw nb::python_error();  // ValueError for a step of 0
      }
      const Py_ssize_t n = PySlice_AdjustIndices(a.shape()[axis], &start, &stop, step);
      out.rest.push_back(n);
      if (n == 0) {
        add_slice(0, 0, 1, 0);
      } else {
        add_slice(start, stop, step, n);
      }
    } else if (!has_arrays) {
      const int64_t place = checked_integer(entry.value, axis, a.shape()[axis]);
      add_slice(place, place + 1, 1, 1);
    } else {
      // Among arrays integers are arrays of no dimension.
      if (entry.kind == Entry::integer) {
        entry.values = mx::array(checked_integer(entry.value, axis, a.shape()[axis]), mx::int64);
      }
      if (out.arrays.empty()) {
        out.where = out.rest.size();
      } else {
        adjacent &= last_array + 1 == i;
      }
      last_array = i;
      out.batch = mx::broadcast_shapes(out.batch, entry.values->shape());
      out.axes.push_back(static_cast<int>(axis));
      out.arrays.push_back(std::move(*entry.values));
      add_whole();
    }
  }
  if (!adjacent) {
    out.where = 0;
  }
  return out;
}

// The axes that move those of the batch between the front and their place.
std::vector<int> batch_order(const Selection& s, bool to_front) {
  const int batch = static_cast<int>(s.batch.size());
  const int where = static_cast<int>(s.where);
  std::vector<int> order;
  for (int i = 0; i < batch + static_cast<int>(s.rest.size()); ++i) {
    if (to_front) {
      order.push_back(i < batch ? where + i : i < batch + where ? i - batch : i);
    } else {
      order.push_back(i < where ? batch + i : i < where + batch ? i - where : i);
    }
  }
  return order;
}

bool moves_batch(const Selection& s) {
  return s.where > 0 && !s.batch.empty();
}

mx::array reshaped(const mx::array& a, const mx::Shape& shape) {
  return a.shape() == shape ? a : mx::reshape(a, shape);
}

mx::array read(const mx::array& a, const Selection& s) {
  const mx::array part = mx::slice(a, s.start, s.stop, s.step);
  if (s.arrays.empty()) {
    return reshaped(part, s.rest);
  }
  const mx::array slices = mx::gather(part, s.arrays, s.axes, s.slice_sizes());
  const mx::array out = reshaped(slices, concatenated(s.batch, s.rest));
  return moves_batch(s) ? mx::transpose(out, batch_order(s, false)) : out;
}

enum class Update { replace, add, multiply, maximum, minimum };

mx::array scatter(Update kind, const mx::array& a, const Selection& s, const mx::array& updates) {
  switch (kind) {
    case Update::add:
      return mx::scatter_add(a, s.arrays, updates, s.axes);
    case Update::multiply:
      return mx::scatter_prod(a, s.arrays, updates, s.axes);
    case Update::maximum:
      return mx::scatter_max(a, s.arrays, updates, s.axes);
    case Update::minimum:
      return mx::scatter_min(a, s.arrays, updates, s.axes);
    default:
      return mx::scatter(a, s.arrays, updates, s.axes);
  }
}

mx::array slice_update(Update kind, const mx::array& a, const Selection& s,
                       const mx::array& update) {
  switch (kind) {
    case Update::add:
      return mx::slice_update_add(a, update, s.start, s.stop, s.step);
    case Update::multiply:
      return mx::slice_update_prod(a, update, s.start, s.stop, s.step);
    case Update::maximum:
      return mx::slice_update_max(a, update, s.start, s.stop, s.step);
    case Update::minimum:
      return mx::slice_update_min(a, update, s.start, s.stop, s.step);
    default:
      return mx::slice_update(a, update, s.start, s.stop, s.step);
  }
}

// `value` without the leading axes of size 1 that `shape` has no room for.
mx::array fitted(mx::array value, const mx::Shape& shape) {
  if (value.ndim() > shape.size()) {
    mx::Shape fewer(value.shape().end() - shape.size(), value.shape().end());
    if (mx::checked_size(fewer, "index") == static_cast<int64_t>(value.size()) &&
        std::all_of(value.shape().begin(), value.shape().end() - shape.size(),
                    [](int64_t dim) { return dim == 1; })) {
      value = mx::reshape(value, fewer);
    }
  }
  return mx::broadcast_to(value, shape);
}

mx::array updated(Update kind, const mx::array& a, nb::handle index, const mx::array& value) {
  const Selection s = select(a, index);
  mx::array update = fitted(mx::astype(value, a.dtype()), s.shape());
  if (s.arrays.empty()) {
    return slice_update(kind, a, s, reshaped(update, s.sliced));
  }
  if (moves_batch(s)) {
    update = mx::transpose(update, batch_order(s, true));
  }
  update = reshaped(update, concatenated(s.batch, s.slice_sizes()));
  if (s.whole(a)) {
    return scatter(kind, a, s, update);
  }
  const mx::array part = scatter(kind, mx::slice(a, s.start, s.stop, s.step), s, update);
  return slice_update(Update::replace, a, s, part);
}

// Masks.

// The mask if the whole index is one.
std::optional<mx::array> as_mask(nb::handle index) {
  std::optional<mx::array> mask;
  if (mx::array* array = as_array(index)) {
    mask = *array;
  } else if (PyBool_Check(index.ptr())) {
    return mx::array(index.ptr() == Py_True);
  } else if (PyList_Check(index.ptr())) {
    mask = array_from_python(index, std::nullopt);
  } else if (is_foreign_array(index) && nb::hasattr(index, "dtype") &&
             nb::object(index.attr("dtype").attr("kind")).equal(nb::str("b"))) {
    mask = array_from_buffer(index, std::nullopt);
  }
  return mask && mask->dtype() == mx::bool_ ? mask : std::nullopt;
}

void check_mask(const mx::array& a, const mx::array& mask) {
  if (mask.ndim() > a.ndim() ||
      !std::equal(mask.shape().begin(), mask.shape().end(), a.shape().begin())) {
    mx::fail("a bool mask needs the leading dimensions of the array: got shape ", mask.shape(),
             " for ", a.shape());
  }
}

// Row-major places of the true elements; evaluates the mask.
mx::array true_places(const mx::array& mask) {
  if (mask.is_tracer() || mx::detail::in_tracing()) {
    throw std::invalid_argument(
        "the number of true elements of a bool mask is not known inside a function that is being "
        "transformed: use where");
  }
  mx::array dense = mx::contiguous(mask);
  eval_released(dense);
  const bool* values = dense.data<bool>();
  std::vector<int64_t> places;
  for (int64_t i = 0; i < static_cast<int64_t>(dense.size()); ++i) {
    if (values[i]) {
      places.push_back(i);
    }
  }
  return mx::array(places.begin(), mx::Shape{static_cast<int64_t>(places.size())}, mx::int64);
}

mx::Shape trailing(const mx::array& a, const mx::array& mask) {
  return mx::Shape(a.shape().begin() + mask.ndim(), a.shape().end());
}

// The array with the dimensions of the mask as one.
mx::array rows_of(const mx::array& a, const mx::array& mask) {
  return mx::reshape(a,
                     concatenated(mx::Shape{static_cast<int64_t>(mask.size())}, trailing(a, mask)));
}

mx::array read_mask(const mx::array& a, const mx::array& mask) {
  check_mask(a, mask);
  return mx::take(rows_of(a, mask), true_places(mask), 0);
}

mx::array assign_mask(const mx::array& a, const mx::array& mask, const mx::array& value) {
  check_mask(a, mask);
  const mx::Shape rest = trailing(a, mask);
  const mx::array update = mx::astype(value, a.dtype());
  if (update.ndim() > rest.size() + 1) {
    mx::fail("a value of shape ", update.shape(), " has too many dimensions for a mask of shape ",
             mask.shape(), " and an array of shape ", a.shape());
  }
  if (update.ndim() <= rest.size()) {
    mx::broadcast_to(update, rest);  // checks
    const mx::Shape ones(rest.size(), 1);
    return mx::where(mx::reshape(mask, concatenated(mask.shape(), ones)), update, a);
  }
  const mx::array places = true_places(mask);
  const int64_t count = places.shape(0);
  if (update.shape(0) < count) {
    mx::fail<std::runtime_error>("a mask with ", count, " true elements needs as many rows: got ",
                                 update.shape(0));
  }
  if (count == 0) {
    return a;
  }
  mx::Shape stop = update.shape();
  stop[0] = count;
  const mx::array rows = mx::broadcast_to(mx::slice(update, mx::Shape(stop.size(), 0), stop),
                                          concatenated({count}, rest));
  const mx::array target = rows_of(a, mask);
  return mx::reshape(mx::scatter(target, places, mx::expand_dims(rows, 1), 0), a.shape());
}

// a.at[index]: the array with an index that is to be updated.
struct ArrayAt {
  mx::array a;
  nb::object index;
};

mx::array update_at(const ArrayAt& at, nb::handle value, Update kind) {
  if (!at.index.is_valid()) {
    throw std::invalid_argument("array.at needs an index: a.at[index].add(value)");
  }
  if (as_mask(at.index)) {
    throw std::invalid_argument("array.at takes no bool mask");
  }
  return updated(kind, at.a, at.index, to_array(value, at.a.dtype()));
}

}  // namespace

mx::array get_item(const mx::array& a, nb::handle index) {
  if (std::optional<mx::array> mask = as_mask(index)) {
    return read_mask(a, *mask);
  }
  return read(a, select(a, index));
}

void set_item(mx::array& a, nb::handle index, nb::handle value) {
  const mx::array update = to_array(value, a.dtype());
  if (std::optional<mx::array> mask = as_mask(index)) {
    a = assign_mask(a, *mask, update);
  } else {
    a = updated(Update::replace, a, index, update);
  }
}

void bind_array_at(nb::module_& m) {
  auto cls = nb::class_<ArrayAt>(
      m, "ArrayAt", "Updates of an array at an index, in which equal places accumulate.");
  cls.def(
      "__getitem__",
      [](const ArrayAt& at, nb::object index) {
        return ArrayAt{at.a, std::move(index)};
      },
      "indices"_a.none(), nb::sig("def __getitem__(self, indices: typing.Any) -> ArrayAt"));
#define MLX_AT(name, kind, doc)                                                              \
  cls.def(                                                                                   \
      #name, [](const ArrayAt& at, nb::handle value) { return update_at(at, value, kind); }, \
      "value"_a, nb::sig("def " #name "(self, value: " MLX_SCALAR_OR_ARRAY ") -> array"), doc)
  MLX_AT(add, Update::add, "A copy of the array with the value added.");
  MLX_AT(multiply, Update::multiply, "A copy of the array multiplied by the value.");
  MLX_AT(maximum, Update::maximum, "A copy of the array, at least the value.");
  MLX_AT(minimum, Update::minimum, "A copy of the array, at most the value.");
#undef MLX_AT
  cls.def(
      "subtract",
      [](const ArrayAt& at, nb::handle value) {
        const mx::array negated = mx::negative(to_array(value, at.a.dtype()));
        return update_at(at, wrap(mx::array(negated)), Update::add);
      },
      "value"_a, nb::sig("def subtract(self, value: " MLX_SCALAR_OR_ARRAY ") -> array"),
      "A copy of the array with the value subtracted.");
  cls.def(
      "divide",
      [](const ArrayAt& at, nb::handle value) {
        const mx::array inverse = mx::reciprocal(to_array(value, at.a.dtype()));
        return update_at(at, wrap(mx::array(inverse)), Update::multiply);
      },
      "value"_a, nb::sig("def divide(self, value: " MLX_SCALAR_OR_ARRAY ") -> array"),
      "A copy of the array multiplied by the reciprocal of the value, as the dtype holds it.");
  const nb::object get = nb::cpp_function([](const mx::array& a) { return ArrayAt{a, {}}; });
  nb::setattr(nb::type<mx::array>(), "at", nb::module_::import_("builtins").attr("property")(get));
}

}  // namespace mlx::bindings
