// Entry point of the extension module mlx.core: calls the registration
// function of each binding file. The bindings themselves live beside it.
#include "mlx/version.h"
#include "python/bindings/convert.h"

NB_MODULE(core, m) {
  m.doc() = "mlx: arrays with lazy evaluation and composable transforms";
  m.attr("__version__") = mlx::core::version();

  using namespace mlx::bindings;
  bind_dtype(m);
  bind_device(m);
  bind_array(m);
  bind_printing(m);
  bind_memory(m);
  bind_settings(m);
  bind_elementwise(m);
  bind_create(m);
  bind_shape(m);
  bind_reduce(m);
  bind_matmul(m);
  bind_index(m);
  bind_random(m);
  bind_transforms(m);
  bind_io(m);

  // reprlib (pytest, debuggers) takes any class named `array` for array.array.
  nb::module_::import_("mlx._reprlib_fix");
}
