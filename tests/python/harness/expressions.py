"""Random programs of array ops: built from a seed, run on mlx arrays in whatever way a test wants.

The point is not the values (the case tables have those) but that the way of evaluation never shows:
fused or not, lazy or step by step, one thread or several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from . import dtypes
from .domains import SMALL

_UNARY = "abs negative square sign".split()
_FLOAT_UNARY = """exp tanh sigmoid sin cos erf floor ceil round arctan arcsinh expm1 reciprocal sqrt
rsqrt log1p log""".split()
_BINARY = "add subtract multiply maximum minimum".split()
_FLOAT_BINARY = "divide arctan2 logaddexp remainder power".split()
_COMPARE = "less less_equal greater equal not_equal greater_equal".split()
_BITWISE = "bitwise_and bitwise_or bitwise_xor".split()
_REDUCE = "sum max min mean logsumexp".split()
_CASTS = "float32 float16 bfloat16 int32 int8 bool_ uint8 float64 int64 uint16".split()


@dataclass(frozen=True)
class Step:
    op: str
    arguments: tuple[int, ...]
    option: object = None


@dataclass(frozen=True)
class Program:
    """Leaves first (numpy values and dtype), then steps; `outputs` are ids of values, the last step among them."""

    leaves: tuple
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    def __repr__(self) -> str:
        leaves = [f"v{i} = {d}{list(v.shape)}" for i, (v, d) in enumerate(self.leaves)]
        first = len(leaves)
        steps = [
            f"v{first + i} = {s.op}({', '.join(f'v{a}' for a in s.arguments)}"
            f"{'' if s.option is None else f', {s.option}'})"
            for i, s in enumerate(self.steps)
        ]
        return "; ".join([*leaves, *steps, f"outputs {list(self.outputs)}"])

    def arrays(self) -> list[mx.array]:
        return [dtypes.to_mlx(v, d) for v, d in self.leaves]

    def run(self, arrays: list[mx.array], keep: Callable = lambda a: a) -> list[mx.array]:
        values = list(arrays)
        for step in self.steps:
            values.append(keep(_apply(step, [values[i] for i in step.arguments])))
        return [values[i] for i in self.outputs]


def _apply(step: Step, a: list[mx.array]) -> mx.array:
    if step.op == "astype":
        return a[0].astype(getattr(mx, step.option))
    if step.op == "where":
        return mx.where(*a)
    if step.op in _REDUCE:
        return getattr(mx, step.op)(a[0], axis=step.option, keepdims=True)
    return getattr(mx, step.op)(*a)


def random_program(seed: int, length: int, shape: tuple[int, int, int]) -> Program:
    """`shape` is the broadcast shape of all values; leaves have some of its axes, or 1."""
    rng = np.random.default_rng(seed)
    pick = lambda names: str(rng.choice(names))
    leaves, steps, types = [], [], []
    narrow = [
        dtypes.BY_NAME[n] for n in "float32 bfloat16 float16 int32 uint8 bool_ int8 float64".split()
    ]
    main = rng.choice(len(narrow))
    for i in range(4):
        own = tuple(int(n) if rng.random() < 0.7 else 1 for n in shape) if i else shape
        d = narrow[main] if rng.random() < 0.6 else narrow[rng.choice(len(narrow))]
        drop = 1 if own[0] == 1 and rng.random() < 0.5 else 0
        leaves.append((SMALL.forward(rng, own[drop:], d), d))
        types.append(d)

    def add(op, arguments, result, option=None):
        steps.append(Step(op, tuple(int(a) for a in arguments), option))
        types.append(result)

    while len(steps) < length:
        x, y, z = (int(i) for i in rng.integers(max(0, len(types) - 7), len(types), 3))
        if rng.random() < 0.5:
            x = len(types) - 1
        tx, both = types[x], dtypes.promote(types[x], types[y])
        kind = rng.random()
        if kind < 0.1:
            target = pick(_CASTS)
            add("astype", (x,), dtypes.BY_NAME[target], target)
        elif kind < 0.2:
            add(pick(_COMPARE), (x, y), dtypes.BOOL)
        elif kind < 0.3:
            add("where", (x, y, z), dtypes.promote(types[y], types[z]))
        elif kind < 0.36 and not both.inexact:
            add(pick(_BITWISE), (x, y), both)
        elif kind < 0.42:
            op = pick(_REDUCE)
            result = {"sum": dtypes.sum_type, "max": lambda d: d, "min": lambda d: d}.get(
                op, dtypes.floating
            )(tx)
            add(op, (x,), result, -1 if rng.random() < 0.6 else -2)
        elif kind < 0.6 and tx.inexact:
            add(pick(_FLOAT_UNARY), (x,), tx)
        elif kind < 0.7 and tx.kind != "b":
            add(pick(_UNARY), (x,), tx)
        elif kind < 0.8 and both.inexact:
            add(pick(_FLOAT_BINARY), (x, y), both)
        else:
            add(pick(_BINARY), (x, y), both)
    last = len(types) - 1
    extra = [int(i) for i in rng.integers(len(leaves), last, 2)] if last > len(leaves) else []
    return Program(tuple(leaves), tuple(steps), tuple(dict.fromkeys([*extra, last])))
