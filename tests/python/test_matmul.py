"""The matmul family: the case table's checks, sizes and layouts, threads, errors."""

import mlx.core as mx
import numpy as np
import pytest
from harness import checks, errors, strategies
from harness.case import ids
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.matmul import BATCHED, CASES, DIFFERENTIABLE


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_forward(case):
    checks.forward(case)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=ids(DIFFERENTIABLE))
def test_derivatives(case):
    checks.derivatives(case)


@pytest.mark.parametrize("case", BATCHED, ids=ids(BATCHED))
def test_vmap(case):
    checks.batching(case)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_lazy(case):
    checks.lazy(case)


THREADED = [case for case in CASES if case.name in ("matmul", "matmul blocks", "addmm")]


@pytest.mark.parametrize("case", THREADED[:1], ids=ids(THREADED[:1]))
@pytest.mark.parametrize(
    "shapes",
    [
        ((300, 500), (500, 200)),
        ((1, 3000), (3000, 700)),
        ((700, 3000), (3000, 1)),
        ((6, 70, 90), (6, 90, 50)),
    ],
    ids=str,
)
def test_threads(case, shapes):
    checks.threading(case, shapes, names=("float32", "bfloat16", "float16", "float64", "complex64"))


@given(strategies.views(), strategies.views())
@settings(max_examples=150)
def test_views(left, right):
    (a, x), (b, y) = left, right
    if x.ndim == 0 or y.ndim == 0 or x.shape[-1] != y.shape[-2 if y.ndim > 1 else -1]:
        with pytest.raises(ValueError, match="matmul"):
            mx.matmul(a, b)
        return
    try:
        exact = np.matmul(x.astype(np.float64), y.astype(np.float64))
    except ValueError:
        with pytest.raises(ValueError):
            mx.matmul(a, b)
        return
    got = mx.matmul(a, b)
    assert got.shape == exact.shape and np.allclose(got, exact, rtol=1e-5, atol=1e-3)


@given(
    st.integers(0, 40), st.integers(0, 40), st.integers(0, 70), st.integers(0, 2), st.integers(0, 2)
)
@settings(max_examples=150)
def test_sizes_and_layouts(m, n, k, left, right):
    rng = np.random.default_rng([m, n, k])
    x, y = (rng.uniform(-1, 1, s).astype(np.float32) for s in ((m, k), (k, n)))
    a = [mx.array(x), mx.array(x.T.copy()).T, mx.array(np.repeat(x, 2, 1))[:, ::2]][left]
    b = [mx.array(y), mx.array(y.T.copy()).T, mx.array(y[::-1].copy())[::-1]][right]
    assert np.allclose(mx.matmul(a, b), x.astype(np.float64) @ y, rtol=1e-5, atol=1e-5)


def test_nan_and_infinity_pass_through():
    inf, nan = float("inf"), float("nan")
    a = mx.array([[1.0, 0.0], [0.0, 1.0]])
    r = (a @ mx.array([[inf, 1.0], [nan, 2.0]])).tolist()
    assert np.isnan(r[0][0]) and r[0][1] == 1.0 and np.isnan(r[1][0]) and r[1][1] == 2.0
    assert np.isnan((mx.zeros((2, 3)) @ mx.full((3, 2), nan)).tolist()).all()


def test_addmm_ignores_nothing():
    c = mx.full((2, 2), float("nan"))
    assert (
        mx.addmm(mx.ones((2, 2)), mx.ones((2, 0)), mx.ones((0, 2)), beta=3.0).tolist()
        == [[3.0] * 2] * 2
    )
    assert np.isnan(mx.addmm(c, mx.ones((2, 2)), mx.ones((2, 2))).tolist()).all()


def test_promotion():
    a = mx.ones((2, 2), mx.float16)
    assert (a @ mx.ones((2, 2), mx.bfloat16)).dtype == mx.float32
    assert (a @ mx.ones((2, 2), mx.int32)).dtype == mx.float16
    assert mx.addmm(mx.ones((2, 2), mx.float32), a, a).dtype == mx.float32


def test_einsum_path():
    path, text = mx.einsum_path("ij,jk,kl->il", mx.ones((2, 3)), mx.ones((3, 4)), mx.ones((4, 50)))
    assert path == [(0, 1), (0, 1)] or path == [(1, 2), (0, 1)]
    assert isinstance(text, str)
    assert mx.einsum_path("ij,jk->ik", mx.ones((2, 3)), mx.ones((3, 4)))[0] == [(0, 1)]


def test_einsum_with_integers_where_nothing_is_contracted():
    assert mx.einsum("ij->ji", mx.array([[1, 2], [3, 4]])).tolist() == [[1, 3], [2, 4]]
    assert mx.einsum("ij->", mx.array([[1, 2], [3, 4]])).item() == 10


def _f(*shape):
    return mx.ones(shape)


ERRORS = [
    # call, exception, part of the message
    (lambda: mx.matmul(_f(2, 3), _f(4, 5)), ValueError, "got 3 and 4"),
    (lambda: _f(2, 3) @ _f(4, 5), ValueError, "matmul"),
    (lambda: mx.matmul(mx.array(1.0), _f(2, 2)), ValueError, "matmul"),
    (lambda: mx.matmul(_f(2, 3, 4), _f(5, 4, 6)), ValueError, ""),
    (lambda: mx.matmul(mx.ones((2, 2), mx.int32), mx.ones((2, 2), mx.int32)), ValueError, "int32"),
    (lambda: _f(2, 2) @ 2.0, TypeError, ""),
    (lambda: _f(2, 2) @ np.ones((2, 2)), TypeError, ""),
    (lambda: mx.addmm(_f(3), _f(2, 2), _f(2, 2)), ValueError, "addmm"),
    (lambda: mx.addmm(_f(3, 2, 2), _f(2, 2), _f(2, 2)), ValueError, "addmm"),
    (lambda: mx.addmm(_f(2), _f(2, 3), _f(2, 2)), ValueError, "addmm"),
    (lambda: mx.inner(_f(2), _f(3)), ValueError, "inner"),
    (lambda: mx.vecdot(_f(2), _f(3)), ValueError, "vecdot"),
    (lambda: mx.vecdot(_f(2), mx.array(1.0)), ValueError, "vecdot"),
    (lambda: mx.tensordot(_f(2, 3), _f(2, 3), 3), ValueError, "tensordot"),
    (lambda: mx.tensordot(_f(2, 3), _f(2, 3), -1), ValueError, "tensordot"),
    (lambda: mx.tensordot(_f(2, 3), _f(2, 3), [[0]]), ValueError, ""),
    (lambda: mx.tensordot(_f(2, 3), _f(2, 3), [[0], [1]]), ValueError, "tensordot"),
    (lambda: mx.tensordot(_f(2, 3), _f(2, 3), [[0], [5]]), IndexError, ""),
    (lambda: mx.kron(_f(0), _f(2)), ValueError, "kron"),
    (lambda: mx.einsum("ij,jk"), ValueError, ""),
    (lambda: mx.einsum("ij,jk->ik", _f(2, 3)), ValueError, ""),
    (lambda: mx.einsum("ij,jk->ik", _f(2, 3), _f(4, 5)), ValueError, ""),
    (lambda: mx.einsum("i1->i", _f(2, 3)), ValueError, ""),
    (lambda: mx.einsum("ij->ii", _f(2, 3)), ValueError, ""),
    (lambda: mx.einsum("......->...", _f(2, 3)), ValueError, ""),
    (lambda: mx.einsum("ijk->i", _f(2, 3)), ValueError, ""),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)
