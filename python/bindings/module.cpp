// Entry point of the extension module mlx.core: calls the registration
// function of each binding file. The bindings themselves live beside it.
#include <nanobind/nanobind.h>

#include "mlx/version.h"

namespace nb = nanobind;

NB_MODULE(core, m) {
  m.doc() = "mlx: arrays with lazy evaluation and composable transforms";
  m.attr("__version__") = mlx::core::version();
}
