"""Case table of the create family. Ops that take an array are ordinary cases; creators without input are rows of
(name, call, numpy value, dtype), compared within the accuracy table.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from harness.case import Case
from harness.domains import ANY_COMPLEX
from harness.dtypes import ALL, BY_NAME

_MATRICES = [((5, 7),), ((7, 5),), ((1, 4),), ((2, 3, 4),), ((33, 70),), ((0, 3),), ((3, 0),)]


def _made(name, call, reference, shapes, variants=({},), **options) -> Case:
    options.setdefault("derivative_shapes", [((3, 4),)])
    return Case(
        name,
        call,
        reference,
        (ANY_COMPLEX,),
        shapes,
        variants=variants,
        accuracy="copy",
        **options,
    )


_OFFSETS = [dict(k=k) for k in (0, 1, -1, 3, -3, 9, -9)]

CASES = [
    _made("tril", lambda a, k: mx.tril(a, k), np.tril, _MATRICES, _OFFSETS),
    _made("triu", lambda a, k: mx.triu(a, k), np.triu, _MATRICES, _OFFSETS),
    _made(
        "diag",
        lambda a, k: mx.diag(a, k),
        np.diag,
        [((4,),), ((1,),), ((0,),)],
        [dict(k=k) for k in (0, 1, -2)],
        derivative_shapes=[((3,),)],
    ),
    _made(
        "diag of matrix",
        lambda a, k: mx.diag(a, k),
        np.diag,
        [((4, 6),), ((6, 4),)],
        [dict(k=k) for k in (0, 1, -2)],
        derivative_shapes=[((3, 4),)],
    ),
    _made("zeros_like", lambda a: mx.zeros_like(a), np.zeros_like, [((3, 4),), ((0, 2),), ((),)]),
    _made("ones_like", lambda a: mx.ones_like(a), np.ones_like, [((3, 4),), ((0, 2),), ((),)]),
    _made(
        "full_like",
        lambda a: mx.full_like(a, 1),
        lambda a: np.full_like(a, 1),
        [((3, 4),), ((0, 2),), ((),)],
    ),
]

NUMBERS = [d for d in ALL if d.name != "bool_"]


def _named(names):
    return [BY_NAME[n] for n in names.split()]


# (what, call(dtype), expected in numpy, dtypes); every row is tried with each of its dtypes.
CREATORS = [
    ("zeros", lambda d: mx.zeros((2, 3), d), np.zeros((2, 3)), ALL),
    ("zeros of int shape", lambda d: mx.zeros(3, d), np.zeros(3), ALL),
    ("zeros empty", lambda d: mx.zeros((2, 0), d), np.zeros((2, 0)), ALL),
    ("zeros scalar", lambda d: mx.zeros((), d), np.zeros(()), ALL),
    (
        "empty",
        lambda d: mx.empty((2,), d) * 0 if d != mx.bool_ else mx.empty((2,), d),
        np.zeros(2),
        ALL,
    ),
    ("ones", lambda d: mx.ones((2, 3), d), np.ones((2, 3)), ALL),
    ("full", lambda d: mx.full((2, 3), 7, d), np.full((2, 3), 7), NUMBERS),
    (
        "full of array",
        lambda d: mx.full((2, 3), mx.array([1, 2, 3], d)),
        np.full((2, 3), [1, 2, 3]),
        NUMBERS,
    ),
    ("eye", lambda d: mx.eye(4, dtype=d), np.eye(4), ALL),
    ("eye wide", lambda d: mx.eye(3, 5, 1, dtype=d), np.eye(3, 5, 1), ALL),
    ("eye tall", lambda d: mx.eye(5, 3, -2, dtype=d), np.eye(5, 3, -2), ALL),
    ("eye beyond", lambda d: mx.eye(3, k=9, dtype=d), np.zeros((3, 3)), ALL),
    ("eye empty", lambda d: mx.eye(0, dtype=d), np.zeros((0, 0)), ALL),
    ("identity", lambda d: mx.identity(3, d), np.eye(3), ALL),
    ("tri", lambda d: mx.tri(4, 5, 1, dtype=d), np.tri(4, 5, 1), ALL),
    ("tri below", lambda d: mx.tri(4, k=-2, dtype=d), np.tri(4, k=-2), ALL),
    ("tri of negative size", lambda d: mx.tri(-1, 3, dtype=d), np.zeros((0, 3)), ALL),
    ("arange", lambda d: mx.arange(10, dtype=d), np.arange(10), NUMBERS[:-1]),
    ("arange range", lambda d: mx.arange(3, 11, 2, dtype=d), np.arange(3, 11, 2), NUMBERS[:-1]),
    ("arange down", lambda d: mx.arange(9, 0, -2, dtype=d), np.arange(9, 0, -2), NUMBERS[:-1]),
    (
        "arange none stop",
        lambda d: mx.arange(9, None, 2, dtype=d),
        np.arange(0, 9, 2),
        NUMBERS[:-1],
    ),
    ("arange empty", lambda d: mx.arange(3, 0, dtype=d), np.zeros(0), NUMBERS[:-1]),
    ("arange as numpy", lambda d: mx.arange(0, 3, 0.2, dtype=d), np.zeros(15), [BY_NAME["int32"]]),
    (
        "linspace",
        lambda d: mx.linspace(0, 1, 5, dtype=d),
        np.linspace(0, 1, 5),
        _named("float32 float64 float16"),
    ),
    (
        "linspace open",
        lambda d: mx.linspace(-3, 4, 7, endpoint=False, dtype=d),
        np.linspace(-3, 4, 7, False),
        _named("float32 float64"),
    ),
    (
        "linspace one",
        lambda d: mx.linspace(2, 5, 1, dtype=d),
        np.array([2.0]),
        _named("float32 int32"),
    ),
    (
        "linspace none",
        lambda d: mx.linspace(2, 5, 0, dtype=d),
        np.zeros(0),
        _named("float32 int32"),
    ),
    (
        "linspace ints",
        lambda d: mx.linspace(0, 9, 4, dtype=d),
        np.array([0, 3, 6, 9]),
        _named("int32 uint8"),
    ),
]

_N = np.arange(9.0)
WINDOWS = [
    ("bartlett", 1 - np.abs(2 * _N / 8 - 1)),
    ("hanning", 0.5 - 0.5 * np.cos(2 * np.pi * _N / 8)),
    ("hamming", 0.54 - 0.46 * np.cos(2 * np.pi * _N / 8)),
    ("blackman", 0.42 - 0.5 * np.cos(2 * np.pi * _N / 8) + 0.08 * np.cos(4 * np.pi * _N / 8)),
]
BATCHED = [case for case in CASES if case.vmap]
DIFFERENTIABLE = [case for case in CASES if case.differentiable]
