"""Elementwise ops: the case table's checks, promotion, weak scalars, casts, and errors."""

import mlx.core as mx
import numpy as np
import pytest
from harness import checks, compare, dtypes, errors, expressions, runtime, strategies
from harness.case import ids
from harness.domains import ANY_COMPLEX
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.elementwise import BINARY, CASES, DIFFERENTIABLE, HOLOMORPHIC


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_forward(case):
    checks.forward(case)


@pytest.mark.parametrize("case", BINARY, ids=ids(BINARY))
def test_promotion(case):
    checks.promotion(case)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=ids(DIFFERENTIABLE))
def test_derivatives(case):
    checks.derivatives(case)


@pytest.mark.parametrize("case", HOLOMORPHIC, ids=ids(HOLOMORPHIC))
def test_complex_derivatives(case):
    checks.complex_derivatives(case)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_vmap(case):
    checks.batching(case)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_lazy(case):
    checks.lazy(case)


# ---- programs of several ops: the way of evaluation never shows ---------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_fused_lazy_threaded(seed):
    shape = [(3, 5, 17), (1, 33, 65), (7, 1, 130), (8, 64, 257)][seed % 4]
    program = expressions.random_program(seed, length=6 + seed % 30, shape=shape)
    needed = {s.op for s in program.steps} - {"astype"}
    missing = sorted(op for op in needed if not hasattr(mx, op))
    if missing:
        pytest.skip(f"mlx.core has no {', '.join(missing)} yet")
    arrays = program.arrays()
    whole = program.run(arrays)
    mx.eval(whole)

    def check(others, how):
        for i, a, b in zip(program.outputs, whole, others):
            compare.same_bits(a, b, f"{how}, v{i} of {program}")

    def evaluated(a):
        mx.eval(a)
        return a

    check(program.run(arrays, evaluated), "lazy and evaluated after each step differ")
    one_by_one = program.run(arrays)
    for a in reversed(one_by_one):
        mx.eval(a)
    check(one_by_one, "all outputs at once and one after the other differ")
    if hasattr(mx, "_set_cpu_fusion"):
        with runtime.fusion(False):
            unfused = program.run(arrays)
            mx.eval(unfused)
        check(unfused, "fused and unfused differ")
    if hasattr(mx, "_set_num_threads"):
        for count in (1, 3):
            with runtime.threads(count):
                threaded = program.run(arrays)
                mx.eval(threaded)
            check(threaded, f"default and {count} threads differ")


THREADED = [case for case in CASES if case.arity < 3]


@pytest.mark.parametrize("case", THREADED, ids=ids(THREADED))
def test_threads(case):
    checks.threading(case, [(130, 2001)] * case.arity)


# ---- strides ------------------------------------------------------------------------------------


@given(strategies.views(), strategies.views())
@settings(max_examples=150)
def test_views_broadcast_like_numpy(left, right):
    (a, x), (b, y) = left, right
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            mx.add(a, b)
        return
    if np.prod(shape) > 20000:
        return
    for name, function in (("add", np.add), ("maximum", np.maximum), ("less", np.less)):
        got = dtypes.to_numpy(getattr(mx, name)(a, b))
        assert got.shape == shape and np.array_equal(got, function(x, y)), name


@given(st.sampled_from(dtypes.ALL), st.data())
@settings(max_examples=150)
def test_views_of_every_dtype(d, data):
    a, x = data.draw(strategies.views(d))
    assert np.array_equal(dtypes.to_numpy(a), x)
    assert np.array_equal(dtypes.to_numpy(mx.where(mx.equal(a, a), a, a)), x)


# ---- casts --------------------------------------------------------------------------------------


def cast_reference(values, source, target):
    """Saturating float -> integer with NaN -> 0; integers wrap; anything nonzero is True; complex -> real part."""
    if target.kind == "b":
        return values != 0
    if source.kind == "c" and target.kind != "c":
        values = values.real
    if target.inexact:
        return values.astype(np.complex128 if target.kind == "c" else np.longdouble)
    if values.dtype.kind != "f":
        return values.astype(target.numpy)
    info = np.iinfo(target.numpy)
    wide = np.trunc(np.nan_to_num(values.astype(np.longdouble), posinf=np.inf, neginf=-np.inf))
    clipped = np.clip(wide, np.longdouble(info.min), np.longdouble(info.max))
    return (
        np.array([int(v) for v in clipped.reshape(-1)], dtype=object)
        .reshape(clipped.shape)
        .astype(target.numpy)
    )


