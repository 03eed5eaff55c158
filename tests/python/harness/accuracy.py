"""How far a result may be from the exact one, per op and dtype. Tests read this table, docs show it.

A bound is an absolute error made of units in the last place (ULP) of the result's dtype at the exact
value, or at a larger `scale` that the case supplies (a sum of magnitudes, say).
16-bit floats: the float32 result, rounded once, so half a unit of theirs on top of float32's bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import dtypes
from .dtypes import DType

# Half a unit, with room for the reference's own rounding.
ROUNDED = 0.5 + 2.0**-9


@dataclass(frozen=True)
class Accuracy:
    """ULPs allowed in float32 and float64, and in complex64 (ULPs at the modulus).

    The bound is multiplied by 1 + n^grows / 4 for a reduction over n elements: the error of a blocked
    sum is a slow random walk (0.5), that of a product may pile up in one direction (1).
    """

    float32: float
    float64: float
    complex64: float = 4.0
    grows: float | None = None
    roundings: int = 1  # to a 16-bit type on the way to the result, all but the last at the scale


EXACT = Accuracy(0, 0, 0)
CORRECT = Accuracy(ROUNDED, ROUNDED, 4.0)
TRANSCENDENTAL = Accuracy(2.5, 2.0, 8.0)
# float64 has no wider type to accumulate in.
SUM = Accuracy(4, 16, 8, grows=0.5)

TABLE: dict[str, Accuracy] = {
    # Value-preserving ops and correctly rounded arithmetic.
    **dict.fromkeys(
        """abs negative sign floor ceil trunc round positive conjugate conj real imag maximum minimum clip where
        nan_to_num stop_gradient copy max min compare""".split(),
        EXACT,
    ),
    **dict.fromkeys(
        "add subtract multiply divide remainder sqrt square reciprocal cast".split(), CORRECT
    ),
    # Two roundings: the constant and the product.
    **dict.fromkeys("degrees radians".split(), Accuracy(1.5, 1.5, 4, roundings=2)),
    # abs of a complex value is hypot; the exact kinds above do not apply to it.
    "abs_complex": Accuracy(1.5, 1.5, 1.5),
    "sign_complex": Accuracy(3, 3, 3),
    "round_decimals": Accuracy(1.5, 1.5, 4),
    # The quotient is rounded near 2^mantissa; well below, the answer is the very integer.
    "floor_divide": Accuracy(2, 2, 0),
    # Vector math, over the whole range.
    **dict.fromkeys(
        """exp expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
        arctanh erf erfinv sigmoid rsqrt logaddexp arctan2 power""".split(),
        TRANSCENDENTAL,
    ),
    # Reductions and products of sums: at the scale of the sum of magnitudes.
    **dict.fromkeys("sum mean matmul addmm inner tensordot trace".split(), SUM),
    # The products, or the pairwise contractions, are arrays of their own.
    "vecdot": Accuracy(4, 16, 8, grows=0.5, roundings=2),
    "einsum": Accuracy(4, 16, 8, grows=0.5, roundings=3),
    "prod": Accuracy(2, 2, 8, grows=1),
    "var": Accuracy(8, 8, 16, grows=0.5),
    # The root of a variance that was rounded already.
    "std": Accuracy(8, 8, 16, grows=0.5, roundings=2),
    "logsumexp": Accuracy(6, 6, 16, grows=0.5),
    "softmax": Accuracy(6, 6, 16, grows=0.5),
    "linspace": Accuracy(3, 3, 3),
    "arange": Accuracy(3, 3, 3),
    "window": Accuracy(4, 4, 4),
    # Derivatives: a few steps of the above.
    "derivative": Accuracy(64, 64, 64, grows=0.5),
    # Samplers that go through erfinv or log.
    "random": Accuracy(4, 4, 8),
}


def tolerance(
    op: str, d: DType, exact: np.ndarray, scale: np.ndarray | None = None, length: int = 1
) -> np.ndarray:
    """The absolute error allowed at each element of `exact`, a result of dtype `d`."""
    accuracy = TABLE[op]
    growth = 1.0 if accuracy.grows is None else 1 + length**accuracy.grows / 4
    at = np.abs(exact) if scale is None else np.maximum(np.abs(exact), scale)
    if d.kind == "c":
        return growth * accuracy.complex64 * dtypes.ulp(at, d)
    if d.name == "float64":
        return growth * accuracy.float64 * dtypes.ulp(at, d)
    bound = growth * accuracy.float32 * dtypes.ulp(at, dtypes.FLOAT32)
    if d.size == 2 and accuracy is not EXACT:
        bound = bound + ROUNDED * (
            dtypes.ulp(exact, d) + (accuracy.roundings - 1) * dtypes.ulp(at, d)
        )
    return bound
