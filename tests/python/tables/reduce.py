"""Case table of the reduce family. Bounds of sums grow with the number of terms and sit at the sum of magnitudes."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from harness.case import Case
from harness.domains import ANY_COMPLEX, SMALL, TRUTH, Domain
from harness.dtypes import ALL, BOOL, BY_NAME, COMPLEX, REAL, floating, real_type, sum_type

# All element counts around vector and block sizes, reduced over rows, columns, the middle and everything.
AXES = [dict(axis=a) for a in (None, 0, 1, -1, (0, 1), [0])]
CUBE_AXES = [dict(axis=a) for a in (None, 0, 1, 2, (0, 2), (1, 2), (0, 1), [-1, 0, 1])]
MATRICES = [((7, 29),), ((1, 5),), ((5, 1),), ((130, 17),), ((65, 257),)]
EMPTY = [((0, 3),), ((3, 0),), ((0, 0),)]
LINES = [((n,),) for n in (1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1000, 4099)]


def _count(shape, axis=None, **_):
    if axis is None:
        return int(np.prod(shape)) or 1
    axes = axis if isinstance(axis, (tuple, list)) else [axis]
    return int(np.prod([shape[a] for a in axes])) or 1


def _tuple(axis):
    return tuple(axis) if isinstance(axis, list) else axis


def _ref(function, widen=False):
    def reference(a, axis=None, **keywords):
        if widen and a.dtype.kind in "biu":
            a = a.astype(np.uint64 if a.dtype.kind == "u" else np.int64)
        return function(a, axis=_tuple(axis), **keywords)

    return reference


def reduction(name, reference, shapes, variants, **options) -> list[Case]:
    """One case for matrices and one each for lines, cubes and (where defined) empty arrays."""
    label = name.split()[0]
    call = lambda a, **k: getattr(mx, label)(a, **k)
    options.setdefault("domains", (SMALL,))
    options.setdefault("length", _count)
    options.setdefault("bitwise_vmap", False)
    options.setdefault("derivative_shapes", [((3, 4),)])
    accuracy = options.pop("accuracy", label)
    empty = options.pop("empty", True)
    only_forward = {**options, "differentiable": False, "vmap": False}
    common = dict(accuracy=accuracy)
    cases = [
        Case(name, call, reference, shapes=MATRICES, variants=variants, **options, **common),
        Case(
            f"{name} line",
            call,
            reference,
            shapes=LINES,
            variants=[{}, dict(axis=0)],
            **only_forward,
            **common,
        ),
    ]
    if all(not isinstance(v.get("axis"), int) or v["axis"] < 3 for v in shapes):
        cases.append(
            Case(
                f"{name} cube",
                call,
                reference,
                shapes=[((3, 5, 7),), ((2, 33, 4),)],
                variants=shapes,
                **{**options, "derivative_shapes": [((2, 3, 2),)]},
                **common,
            )
        )
    if empty:
        cases.append(
            Case(
                f"{name} empty",
                call,
                reference,
                shapes=EMPTY,
                variants=[dict(axis=a) for a in (None, 0, 1)],
                **only_forward,
                **common,
            )
        )
    # No axis at all: sum and prod keep a narrow integer as it is, so those dtypes are left out here.
    scalar = {
        **only_forward,
        "dtypes": [
            d
            for d in options.get("dtypes", ALL)
            if label not in ("sum", "prod") or sum_type(d) == d
        ],
    }
    cases.append(
        Case(
            f"{name} scalar",
            call,
            reference,
            shapes=[((),)],
            variants=[{}, dict(keepdims=True)],
            **scalar,
            **common,
        )
    )
    return cases


def _keep(variants):
    return [*variants, dict(axis=0, keepdims=True), dict(axis=None, keepdims=True)]


def _sum_scale(a, axis=None, keepdims=False, **_):
    if a.dtype.kind not in "fc":
        return None
    return np.sum(np.abs(a), axis=_tuple(axis), keepdims=keepdims)


def _logsumexp(a, axis=None, keepdims=False):
    top = np.max(a, axis=_tuple(axis), keepdims=True)
    result = np.log(np.sum(np.exp(a - top), axis=_tuple(axis), keepdims=True)) + top
    return result if keepdims else np.squeeze(result, _tuple(axis) if axis is not None else None)


def _softmax(a, axis=None, **_):
    axis = _tuple(axis)
    e = np.exp(a - np.max(a, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def _magnitude(a, axis=None, keepdims=False, **_):
    return np.max(np.abs(a), axis=_tuple(axis), keepdims=keepdims)


def _var_scale(a, axis=None, keepdims=False, ddof=0, **_):
    return np.mean(np.abs(a) ** 2, axis=_tuple(axis), keepdims=keepdims)


def _var(function):
    def reference(a, axis=None, ddof=0, keepdims=False):
        n = _count(a.shape, axis)
        scale = n / max(n - ddof, 0) if n > ddof else np.inf
        variance = np.var(a, axis=_tuple(axis), keepdims=keepdims) * scale
        return np.sqrt(variance) if function == "std" else variance

    return reference


def _arg(function):
    return lambda a, axis=None, keepdims=False: function(a, axis=axis, keepdims=keepdims)


def _bools(*_):
    return BOOL


def _real_floating(d):
    return real_type(floating(d))


UINT32, INT32 = BY_NAME["uint32"], BY_NAME["int32"]
_PROD = Domain(low=-1.25, high=1.25, special=False, ints=(-2, 2), inside=(0.4, 1.6))

CASES = [
    *reduction(
        "sum", _ref(np.sum, widen=True), CUBE_AXES, _keep(AXES), result=sum_type, scale=_sum_scale
    ),
    *reduction(
        "prod",
        _ref(np.prod, widen=True),
        CUBE_AXES,
        _keep(AXES),
        dtypes=REAL,
        result=sum_type,
        domains=(_PROD,),
    ),
    # Below modulus 1: complex overflow depends on the order of the factors.
    *reduction(
        "prod complex",
        _ref(np.prod),
        CUBE_AXES,
        AXES,
        dtypes=(COMPLEX,),
        domains=(Domain(low=-0.7, high=0.7, special=False),),
        accuracy="prod",
        differentiable=False,
    ),
    *reduction(
        "max", _ref(np.max), CUBE_AXES, _keep(AXES), dtypes=ALL, domains=(SMALL,), empty=False
    ),
    *reduction(
        "min", _ref(np.min), CUBE_AXES, _keep(AXES), dtypes=ALL, domains=(SMALL,), empty=False
    ),
    *reduction(
        "max special",
        _ref(np.max),
        CUBE_AXES,
        AXES,
        domains=(ANY_COMPLEX,),
        empty=False,
        differentiable=False,
    ),
    *reduction(
        "min special",
        _ref(np.min),
        CUBE_AXES,
        AXES,
        domains=(ANY_COMPLEX,),
        empty=False,
        differentiable=False,
    ),
    *reduction(
        "all",
        lambda a, **k: np.all(a != 0, **_axes(k)),
        CUBE_AXES,
        _keep(AXES),
        domains=(TRUTH,),
        result=_bools,
        accuracy="compare",
        differentiable=False,
    ),
    *reduction(
        "any",
        lambda a, **k: np.any(a != 0, **_axes(k)),
        CUBE_AXES,
        _keep(AXES),
        domains=(TRUTH,),
        result=_bools,
        accuracy="compare",
        differentiable=False,
    ),
    *reduction(
        "count_nonzero",
        lambda a, **k: np.sum(a != 0, **_axes(k)),
        CUBE_AXES,
        _keep(AXES),
        domains=(TRUTH,),
        result=lambda d: INT32,
        accuracy="compare",
        differentiable=False,
    ),
    *reduction(
        "mean",
        _ref(np.mean),
        CUBE_AXES,
        _keep(AXES),
        result=floating,
        compute=floating,
        scale=lambda a, **k: np.mean(np.abs(a), **_axes(k)),
    ),
    *reduction(
        "var",
        _var("var"),
        CUBE_AXES,
        [*_keep(AXES), dict(axis=1, ddof=1)],
        dtypes=ALL,
        result=_real_floating,
        compute=floating,
        scale=_var_scale,
        empty=False,
    ),
    *reduction(
        "std",
        _var("std"),
        CUBE_AXES,
        [*_keep(AXES), dict(axis=1, ddof=1)],
        dtypes=ALL,
        result=_real_floating,
        compute=floating,
        scale=lambda a, **k: np.sqrt(_var_scale(a, **k)),
        empty=False,
    ),
    *reduction(
        "logsumexp",
        _logsumexp,
        CUBE_AXES,
        _keep(AXES),
        dtypes=REAL,
        result=floating,
        compute=floating,
        scale=_magnitude,
        empty=False,
    ),
    *reduction(
        "argmax",
        _arg(np.argmax),
        [dict(axis=a) for a in (None, 0, 1, 2, -2)],
        [dict(axis=a) for a in (None, 0, 1, -1)] + [dict(axis=1, keepdims=True)],
        dtypes=ALL,
        result=lambda d: UINT32,
        accuracy="compare",
        empty=False,
        differentiable=False,
    ),
    *reduction(
        "argmin",
        _arg(np.argmin),
        [dict(axis=a) for a in (None, 0, 1, 2, -2)],
        [dict(axis=a) for a in (None, 0, 1, -1)] + [dict(axis=1, keepdims=True)],
        dtypes=ALL,
        result=lambda d: UINT32,
        accuracy="compare",
        empty=False,
        differentiable=False,
    ),
    *reduction(
        "argmax special",
        _arg(np.argmax),
        [dict(axis=1)],
        [dict(axis=a) for a in (None, 0, 1)],
        dtypes=REAL,
        domains=(Domain(),),
        result=lambda d: UINT32,
        accuracy="compare",
        empty=False,
        differentiable=False,
    ),
    *reduction(
        "argmin special",
        _arg(np.argmin),
        [dict(axis=1)],
        [dict(axis=a) for a in (None, 0, 1)],
        dtypes=REAL,
        domains=(Domain(),),
        result=lambda d: UINT32,
        accuracy="compare",
        empty=False,
        differentiable=False,
    ),
    Case(
        "softmax",
        lambda a, **k: mx.softmax(a, **k),
        _softmax,
        (SMALL,),
        [((7, 29),), ((3, 1),), ((1, 4),), ((5, 1000),), ((33, 65),), ((3, 4, 5),)][:5],
        dtypes=REAL,
        variants=[dict(axis=a) for a in (-1, 0, None, (0, 1))] + [dict(axis=-1, precise=True)],
        result=floating,
        compute=floating,
        length=_count,
        bitwise_vmap=False,
        derivative_shapes=[((3, 4),)],
    ),
    Case(
        "softmax cube",
        lambda a, **k: mx.softmax(a, **k),
        _softmax,
        (SMALL,),
        [((3, 4, 5),)],
        dtypes=REAL,
        variants=[dict(axis=a) for a in (-1, 1, 0, (0, 2), (1, 2))],
        result=floating,
        compute=floating,
        length=_count,
        bitwise_vmap=False,
        derivative_shapes=[((2, 2, 3),)],
    ),
]


def _axes(keywords):
    return {k: _tuple(v) for k, v in keywords.items()}


DIFFERENTIABLE = [case for case in CASES if case.differentiable]
BATCHED = [case for case in CASES if case.vmap]
