"""The same values in memory in different ways. Each layout takes row-major numpy values and gives an mlx array
equal to them; those that cannot hold the values (broadcast) change the values first and say so.
"""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx
import numpy as np

from . import dtypes
from .dtypes import DType


def contiguous(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    return dtypes.to_mlx(values, d), values


def transposed(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    return dtypes.to_mlx(values.T, d).T, values


def swapped(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    """First two axes exchanged, so that neither the first nor the last axis is the longest stride in 3-d."""
    if values.ndim < 2:
        return contiguous(values, d)
    return mx.swapaxes(dtypes.to_mlx(np.swapaxes(values, 0, 1), d), 0, 1), values


def strided(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    """Every second element of an array twice as long on each axis; what lies between is poison."""
    if values.ndim == 0:
        return contiguous(values, d)
    big = np.full([2 * n + 1 for n in values.shape], poison(d), d.numpy)
    every = tuple(slice(1, None, 2) for _ in values.shape)
    big[every] = values
    return dtypes.to_mlx(big, d)[every], values


def row_gaps(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    """Rows that are dense themselves, with a gap between them, starting off alignment."""
    if values.ndim == 0:
        return contiguous(values, d)
    shape = (*values.shape[:-1], values.shape[-1] + 5)
    big = np.full(shape, poison(d), d.numpy)
    big[..., 1 : values.shape[-1] + 1] = values
    return dtypes.to_mlx(big, d)[..., 1 : values.shape[-1] + 1], values


def reversed_(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    if values.ndim == 0:
        return contiguous(values, d)
    back = tuple(slice(None, None, -1) for _ in values.shape)
    return dtypes.to_mlx(np.array(values[back]), d)[back], values


def last_reversed(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    if values.ndim == 0:
        return contiguous(values, d)
    return dtypes.to_mlx(np.array(values[..., ::-1]), d)[..., ::-1], values


def offset(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    """Dense, but starting three elements into its buffer."""
    if values.size == 0:
        return contiguous(values, d)
    flat = np.concatenate([np.full(3, poison(d), d.numpy), values.reshape(-1)])
    return dtypes.to_mlx(flat, d)[3:].reshape(values.shape), values


def rows_repeated(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    """Stride 0 on the first axis: its first slice everywhere."""
    if values.ndim == 0 or values.shape[0] == 0:
        return contiguous(values, d)
    first = np.array(values[:1])
    return mx.broadcast_to(dtypes.to_mlx(first, d), values.shape), np.broadcast_to(
        first, values.shape
    )


def columns_repeated(values: np.ndarray, d: DType) -> tuple[mx.array, np.ndarray]:
    """Stride 0 on the last axis."""
    if values.ndim == 0 or values.shape[-1] == 0:
        return contiguous(values, d)
    first = np.array(values[..., :1])
    return mx.broadcast_to(dtypes.to_mlx(first, d), values.shape), np.broadcast_to(
        first, values.shape
    )


def poison(d: DType):
    """A value that spoils any result it leaks into."""
    return np.nan if d.inexact else (True if d.kind == "b" else np.iinfo(d.numpy).max // 3)


Layout = Callable[..., tuple]

LAYOUTS: dict[str, Layout] = {
    f.__name__.strip("_"): f
    for f in (
        contiguous,
        transposed,
        strided,
        row_gaps,
        reversed_,
        last_reversed,
        offset,
        swapped,
        rows_repeated,
        columns_repeated,
    )
}
