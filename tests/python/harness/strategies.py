"""Hypothesis strategies: arrays of any shape and stride, seen alike by numpy and by mlx."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from hypothesis import strategies as st

from . import dtypes

shapes = st.lists(st.integers(0, 6), min_size=0, max_size=4).map(tuple)
full_shapes = st.lists(st.integers(1, 6), min_size=1, max_size=4).map(tuple)


@st.composite
def slices(draw, size: int):
    """A slice of an axis of this size, with any bounds and step, negative ones and out-of-range ones too."""
    bound = st.none() | st.integers(-size - 2, size + 2)
    step = draw(st.none() | st.sampled_from([1, 2, 3, -1, -2, -3]))
    return slice(draw(bound), draw(bound), step)


@st.composite
def basic_indices(draw, shape: tuple[int, ...]):
    """A tuple of ints, slices, None and at most one Ellipsis, legal for the shape."""
    items = []
    axes = draw(st.integers(0, len(shape)))
    for size in shape[:axes]:
        if size and draw(st.booleans()) and draw(st.booleans()):
            items.append(draw(st.integers(-size, size - 1)))
        else:
            items.append(draw(slices(size)))
        if draw(st.integers(0, 5)) == 0:
            items.append(None)
    if axes == len(shape) and draw(st.integers(0, 4)) == 0:
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    return tuple(items)


@st.composite
def views(draw, d=dtypes.FLOAT32, max_steps: int = 4, shape=shapes):
    """(mlx array, equal numpy array): a dense array after some slices, transposes, broadcasts and new axes."""
    start = draw(shape)
    size = int(np.prod(start, dtype=np.int64))
    values = dtypes.round_to((np.arange(size) % 251 - 100) / 4, d).reshape(start)
    a, n = dtypes.to_mlx(values, d), values
    for _ in range(draw(st.integers(0, max_steps))):
        kind = draw(st.sampled_from(["index", "transpose", "broadcast", "expand", "reshape"]))
        if kind == "index" and n.ndim:
            index = draw(basic_indices(n.shape))
            a, n = a[index], n[index]
        elif kind == "transpose":
            axes = draw(st.permutations(range(n.ndim)))
            a, n = mx.transpose(a, axes), n.transpose(axes)
        elif kind == "broadcast" and n.ndim < 5:
            lead = draw(st.lists(st.integers(0, 3), max_size=1))
            target = (*lead, *(draw(st.integers(0, 4)) if s == 1 else s for s in n.shape))
            a, n = mx.broadcast_to(a, target), np.broadcast_to(n, target)
        elif kind == "expand" and n.ndim < 5:
            axis = draw(st.integers(0, n.ndim))
            a, n = mx.expand_dims(a, axis), np.expand_dims(n, axis)
        elif kind == "reshape":
            flat = draw(st.booleans())
            target = (n.size,) if flat else (1, *n.shape[::-1])
            a, n = mx.reshape(a, target), n.reshape(target)
        if n.size > 3000:
            break
    return a, n
