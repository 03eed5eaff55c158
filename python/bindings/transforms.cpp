// Evaluation and function transformations on Python functions.
#include "mlx/transforms.h"

#include <algorithm>
#include <memory>

#include "mlx/compile.h"
#include "mlx/core/evaluation.h"
#include "mlx/ops.h"
#include "mlx/transforms_impl.h"
#include "python/bindings/convert.h"
#include "python/bindings/pytree.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

// A callable made by a transformation. It forwards attributes to the function
// and takes part in cyclic garbage collection.
struct Transformed {
  nb::object function;
  nb::object in_axes;
  nb::object out_axes;
  using Call = nb::object (*)(Transformed&, const nb::args&, const nb::kwargs&);
  Call call;
  std::vector<int> argnums;
  std::vector<std::string> argnames;
};

int transformed_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) {
    return 0;
  }
  auto* t = nb::inst_ptr<Transformed>(self);
  Py_VISIT(t->function.ptr());
  Py_VISIT(t->in_axes.ptr());
  Py_VISIT(t->out_axes.ptr());
  return 0;
}

int transformed_clear(PyObject* self) {
  auto* t = nb::inst_ptr<Transformed>(self);
  t->function.reset();
  t->in_axes.reset();
  t->out_axes.reset();
  return 0;
}

// Looks like the function that was transformed, except for being called.
PyObject* transformed_getattro(PyObject* self, PyObject* name) {
  auto* t = nb::inst_ptr<Transformed>(self);
  if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) {
    return nb::object(t->function).release().ptr();
  }
  for (const char* forwarded : {"__doc__", "__name__", "__qualname__", "__module__"}) {
    if (PyUnicode_CompareWithASCIIString(name, forwarded) == 0) {
      return PyObject_GetAttr(t->function.ptr(), name);
    }
  }
  PyObject* own = PyObject_GenericGetAttr(self, name);
  if (own != nullptr || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
    return own;
  }
  PyErr_Clear();
  return PyObject_GetAttr(t->function.ptr(), name);
}

