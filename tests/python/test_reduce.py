"""The reduce family: the case table's checks, arbitrary views, threads, special values, errors."""

import mlx.core as mx
import numpy as np
import pytest
from harness import checks, errors, strategies
from harness.case import ids
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.reduce import BATCHED, CASES, DIFFERENTIABLE


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


THREADED = [case for case in CASES if case.arity == 1 and " " not in case.name]


@pytest.mark.parametrize("case", THREADED, ids=ids(THREADED))
@pytest.mark.parametrize("shape", [(300, 1001), (7, 60001), (40013, 3)], ids=str)
def test_threads(case, shape):
    checks.threading(case, [shape])


@given(strategies.views(), st.data())
@settings(max_examples=200)
def test_views(view, data):
    a, x = view
    axes = None
    if x.ndim and data.draw(st.booleans()):
        axes = tuple(data.draw(st.sets(st.integers(0, x.ndim - 1))))
    keepdims = data.draw(st.booleans())
    k = dict(axis=axes, keepdims=keepdims)
    assert np.allclose(mx.sum(a, **k), np.sum(x.astype(np.float64), **k), rtol=1e-5, atol=1e-4)
    assert np.array_equal(mx.any(a, **k), np.any(x, **k))
    reduced = x.shape if axes is None else [x.shape[i] for i in axes]
    if all(reduced):
        assert np.array_equal(mx.max(a, **k), np.max(x, **k))
    else:
        with pytest.raises(ValueError):
            mx.eval(mx.max(a, **k))
    if x.ndim and x.size:
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        assert np.array_equal(mx.argmin(a, axis=axis), np.argmin(x, axis=axis))
        assert np.array_equal(mx.argmax(a), np.argmax(x))


def test_accumulation_is_in_float32():
    assert mx.sum(mx.full((5000,), 1.0, mx.float16)).item() == 5000
    assert mx.sum(mx.full((5000,), 1.0, mx.bfloat16)).item() == 4992
    assert mx.mean(mx.full((70000,), 1.0, mx.float16)).item() == 1
    assert (
        mx.mean(mx.full((1 << 18,), 2e-5, mx.float16)).item() == mx.array(2e-5, mx.float16).item()
    )
    assert mx.sum(mx.full((300, 300), 1.0, mx.bfloat16), axis=0)[0].item() == 300
    ints = mx.full((4,), 2**31 - 1, mx.int32)
    assert mx.mean(ints).item() == 2.0**31  # exact sum, then one rounding


def test_sum_of_large_array_is_accurate():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, 3_000_001).astype(np.float32)
    exact = x.astype(np.float64).sum()
    assert abs(mx.sum(mx.array(x)).item() - exact) < 1e-6 * exact


def test_integer_sums_wrap_and_widen():
    assert mx.sum(mx.full((3,), 200, mx.uint8)).item() == 600
    assert mx.sum(mx.full((3,), 100, mx.int8)).dtype == mx.int32
    assert mx.sum(mx.array([2**31 - 1, 1], mx.int32)).item() == -(2**31)
    assert mx.prod(mx.array([True, True])).dtype == mx.int32
    for dtype in (mx.int8, mx.bool_, mx.uint16):
        assert mx.sum(mx.ones((3,), dtype), axis=[]).dtype == dtype


