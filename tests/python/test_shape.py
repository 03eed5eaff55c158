"""The shape family: the case table's checks, arbitrary views, single ops, errors."""

import mlx.core as mx
import numpy as np
import pytest
from harness import checks, dtypes, errors, strategies
from harness.case import ids
from hypothesis import given, settings
from hypothesis import strategies as st
from tables.shape import BATCHED, CASES, DIFFERENTIABLE


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


# ---- any shape, any stride ------------------------------------------------------------------------


@given(strategies.views(), st.data())
@settings(max_examples=200)
def test_views(view, data):
    a, x = view
    assert a.shape == x.shape and np.array_equal(dtypes.to_numpy(a), x)
    if x.ndim:
        index = data.draw(strategies.basic_indices(x.shape))
        got = a[index]
        assert got.shape == x[index].shape and np.array_equal(dtypes.to_numpy(got), x[index]), index
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        joined = mx.concatenate([a, a[index] if x[index].shape == x.shape else a], axis=axis)
        other = x[index] if x[index].shape == x.shape else x
        assert np.array_equal(dtypes.to_numpy(joined), np.concatenate([x, other], axis=axis))
    flat = mx.flatten(a)
    assert np.array_equal(dtypes.to_numpy(flat), x.reshape(-1))


# Shapes around the tiles and panels that transposing works in, rows that collide in
# the caches, ones whose lines do not begin at multiples of 64 bytes, results large
# enough to pass by the caches.
TRANSPOSED = [
    ((67, 131), (1, 0)),
    ((512, 1024), (1, 0)),
    ((1100, 2048), (1, 0)),
    ((1501, 1503), (1, 0)),
    ((3, 70, 90), (1, 2, 0)),
    ((70, 90, 3), (2, 0, 1)),
    ((2, 65, 5, 66), (0, 3, 1, 2)),
    ((2, 65, 5, 66), (0, 2, 3, 1)),
    ((34, 6, 5, 66), (3, 2, 1, 0)),
    ((66, 4, 130, 3), (2, 3, 1, 0)),
]


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("shape, axes", TRANSPOSED)
def test_transposed(shape, axes, dtype):
    rng = np.random.default_rng(0)
    x = rng.integers(-60, 60, shape).astype(dtype)
    a = mx.array(x).astype(getattr(mx, dtype))
    y = x.transpose(axes)
    b = a.transpose(axes)
    assert np.array_equal(np.array(mx.contiguous(b)), y)
    dense = mx.array(y).astype(getattr(mx, dtype))
    assert np.array_equal(np.array(dense - b), y - y)
    back = np.argsort(axes).tolist()
    assert np.array_equal(np.array(dense.transpose(back) + a), x + x)
    row = mx.array(y[..., :1]).astype(getattr(mx, dtype))
    assert np.array_equal(np.array(mx.maximum(row, row) + (b - dense)), y - y + y[..., :1])
    if y.shape[-1] > 4:
        part = np.s_[..., 1:-2]
        assert np.array_equal(np.array(b[part] + dense[part]), y[part] + y[part])


@given(strategies.views(shape=strategies.full_shapes), st.data())
@settings(max_examples=100)
def test_pad_roll_repeat(view, data):
    a, x = view
    if not x.ndim or x.size == 0:
        return
    widths = [(data.draw(st.integers(0, 3)), data.draw(st.integers(0, 7))) for _ in x.shape]
    assert np.array_equal(dtypes.to_numpy(mx.pad(a, widths)), np.pad(x, widths))
    for mode in ("edge", "reflect", "symmetric"):
        assert np.array_equal(
            dtypes.to_numpy(mx.pad(a, widths, mode=mode)), np.pad(x, widths, mode)
        ), mode
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    shift = data.draw(st.integers(-9, 9))
    assert np.array_equal(dtypes.to_numpy(mx.roll(a, shift, axis)), np.roll(x, shift, axis))
    times = data.draw(st.integers(0, 3))
    assert np.array_equal(dtypes.to_numpy(mx.repeat(a, times, axis)), np.repeat(x, times, axis))