PyType_Slot transformed_slots[] = {
    {Py_tp_getattro, reinterpret_cast<void*>(transformed_getattro)},
    {Py_tp_traverse, reinterpret_cast<void*>(transformed_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(transformed_clear)},
    {0, nullptr},
};

void check_callable(nb::handle function, const char* who) {
  if (!PyCallable_Check(function.ptr())) {
    const std::string message = std::string("[") + who + "] expected a callable: got " +
                                nb::type_name(function.type()).c_str();
    throw nb::type_error(message.c_str());
  }
}

// The outputs of a plain function: one array or a flat sequence of arrays.
std::vector<mx::array> flat_outputs(nb::handle result, const char* who) {
  if (mx::array* array = as_array(result)) {
    return {*array};
  }
  std::vector<mx::array> outputs;
  if (PyList_Check(result.ptr()) || PyTuple_Check(result.ptr())) {
    for (nb::handle item : result) {
      mx::array* array = as_array(item);
      if (array == nullptr) {
        throw std::runtime_error(std::string("[") + who +
                                 "] the function must return arrays: found " +
                                 nb::type_name(item.type()).c_str());
      }
      outputs.push_back(*array);
    }
    return outputs;
  }
  throw std::runtime_error(std::string("[") + who +
                           "] the function must return an array or a sequence of arrays: got " +
                           nb::type_name(result.type()).c_str());
}

nb::tuple wrap_tuple(const std::vector<mx::array>& arrays) {
  nb::list list;
  for (const mx::array& a : arrays) {
    list.append(wrap(mx::array(a)));
  }
  return nb::tuple(list);
}

mx::VectorFunction plain_function(nb::handle function, const char* who) {
  return [function, who](const std::vector<mx::array>& inputs) {
    return flat_outputs(function(*wrap_tuple(inputs)), who);
  };
}

// value_and_grad and grad

nb::object value_and_gradient(Transformed& t, const nb::args& args, const nb::kwargs& kwargs,
                              bool want_value) {
  const size_t count = args.size();
  for (int argnum : t.argnums) {
    if (static_cast<size_t>(argnum) >= count) {
      throw std::invalid_argument("[grad] argument number " + std::to_string(argnum) +
                                  " is out of range for a call with " + std::to_string(count) +
                                  " positional arguments");
    }
  }
  for (const std::string& name : t.argnames) {
    if (!kwargs.contains(name.c_str())) {
      throw std::invalid_argument("[grad] the call has no keyword argument '" + name + "'");
    }
  }

  // The trees to differentiate by, positional ones first.
  std::vector<nb::object> trees;
  for (int argnum : t.argnums) {
    trees.emplace_back(args[argnum]);
  }
  for (const std::string& name : t.argnames) {
    trees.emplace_back(kwargs[name.c_str()]);
  }
  std::vector<mx::array> primals;
  for (const nb::object& tree : trees) {
    const size_t before = primals.size();
    visit_leaves(tree, [&](nb::handle leaf) {
      mx::array* array = as_array(leaf);
      if (array == nullptr) {
        throw std::invalid_argument(
            std::string("[grad] arguments to differentiate by may hold arrays only: found ") +
            nb::type_name(leaf.type()).c_str());
      }
      primals.push_back(*array);
    });
    if (primals.size() == before) {
      throw std::invalid_argument("[grad] an argument to differentiate by holds no array");
    }
  }
  // The structure as it is now: the function may change the containers.
  size_t next_index = 0;
  std::vector<nb::object> outlines;
  for (const nb::object& tree : trees) {
    outlines.push_back(map_leaves(tree, [&](nb::handle) -> nb::object {
      return nb::int_(next_index++);
    }));
  }

  nb::object result;
  auto loss = [&](const std::vector<mx::array>& traced) {
    ReplacedLeaves replaced;
    size_t next = 0;
    auto place = [&](nb::handle) { return wrap(mx::array(traced[next++])); };
    nb::list call_args;
    for (nb::handle arg : args) {
      call_args.append(arg);
    }
    nb::dict call_kwargs;
    for (auto [key, value] : kwargs) {
      call_kwargs[key] = value;
    }
    for (size_t i = 0; i < t.argnums.size(); ++i) {
      call_args[t.argnums[i]] = replaced.replace(trees[i], place);
    }
    for (size_t i = 0; i < t.argnames.size(); ++i) {
      call_kwargs[t.argnames[i].c_str()] =
          replaced.replace(trees[t.argnums.size() + i], place);
    }
    result = t.function(*nb::tuple(call_args), **call_kwargs);

    nb::handle first = result;
    nb::object first_of_tuple;
    if (!want_value && as_array(result) == nullptr) {
      throw std::invalid_argument(
          std::string("[grad] the function must return one scalar array: got ") +
          nb::type_name(result.type()).c_str());
    }
    if (PyTuple_Check(result.ptr()) && nb::len(result) > 0) {
      first_of_tuple = nb::object(result[0]);
      first = first_of_tuple;
    }
    mx::array* value = as_array(first);
    if (value == nullptr) {
      throw std::invalid_argument(
          std::string("[value_and_grad] the function must return a scalar array, or a tuple that "
                      "begins with one: got ") +
          nb::type_name(result.type()).c_str());
    }
    if (value->ndim() != 0) {
      std::ostringstream message;
      message << "[grad] the function must return a scalar of shape (): got shape "
              << value->shape();
      throw std::invalid_argument(message.str());
    }
    return std::vector<mx::array>{*value};
  };
  auto [values, gradients] =
      mx::vjp(mx::VectorFunction(loss), primals, std::vector<mx::array>{mx::array(1.0f)});

  std::vector<nb::object> gradient_trees;
  for (const nb::object& outline : outlines) {
    gradient_trees.push_back(map_leaves(outline, [&](nb::handle index) {
      return wrap(mx::array(gradients[nb::cast<size_t>(index)]));
    }));
  }
  nb::object positional = nb::none();
  const size_t positions = t.argnums.size();
  if (positions == 1) {
    positional = gradient_trees[0];
  } else if (positions > 1) {
    nb::list list;
    for (size_t i = 0; i < positions; ++i) {
      list.append(gradient_trees[i]);
    }
    positional = nb::tuple(list);
  }
  nb::object gradient = positional;
  if (!t.argnames.empty()) {
    nb::dict named;
    for (size_t i = 0; i < t.argnames.size(); ++i) {
      named[t.argnames[i].c_str()] = gradient_trees[positions + i];
    }
    gradient = nb::make_tuple(positional, named);
  }
  if (!want_value) {
    return gradient;
  }
  // The loss keeps its graph; what comes along carries no derivative.
  nb::object value = wrap(std::move(values[0]));
  if (!PyTuple_Check(result.ptr())) {
    return nb::make_tuple(value, gradient);
  }
  nb::list parts;
  parts.append(value);
  for (size_t i = 1; i < nb::len(result); ++i) {
    parts.append(map_leaves(nb::object(result[i]), [](nb::handle leaf) -> nb::object {
      mx::array* array = as_array(leaf);
      return array != nullptr ? wrap(mx::stop_gradient(*array)) : nb::borrow(leaf);
    }));
  }
  return nb::make_tuple(nb::tuple(parts), gradient);
}

std::vector<int> parse_argnums(nb::handle argnums, bool have_names) {
  if (argnums.is_none()) {
    return have_names ? std::vector<int>{} : std::vector<int>{0};
  }
  std::vector<int> numbers = to_ints(argnums);
  if (numbers.empty() && !have_names) {
    throw std::invalid_argument("[grad] argnums is empty and there are no argnames");
  }
  for (int number : numbers) {
    if (number < 0) {
      throw std::invalid_argument("[grad] argnums must not be negative: got " +
                                  std::to_string(number));
    }
  }
  std::sort(numbers.begin(), numbers.end());
  if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) {
    throw std::invalid_argument("[grad] an argument number is given twice");
  }
  return numbers;
}

