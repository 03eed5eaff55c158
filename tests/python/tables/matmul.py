"""Case table of the matmul family. Bounds grow with the contracted length, at the scale of |a| @ |b|."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from harness.case import Case
from harness.domains import Domain
from harness.dtypes import ALL, INEXACT, sum_type

_UNIT = Domain(low=-1.5, high=1.5, special=False, ints=(-4, 4), inside=(-1.5, 1.5))

# m, n, k around register tiles and cache blocks; vectors; batches that broadcast; empty sides.
PRODUCTS = [
    ((7, 29), (29, 5)),
    ((1, 1), (1, 1)),
    ((17, 33), (33, 9)),
    ((64, 64), (64, 64)),
    ((3, 129), (129, 65)),
    ((130, 7), (7, 131)),
    ((29,), (29, 5)),
    ((7, 29), (29,)),
    ((257,), (257,)),
    ((2, 5, 7), (2, 7, 3)),
    ((2, 1, 5, 7), (3, 7, 4)),
    ((4, 3, 5), (5, 6)),
    ((5, 6), (4, 6, 3)),
    ((3, 4), (2, 3, 4, 5)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 3)),
    ((0, 4), (4, 3)),
    ((2, 0), (0, 3)),
    ((0, 2, 3), (3, 4)),
]
SMALL_PRODUCTS = [
    ((2, 3), (3, 2)),
    ((3,), (3, 2)),
    ((2, 3), (3,)),
    ((3,), (3,)),
    ((2, 2, 3), (3, 2)),
]


def product(name, call, reference, shapes, length, derivative_shapes, **options) -> Case:
    options.setdefault("dtypes", INEXACT)
    options.setdefault("accuracy", name.split()[0])
    return Case(
        name,
        call,
        reference,
        (_UNIT,),
        shapes,
        length=length,
        derivative_shapes=derivative_shapes,
        bitwise_vmap=False,
        **options,
    )


def _abs_of(reference):
    return lambda *arrays, **variant: reference(
        *map(np.abs, arrays),
        **{k: abs(v) if isinstance(v, float) else v for k, v in variant.items()},
    )


def _inner_length(a, *_, **__):
    return max(a[-1] if a else 1, 1)


def _tensordot(a, b, axes):
    return np.tensordot(a, b, axes)


def _wide_matmul(a, b):
    if (
        a.dtype == np.longdouble and a.size > 10_000
    ):  # numpy has no BLAS for it; a float64 sum is good enough here
        a, b = a.astype(np.float64), b.astype(np.float64)
    return np.matmul(a, b)


def _addmm(c, a, b, alpha=1.0, beta=1.0):
    return beta * c + alpha * (a @ b)


def _integers_widened(function):
    """np.vecdot and trace of integers wrap as sum's accumulator does."""

    def reference(*arrays, **variant):
        wide = [
            x.astype(np.uint64 if x.dtype.kind == "u" else np.int64) if x.dtype.kind in "biu" else x
            for x in arrays
        ]
        return function(*wide, **variant)

    return reference


def _vecdot(a, b, axis=-1):
    return np.sum(np.conj(a) * b, axis=axis)