@given(strategies.views(shape=strategies.full_shapes), st.data())
@settings(max_examples=100)
def test_slice_assignment(view, data):
    a, x = view
    x = np.array(x)
    index = data.draw(strategies.basic_indices(x.shape))
    value = data.draw(st.sampled_from(["scalar", "same", "row"]))
    target = x[index]
    update = np.float32(7.0)
    if value == "same":
        update = (np.arange(target.size, dtype=np.float32) + 0.5).reshape(target.shape)
    elif value == "row" and target.ndim:
        update = np.arange(target.shape[-1], dtype=np.float32)
    before = a * 1
    x[index] = update
    a[index] = mx.array(update)
    assert np.array_equal(dtypes.to_numpy(a), x), (index, value)
    assert not before.size or before.shape == a.shape


# ---- single ops -----------------------------------------------------------------------------------


def test_view_reinterprets_bits():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2**16, (4, 8), dtype=np.uint16)
    a = mx.array(x)
    for dtype, twin in (
        (mx.int16, np.int16),
        (mx.float16, np.float16),
        (mx.uint8, np.uint8),
        (mx.uint32, np.uint32),
    ):
        got = np.array(a.view(dtype))
        assert got.tobytes() == x.view(twin).tobytes() and got.shape == x.view(twin).shape
    assert (
        np.array(mx.array(x.T.copy()).T.view(mx.uint32)).tobytes() == x.tobytes()
    )  # row-major order counts
    assert mx.array(1.0).view(mx.int32).item() == 0x3F800000


def test_views_are_values():
    a = mx.arange(6).reshape(2, 3)
    b = a.T
    a[0, 0] = 100
    assert b[0, 0].item() == 0 and a.T[0, 0].item() == 100
    c = a[...]
    c[0, 0] = 5
    assert a[0, 0].item() == 100


def test_broadcast_shapes():
    assert mx.broadcast_shapes((2, 1), (1, 3)) == (2, 3)
    assert mx.broadcast_shapes((1,), (0,)) == (0,)
    assert mx.broadcast_shapes((4, 1, 2)) == (4, 1, 2)


def test_list_results():
    parts = mx.split(mx.arange(6), 3)
    assert isinstance(parts, list) and [p.tolist() for p in parts] == [[0, 1], [2, 3], [4, 5]]
    assert isinstance(mx.broadcast_arrays(mx.ones(2)), list) and isinstance(
        mx.atleast_1d(mx.ones(2), mx.ones(3)), list
    )
    assert isinstance(mx.meshgrid(mx.ones(2), mx.ones(3)), tuple)
    assert mx.atleast_2d() == []
    assert [a.shape for a in mx.unstack(mx.zeros((2, 3)), axis=1)] == [(2,)] * 3


def test_concatenate_promotes():
    r = mx.concatenate([mx.array([1], mx.int8), mx.array([2.5], mx.float16)])
    assert r.dtype == mx.float16 and r.tolist() == [1.0, 2.5]
    assert mx.stack([mx.array(1), mx.array(True)]).dtype == mx.int32
    assert mx.concatenate(mx.array([[1, 2], [3, 4]])).tolist() == [1, 2, 3, 4]


def test_split_of_view_is_right():
    s = mx.split(mx.array([[3, 0], [1, 0], [2, 0], [0, 0]]), 2, axis=-1)[0]
    assert (s + 1).tolist() == [[4], [2], [3], [1]]


def test_zero_dimensions():
    assert mx.zeros((0, 3)).reshape(-1, 3).shape == (0, 3)
    assert mx.broadcast_to(mx.ones((1, 3)), (0, 3)).shape == (0, 3)
    assert mx.concatenate([mx.zeros((0,)), mx.ones((2,))]).tolist() == [1, 1]
    assert mx.flatten(mx.zeros((2, 0, 3)), 0, 1).shape == (0, 3)


def test_large_dimensions_stay_lazy():
    big = mx.zeros((2**16, 2**16), dtype=mx.uint8)
    assert big.flatten().shape == (2**32,)
    assert mx.broadcast_to(mx.array(1), (2**40, 2**20)).shape == (2**40, 2**20)
    row = mx.broadcast_to(mx.arange(3), (2**40, 3))
    assert row[2**39 + 5].tolist() == [0, 1, 2] and row[-1, 2].item() == 2


def _f(*shape):
    return mx.zeros(shape)