@pytest.mark.parametrize("target", dtypes.ALL, ids=str)
@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_cast(source, target):
    rng = np.random.default_rng([source.size, target.size, source.mantissa, target.mantissa])
    for n in (1, 7, 64, 259):
        values = ANY_COMPLEX.forward(rng, (n,), source)
        a = dtypes.to_mlx(values, source)
        exact = cast_reference(values, source, target)
        context = f"{source} -> {target}, {n} elements"
        compare.close(a.astype(target.mx), exact, target, "cast", context=context)
        compare.close(
            a[::-1].astype(target.mx), exact[::-1], target, "cast", context=context + " reversed"
        )
    for value in values[:20]:  # one rule for scalars, bodies and tails
        one = dtypes.to_mlx(value, source).astype(target.mx)
        compare.close(
            one,
            cast_reference(np.asarray(value), source, target),
            target,
            "cast",
            context="scalar " + context,
        )


def test_cast_same_dtype_keeps_value():
    a = mx.array([1.5, 2.5])
    assert mx.array_equal(a.astype(mx.float32), a).item()


# ---- weak scalars -------------------------------------------------------------------------------

WEAK = [
    # array dtype, scalar, dtype of the result of array + scalar
    ("float16", 1, "float16"),
    ("float16", 1.5, "float16"),
    ("bfloat16", 0.1, "bfloat16"),
    ("float32", 2, "float32"),
    ("float64", 0.1, "float64"),
    ("int8", 1, "int8"),
    ("int8", 1.0, "float32"),
    ("uint8", 200, "uint8"),
    ("int64", 2**40, "int64"),
    ("bool_", 1, "int32"),
    ("bool_", True, "bool_"),
    ("int32", True, "int32"),
    ("bool_", 0.5, "float32"),
    ("float32", 1j, "complex64"),
    ("int32", 1j, "complex64"),
    ("float64", 1j, "complex64"),
    ("complex64", 1, "complex64"),
]


@pytest.mark.parametrize("dtype, scalar, result", WEAK)
def test_weak_scalar(dtype, scalar, result):
    a = mx.ones((3,), dtype=getattr(mx, dtype))
    for got in (
        a + scalar,
        scalar + a,
        mx.add(a, scalar),
        mx.add(scalar, a),
        mx.maximum(a, scalar),
    ):
        assert got.dtype == getattr(mx, result)
    assert mx.where(a.astype(mx.bool_), a, scalar).dtype == getattr(mx, result)


def test_weak_float_keeps_double_precision():
    assert (mx.zeros((1,), dtype=mx.float64) + 0.1).item() == 0.1


def test_numpy_operand_is_cast_to_the_array():
    assert (mx.array([1, 2]) + np.array([1.7, 2.2])).tolist() == [2, 4]
    assert mx.add(mx.array([1, 2]), np.array([1.7, 2.2])).dtype == mx.int32


def test_two_scalars():
    assert mx.add(1, 2).dtype == mx.int32 and mx.add(1, 2.0).dtype == mx.float32
    assert mx.add(True, False).dtype == mx.bool_ and mx.add(1, 1j).dtype == mx.complex64


# ---- special values that the table's random inputs may miss ---------------------------------------

