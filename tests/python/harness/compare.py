"""Comparison of a result with the exact values, within the accuracy table."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from . import accuracy, dtypes
from .dtypes import DType


def close(
    got: mx.array,
    exact: np.ndarray,
    d: DType,
    op: str,
    *,
    scale: np.ndarray | None = None,
    length: int = 1,
    signed_zeros: bool = False,
    context: str = "",
) -> None:
    """Raises AssertionError naming the first element of `got` that is too far from `exact`, both as dtype `d`."""
    exact = np.asarray(exact)
    assert dtypes.of(got) == d, f"{context}: dtype {dtypes.of(got)}, expected {d}"
    assert tuple(got.shape) == exact.shape, (
        f"{context}: shape {tuple(got.shape)}, expected {exact.shape}"
    )
    values = dtypes.to_numpy(got)
    if not d.inexact:
        with np.errstate(all="ignore"):
            _report(values != exact.astype(d.numpy), values, exact, None, context)
        return
    with np.errstate(all="ignore"):
        bound = accuracy.tolerance(op, d, exact, scale, length)
        wide = dtypes.widen(values, d)
        if d.kind == "c":
            wrong = _complex_wrong(wide, exact.astype(np.complex128), bound).reshape(exact.shape)
        else:
            exact = exact.astype(wide.dtype)
            wrong = _real_wrong(wide, exact, bound, d).reshape(exact.shape)
            if signed_zeros:
                wrong |= (exact == 0) & (wide == 0) & (np.signbit(exact) != np.signbit(wide))
    _report(wrong, values, exact, bound, context)


def _real_wrong(wide, exact, bound, d):
    wide, exact, bound = np.atleast_1d(wide), np.atleast_1d(exact), np.atleast_1d(bound)
    wrong = np.abs(wide - exact) > bound  # False where either is NaN
    wrong |= np.isnan(wide) != np.isnan(exact)
    # Exact infinities must be met; overflow may go either way only within the bound of the largest number.
    wrong |= np.isinf(exact) & (wide != exact)
    edge = d.max + dtypes.ulp(np.array(d.max), d) / 2
    overflow = np.isinf(wide) & np.isfinite(exact)
    wrong = np.where(
        overflow, (np.abs(exact) + bound < edge) | (np.sign(wide) != np.sign(exact)), wrong
    )
    # A finite answer where the exact value rounds to infinity is right only near the edge (error <= bound).
    return wrong


def _complex_wrong(wide, exact, bound):
    wide, exact, bound = np.atleast_1d(wide), np.atleast_1d(exact), np.atleast_1d(bound)
    exact = np.where(
        np.isinf(exact.astype(np.complex64)), exact.astype(np.complex64), exact
    )  # overflow
    nan, inf = np.isnan(wide), np.isinf(wide)
    wrong = (nan != np.isnan(exact)) | (inf != np.isinf(exact))
    finite = np.isfinite(wide) & np.isfinite(exact)
    return wrong | (finite & (np.abs(wide - exact) > bound))


def _report(wrong, values, exact, bound, context):
    wrong = np.asarray(wrong)
    if not wrong.any():
        return
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    allowed = (
        "" if bound is None else f", allowed error {np.broadcast_to(bound, wrong.shape)[at]:.3g}"
    )
    raise AssertionError(
        f"{context}: {int(wrong.sum())} of {wrong.size} wrong, first at {at}: "
        f"got {values[at]!r}, exact {np.broadcast_to(exact, wrong.shape)[at]!r}{allowed}"
    )


def same_bits(a: mx.array, b: mx.array, context: str = "") -> None:
    """Same dtype, shape and bits (all NaNs count as one)."""
    assert a.dtype == b.dtype, f"{context}: dtypes {a.dtype} and {b.dtype}"
    assert tuple(a.shape) == tuple(b.shape), f"{context}: shapes {a.shape} and {b.shape}"
    if dtypes.bits(a) == dtypes.bits(b):
        return
    left, right = dtypes.to_numpy(a), dtypes.to_numpy(b)
    with np.errstate(all="ignore"):
        differ = (left != right) & ~((left != left) & (right != right))
        if left.dtype.kind == "f":
            differ |= (left == 0) & (right == 0) & (np.signbit(left) != np.signbit(right))
    at = tuple(int(i) for i in np.argwhere(differ)[0]) if differ.any() and differ.ndim else ()
    raise AssertionError(
        f"{context}: {int(differ.sum())} elements differ, at {at}: {left[at]!r} and {right[at]!r}"
    )
