# The package marker. It holds no code of its own: arrays and operations live in the compiled
# extension mlx.core, layers in mlx.nn, update rules in mlx.optimizers, tree functions in mlx.utils.
"""MLX arrays, layers and optimizers. All of it lives in submodules; start with ``mlx.core``."""

from importlib.util import find_spec as _find_spec


def _require_core() -> None:
    """Raises one clear ImportError when the compiled extension is not beside this file."""
    spec = _find_spec("mlx.core")
    # A folder named core/ (type stubs, or the C++ sources) is found as a namespace package,
    # whose loader has no file to execute.
    if spec is None or spec.origin is None:
        raise ImportError(
            "the compiled extension mlx.core was not found in "
            f"{list(__path__)}: build it with `make build`, or install the package with "
            "`pip install .`; when it is installed elsewhere, start Python with -P so that this "
            "source folder does not come first"
        )


_require_core()
