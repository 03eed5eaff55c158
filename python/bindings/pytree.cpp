// See pytree.h.
#include "python/bindings/pytree.h"

namespace mlx::bindings {

namespace {

constexpr int kMaxDepth = 900;

void check_depth(int depth) {
  if (depth > kMaxDepth) {
    throw std::invalid_argument("the tree is nested too deeply (more than " +
                                std::to_string(kMaxDepth) + " levels) or contains itself");
  }
}

bool is_list(nb::handle object) { return PyList_Check(object.ptr()); }
bool is_tuple(nb::handle object) { return PyTuple_Check(object.ptr()); }
bool is_dict(nb::handle object) { return PyDict_Check(object.ptr()); }

nb::object items_of(nb::handle dict) {
  // Not the method of a subclass: attributes may shadow it.
  nb::object items = nb::steal(PyDict_Items(dict.ptr()));
  if (!items.is_valid()) {
    throw nb::python_error();
  }
  return items;
}

void visit(nb::handle tree, const std::function<void(nb::handle)>& leaf, int depth) {
  check_depth(depth);
  if (is_list(tree) || is_tuple(tree)) {
    for (nb::handle child : tree) {
      visit(child, leaf, depth + 1);
    }
  } else if (is_dict(tree)) {
    for (nb::handle pair : items_of(tree)) {
      visit(nb::object(pair[1]), leaf, depth + 1);
    }
  } else {
    leaf(tree);
  }
}

nb::object rebuild_tuple(nb::handle original, const nb::list& items) {
  nb::handle type = original.type();
  if (type.ptr() == reinterpret_cast<PyObject*>(&PyTuple_Type)) {
    return nb::tuple(items);
  }
  if (nb::hasattr(type, "_fields")) {
    return type(*nb::tuple(items));
  }
  return type(items);
}

nb::object map(nb::handle tree, const std::function<nb::object(nb::handle)>& leaf, int depth) {
  check_depth(depth);
  if (is_list(tree) || is_tuple(tree)) {
    nb::list items;
    for (nb::handle child : tree) {
      items.append(map(child, leaf, depth + 1));
    }
    return is_list(tree) ? nb::object(items) : rebuild_tuple(tree, items);
  }
  if (is_dict(tree)) {
    nb::dict result;
    for (nb::handle pair : items_of(tree)) {
      result[nb::object(pair[0])] = map(nb::object(pair[1]), leaf, depth + 1);
    }
    return result;
  }
  return leaf(tree);
}

void visit_prefix(nb::handle prefix, nb::handle tree, const char* what,
                  const std::function<void(nb::handle, nb::handle)>& leaf, int depth) {
  check_depth(depth);
  if (!is_container(prefix)) {
    visit(tree, [&](nb::handle item) { leaf(prefix, item); }, depth);
    return;
  }
  const bool same_kind = (is_list(prefix) && is_list(tree)) ||
                         (is_tuple(prefix) && is_tuple(tree)) ||
                         (is_dict(prefix) && is_dict(tree));
  if (!same_kind) {
    throw std::invalid_argument(std::string(what) +
                                " has a container where the other tree has none of that kind");
  }
  if (is_dict(prefix)) {
    for (nb::handle pair : items_of(tree)) {
      nb::object key(pair[0]);
      if (PyDict_Contains(prefix.ptr(), key.ptr()) != 1) {
        throw std::invalid_argument(std::string(what) + " lacks the key " +
                                    nb::repr(key).c_str());
      }
      visit_prefix(nb::object(prefix[key]), nb::object(pair[1]), what, leaf, depth + 1);
    }
    return;
  }
  const size_t n = nb::len(tree);
  if (nb::len(prefix) != n) {
    throw std::invalid_argument(std::string(what) + " has " + std::to_string(nb::len(prefix)) +
                                " entries where the other tree has " + std::to_string(n));
  }
  for (size_t i = 0; i < n; ++i) {
    visit_prefix(nb::object(prefix[i]), nb::object(tree[i]), what, leaf, depth + 1);
  }
}

}  // namespace

bool is_container(nb::handle object) {
  return is_list(object) || is_tuple(object) || is_dict(object);
}

void visit_leaves(nb::handle tree, const std::function<void(nb::handle)>& leaf) {
  visit(tree, leaf, 0);
}

nb::object map_leaves(nb::handle tree, const std::function<nb::object(nb::handle)>& leaf) {
  return map(tree, leaf, 0);
}

std::vector<mx::array> collect_arrays(nb::handle tree) {
  std::vector<mx::array> arrays;
  visit_leaves(tree, [&](nb::handle leaf) {
    if (mx::array* array = as_array(leaf)) {
      arrays.push_back(*array);
    }
  });
  return arrays;
}

void visit_with_prefix(nb::handle prefix, nb::handle tree, const char* what,
                       const std::function<void(nb::handle, nb::handle)>& leaf) {
  visit_prefix(prefix, tree, what, leaf, 0);
}

nb::object ReplacedLeaves::replace(nb::handle tree,
                                   const std::function<nb::object(nb::handle)>& replacement) {
  return replace_at(tree, replacement, 0);
}

nb::object ReplacedLeaves::replace_at(nb::handle tree,
                                      const std::function<nb::object(nb::handle)>& replacement,
                                      int depth) {
  check_depth(depth);
  if (as_array(tree) != nullptr) {
    return replacement(tree);
  }
  auto put = [&](nb::object key, nb::object original, auto set) {
    nb::object placed = replace_at(original, replacement, depth + 1);
    if (!placed.is(original)) {
      set(placed);
      slots_.push_back({nb::borrow(tree), std::move(key), std::move(original), placed});
    }
  };
  if (is_list(tree)) {
    const size_t n = nb::len(tree);
    for (size_t i = 0; i < n; ++i) {
      put(nb::int_(i), nb::object(tree[i]), [&](const nb::object& placed) {
        PyList_SetItem(tree.ptr(), static_cast<Py_ssize_t>(i), nb::object(placed).release().ptr());
      });
    }
    return nb::borrow(tree);
  }
  if (is_dict(tree)) {
    for (nb::handle pair : items_of(tree)) {
      nb::object key(pair[0]);
      put(key, nb::object(pair[1]), [&](const nb::object& placed) {
        PyDict_SetItem(tree.ptr(), key.ptr(), placed.ptr());
      });
    }
    return nb::borrow(tree);
  }
  if (is_tuple(tree)) {
    nb::list items;
    bool changed = false;
    for (nb::handle child : tree) {
      nb::object placed = replace_at(child, replacement, depth + 1);
      changed |= !placed.is(child);
      items.append(placed);
    }
    return changed ? rebuild_tuple(tree, items) : nb::borrow(tree);
  }
  return nb::borrow(tree);
}

void ReplacedLeaves::restore() noexcept {
  // Runs while a Python error may be set.
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) {
    PyObject* container = slot->container.ptr();
    if (PyDict_Check(container)) {
      if (PyDict_GetItem(container, slot->key.ptr()) == slot->placed.ptr()) {
        PyDict_SetItem(container, slot->key.ptr(), slot->original.ptr());
      }
    } else {
      const Py_ssize_t i = PyLong_AsSsize_t(slot->key.ptr());
      if (i < PyList_Size(container) && PyList_GetItem(container, i) == slot->placed.ptr()) {
        PyList_SetItem(container, i, nb::object(slot->original).release().ptr());
      }
    }
  }
  slots_.clear();
  PyErr_Restore(type, value, trace);
}

}  // namespace mlx::bindings