ERRORS = [
    # call, exception, part of the message
    (lambda: mx.reshape(_f(6), (4,)), ValueError, "reshape"),
    (lambda: mx.reshape(_f(6), (-1, -1)), ValueError, "reshape"),
    (lambda: mx.reshape(_f(0, 3), (0, -1)), ValueError, "reshape"),
    (lambda: mx.reshape(_f(6), 6), TypeError, ""),
    (lambda: _f(6).reshape(), (ValueError, TypeError), ""),
    (lambda: mx.flatten(_f(2, 3), 2), ValueError, "flatten"),
    (lambda: mx.unflatten(_f(6), 0, ()), ValueError, "unflatten"),
    (lambda: mx.unflatten(_f(6), 1, (2, 3)), ValueError, "unflatten"),
    (lambda: mx.unflatten(_f(6), 0, (4, -1)), ValueError, ""),
    (lambda: mx.squeeze(_f(2, 1), 0), ValueError, "squeeze"),
    (lambda: mx.squeeze(_f(2, 1), 2), ValueError, "squeeze"),
    (lambda: mx.squeeze(_f(1, 1), (0, 0)), ValueError, "squeeze"),
    (lambda: mx.expand_dims(_f(2), 3), ValueError, "expand_dims"),
    (lambda: mx.expand_dims(_f(2), (0, 0)), ValueError, "expand_dims"),
    (lambda: mx.flip(_f(2), 1), ValueError, "flip"),
    (lambda: mx.transpose(_f(2, 3), (0,)), ValueError, "transpose"),
    (lambda: mx.transpose(_f(2, 3), (0, 0)), ValueError, "transpose"),
    (lambda: mx.transpose(_f(2, 3), (0, 2)), ValueError, "transpose"),
    (lambda: mx.moveaxis(_f(2, 3), 2, 0), IndexError, "moveaxis"),
    (lambda: mx.swapaxes(_f(2, 3), 0, -3), IndexError, "swapaxes"),
    (lambda: mx.broadcast_to(_f(3), (4,)), ValueError, "broadcast"),
    (lambda: mx.broadcast_to(_f(3), (-1, 3)), ValueError, ""),
    (lambda: mx.broadcast_shapes(), ValueError, ""),
    (lambda: mx.broadcast_shapes((2,), (3,)), ValueError, "broadcast"),
    (lambda: mx.concatenate([]), ValueError, "concatenate"),
    (lambda: mx.concatenate([_f(2), _f(2, 2)]), ValueError, "concatenate"),
    (lambda: mx.concatenate([_f(2, 2), _f(2, 3)]), ValueError, "concatenate"),
    (lambda: mx.concatenate([_f(2)], axis=1), ValueError, "concatenate"),
    (lambda: mx.stack([]), ValueError, "stack"),
    (lambda: mx.stack([_f(2), _f(3)]), ValueError, "stack"),
    (lambda: mx.split(_f(5), 2), ValueError, "split"),
    (lambda: mx.split(_f(4), 0), ValueError, "split"),
    (lambda: mx.split(_f(4), 2, axis=1), ValueError, "split"),
    (lambda: mx.repeat(_f(4), -1), ValueError, "repeat"),
    (lambda: mx.repeat(_f(4), 2, axis=1), ValueError, "repeat"),
    (lambda: mx.roll(_f(4), (1,), axis=(0, 0)), ValueError, "roll"),
    (lambda: mx.roll(_f(4), 1, axis=1), ValueError, "roll"),
    (lambda: mx.pad(_f(4), -1), ValueError, "pad"),
    (lambda: mx.pad(_f(4), [(1, 1), (1, 1)]), ValueError, "pad"),
    (lambda: mx.pad(_f(4), 1, mode="wrap"), ValueError, "wrap"),
    (lambda: mx.pad(_f(0), 1, mode="reflect"), ValueError, "pad"),
    (lambda: mx.meshgrid(_f(2), indexing="yx"), ValueError, "yx"),
    (lambda: mx.view(mx.zeros((3,), mx.uint8), mx.uint32), ValueError, "view"),
    (lambda: mx.view(mx.array(1.0), mx.int8), ValueError, "view"),
    (lambda: mx.as_strided(_f(4), (2, 2), (1,)), ValueError, "as_strided"),
    (lambda: mx.as_strided(_f(4), (-2,), (1,)), ValueError, ""),
    (lambda: mx.arange(5)[::0], ValueError, ""),
    (lambda: mx.atleast_1d(1.0), (TypeError, RuntimeError), ""),
    (lambda: mx.flatten([1.0]), TypeError, ""),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)
