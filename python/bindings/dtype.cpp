// Data types, their categories and limits, and the array API inspection.
#include "mlx/dtype.h"

#include "mlx/dtype_utils.h"
#include "mlx/utils.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

struct NamedDtype {
  const char* attribute;
  mx::Dtype dtype;
};

constexpr NamedDtype kDtypes[] = {
    {"bool_", mx::bool_},       {"uint8", mx::uint8},       {"uint16", mx::uint16},
    {"uint32", mx::uint32},     {"uint64", mx::uint64},     {"int8", mx::int8},
    {"int16", mx::int16},       {"int32", mx::int32},       {"int64", mx::int64},
    {"float16", mx::float16},   {"float32", mx::float32},   {"float64", mx::float64},
    {"bfloat16", mx::bfloat16}, {"complex64", mx::complex64}};

using Category = mx::Dtype::Category;

struct NamedCategory {
  const char* name;
  Category category;
};

constexpr NamedCategory kCategories[] = {{"complexfloating", Category::complexfloating},
                                         {"floating", Category::floating},
                                         {"inexact", Category::inexact},
                                         {"signedinteger", Category::signedinteger},
                                         {"unsignedinteger", Category::unsignedinteger},
                                         {"integer", Category::integer},
                                         {"number", Category::number},
                                         {"generic", Category::generic}};

std::string six_digits(double value) {
  std::ostringstream os;
  os << value;
  return os.str();
}

bool is_subtype(nb::handle a, nb::handle b) {
  const bool a_dtype = nb::isinstance<mx::Dtype>(a);
  const bool b_dtype = nb::isinstance<mx::Dtype>(b);
  const bool a_category = nb::isinstance<Category>(a);
  const bool b_category = nb::isinstance<Category>(b);
  if ((!a_dtype && !a_category) || (!b_dtype && !b_category)) {
    throw std::invalid_argument("[issubdtype] both arguments must be a Dtype or a DtypeCategory");
  }
  if (a_dtype && b_dtype) {
    return mx::issubdtype(nb::cast<mx::Dtype>(a), nb::cast<mx::Dtype>(b));
  }
  if (a_dtype) {
    return mx::issubdtype(nb::cast<mx::Dtype>(a), nb::cast<Category>(b));
  }
  return b_dtype ? false : mx::issubdtype(nb::cast<Category>(a), nb::cast<Category>(b));
}

bool is_kind(mx::Dtype dtype, nb::handle kind) {
  if (nb::isinstance<mx::Dtype>(kind)) {
    return nb::cast<mx::Dtype>(kind).val() == dtype.val();
  }
  if (PyTuple_Check(kind.ptr())) {
    for (nb::handle entry : kind) {
      if (is_kind(dtype, entry)) {
        return true;
      }
    }
    return false;
  }
  if (nb::isinstance<nb::str>(kind)) {
    const auto name = nb::cast<std::string>(kind);
    if (name == "bool") {
      return dtype == mx::bool_;
    }
    if (name == "signed integer") {
      return mx::issubdtype(dtype, mx::signedinteger);
    }
    if (name == "unsigned integer") {
      return mx::issubdtype(dtype, mx::unsignedinteger);
    }
    if (name == "integral") {
      return mx::issubdtype(dtype, mx::integer);
    }
    if (name == "real floating") {
      return mx::issubdtype(dtype, mx::floating);
    }
    if (name == "complex floating") {
      return mx::issubdtype(dtype, mx::complexfloating);
    }
    if (name == "numeric") {
      return mx::issubdtype(dtype, mx::number);
    }
    throw std::invalid_argument("[isdtype] unknown kind '" + name + "'");
  }
  throw std::invalid_argument("[isdtype] a kind is a Dtype, a string or a tuple of these");
}

// A Dtype or the dtype of an array.
mx::Dtype dtype_of(nb::handle object, const char* who) {
  if (nb::isinstance<mx::Dtype>(object)) {
    return nb::cast<mx::Dtype>(object);
  }
  if (mx::array* array = as_array(object)) {
    return array->dtype();
  }
  throw std::invalid_argument(std::string("[") + who + "] expected arrays and dtypes: got " +
                              nb::type_name(object.type()).c_str());
}

// What __array_namespace_info__ returns.
struct NamespaceInfo {};

nb::dict info_dtypes(nb::handle kind) {
  nb::dict result;
  for (const NamedDtype& entry : kDtypes) {
    if (entry.dtype == mx::float16 || entry.dtype == mx::bfloat16) {
      continue;
    }
    if (kind.is_none() || is_kind(entry.dtype, kind)) {
      result[mx::dtype_to_string(entry.dtype)] = nb::cast(entry.dtype);
    }
  }
  return result;
}

void check_device(nb::handle device) {
  if (!device.is_none() && !nb::isinstance<mx::Device>(device)) {
    throw nb::type_error("device must be a Device or None");
  }
}

}  // namespace

