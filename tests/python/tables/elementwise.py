"""Case table of the elementwise family: unary, binary, ternary, comparison, logical and bitwise ops.

References are numpy's functions on float64 (float32 and narrower) or extended precision (float64), and on
the op's own integer type. Casts have a test of their own (test_elementwise.py), since they mix two dtypes.
"""

from __future__ import annotations

import mlx.core as mx
import numpy as np
from harness import special_functions
from harness.case import Case, binary_shapes, unary_shapes
from harness.domains import ANY, ANY_COMPLEX, NONZERO, POSITIVE, TRUTH, UNIT, Domain
from harness.dtypes import (
    ALL,
    BOOL,
    BY_NAME,
    COMPLEX,
    FLOATS,
    INTS,
    REAL,
    SIGNED,
    floating,
    promote,
    real_type,
)


def _op(name):
    name = name.split()[0]
    return lambda *arrays, **keywords: getattr(mx, name)(*arrays, **keywords)


def _to_bool(*_):
    return BOOL


def _truth(x):
    return x != 0


def unary(name, reference, domain=ANY, **options) -> Case:
    options.setdefault("signed_zeros", True)
    return Case(name, _op(name), reference, (domain,), unary_shapes(), **options)


def function(name, reference, domain=ANY, complex=True, **options) -> Case:
    """A unary op whose result is inexact: integers are computed in float32."""
    dtypes = ALL if complex else REAL
    return unary(
        name,
        reference,
        domain,
        dtypes=dtypes,
        result=floating,
        compute=floating,
        holomorphic=complex,
        **options,
    )


def _complex_free(reference):
    return lambda x: x if x.dtype.kind != "c" else reference(x)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _sign(x):
    if x.dtype.kind == "c":
        modulus = np.abs(x)
        return np.where(modulus == 0, 0, x / np.where(modulus == 0, 1, modulus))
    return x if x.dtype.kind == "b" else np.sign(x)


def _real_kept(on_float):
    """For floor and its kind: integers and bool pass unchanged."""
    return lambda x: on_float(x) if x.dtype.kind == "f" else x


def _round(x, decimals=0):
    if decimals == 0:
        return np.rint(x) if x.dtype.kind in "fc" else x
    return np.rint(x * 10.0**decimals) / 10.0**decimals


def _nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    if x.dtype.kind != "f":
        return x
    x = np.where(np.isnan(x), nan, x)
    x = np.where(x == np.inf, posinf, x)
    return np.where(x == -np.inf, neginf, x)


_TRIG = Domain(inside=(-1.1, 1.1))