std::vector<std::string> parse_argnames(nb::handle argnames) {
  if (argnames.is_none()) {
    return {};
  }
  if (nb::isinstance<nb::str>(argnames)) {
    return {nb::cast<std::string>(argnames)};
  }
  auto names = nb::cast<std::vector<std::string>>(argnames);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw std::invalid_argument("[grad] an argument name is given twice");
  }
  return names;
}

Transformed make_gradient(nb::object function, nb::handle argnums, nb::handle argnames,
                          Transformed::Call call, const char* who) {
  check_callable(function, who);
  Transformed t{std::move(function), nb::none(), nb::none(), call, {}, {}};
  t.argnames = parse_argnames(argnames);
  t.argnums = parse_argnums(argnums, !t.argnames.empty());
  return t;
}

// vmap

int checked_axis(nb::handle axis, int ndim, const char* what) {
  if (axis.is_none()) {
    return -1;
  }
  if (!PyLong_Check(axis.ptr()) || PyBool_Check(axis.ptr())) {
    throw std::invalid_argument(std::string("[vmap] ") + what + " must hold integers or None: got " +
                                nb::repr(axis).c_str());
  }
  const int value = nb::cast<int>(axis);
  const int index = value < 0 ? value + ndim : value;
  if (index < 0 || index >= ndim) {
    throw std::invalid_argument(std::string("[vmap] ") + what + " " + std::to_string(value) +
                                " is out of range for an array with " + std::to_string(ndim) +
                                " dimensions");
  }
  return index;
}

