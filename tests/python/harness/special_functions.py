"""erf and its inverse in extended precision, which numpy lacks; correctly rounded integer power."""

from __future__ import annotations

import numpy as np

_LONG = np.longdouble
_TWO_OVER_ROOT_PI = _LONG(2) / np.sqrt(np.arctan2(_LONG(0), _LONG(-1)))


def erf(x: np.ndarray) -> np.ndarray:
    """2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (2n+1)!!, whose terms are all of one sign; 1 - erfc beyond 3."""
    x = np.asarray(x, _LONG)
    small = np.where(np.abs(x) < 3, x, 0)
    term, total = small, small
    for n in range(1, 90):
        term = term * 2 * small * small / (2 * n + 1)
        total = total + term
    near = _TWO_OVER_ROOT_PI * np.exp(-small * small) * total
    far = np.sign(x) * (1 - erfc_tail(np.maximum(np.abs(x), 3)))
    return np.where(np.isnan(x), x, np.where(np.abs(x) < 3, near, far))


def erfc_tail(x: np.ndarray) -> np.ndarray:
    """erfc for x >= 1.5 by its continued fraction, to full relative precision."""
    x = np.asarray(x, _LONG)
    fraction = np.zeros_like(x)
    for n in range(300, 0, -1):
        fraction = (_LONG(n) / 2) / (x + fraction)
    return np.exp(-x * x) * (_TWO_OVER_ROOT_PI / 2) / (x + fraction)


def erfinv(y: np.ndarray) -> np.ndarray:
    y = np.asarray(y, _LONG)
    inside = np.where(np.abs(y) < 1, y, 0)
    magnitude = np.abs(inside)
    low, high = np.zeros_like(magnitude), np.full_like(magnitude, 8)
    for _ in range(20):
        middle = (low + high) / 2
        below = np.where(middle < 2, erf(middle), 1 - erfc_tail(np.maximum(middle, 2))) < magnitude
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    x = (low + high) / 2
    for _ in range(5):
        # Newton on erf below 2, on erfc above it, where erf has lost its digits.
        slope = _TWO_OVER_ROOT_PI * np.exp(-x * x)
        error = np.where(
            x < 2, erf(np.minimum(x, 2)) - magnitude, (1 - magnitude) - erfc_tail(np.maximum(x, 2))
        )
        x = np.maximum(x - error / slope, 0)
    x = np.where(magnitude == 0, inside, np.copysign(x, inside))
    return np.where(np.abs(y) == 1, y * np.inf, np.where(np.abs(y) < 1, x, np.nan))


def integer_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Wrapping power; a negative exponent gives 0, also for bases 1 and -1."""
    base, exponent = np.broadcast_arrays(base, exponent)
    negative = exponent < 0
    left = np.where(negative, 0, exponent).astype(exponent.dtype)
    result, square = np.ones_like(base), base.copy()
    while left.any():
        result = np.where(left & 1, result * square, result).astype(base.dtype)
        square = (square * square).astype(base.dtype)
        left = left >> 1
    return np.where(negative, 0, result).astype(base.dtype)