UNARY = [
    function("sqrt", np.sqrt, POSITIVE),
    function("rsqrt", lambda x: 1 / np.sqrt(x), POSITIVE),
    function("reciprocal", lambda x: 1 / x, Domain(inside=(0.4, 2.2))),
    function("exp", np.exp),
    function("expm1", np.expm1, complex=False),
    function("log", np.log, POSITIVE),
    function("log2", np.log2, POSITIVE),
    function("log10", np.log10, POSITIVE),
    function("log1p", np.log1p, Domain(low=-1.0, inside=(-0.7, 2.0))),
    function("sin", np.sin),
    function("cos", np.cos),
    function("tan", np.tan, _TRIG),
    function("arcsin", np.arcsin, UNIT),
    function("arccos", np.arccos, UNIT),
    function("arctan", np.arctan),
    function("sinh", np.sinh),
    function("cosh", np.cosh),
    function("tanh", np.tanh),
    function("arcsinh", np.arcsinh),
    function("arccosh", np.arccosh, Domain(low=1.0, inside=(1.3, 4.0))),
    function("arctanh", np.arctanh, UNIT),
    function("erf", special_functions.erf, complex=False),
    function("erfinv", special_functions.erfinv, UNIT, complex=False, gradient_slack=4),
    function("sigmoid", _sigmoid, complex=False),
    function(
        "degrees",
        lambda x: x * (180 / np.longdouble(np.pi)) if x.dtype.kind != "c" else x * (180 / np.pi),
    ),
    function(
        "radians",
        lambda x: x * (np.longdouble(np.pi) / 180) if x.dtype.kind != "c" else x * (np.pi / 180),
    ),
    unary("abs", np.abs, ANY, dtypes=REAL),
    unary(
        "abs complex",
        np.abs,
        ANY_COMPLEX,
        dtypes=(COMPLEX,),
        result=real_type,
        accuracy="abs_complex",
        differentiable=False,
    ),
    unary("sign", _sign, dtypes=REAL, signed_zeros=False),
    unary(
        "sign complex",
        _sign,
        dtypes=(COMPLEX,),
        accuracy="sign_complex",
        signed_zeros=False,
        differentiable=False,
    ),
    unary("positive", lambda x: x, ANY_COMPLEX),
    unary(
        "negative",
        np.negative,
        ANY_COMPLEX,
        dtypes=[d for d in ALL if d is not BOOL],
        holomorphic=True,
    ),
    unary("square", lambda x: x * x, holomorphic=True),
    unary("floor", _real_kept(np.floor), dtypes=REAL),
    unary("ceil", _real_kept(np.ceil), dtypes=REAL),
    unary("trunc", _real_kept(np.trunc), dtypes=REAL),
    unary("round", _round, Domain(low=-1e30, high=1e30)),
    unary(
        "round decimals",
        _round,
        Domain(low=-40, high=40, special=False, inside=(-1.9, 1.9)),
        dtypes=[BY_NAME["float32"]],
        variants=[dict(decimals=1), dict(decimals=2), dict(decimals=-1)],
        accuracy="round_decimals",
        differentiable=False,
        signed_zeros=False,
    ),
    unary("conj", np.conj, ANY_COMPLEX),
    unary("conjugate", np.conj, ANY_COMPLEX),
    unary("real", np.real, ANY_COMPLEX, result=real_type),
    unary("imag", np.imag, ANY_COMPLEX, result=real_type, signed_zeros=False),
    unary("stop_gradient", lambda x: x, ANY_COMPLEX, differentiable=False),
    unary(
        "nan_to_num",
        _nan_to_num,
        dtypes=REAL,
        variants=[dict(nan=0.0, posinf=5.0, neginf=-5.0), dict(nan=2.0, posinf=8.0, neginf=1.0)],
    ),
    *(
        unary(
            name, reference, ANY_COMPLEX, result=_to_bool, accuracy="compare", differentiable=False
        )
        for name, reference in {
            "isnan": lambda x: np.isnan(x),
            "isinf": lambda x: np.isinf(x),
            "isfinite": lambda x: np.isfinite(x),
            "isposinf": lambda x: x == np.inf if x.dtype.kind in "fc" else np.zeros(x.shape, bool),
            "isneginf": lambda x: x == -np.inf if x.dtype.kind in "fc" else np.zeros(x.shape, bool),
        }.items()
    ),
    unary(
        "logical_not",
        lambda x: x == 0,
        TRUTH,
        compute=None,
        result=_to_bool,
        accuracy="compare",
        differentiable=False,
    ),
    unary(
        "bitwise_invert", np.invert, dtypes=(BOOL, *INTS), accuracy="compare", differentiable=False
    ),
]


def binary(name, reference, domains=(ANY,), **options) -> Case:
    return Case(name, _op(name), reference, domains, binary_shapes(), **options)


def _subtract(a, b):
    return a != b if a.dtype.kind == "b" else a - b


def _floor_divide(a, b):
    """Floor; by zero 0 for integers, numpy's special cases for floats. Bool counts as an integer 0 or 1."""
    if a.dtype.kind == "f":
        return np.floor_divide(a, b)
    if a.dtype.kind == "b":
        return a & b
    return np.where(b == 0, 0, np.floor_divide(a, np.where(b == 0, 1, b)).astype(a.dtype)).astype(
        a.dtype
    )


