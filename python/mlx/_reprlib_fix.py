# Keeps the standard library's reprlib (used by debuggers and pytest) from taking mlx.core.array,
# whose class is named "array", for an array.array. The compiled extension imports it once.
"""Makes :mod:`reprlib` format only :class:`array.array` objects as ``array.array``."""

import array
import reprlib

_format_standard_array = reprlib.Repr.repr_array


def _repr_array(self, x, level):
    # reprlib picks the method by the name of the class alone.
    if isinstance(x, array.array):
        return _format_standard_array(self, x, level)
    return self.repr_instance(x, level)


reprlib.Repr.repr_array = _repr_array  # type: ignore[method-assign]