nb::object call_vmap(Transformed& t, const nb::args& args, const nb::kwargs& kwargs) {
  if (kwargs.size() > 0) {
    throw nb::type_error("[vmap] the vectorised function takes positional arguments only");
  }
  nb::object tree = nb::borrow(args);
  nb::object axes = t.in_axes;
  if (args.size() == 1) {
    // One argument is matched itself, and a 1-tuple around its axis is accepted.
    tree = nb::object(args[0]);
    if (!is_container(tree) && PyTuple_Check(axes.ptr()) && nb::len(axes) == 1) {
      axes = nb::object(axes[0]);
    } else if (is_container(axes) && PyTuple_Check(axes.ptr()) && nb::len(axes) == 1 &&
               !(PyTuple_Check(tree.ptr()) && nb::len(tree) == 1)) {
      axes = nb::object(axes[0]);
    }
  }
  std::vector<mx::array> inputs;
  std::vector<int> in_axes;
  visit_with_prefix(axes, tree, "[vmap] in_axes", [&](nb::handle axis, nb::handle leaf) {
    mx::array* array = as_array(leaf);
    if (array == nullptr) {
      throw std::invalid_argument(std::string("[vmap] the arguments may hold arrays only: found ") +
                                  nb::type_name(leaf.type()).c_str());
    }
    in_axes.push_back(checked_axis(axis, static_cast<int>(array->ndim()), "in_axes"));
    inputs.push_back(*array);
  });

  nb::object result;
  auto traced_function = [&](const std::vector<mx::array>& traced) {
    size_t next = 0;
    auto place = [&](nb::handle) { return wrap(mx::array(traced[next++])); };
    nb::object traced_args = map_leaves(args, place);
    result = t.function(*nb::tuple(traced_args));
    std::vector<mx::array> outputs;
    visit_leaves(result, [&](nb::handle leaf) {
      mx::array* array = as_array(leaf);
      if (array == nullptr) {
        throw std::invalid_argument(std::string("[vmap] the function may return arrays only: found ") +
                                    nb::type_name(leaf.type()).c_str());
      }
      outputs.push_back(*array);
    });
    return outputs;
  };
  auto [s_inputs, s_outputs] = mx::detail::vmap_trace(traced_function, inputs, in_axes);

  nb::object out_tree = t.out_axes;
  if (as_array(result) != nullptr && PyTuple_Check(out_tree.ptr()) && nb::len(out_tree) == 1) {
    out_tree = nb::object(out_tree[0]);
  }
  std::vector<int> out_axes;
  visit_with_prefix(out_tree, result, "[vmap] out_axes", [&](nb::handle axis, nb::handle leaf) {
    if (axis.is_none()) {
      throw std::invalid_argument("[vmap] out_axes of None is not supported: give an axis");
    }
    out_axes.push_back(
        checked_axis(axis, static_cast<int>(as_array(leaf)->ndim()) + 1, "out_axes"));
  });
  std::vector<mx::array> outputs =
      mx::detail::vmap_replace(inputs, s_inputs, s_outputs, in_axes, out_axes);
  size_t next = 0;
  return map_leaves(result, [&](nb::handle) { return wrap(std::move(outputs[next++])); });
}

nb::object call_value_and_grad(Transformed& t, const nb::args& args, const nb::kwargs& kwargs) {
  return value_and_gradient(t, args, kwargs, true);
}

nb::object call_grad(Transformed& t, const nb::args& args, const nb::kwargs& kwargs) {
  return value_and_gradient(t, args, kwargs, false);
}

// compile, in its disabled mode: the checks of a compiled call, then the call.

void check_compilable(nb::handle argument) {
  visit_leaves(argument, [](nb::handle leaf) {
    PyObject* object = leaf.ptr();
    const bool constant = object == Py_None || PyLong_Check(object) || PyFloat_Check(object) ||
                          PyUnicode_Check(object);
    if (!constant && as_array(leaf) == nullptr) {
      throw std::invalid_argument(
          std::string("[compile] arguments may hold arrays, int, bool, float, str and None only: "
                      "found ") +
          nb::type_name(leaf.type()).c_str());
    }
  });
}

nb::object call_compiled(Transformed& t, const nb::args& args, const nb::kwargs& kwargs) {
  for (nb::handle arg : args) {
    // Most arguments are arrays, which need no walk.
    if (as_array(arg) == nullptr) {
      check_compilable(arg);
    }
  }
  if (kwargs.size() > 0) {
    check_compilable(kwargs);
  }
  return t.function(*args, **kwargs);
}

void eval_arguments(const nb::args& args, bool async) {
  // The common call with arrays only takes no detour over trees.
  std::vector<mx::array> arrays;
  for (nb::handle arg : args) {
    if (mx::array* array = as_array(arg)) {
      arrays.push_back(*array);
    } else {
      visit_leaves(arg, [&](nb::handle leaf) {
        if (mx::array* array = as_array(leaf)) {
          arrays.push_back(*array);
        }
      });
    }
  }
  nb::gil_scoped_release release;
  if (async) {
    mx::async_eval(std::move(arrays));
  } else {
    mx::eval(std::span<const mx::array>(arrays));
    arrays.clear();
  }
}

}  // namespace

