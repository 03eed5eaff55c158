"""Creation: the case table's checks, every creator in every dtype, dtype rules, errors."""

import mlx.core as mx
import numpy as np
import pytest
from harness import checks, compare, dtypes, errors
from harness.case import has, ids
from tables.create import BATCHED, CASES, CREATORS, DIFFERENTIABLE, WINDOWS


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


@pytest.mark.parametrize("name, call, expected, types", CREATORS, ids=[c[0] for c in CREATORS])
def test_creators(name, call, expected, types):
    op = name.split()[0]
    accuracy = op if op in ("arange", "linspace") else "copy"
    scale = np.full(expected.shape, np.abs(expected).max(initial=1))
    for d in types:
        compare.close(
            call(d.mx),
            expected.astype(d.numpy) if not d.inexact else expected,
            d,
            accuracy,
            scale=scale,
            context=f"{name} {d}",
        )


@pytest.mark.parametrize("name, expected", WINDOWS, ids=[w[0] for w in WINDOWS])
def test_windows(name, expected):
    if not has(name):
        pytest.skip(f"mlx.core has no {name} yet")
    window = getattr(mx, name)
    compare.close(window(9), expected, dtypes.FLOAT32, "window", scale=np.ones(9), context=name)
    assert window(0).shape == (0,) and window(-1).shape == (0,) and window(1).tolist() == [1.0]


DEFAULTS = [
    # call, dtype
    (lambda: mx.zeros((2,)), "float32"),
    (lambda: mx.ones((2,), None), "float32"),
    (lambda: mx.eye(2), "float32"),
    (lambda: mx.tri(2, dtype=None), "float32"),
    (lambda: mx.full((2,), 1), "int32"),
    (lambda: mx.full((2,), 1.0), "float32"),
    (lambda: mx.full((2,), True), "bool_"),
    (lambda: mx.full((2,), 1j), "complex64"),
    (lambda: mx.full((2,), 2**40), "int64"),
    (lambda: mx.full((2,), 1, mx.float16), "float16"),
    (lambda: mx.full((2,), mx.array(1, mx.int8)), "int8"),
    (lambda: mx.full_like(mx.zeros((2,), mx.int8), 1.5), "int8"),
    (lambda: mx.zeros_like(mx.zeros((2,), mx.int8), mx.float16), "float16"),
    (lambda: mx.arange(3), "int32"),
    (lambda: mx.arange(3.0), "float32"),
    (lambda: mx.arange(0, 3, 0.5), "float32"),
    (lambda: mx.arange(2**33, 2**33 + 2), "int64"),
    (lambda: mx.linspace(0, 1), "float32"),
    (lambda: mx.linspace(0, 1, dtype=None), "float32"),
]


@pytest.mark.parametrize("call, dtype", DEFAULTS)
def test_default_dtypes(call, dtype):
    assert call().dtype == getattr(mx, dtype)


def test_arange_values():
    assert mx.arange(0, 1, 0.25).tolist() == [0, 0.25, 0.5, 0.75]
    assert mx.arange(5, 5).shape == (0,) and mx.arange(3, 0).shape == (0,)
    assert mx.arange(0, 1, float("inf")).tolist() == [0.0]
    assert mx.arange(True, 3).tolist() == [1, 2]
    assert mx.arange(100_003).tolist()[-1] == 100_002
    big = mx.arange(0, 2**24 + 2, 1, dtype=mx.float64)
    assert big[-1].item() == 2**24 + 1
    x = mx.arange(0, 1000, 0.1)
    assert abs(x[-1].item() - 999.9) < 1e-3 and x.shape == (10000,)


def test_linspace_ends_are_exact():
    for d in ("float32", "float64", "float16", "bfloat16"):
        t = dtypes.BY_NAME[d]
        x = mx.linspace(0.1, 0.7, 11, dtype=t.mx)
        ends = dtypes.round_to(
            dtypes.round_to(
                np.array([0.1, 0.7]), dtypes.FLOAT64 if d == "float64" else dtypes.FLOAT32
            ),
            t,
        )
        assert dtypes.to_numpy(x)[[0, -1]].tolist() == ends.tolist(), d


def test_full_broadcasts_and_keeps_double():
    assert mx.full((2, 2), mx.array([[1], [2]])).tolist() == [[1, 1], [2, 2]]
    assert mx.full((1,), 0.1, dtype=mx.float64).item() == 0.1


ERRORS = [
    # call, exception, part of the message
    (lambda: mx.zeros((2, -1)), ValueError, "-1"),
    (lambda: mx.ones(-1), ValueError, "-1"),
    (lambda: mx.full((2, 3), mx.ones((4,))), ValueError, "broadcast"),
    (lambda: mx.full(2, 300, dtype=mx.uint8), ValueError, "300"),
    (lambda: mx.eye(-1), ValueError, "eye"),
    (lambda: mx.identity(-1), ValueError, ""),
    (lambda: mx.tril(mx.ones(3)), ValueError, "tril"),
    (lambda: mx.triu(mx.array(1.0)), ValueError, "triu"),
    (lambda: mx.diag(mx.ones((2, 2, 2))), ValueError, "diag"),
    (lambda: mx.diag(mx.array(1.0)), ValueError, "diag"),
    (lambda: mx.arange(0, 1, 0), ValueError, "arange"),
    (lambda: mx.arange(float("nan")), ValueError, "arange"),
    (lambda: mx.arange(0, float("inf")), ValueError, "arange"),
    (lambda: mx.arange(3, dtype=mx.bool_), ValueError, "arange"),
    (lambda: mx.arange(True), ValueError, "arange"),
    (lambda: mx.arange(start=3), TypeError, ""),
    (lambda: mx.arange("3"), TypeError, ""),
    (lambda: mx.linspace(0, 1, -1), ValueError, "linspace"),
    (lambda: mx.zeros("x"), TypeError, ""),
    (lambda: mx.zeros((1.5,)), TypeError, ""),
    (lambda: mx.zeros((2**63,)), OverflowError, ""),
    (lambda: mx.zeros((2,), "float32"), TypeError, ""),
    (lambda: mx.zeros_like([1.0]), (TypeError, ValueError), ""),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)


def test_memory_error_leaves_the_process_alive():
    with pytest.raises(MemoryError):
        mx.eval(mx.arange(50_000_000_000))
    assert mx.ones(3).sum().item() == 3