CASES = [
    product(
        "matmul",
        lambda a, b: mx.matmul(a, b),
        _wide_matmul,
        PRODUCTS,
        _inner_length,
        SMALL_PRODUCTS,
        scale=_abs_of(_wide_matmul),
    ),
    product(
        "matmul operands transposed",
        lambda a, b: a.T @ b.T,
        lambda a, b: a.T @ b.T,
        [((29, 7), (5, 29)), ((33, 17), (9, 33)), ((129, 65), (70, 129))],
        lambda a, b: a[0],
        [((3, 2), (2, 3))],
        scale=_abs_of(lambda a, b: a.T @ b.T),
        vmap=False,
    ),
    product(
        "matmul blocks",
        lambda a, b: mx.matmul(a, b),
        _wide_matmul,
        [
            ((200, 300), (300, 130)),
            ((1, 700), (700, 300)),
            ((300, 700), (700, 1)),
            ((5, 1200), (1200, 40)),
        ],
        _inner_length,
        None,
        dtypes=INEXACT,
        scale=_abs_of(_wide_matmul),
        differentiable=False,
        vmap=False,
    ),
    product(
        "addmm",
        lambda c, a, b, **k: mx.addmm(c, a, b, **k),
        _addmm,
        [
            ((7, 5), (7, 29), (29, 5)),
            ((5,), (7, 29), (29, 5)),
            ((), (17, 33), (33, 9)),
            ((7, 1), (7, 3), (3, 5)),
            ((4,), (2, 3, 5), (5, 4)),
            ((3,), (2, 0), (0, 3)),
            ((), (4,), (4,)),
        ],
        lambda c, a, b, **_: max(a[-1], 1),
        [((2, 2), (2, 3), (3, 2)), ((2,), (2, 3), (3, 2))],
        variants=[dict(), dict(alpha=0.5, beta=2.0), dict(alpha=-1.5, beta=0.0)],
        scale=_abs_of(_addmm),
    ),
    product(
        "inner",
        lambda a, b: mx.inner(a, b),
        np.inner,
        [((29,), (29,)), ((7, 29), (5, 29)), ((2, 3, 4), (4,)), ((3, 5), (2, 4, 5)), ((0,), (0,))],
        _inner_length,
        [((2, 3), (2, 3))],
        scale=_abs_of(np.inner),
    ),
    product(
        "inner scalar",
        lambda a, b: mx.inner(a, b),
        np.multiply,
        [((), (3, 4)), ((5,), ()), ((), ())],
        _inner_length,
        [((), (3,))],
        scale=_abs_of(np.multiply),
    ),
    product(
        "outer",
        lambda a, b: mx.outer(a, b),
        lambda a, b: np.multiply.outer(a.reshape(-1), b.reshape(-1)),
        [((7,), (29,)), ((2, 3), (4,)), ((), (3,)), ((0,), (3,))],
        lambda *_: 1,
        [((3,), (2,))],
        dtypes=ALL,
        accuracy="multiply",
        scale=lambda a, b: (
            np.multiply.outer(np.abs(a).reshape(-1), np.abs(b).reshape(-1))
            if a.dtype.kind == "c"
            else None
        ),
    ),
    product(
        "vecdot",
        lambda a, b, **k: mx.vecdot(a, b, **k),
        _integers_widened(_vecdot),
        [((7, 29), (7, 29)), ((29,), (29,)), ((3, 4), (1, 4)), ((2, 0), (2, 0))],
        _inner_length,
        [((2, 3), (2, 3))],
        dtypes=ALL,
        result=lambda a, b: sum_type(a),
        scale=lambda a, b: np.sum(np.abs(a) * np.abs(b), -1) if a.dtype.kind in "fc" else None,
    ),
    product(
        "tensordot",
        lambda a, b, axes: mx.tensordot(a, b, axes),
        _tensordot,
        [((3, 4, 5), (4, 5, 6))],
        lambda *_, **__: 20,
        [((2, 2, 3), (2, 3, 2))],
        variants=[
            dict(axes=2),
            dict(axes=[[1, 2], [0, 1]]),
            dict(axes=[[2, 1], [1, 0]]),
            dict(axes=0),
        ],
        scale=_abs_of(_tensordot),
    ),
    product(
        "kron",
        lambda a, b: mx.kron(a, b),
        np.kron,
        [((2, 3), (4, 5)), ((3,), (2, 2)), ((), (3,)), ((2, 1, 3), (3, 2))],
        lambda *_: 1,
        [((2,), (2, 2))],
        dtypes=ALL,
        accuracy="multiply",
        scale=lambda a, b: np.kron(np.abs(a), np.abs(b)) if a.dtype.kind == "c" else None,
    ),
    *(
        product(
            f"einsum {subscripts}",
            lambda *arrays, subscripts=subscripts: mx.einsum(subscripts, *arrays),
            lambda *arrays, subscripts=subscripts: _einsum(subscripts, *arrays),
            [shapes],
            lambda *_, n=length: n,
            [small],
            scale=lambda *arrays, subscripts=subscripts: _einsum(subscripts, *map(np.abs, arrays)),
        )
        for subscripts, shapes, length, small in [
            ("ij,jk->ik", ((7, 29), (29, 5)), 29, ((2, 3), (3, 2))),
            ("ij,kj", ((7, 9), (5, 9)), 9, ((2, 3), (2, 3))),
            ("bij,bjk->bik", ((3, 4, 5), (3, 5, 6)), 5, ((2, 2, 2), (2, 2, 2))),
            ("i,j->ij", ((7,), (5,)), 1, ((2,), (3,))),
            ("i,i", ((33,), (33,)), 33, ((3,), (3,))),
            ("ij->ji", ((4, 5),), 1, ((2, 3),)),
            ("ij->", ((7, 9),), 63, ((2, 3),)),
            ("ii->i", ((5, 5),), 1, ((3, 3),)),
            ("iij->ij", ((4, 4, 3),), 1, ((2, 2, 2),)),
            ("...ij,...jk->...ik", ((2, 1, 3, 4), (3, 4, 5)), 4, ((2, 2, 2), (2, 2))),
            ("ij,jk,kl->il", ((3, 7), (7, 5), (5, 4)), 35, ((2, 2), (2, 2), (2, 2))),
            ("i j, j k -> k i", ((3, 4), (4, 5)), 4, ((2, 3), (3, 2))),
            (
                "ijk,lmk,ijf->lf",
                ((2, 3, 4), (2, 3, 4), (2, 3, 4)),
                72,
                ((2, 2, 2), (2, 2, 2), (2, 2, 2)),
            ),
            ("ab,cd,bd->ac", ((3, 4), (5, 6), (4, 6)), 24, ((2, 2), (2, 2), (2, 2))),
        ]
    ),
]


def _einsum(subscripts, *arrays):
    return np.einsum(subscripts.replace(" ", ""), *arrays)


DIFFERENTIABLE = [case for case in CASES if case.differentiable]
BATCHED = [case for case in CASES if case.vmap]