def _remainder(a, b):
    """The divisor's sign; by zero the dividend for integers, so that q * b + r == a always."""
    if a.dtype.kind == "f":
        return np.remainder(a, b)
    if a.dtype.kind == "b":
        return a & ~b
    return np.where(b == 0, a, np.remainder(a, np.where(b == 0, 1, b))).astype(a.dtype)


def _power(a, b):
    if a.dtype.kind == "b":
        return a | ~b
    if a.dtype.kind in "ui":
        return special_functions.integer_power(a, b)
    if a.dtype.kind == "c":
        zero = a == 0
        return np.where(zero, np.where(b == 0, 1, 0), np.power(np.where(zero, 1, a), b))
    # Dense operands: numpy replaces x ** 0.5 by sqrt(x) for a single exponent, which differs at -inf.
    return np.power(*(np.array(x) for x in np.broadcast_arrays(a, b)))


def _logaddexp(a, b):
    if a.dtype.kind != "c":
        return np.logaddexp(a, b)
    return np.log(np.exp(a) + np.exp(b))


def _larger_magnitude(a, b):
    return np.nan_to_num(np.maximum(np.abs(a), np.abs(b)), posinf=0)


def _power_scale(a, b):
    """exp(b log a) amplifies the rounding of its argument."""
    if a.dtype.kind != "c":
        return None
    safe = np.where(a == 0, 1, a)
    return np.abs(np.power(safe, b)) * (1 + np.abs(b * np.log(safe)))


_EXPONENT = Domain(low=-8.0, high=8.0, ints=(-2, 9), inside=(-2.0, 2.5))
_SHIFT = Domain(special=False, ints=(0, 7))

BINARY = [
    binary(
        "add",
        lambda a, b: a | b if a.dtype.kind == "b" else a + b,
        (ANY_COMPLEX,),
        signed_zeros=True,
        holomorphic=True,
    ),
    binary("subtract", _subtract, (ANY_COMPLEX,), signed_zeros=True, holomorphic=True),
    binary("multiply", lambda a, b: a * b, signed_zeros=True, holomorphic=True),
    binary(
        "divide",
        np.divide,
        (ANY, NONZERO),
        result=lambda a, b: floating(promote(a, b)),
        compute=lambda a, b: floating(promote(a, b)),
        signed_zeros=True,
        holomorphic=True,
    ),
    binary(
        "divide by anything",
        np.divide,
        (ANY,),
        dtypes=FLOATS,
        differentiable=False,
        signed_zeros=True,
    ),
    binary("floor_divide", _floor_divide, (ANY, Domain(inside=(0.6, 2.4))), dtypes=REAL),
    binary(
        "remainder",
        _remainder,
        (Domain(inside=(-4.3, 4.3)), Domain(inside=(2.6, 3.4))),
        dtypes=REAL,
    ),
    binary(
        "power",
        _power,
        (POSITIVE, _EXPONENT),
        gradient_slack=8,
        holomorphic=True,
        scale=_power_scale,
    ),
    binary(
        "power special",
        _power,
        (ANY, Domain(low=-70, high=70)),
        dtypes=FLOATS,
        differentiable=False,
    ),
    binary("maximum", np.maximum, (ANY_COMPLEX,)),
    binary("minimum", np.minimum, (ANY_COMPLEX,)),
    binary(
        "logaddexp",
        _logaddexp,
        result=lambda a, b: floating(promote(a, b)),
        compute=lambda a, b: floating(promote(a, b)),
        scale=_larger_magnitude,
    ),
    binary(
        "arctan2",
        np.arctan2,
        (ANY, Domain(inside=(0.4, 2.0))),
        dtypes=REAL,
        result=lambda a, b: floating(promote(a, b)),
        compute=lambda a, b: floating(promote(a, b)),
        signed_zeros=True,
    ),
    *(
        binary(
            name,
            reference,
            (domain,),
            result=_to_bool,
            compute=compute,
            accuracy="compare",
            differentiable=False,
        )
        for name, reference, domain, compute in [
            ("equal", np.equal, ANY_COMPLEX, promote),
            ("not_equal", np.not_equal, ANY_COMPLEX, promote),
            ("less", np.less, ANY, promote),
            ("less_equal", np.less_equal, ANY, promote),
            ("greater", np.greater, ANY, promote),
            ("greater_equal", np.greater_equal, ANY, promote),
            ("logical_and", lambda a, b: _truth(a) & _truth(b), TRUTH, None),
            ("logical_or", lambda a, b: _truth(a) | _truth(b), TRUTH, None),
            ("logical_xor", lambda a, b: _truth(a) ^ _truth(b), TRUTH, None),
        ]
    ),
    *(
        binary(name, reference, dtypes=(BOOL, *INTS), accuracy="compare", differentiable=False)
        for name, reference in [
            ("bitwise_and", np.bitwise_and),
            ("bitwise_or", np.bitwise_or),
            ("bitwise_xor", np.bitwise_xor),
        ]
    ),
    *(
        binary(
            name, reference, (ANY, _SHIFT), dtypes=INTS, accuracy="compare", differentiable=False
        )
        for name, reference in [("left_shift", np.left_shift), ("right_shift", np.right_shift)]
    ),
]