void bind_dtype(nb::module_& m) {
  nb::class_<mx::Dtype>(m, "Dtype", "Type of the elements of an array; compare with ==.")
      .def_prop_ro("size", [](const mx::Dtype& d) { return static_cast<int>(d.size()); },
                   "Bytes per element.")
      .def("__eq__",
           [](const mx::Dtype& d, nb::object other) {
             return nb::isinstance<mx::Dtype>(other) &&
                    nb::cast<mx::Dtype>(other).val() == d.val();
           }, "other"_a.none())
      .def("__ne__",
           [](const mx::Dtype& d, nb::object other) {
             return !(nb::isinstance<mx::Dtype>(other) &&
                      nb::cast<mx::Dtype>(other).val() == d.val());
           }, "other"_a.none())
      .def("__hash__", [](const mx::Dtype& d) { return static_cast<int64_t>(d.val()); })
      .def("__reduce__",
           [](const mx::Dtype& d) {
             nb::object getattr = nb::module_::import_("builtins").attr("getattr");
             const char* name = d == mx::bool_ ? "bool_" : mx::dtype_to_string(d);
             return nb::make_tuple(
                 getattr, nb::make_tuple(nb::module_::import_("mlx.core"), name));
           })
      .def("__repr__", [](const mx::Dtype& d) {
        return std::string("mlx.core.") + mx::dtype_to_string(d);
      });
  for (const NamedDtype& entry : kDtypes) {
    m.attr(entry.attribute) = nb::cast(entry.dtype);
  }

  auto category = nb::enum_<Category>(m, "DtypeCategory", "Families of dtypes, for issubdtype.");
  for (const NamedCategory& entry : kCategories) {
    category.value(entry.name, entry.category);
  }
  category.export_values();

  nb::class_<mx::finfo>(m, "finfo", "Limits of a floating or complex dtype.")
      .def(nb::init<mx::Dtype>(), "dtype"_a)
      .def_ro("bits", &mx::finfo::bits)
      .def_ro("min", &mx::finfo::min)
      .def_ro("max", &mx::finfo::max)
      .def_ro("eps", &mx::finfo::eps)
      .def_ro("smallest_normal", &mx::finfo::smallest_normal)
      .def_ro("dtype", &mx::finfo::dtype)
      .def("__repr__", [](const mx::finfo& f) {
        return "finfo(min=" + six_digits(f.min) + ", max=" + six_digits(f.max) +
               ", dtype=" + mx::dtype_to_string(f.dtype) + ")";
      });
  nb::class_<mx::iinfo>(m, "iinfo", "Limits of an integer dtype.")
      .def(nb::init<mx::Dtype>(), "dtype"_a)
      .def_ro("min", &mx::iinfo::min)
      .def_ro("max", &mx::iinfo::max)
      .def_ro("dtype", &mx::iinfo::dtype)
      .def("__repr__", [](const mx::iinfo& i) {
        return "iinfo(min=" + std::to_string(i.min) + ", max=" + std::to_string(i.max) +
               ", dtype=" + mx::dtype_to_string(i.dtype) + ")";
      });

  m.def(
      "issubdtype", [](nb::handle a, nb::handle b) { return is_subtype(a, b); },
      "arg1"_a.none(), "arg2"_a.none(),
      nb::sig("def issubdtype(arg1: Dtype | DtypeCategory, arg2: Dtype | DtypeCategory, /) -> bool"),
      "Whether the first dtype or category lies in the second.\n\nRaises ValueError for other "
      "objects.\n\nExample:\n    >>> mx.issubdtype(mx.float32, mx.inexact)\n    True\n");
  m.def(
      "isdtype", [](mx::Dtype dtype, nb::handle kind) { return is_kind(dtype, kind); }, "dtype"_a,
      "kind"_a,
      nb::sig("def isdtype(dtype: Dtype, kind: Dtype | str | tuple[Dtype | str, ...]) -> bool"),
      "Whether the dtype is of a kind: 'bool', 'signed integer', 'unsigned integer', 'integral', "
      "'real floating', 'complex floating', 'numeric', a Dtype, or any of a tuple.");
  m.def(
      "result_type",
      [](const nb::args& args) {
        if (args.size() == 0) {
          throw std::invalid_argument("[result_type] at least one array or dtype is needed");
        }
        mx::Dtype result = dtype_of(args[0], "result_type");
        for (size_t i = 1; i < args.size(); ++i) {
          result = mx::promote_types(result, dtype_of(args[i], "result_type"));
        }
        return result;
      },
      "arrays_and_dtypes"_a,
      nb::sig("def result_type(*arrays_and_dtypes: array | Dtype) -> Dtype"),
      "The dtype that arithmetic of the arguments gives.");
  m.def(
      "can_cast",
      [](nb::handle from, mx::Dtype to) {
        return mx::promote_types(dtype_of(from, "can_cast"), to).val() == to.val();
      },
      "from_"_a.none(), "to"_a, nb::sig("def can_cast(from_: array | Dtype, to: Dtype) -> bool"),
      "Whether promotion of the two gives `to`.");

  nb::class_<NamespaceInfo>(m, "_NamespaceInfo")
      .def("capabilities",
           [](NamespaceInfo&) {
             nb::dict d;
             d["boolean indexing"] = false;
             d["data-dependent shapes"] = false;
             d["max dimensions"] = 10;
             return d;
           })
      .def("default_device", [](NamespaceInfo&) { return mx::default_device(); })
      .def(
          "default_dtypes",
          [](NamespaceInfo&, nb::handle device) {
            check_device(device);
            nb::dict d;
            d["real floating"] = nb::cast(mx::float32);
            d["complex floating"] = nb::cast(mx::complex64);
            d["integral"] = nb::cast(mx::int32);
            d["indexing"] = nb::cast(mx::uint32);
            return d;
          },
          nb::kw_only(), "device"_a.none() = nb::none())
      .def("devices",
           [](NamespaceInfo&) { return nb::make_tuple(mx::Device(mx::Device::cpu, 0)); })
      .def(
          "dtypes",
          [](NamespaceInfo&, nb::handle device, nb::handle kind) {
            check_device(device);
            return info_dtypes(kind);
          },
          nb::kw_only(), "device"_a.none() = nb::none(), "kind"_a.none() = nb::none());
  m.def("__array_namespace_info__", [] { return NamespaceInfo{}; },
        "Inspection of the array API standard.");
}

}  // namespace mlx::bindings
