// Printing options, memory statistics and limits, settings, constants.
#include <cmath>
#include <limits>

#include "mlx/core/parallel.h"
#include "mlx/core/settings.h"
#include "mlx/memory.h"
#include "mlx/utils.h"
#include "python/bindings/convert.h"

using namespace nb::literals;

namespace mlx::bindings {

namespace {

// with mx.printoptions(precision=4):
struct PrintOptionsContext {
  mx::PrintOptions options;
  mx::PrintOptions previous;
};

void apply_options(const mx::PrintOptions& options) {
  mx::set_printoptions(options);
  mx::get_global_formatter().capitalize_bool = true;
}

}  // namespace

void bind_printing(nb::module_& m) {
  mx::get_global_formatter().capitalize_bool = true;
  nb::class_<mx::PrintOptions>(m, "PrintOptions", "How floating point elements are printed.")
      .def("__init__",
           [](mx::PrintOptions* self, int precision) { new (self) mx::PrintOptions{precision}; },
           "precision"_a = -1)
      .def_rw("precision", &mx::PrintOptions::precision,
              "Decimals; -1 shows six significant digits.");
  nb::class_<PrintOptionsContext>(m, "_PrintOptionsContext")
      .def("__enter__",
           [](nb::handle self) {
             auto& context = nb::cast<PrintOptionsContext&>(self);
             context.previous = mx::get_global_formatter().format_options;
             apply_options(context.options);
             return nb::borrow(self);
           })
      .def(
          "__exit__",
          [](PrintOptionsContext& context, nb::handle, nb::handle, nb::handle) {
            apply_options(context.previous);
          },
          "exc_type"_a.none() = nb::none(), "exc_value"_a.none() = nb::none(),
          "traceback"_a.none() = nb::none());
  m.def("set_printoptions", [](int precision) { apply_options({precision}); }, "precision"_a = -1,
        "Sets the decimals of printed floating point elements; -1 shows six significant digits.");
  m.def("get_printoptions", [] { return mx::get_global_formatter().format_options; },
        "The print options in force.");
  m.def("printoptions", [](int precision) { return PrintOptionsContext{{precision}, {}}; },
        "precision"_a = -1, nb::sig("def printoptions(precision: int = -1) -> _PrintOptionsContext"),
        "Context manager that sets print options inside the block.");

  m.attr("pi") = 3.14159265358979323846;
  m.attr("e") = 2.71828182845904523536;
  m.attr("euler_gamma") = 0.57721566490153286061;
  m.attr("inf") = std::numeric_limits<double>::infinity();
  m.attr("nan") = std::numeric_limits<double>::quiet_NaN();
  m.attr("newaxis") = nb::none();
}

void bind_memory(nb::module_& m) {
  m.def("get_active_memory", &mx::get_active_memory, "Bytes in buffers of living arrays.");
  m.def("get_peak_memory", &mx::get_peak_memory,
        "Largest active memory since the start or the last reset, in bytes.");
  m.def("reset_peak_memory", &mx::reset_peak_memory, "Sets the peak to zero.");
  m.def("get_cache_memory", &mx::get_cache_memory, "Bytes kept for reuse.");
  m.def("set_memory_limit", &mx::set_memory_limit, "limit"_a,
        "Sets the guideline for active memory in bytes; returns the previous one.");
  m.def("set_cache_limit", &mx::set_cache_limit, "limit"_a,
        "Sets how many bytes may be kept for reuse; returns the previous limit.");
  m.def("set_wired_limit", &mx::set_wired_limit, "limit"_a,
        "Has an effect on Metal only; returns the previous limit.");
  m.def(
      "clear_cache",
      [] {
        nb::gil_scoped_release release;
        mx::clear_cache();
      },
      "Gives memory kept for reuse back to the system.");
}

void bind_settings(nb::module_& m) {
  m.def(
      "_settings",
      [] {
        nb::list rows;
        for (const auto& row : mx::settings::report()) {
          std::string description;
          for (const auto& setting : mx::settings::kTable) {
            if (row.name == setting.name) {
              description = setting.description;
            }
          }
          rows.append(nb::make_tuple(row.name, row.value, row.source, row.effect, description));
        }
        nb::list unknown;
        for (const auto& variable : mx::settings::unknown_variables()) {
          nb::object nearest = nb::none();
          if (!variable.nearest.empty()) {
            nearest = nb::str(variable.nearest.c_str());
          }
          unknown.append(nb::make_tuple(variable.name, nearest));
        }
        return nb::make_tuple(rows, unknown);
      },
      "Rows (name, value, source, effect, description) of all settings, and pairs (name, nearest "
      "known name) of unknown variables.");
  m.def("_set_num_threads", &mx::set_num_threads, "threads"_a,
        "Caps the threads of parallel loops; returns the previous cap.");
  m.def("_num_threads", &mx::num_threads, "Threads that a parallel loop may use.");
}

}  // namespace mlx::bindings