void bind_transforms(nb::module_& m) {
  nb::class_<Transformed>(m, "_Transformed", nb::type_slots(transformed_slots),
                          nb::is_weak_referenceable(), "A transformed function.")
      .def("__call__",
           [](Transformed& t, const nb::args& args, const nb::kwargs& kwargs) {
             return t.call(t, args, kwargs);
           });

  m.def(
      "eval", [](const nb::args& args) { eval_arguments(args, false); }, "args"_a,
      nb::sig("def eval(*args: typing.Any) -> None"),
      "Computes arrays and trees of arrays; other leaves are ignored.\n\n"
      "Example:\n"
      "    >>> x = mx.ones((2,)) + 1\n"
      "    >>> mx.eval(x)\n");
  m.def(
      "async_eval", [](const nb::args& args) { eval_arguments(args, true); }, "args"_a,
      nb::sig("def async_eval(*args: typing.Any) -> None"),
      "Starts the computation of arrays and trees of arrays and returns. Reading one of them "
      "waits for it. Raises ValueError for arrays of a running transformation.");
  m.def(
      "vjp",
      [](const nb::callable& fun, nb::handle primals, nb::handle cotangents) {
        auto [outputs, gradients] = mx::vjp(plain_function(fun, "vjp"), to_array_vector(primals),
                                            to_array_vector(cotangents));
        return nb::make_tuple(wrap_list(std::move(outputs)), wrap_list(std::move(gradients)));
      },
      "fun"_a, "primals"_a, "cotangents"_a,
      nb::sig("def vjp(fun: collections.abc.Callable[..., typing.Any], primals: list[array], "
              "cotangents: list[array]) -> tuple[list[array], list[array]]"),
      "Outputs of `fun` at `primals` and the products of the cotangents with its Jacobian.\n\n"
      "Raises:\n"
      "    ValueError: fewer cotangents than outputs, or shapes that differ.\n\n"
      "Example:\n"
      "    >>> mx.vjp(mx.sin, [mx.array(0.0)], [mx.array(2.0)])[1]\n"
      "    [array(2, dtype=float32)]\n");
  m.def(
      "jvp",
      [](const nb::callable& fun, nb::handle primals, nb::handle tangents) {
        auto [outputs, results] = mx::jvp(plain_function(fun, "jvp"), to_array_vector(primals),
                                          to_array_vector(tangents));
        return nb::make_tuple(wrap_list(std::move(outputs)), wrap_list(std::move(results)));
      },
      "fun"_a, "primals"_a, "tangents"_a,
      nb::sig("def jvp(fun: collections.abc.Callable[..., typing.Any], primals: list[array], "
              "tangents: list[array]) -> tuple[list[array], list[array]]"),
      "Outputs of `fun` at `primals` and the products of its Jacobian with the tangents.\n\n"
      "Raises:\n"
      "    ValueError: as many tangents as primals are needed, of the same shapes.\n\n"
      "Example:\n"
      "    >>> mx.jvp(mx.sin, [mx.array(0.0)], [mx.array(2.0)])[1]\n"
      "    [array(2, dtype=float32)]\n");
  m.def(
      "value_and_grad",
      [](nb::object fun, nb::handle argnums, nb::handle argnames) {
        return make_gradient(std::move(fun), argnums, argnames, call_value_and_grad,
                             "value_and_grad");
      },
      "fun"_a, "argnums"_a.none() = nb::none(), "argnames"_a.none() = nb::list(),
      nb::sig("def value_and_grad(fun: collections.abc.Callable[..., typing.Any], argnums: int | "
              "collections.abc.Sequence[int] | None = None, argnames: str | "
              "collections.abc.Sequence[str] = []) -> collections.abc.Callable[..., typing.Any]"),
      "A function that returns the value of `fun` and its gradient.\n\n"
      "Args:\n"
      "    fun: returns a scalar array, or a tuple that begins with one.\n"
      "    argnums: positional arguments to differentiate by (default 0); gradients come in\n"
      "        ascending order.\n"
      "    argnames: keyword arguments to differentiate by.\n\n"
      "Returns:\n"
      "    A function with the arguments of `fun` that returns (value, gradient). The gradient has\n"
      "    the structure of the argument; several arguments give a tuple; with argnames it is\n"
      "    (positional, {name: gradient}).\n\n"
      "Raises:\n"
      "    ValueError: bad argnums, arguments that hold other things than arrays, a loss that is\n"
      "        not a scalar of shape ().\n\n"
      "Example:\n"
      "    >>> mx.value_and_grad(lambda x: (x * x).sum())(mx.array([3.0]))\n"
      "    (array(9, dtype=float32), array([6], dtype=float32))\n");
  m.def(
      "grad",
      [](nb::object fun, nb::handle argnums, nb::handle argnames) {
        return make_gradient(std::move(fun), argnums, argnames, call_grad, "grad");
      },
      "fun"_a, "argnums"_a.none() = nb::none(), "argnames"_a.none() = nb::list(),
      nb::sig("def grad(fun: collections.abc.Callable[..., typing.Any], argnums: int | "
              "collections.abc.Sequence[int] | None = None, argnames: str | "
              "collections.abc.Sequence[str] = []) -> collections.abc.Callable[..., typing.Any]"),
      "As value_and_grad, for a function that returns one scalar array; returns the gradient "
      "alone.\n\n"
      "Example:\n"
      "    >>> mx.grad(mx.square)(mx.array(3.0))\n"
      "    array(6, dtype=float32)\n");
  m.def(
      "vmap",
      [](nb::object fun, nb::object in_axes, nb::object out_axes) {
        check_callable(fun, "vmap");
        if (in_axes.is_none() || out_axes.is_none()) {
          throw nb::type_error("[vmap] in_axes and out_axes cannot be None as a whole");
        }
        return Transformed{std::move(fun), std::move(in_axes), std::move(out_axes), call_vmap, {}, {}};
      },
      "fun"_a, "in_axes"_a.none() = 0, "out_axes"_a.none() = 0,
      nb::sig("def vmap(fun: collections.abc.Callable[..., typing.Any], in_axes: typing.Any = 0, "
              "out_axes: typing.Any = 0) -> collections.abc.Callable[..., typing.Any]"),
      "`fun` over one more axis of its arguments.\n\n"
      "Args:\n"
      "    fun: takes and returns trees of arrays.\n"
      "    in_axes: the mapped axis of each argument, None for arguments that stay as they are; a\n"
      "        tree that matches the upper part of the arguments.\n"
      "    out_axes: where the axis goes in the results.\n\n"
      "Raises:\n"
      "    ValueError: sizes that differ, axes out of range, nothing mapped, a primitive without a\n"
      "        vmap rule.\n\n"
      "Example:\n"
      "    >>> mx.vmap(lambda x: x.sum())(mx.ones((2, 3)))\n"
      "    array([3, 3], dtype=float32)\n");

  m.def(
      "compile",
      [](nb::object fun, nb::handle, nb::handle, bool) {
        check_callable(fun, "compile");
        return Transformed{std::move(fun), nb::none(), nb::none(), call_compiled, {}, {}};
      },
      "fun"_a, "inputs"_a.none() = nb::none(), "outputs"_a.none() = nb::none(),
      "shapeless"_a = false,
      nb::sig("def compile(fun: collections.abc.Callable[..., typing.Any], inputs: object | None = "
              "None, outputs: object | None = None, shapeless: bool = False) -> "
              "collections.abc.Callable[..., typing.Any]"),
      "A function with the results of `fun`. For now it is in its disabled mode: each call checks\n"
      "the arguments and calls `fun`. Evaluation fuses elementwise operations all the same.\n\n"
      "Args:\n"
      "    fun: takes trees of arrays, int, bool, float, str and None.\n"
      "    inputs: a container whose arrays `fun` reads besides its arguments.\n"
      "    outputs: a container whose arrays `fun` replaces.\n"
      "    shapeless: one trace may serve arguments of all shapes.\n\n"
      "Raises:\n"
      "    ValueError: an argument holds something else (when called).\n\n"
      "Example:\n"
      "    >>> mx.compile(lambda x: mx.exp(-x))(mx.array(0.0))\n"
      "    array(1, dtype=float32)\n");
  m.def("disable_compile", &mx::disable_compile,
        "Turns compilation off for the whole process, over MLX_DISABLE_COMPILE.");
  m.def("enable_compile", &mx::enable_compile,
        "Turns compilation on for the whole process, over MLX_DISABLE_COMPILE; without effect "
        "until there is a compiler.");

  m.def(
      "_evaluation_order",
      [](const nb::args& args) {
        return mx::detail::evaluation_order(collect_arrays(args));
      },
      "args"_a, "Names of the primitives that eval would run, in order; nothing is evaluated.");
  m.def("_set_cpu_fusion", &mx::detail::set_fusion, "on"_a,
        "Turns automatic fusion on or off; returns the previous state.");
}

}  // namespace mlx::bindings
