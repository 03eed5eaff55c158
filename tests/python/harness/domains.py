"""Makers of input values: `forward` mixes special values, magnitudes and random numbers of a dtype; `smooth`
gives well separated float64 values away from kinks, for derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import dtypes
from .dtypes import DType

_SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    2.0,
    3.0,
    np.pi / 2,
    -np.pi,
    np.e,
    88.5,
    -88.5,
    104.0,
    -104.0,
]
_NONFINITE = [np.inf, -np.inf, np.nan]


@dataclass(frozen=True)
class Domain:
    """Values in [low, high]. `special=False` leaves out NaN, infinities, extremes and magnitudes.

    ints: range for integer dtypes (None: the whole range of the type).
    inside: narrower interval for `smooth`, where the derivative stays moderate.
    """

    low: float = -np.inf
    high: float = np.inf
    special: bool = True
    ints: tuple[int, int] | None = None
    inside: tuple[float, float] | None = None
    nonzero: bool = False
    truths: bool = False  # for float dtypes too, half of the values are zero
    complex_special: bool = (
        False  # NaN, infinities and magnitudes in the parts of complex values as well
    )

    def forward(self, rng: np.random.Generator, shape: tuple[int, ...], d: DType) -> np.ndarray:
        size = int(np.prod(shape, dtype=np.int64))
        if d.kind == "b":
            values = rng.integers(0, 2, size).astype(bool)
            if self.nonzero:
                values[:] = True
        elif d.kind in "ui":
            values = self._integers(rng, size, d)
        elif d.kind == "f":
            values = self._floats(rng, size, d)
        else:
            # Complex overflow depends on the order of operations: magnitudes stay below 1e18.
            limit = 1e18 if self.complex_special else min(3.0, self.high)
            part = replace(self, special=self.complex_special, low=-limit, high=limit)
            values = np.empty(size, np.complex64)
            values.real, values.imag = (part._floats(rng, size, dtypes.FLOAT32) for _ in "ri")
        if self.truths and d.kind != "b":
            values = np.where(rng.integers(0, 2, size) == 1, values, np.zeros((), values.dtype))
        return values.reshape(shape)

    def _integers(self, rng, size, d):
        info = np.iinfo(d.numpy)
        low, high = self.ints or (info.min, info.max)
        low, high = max(low, info.min), min(high, info.max)
        values = rng.integers(low, high, size, dtype=d.numpy, endpoint=True)
        if self.special:
            small = rng.integers(max(low, -20), min(high, 20), size, endpoint=True).astype(d.numpy)
            values = np.where(rng.integers(0, 2, size) == 1, values, small)
            corners = [v for v in (low, high, 0, 1, -1) if low <= v <= high]
            head = np.array(corners, d.numpy)[:size]
            values[: len(head)] = head
        if self.nonzero:
            values[values == 0] = 1
        return values

    def _floats(self, rng, size, d):
        low, high = max(self.low, -d.max), min(self.high, d.max)
        span = (max(low, -4.0), min(high, 4.0)) if low < 4 and high > -4 else (low, high)
        values = rng.uniform(*span, size)
        if self.special:
            # Log-spaced magnitudes over the type's whole range, of both signs, then the special values.
            top = np.log2(d.max)
            magnitudes = np.exp2(rng.uniform(d.min_exponent - d.mantissa, top, size)) * rng.choice(
                [-1, 1], size
            )
            wide = rng.integers(0, 3, size) == 0
            values = np.where(wide & (magnitudes >= low) & (magnitudes <= high), magnitudes, values)
            tiny = 2.0**d.min_exponent
            special = [
                *_SPECIAL,
                tiny,
                -tiny,
                tiny / 4,
                -tiny / 2,
                d.max,
                -d.max,
                2.0**-d.mantissa,
                self.low,
                self.high,
            ]
            special = [v for v in special if self.low <= v <= self.high] + _NONFINITE
            count = min(size, len(special), max(1, size // 3)) if size else 0
            where = rng.permutation(size)[:count]
            values[where] = rng.permutation(special)[:count]
        with np.errstate(all="ignore"):
            if np.isfinite(self.low) or np.isfinite(self.high):
                outside = np.isfinite(values) & ((values < self.low) | (values > self.high))
                values[outside] = rng.uniform(*span, size)[outside]
            if self.nonzero:
                values[np.abs(values) < 2.0**-6] = 1.0
        return dtypes.round_to(values, d)

    def smooth(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        size = int(np.prod(shape, dtype=np.int64))
        low, high = self.inside or (max(self.low, -2.0), min(self.high, 2.0))
        grid = (np.arange(size) + 0.5 + rng.uniform(-0.2, 0.2, size)) / max(size, 1)
        values = low + (high - low) * rng.permutation(grid)
        # Keep clear of integers and halves, where round, floor, abs and their kind have kinks.
        distance = values * 2 - np.rint(values * 2)
        values = np.where(np.abs(distance) < 0.05, values + 0.04, values)
        return values.reshape(shape)


ANY = Domain()
ANY_COMPLEX = Domain(complex_special=True)
FINITE = Domain(special=False)
POSITIVE = Domain(low=0.0, inside=(0.3, 3.0))
UNIT = Domain(low=-1.0, high=1.0, inside=(-0.8, 0.8))
SMALL = Domain(low=-4.0, high=4.0, special=False, ints=(-9, 9))
NONZERO = Domain(nonzero=True, inside=(0.4, 2.2))
TRUTH = Domain(truths=True, ints=(-2, 2))