INF, NAN = float("inf"), float("nan")
SPECIAL = [
    # op, arguments, result
    ("exp", [-INF], 0.0),
    ("exp", [INF], INF),
    ("log", [0.0], -INF),
    ("log", [-1.0], NAN),
    ("sqrt", [-1.0], NAN),
    ("rsqrt", [0.0], INF),
    ("reciprocal", [0.0], INF),
    ("reciprocal", [-0.0], -INF),
    ("log1p", [-1.0], -INF),
    ("erfinv", [1.0], INF),
    ("erfinv", [-1.0], -INF),
    ("erfinv", [1.5], NAN),
    ("arctanh", [1.0], INF),
    ("arccosh", [0.5], NAN),
    ("arcsin", [2.0], NAN),
    ("sigmoid", [-INF], 0.0),
    ("sigmoid", [INF], 1.0),
    ("tanh", [-INF], -1.0),
    ("sin", [INF], NAN),
    ("divide", [1.0, 0.0], INF),
    ("divide", [0.0, 0.0], NAN),
    ("floor_divide", [7.0, -2.0], -4.0),
    ("floor_divide", [1.0, 0.1], 9.0),
    ("floor_divide", [1.0, 0.0], INF),
    ("remainder", [-7.0, 2.0], 1.0),
    ("remainder", [7.0, -2.0], -1.0),
    ("remainder", [1.0, 0.0], NAN),
    ("remainder", [3.0, INF], 3.0),
    ("remainder", [-3.0, INF], INF),
    ("power", [0.0, 0.0], 1.0),
    ("power", [NAN, 0.0], 1.0),
    ("power", [-2.0, 3.0], -8.0),
    ("power", [-2.0, 0.5], NAN),
    ("power", [0.0, -1.0], INF),
    ("power", [1.0, INF], 1.0),
    ("maximum", [NAN, 1.0], NAN),
    ("maximum", [1.0, NAN], NAN),
    ("minimum", [NAN, 1.0], NAN),
    ("logaddexp", [-INF, -INF], -INF),
    ("logaddexp", [INF, INF], INF),
    ("logaddexp", [-INF, 1.0], 1.0),
    ("logaddexp", [INF, -INF], INF),
    ("arctan2", [0.0, -1.0], np.pi),
    ("arctan2", [-0.0, -1.0], -np.pi),
    ("arctan2", [INF, INF], np.pi / 4),
]


@pytest.mark.parametrize("op, arguments, result", SPECIAL)
def test_special_values(op, arguments, result):
    for d in dtypes.FLOATS:
        if op == "floor_divide" and arguments[1] == 0.1 and d.size == 2:
            continue  # 0.1 rounds up in the 16-bit types
        for n in (1, 3, 67):
            got = getattr(mx, op)(*(mx.full((n,), x, dtype=d.mx) for x in arguments))
            expected = dtypes.round_to(np.full(n, result), d)
            assert np.allclose(
                dtypes.to_numpy(got), expected, rtol=2.0**-d.mantissa, equal_nan=True
            ), (d, n, got)


INTEGER = [
    # op, a, b, result; for every signed dtype
    ("floor_divide", -7, 2, -4),
    ("floor_divide", 7, -2, -4),
    ("floor_divide", 5, 0, 0),
    ("floor_divide", -5, 0, 0),
    ("remainder", -7, 2, 1),
    ("remainder", 7, -2, -1),
    ("remainder", 5, 0, 5),
    ("power", 2, -1, 0),
    ("power", 1, -1, 0),
    ("power", 0, 0, 1),
    ("power", -3, 3, -27),
    ("right_shift", -8, 1, -4),
    ("left_shift", 3, 2, 12),
]


@pytest.mark.parametrize("op, a, b, result", INTEGER)
def test_integer_values(op, a, b, result):
    for d in dtypes.SIGNED:
        for n in (1, 5, 70):
            got = getattr(mx, op)(mx.full((n,), a, dtype=d.mx), mx.full((n,), b, dtype=d.mx))
            assert got.dtype == d.mx and got.tolist() == [result] * n, d


