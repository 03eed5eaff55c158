"""One row of a family's case table: an op, the inputs it is tried on, and the numpy reference.

How to add one: tests/README.md.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from . import domains
from .domains import Domain
from .dtypes import ALL, DType, promote

Shape = tuple[int, ...]


def unary_shapes() -> list[tuple[Shape, ...]]:
    """A matrix with odd sides, a cube, lengths around the vector widths, and the degenerate ones."""
    lengths = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 129, 257)
    return [
        ((7, 29),),
        ((3, 4, 5),),
        *(((n,),) for n in lengths),
        ((),),
        ((0,),),
        ((3, 0),),
        ((2, 1, 3, 1, 2, 1, 2),),
    ]


def binary_shapes() -> list[tuple[Shape, ...]]:
    pairs = [
        ((7, 29), (7, 29)),
        ((7, 29), ()),
        ((), (7, 29)),
        ((7, 29), (29,)),
        ((7, 29), (7, 1)),
        ((7, 1), (1, 29)),
        ((29,), (7, 29)),
        ((3, 1, 5), (4, 1)),
        ((2, 3, 4, 5), (3, 1, 5)),
        ((257,), (257,)),
        ((65,), (1,)),
        ((), ()),
        ((0,), (1,)),
        ((3, 0), (3, 1)),
        ((1, 1), (1,)),
    ]
    return pairs + [((n,), (n,)) for n in (1, 3, 8, 15, 17, 33, 64)]


@dataclass(frozen=True)
class Case:
    """name: shown by pytest; `needs` (default: the part of the name before the first blank) must exist in mlx.core.

    call(*arrays, **variant)   the op on mlx arrays
    reference(*arrays, **variant)  the same in numpy; floats arrive in (at least) double the precision, integers in
               the dtype that the op computes in (`compute`), and the result may have any wide type
    result     dtype of the result from the input dtypes
    compute    dtype the inputs are converted to before the reference sees them (None: each its own)
    scale      magnitudes at which the accuracy is measured (default: the exact result)
    length     number of terms behind an element of the result, from the input shapes
    """

    name: str
    call: Callable[..., mx.array]
    reference: Callable[..., np.ndarray]
    domains: Sequence[Domain] = (domains.ANY,)
    shapes: Sequence[tuple[Shape, ...]] = field(default_factory=unary_shapes)
    dtypes: Sequence[DType] = ALL
    variants: Sequence[dict[str, Any]] = ({},)
    result: Callable[..., DType] = promote
    compute: Callable[..., DType] | None = promote
    accuracy: str = ""
    scale: Callable[..., np.ndarray] | None = None
    length: Callable[..., int] = lambda *shapes, **variant: 1
    needs: str = ""
    differentiable: bool = True
    derivative_shapes: Sequence[tuple[Shape, ...]] | None = None
    vmap: bool = True
    bitwise_vmap: bool = True  # vmap must give the very bits of the loop (elementwise, moves)
    holomorphic: bool = False  # complex vjp and jvp are checked as well
    signed_zeros: bool = False  # the sign of a zero result is part of the answer
    gradient_slack: float = 1.0  # for derivatives that are large inside the domain

    def __post_init__(self):
        if not self.accuracy:
            object.__setattr__(self, "accuracy", self.name.split()[0])
        if not self.needs:
            object.__setattr__(self, "needs", self.name.split()[0])

    @property
    def arity(self) -> int:
        return len(self.shapes[0])

    def small_shapes(self) -> list[tuple[Shape, ...]]:
        """Shapes for derivatives and vmap: few elements, broadcasting where the op takes two operands."""
        return {1: [((2, 3),)], 2: [((2, 3), (3,)), ((3,), (2, 1))], 3: [((2, 3), (3,), (2, 1))]}[
            self.arity
        ]

    def domain(self, i: int) -> Domain:
        return self.domains[min(i, len(self.domains) - 1)]

    def rng(self, *salt) -> np.random.Generator:
        """The same numbers in every run, process and test order."""
        return np.random.default_rng(zlib.crc32(repr((self.name, *salt)).encode()))

    def skip_if_absent(self) -> None:
        missing = [name for name in self.needs.split() if not has(name)]
        if missing:
            pytest.skip(f"mlx.core has no {', '.join(missing)} yet")

    def but(self, **changes) -> Case:
        return replace(self, **changes)


def has(path: str) -> bool:
    """Whether mlx.core has the (dotted) attribute."""
    where = mx
    for part in path.split("."):
        if not hasattr(where, part):
            return False
        where = getattr(where, part)
    return True


def ids(cases: Sequence[Case]) -> list[str]:
    return [case.name.replace(" ", "-") for case in cases]