def _isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    finite = np.isfinite(a) & np.isfinite(b)
    near = np.abs(a - b) <= atol + rtol * np.abs(b)
    return (finite & near) | (~finite & (a == b)) | (equal_nan & np.isnan(a) & np.isnan(b))


_FEW = Domain(low=-2, high=2, ints=(-2, 2))

BINARY += [
    binary(
        "isclose",
        _isclose,
        (_FEW,),
        dtypes=[d for d in (*SIGNED, *FLOATS) if d.size > 2],
        variants=[dict(atol=0.5), dict(rtol=0.25), dict(atol=0.5, equal_nan=True)],
        result=_to_bool,
        compute=lambda a, b: floating(promote(a, b)),
        accuracy="compare",
        differentiable=False,
    ),
]

TERNARY = [
    Case(
        "where",
        lambda c, x, y: mx.where(c, x, y),
        lambda c, x, y: np.where(c != 0, x, y),
        (TRUTH, ANY_COMPLEX, ANY_COMPLEX),
        [
            ((7, 29), (7, 29), (7, 29)),
            ((7, 29), (), (29,)),
            ((7, 1), (1, 29), (7, 29)),
            ((), (3, 4), (4,)),
            ((2, 3, 1), (3, 5), (5,)),
            ((0,), (1,), ()),
            *(((n,), (n,), (n,)) for n in (1, 3, 8, 15, 17, 33, 65, 257)),
        ],
        result=lambda c, x, y: promote(x, y),
        signed_zeros=True,
    ),
    Case(
        "clip",
        lambda a, low, high: mx.clip(a, low, high),
        lambda a, low, high: np.minimum(np.maximum(a, low), high),
        (
            ANY,
            Domain(low=-2.0, high=0.5, special=False, ints=(-5, 0)),
            Domain(low=0.6, high=2.0, special=False, ints=(0, 5)),
        ),
        [
            ((7, 29), (7, 29), (7, 29)),
            ((7, 29), (), (29,)),
            ((257,), (1,), ()),
            ((), (), ()),
            ((0,), (), ()),
        ],
        dtypes=[d for d in REAL if d is not BOOL],
    ),
]

CASES = [*UNARY, *BINARY, *TERNARY]
DIFFERENTIABLE = [case for case in CASES if case.differentiable]
HOLOMORPHIC = [case for case in CASES if case.holomorphic]