def test_integer_minimum_wraps():
    for d in dtypes.SIGNED:
        low = int(np.iinfo(d.numpy).min)
        a, m1 = mx.full((70,), low, dtype=d.mx), mx.full((70,), -1, dtype=d.mx)
        assert (a // m1).tolist() == [low] * 70 and (a % m1).tolist() == [0] * 70
        assert mx.abs(a).tolist() == [low] * 70 and (-a).tolist() == [low] * 70


def test_divmod_is_consistent():
    rng = np.random.default_rng(0)
    for d in (*dtypes.SIGNED, dtypes.FLOAT32):
        a = dtypes.round_to(rng.integers(-100, 100, 301), d)
        b = dtypes.round_to(rng.choice([-9, -4, -1, 1, 3, 7], 301), d)
        q, r = mx.divmod(dtypes.to_mlx(a, d), dtypes.to_mlx(b, d))
        nq, nr = np.divmod(a, b)
        assert np.array_equal(np.array(q), nq) and np.array_equal(np.array(r), nr), d
        assert q.dtype == d.mx and r.dtype == d.mx


def test_bool_arithmetic():
    a, b = mx.array([False, True, False, True]), mx.array([False, False, True, True])
    assert (a + b).tolist() == [False, True, True, True] and (a * b).tolist() == [
        False,
        False,
        False,
        True,
    ]
    assert (a - b).tolist() == [False, True, True, False] and (a + b).dtype == mx.bool_
    assert (a << b).dtype == mx.uint8


def test_array_equal_and_allclose():
    a, b = mx.array([1.0, NAN, 3.0]), mx.array([1.0, NAN, 3.0])
    assert not mx.array_equal(a, b).item() and mx.array_equal(a, b, equal_nan=True).item()
    assert not mx.array_equal(mx.ones((2,)), mx.ones((1, 2))).item()
    assert mx.array_equal(mx.array([1, 2]), mx.array([1.0, 2.0])).item()
    assert mx.array_equal(mx.zeros((0,)), mx.zeros((0,))).item()
    assert mx.allclose(mx.array([1.0, INF]), mx.array([1.0 + 1e-7, INF])).item()
    assert not mx.allclose(mx.array([INF]), mx.array([-INF])).item()
    assert mx.array_equal(a, b).dtype == mx.bool_ and mx.array_equal(a, b).shape == ()


def test_round_decimals_of_integers():
    assert mx.round(mx.array([15, 122]), -1).tolist() == [20, 120]


def test_nan_to_num_defaults():
    for d in ("float16", "bfloat16", "float32"):
        t = dtypes.BY_NAME[d]
        got = dtypes.to_numpy(mx.nan_to_num(mx.array([NAN, INF, -INF, 1.0], dtype=t.mx)))
        assert got.tolist() == [0.0, t.max, -t.max, 1.0], d


# ---- errors -------------------------------------------------------------------------------------


def _f(*shape):
    return mx.ones(shape)


def _i(*shape):
    return mx.ones(shape, dtype=mx.int32)


ERRORS = [
    # call, exception, part of the message
    (lambda: mx.add(_f(2, 3), _f(4)), ValueError, "broadcast"),
    (lambda: mx.where(_f(2) > 0, _f(3), _f(4)), ValueError, "broadcast"),
    (lambda: mx.negative(mx.array(True)), ValueError, "bool"),
    (lambda: -mx.array(True), ValueError, "bool"),
    (lambda: mx.floor(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.ceil(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.trunc(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.floor_divide(mx.array(1j), mx.array(1j)), ValueError, "complex"),
    (lambda: mx.remainder(mx.array(1j), mx.array(1j)), ValueError, "complex"),
    (lambda: mx.divmod(mx.array(1j), mx.array(1j)), ValueError, "complex"),
    (lambda: mx.expm1(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.erf(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.erfinv(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.sigmoid(mx.array(1j)), ValueError, "complex"),
    (lambda: mx.arctan2(mx.array(1j), mx.array(1j)), ValueError, "complex"),
    (lambda: mx.clip(_f(3), None, None), ValueError, "a_min"),
    (lambda: mx.bitwise_and(_f(2), _f(2)), RuntimeError, "bitwise_and"),
    (lambda: mx.left_shift(_f(2), _i(2)), RuntimeError, "left_shift"),
    (lambda: mx.bitwise_invert(_f(2)), ValueError, "bitwise_invert"),
    (lambda: _f(2) & _f(2), ValueError, ""),
    (lambda: _f(2) << 1, ValueError, ""),
    (lambda: ~_f(2), ValueError, ""),
    (lambda: 1 & _i(2), TypeError, ""),
    (lambda: divmod(_i(2), 2), TypeError, ""),
    (lambda: _i(2) + 3_000_000_000, ValueError, "3000000000"),
    (lambda: mx.ones(2, dtype=mx.uint8) + 300, ValueError, "300"),
    (lambda: mx.ones(2, dtype=mx.uint8) + (-1), ValueError, "-1"),
    (lambda: _f(2) + "x", ValueError, ""),
    (lambda: _f(2) + [1, 2], ValueError, ""),
    (lambda: _f(2) + None, TypeError, ""),
    (lambda: mx.exp("x"), ValueError, ""),
    (lambda: mx.exp([1.0]), ValueError, ""),
    (lambda: mx.exp(None), TypeError, ""),
    (lambda: mx.exp(), TypeError, ""),
    (lambda: mx.exp(_f(2), _f(2)), TypeError, ""),
    (lambda: mx.exp(_f(2), nonsense=1), TypeError, ""),
    (lambda: mx.exp(_f(2), stream="cpu"), TypeError, ""),
    (lambda: mx.trunc(1.5), TypeError, ""),
    (lambda: mx.isclose(1.0, 2.0), TypeError, ""),
    (lambda: mx.nan_to_num(mx.ones(2, dtype=mx.float64)), ValueError, "nan_to_num"),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)