def test_nan_wins_wherever_it_stands():
    nan = float("nan")
    for dtype in (mx.float16, mx.bfloat16, mx.float32, mx.float64):
        for n in (3, 8, 33, 64, 1000, 5001):
            for at in sorted({0, 1, n // 2, n - 1}):
                v = np.ones(n)
                v[at] = nan
                a = mx.array(v, dtype=dtype)
                assert np.isnan(mx.max(a).item()) and np.isnan(mx.min(a).item())
                assert mx.argmax(a).item() == at and mx.argmin(a).item() == at
                rows = mx.broadcast_to(a, (3, n))
                assert mx.argmax(rows, axis=1).tolist() == [at] * 3
                columns = mx.contiguous(mx.broadcast_to(a[:, None], (n, 3)))
                assert mx.argmin(columns, axis=0).tolist() == [at] * 3
                assert np.isnan(mx.max(columns, axis=0).tolist()).all()


def test_arg_reduction_takes_the_first_of_equals():
    for n in (2, 7, 16, 33, 100, 4097):
        a = mx.zeros((n,), dtype=mx.int8)
        assert mx.argmax(a).item() == 0 and mx.argmin(a).item() == 0
        b = mx.contiguous(mx.concatenate([mx.zeros((n,)), mx.ones((n,))]))
        assert mx.argmax(b).item() == n
        assert mx.argmax(mx.broadcast_to(b[:, None], (2 * n, 5)), axis=0).tolist() == [n] * 5


def test_logsumexp_of_infinities():
    inf = float("inf")
    assert mx.logsumexp(mx.array([-inf, -inf])).item() == -inf
    assert mx.logsumexp(mx.array([inf, 1.0])).item() == inf
    assert mx.logsumexp(mx.array([-inf, 0.0])).item() == 0.0
    assert np.isnan(mx.logsumexp(mx.array([float("nan"), 0.0])).item())
    assert mx.logsumexp(mx.array([1000.0, 1000.0])).item() == np.float32(1000 + np.log(2))


def test_softmax_of_infinities():
    inf = float("inf")
    assert np.isnan(mx.softmax(mx.array([-inf, -inf])).tolist()).all()
    assert mx.softmax(mx.array([-inf, 0.0, 0.0])).tolist() == [0.0, 0.5, 0.5]
    assert mx.softmax(mx.array([1e4, 0.0])).tolist() == [1.0, 0.0]
    assert mx.softmax(mx.zeros((0, 3))).shape == (0, 3)


def test_var_with_too_few_elements():
    x = mx.array([1.0, 2.0, 4.0])
    inf = float("inf")
    assert mx.var(x, ddof=3).item() == inf and mx.std(x, ddof=4).item() == inf
    assert np.isnan(mx.var(mx.array([2.0]), ddof=1).item())


def test_var_is_stable():
    x = mx.array([1e4, 1e4 + 1, 1e4 + 2], dtype=mx.float32)
    assert abs(mx.var(x).item() - 2 / 3) < 1e-3


def test_mean_of_nothing_is_nan():
    assert np.isnan(mx.mean(mx.zeros((0,))).item())


def test_gradients_at_ties():
    g = mx.grad(lambda x: mx.max(x))(mx.array([1.0, 3.0, 3.0]))
    assert abs(mx.sum(g).item() - 1.0) < 1e-6 or g.tolist() == [0.0, 1.0, 1.0]
    g = mx.grad(lambda x: mx.prod(x))(mx.array([2.0, 0.0, 3.0]))
    assert g.tolist() == [0.0, 6.0, 0.0]
    g = mx.grad(lambda x: mx.prod(x))(mx.array([0.0, 0.0, 3.0]))
    assert g.tolist() == [0.0, 0.0, 0.0]


def _f(*shape):
    return mx.zeros(shape)


ERRORS = [
    # call, exception, part of the message
    *(
        (lambda name=name: getattr(mx, name)(_f(2, 3), axis=2), IndexError, name)
        for name in "all any sum prod min max count_nonzero logsumexp softmax argmin argmax".split()
    ),
    *(
        (lambda name=name: getattr(mx, name)(_f(2, 3), axis=-3), ValueError, "")
        for name in ("mean", "var", "std")
    ),
    *(
        (lambda name=name: getattr(mx, name)(_f(2, 3), axis=(0, 0)), ValueError, "")
        for name in ("sum", "max", "mean")
    ),
    (lambda: mx.sum(_f(2, 3), axis=(1, -1)), ValueError, ""),
    (lambda: mx.max(_f(0)), ValueError, "max"),
    (lambda: mx.min(_f(2, 0), axis=1), ValueError, "min"),
    (lambda: mx.argmax(_f(0)), ValueError, "argmax"),
    (lambda: mx.logsumexp(_f(0)), ValueError, "logsumexp"),
    (lambda: mx.logsumexp(mx.array(1.0), axis=0), ValueError, ""),
    (lambda: mx.softmax(mx.array(1.0), axis=0), ValueError, ""),
    (lambda: mx.sum([1.0, 2.0]), TypeError, ""),
    (lambda: mx.sum(_f(2), axis=1.0), TypeError, ""),
    (lambda: mx.argmax(_f(2), axis=(0,)), TypeError, ""),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)


def test_empty_results_of_max():
    assert mx.max(_f(0, 3), axis=1).shape == (0,) and mx.min(_f(2, 0, 3), axis=2).shape == (2, 0)


def test_method_and_keyword_forms():
    a = mx.arange(6.0).reshape(2, 3)
    assert a.sum(0).tolist() == mx.sum(array=a, axis=0).tolist() == [3, 5, 7]
    assert a.mean(-1, True).tolist() == [[1.0], [4.0]] and a.var(ddof=1).item() == 3.5
    assert a.argmax(axis=1).tolist() == [2, 2] and a.logsumexp().shape == ()
