"""Indexing of arrays against NumPy: reads, assignments, masks, ``at``, the index functions."""

import itertools

import mlx.core as mx
import numpy as np
import pytest

SHAPE = (3, 4, 5)

BASIC = [
    0,
    -1,
    (),
    ...,
    None,
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(10, 0, -2),
    slice(2, 1),
    (0, 1),
    (0, ..., -1),
    (..., 2),
    (None, 1, None, slice(None, None, 2)),
    (slice(None), slice(None, None, -2), slice(4, 0, -1)),
    (1, 2, 3),
    (slice(1, 3), None, 0, ...),
    (None, -1),
]

ROWS = np.array([2, 0, -1, 0])
GRID = np.array([[1, 0], [2, 2]])
COLUMN = np.array([[1], [3]])

ADVANCED = [
    ROWS,
    GRID,
    np.array(1),
    (slice(None), ROWS),
    (..., GRID),
    (GRID, GRID),
    (GRID, slice(None), GRID),
    (slice(None), 0, GRID),
    (0, slice(None), GRID),
    (slice(None), GRID, COLUMN),
    (None, GRID),
    (GRID, None, GRID),
    (slice(None, None, -1), ROWS, slice(1, 4, 2)),
    (ROWS, ..., ROWS),
    (1, GRID, 0),
    (GRID, slice(1, 1)),
]


def values(dtype=np.float32):
    return np.arange(60, dtype=dtype).reshape(SHAPE)


def as_mlx(index):
    if isinstance(index, tuple):
        return tuple(as_mlx(entry) for entry in index)
    return mx.array(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("index", BASIC + ADVANCED, ids=str)
@pytest.mark.parametrize("layout", ["dense", "transposed"])
def test_read(index, layout):
    x = values()
    a = mx.array(x)
    if layout == "transposed":
        a = mx.array(x.transpose(2, 0, 1).copy()).transpose(1, 2, 0)
    want = x[index]
    got = a[as_mlx(index)]
    assert got.shape == want.shape
    np.testing.assert_array_equal(np.array(got), want)


@pytest.mark.parametrize("index", BASIC + ADVANCED, ids=str)
def test_assign(index):
    x = values()
    a = mx.array(x)
    target = x[index].shape
    update = -1 - np.arange(np.prod(target, dtype=int), dtype=np.float32).reshape(target)
    for value in (7.0, update):
        b = mx.array(x)
        y = x.copy()
        y[index] = value
        b[as_mlx(index)] = mx.array(value) if isinstance(value, np.ndarray) else value
        np.testing.assert_array_equal(np.array(b), y)
    np.testing.assert_array_equal(np.array(a), x)


@pytest.mark.parametrize("index", [e for e in ADVANCED if not isinstance(e, tuple)], ids=str)
def test_lists_are_arrays(index):
    if index.ndim:
        np.testing.assert_array_equal(np.array(mx.array(values())[index.tolist()]), values()[index])


@pytest.mark.parametrize("shape", [(), (3,), (3, 4), SHAPE], ids=str)
def test_masks(shape):
    rng = np.random.default_rng(1)
    x = values()
    mask = rng.random(shape) < 0.5 if shape else np.array(True)
    np.testing.assert_array_equal(np.array(mx.array(x)[mx.array(mask)]), x[mask])
    rows = -np.ones_like(x[mask]) - np.arange(x[mask].size).reshape(x[mask].shape)
    for value in (5.0, rows):
        a = mx.array(x)
        y = x.copy()
        a[mx.array(mask)] = mx.array(value)
        y[mask] = value
        np.testing.assert_array_equal(np.array(a), y)


def test_other_masks():
    x = values()
    np.testing.assert_array_equal(np.array(mx.array(x)[[True, False, True]]), x[[0, 2]])
    np.testing.assert_array_equal(np.array(mx.array(x)[x > 30]), x[x > 30])
    a = mx.array([1, 2, 3])
    a[False] = 9
    assert a.tolist() == [1, 2, 3]
    a[True] = 9
    assert a.tolist() == [9, 9, 9]
    with pytest.raises(ValueError, match="leading dimensions"):
        a[mx.array([True])]
    with pytest.raises(ValueError, match="leading dimensions"):
        a[mx.array([True])] = 1
    with pytest.raises(ValueError, match="whole index"):
        a[mx.array([True, False, True]), None]
    with pytest.raises(RuntimeError, match="rows"):
        a[mx.array([True, False, True])] = mx.array([1])
    with pytest.raises(ValueError, match="transformed"):
        mx.vmap(lambda v: v[v > 1])(mx.ones((2, 3)))


@pytest.mark.parametrize("index", [5, -4, (0, 9), (slice(None), -5), (0, mx.array([0]), 7)], ids=str)
def test_an_integer_out_of_range(index):
    a = mx.array(values())
    for error in (IndexError, ValueError, mx.IndexOutOfRangeError):
        with pytest.raises(error, match="out of range"):
            a[index]
        with pytest.raises(error, match="out of range"):
            a[index] = 0


def test_an_array_index_out_of_range_is_an_error_at_evaluation():
    for index in (3, -4):
        b = mx.array(values())[mx.array([0, index])]
        for _ in range(2):
            with pytest.raises(IndexError, match=f"index {index} is out of range for axis 0 of size 3"):
                mx.eval(b)


@pytest.mark.parametrize(
    "index",
    [1.5, "x", (0, (1,)), [], mx.array([0.5]), (0, 0, 0, 0), (..., ...), np.array([0, 1]), slice(0, 3, 0)],
    ids=str,
)
def test_bad_indices(index):
    a = mx.array(values())
    with pytest.raises(ValueError):
        a[index]
    with pytest.raises(ValueError):
        a[index] = 0


def test_assigned_values():
    a = mx.zeros((2, 3), mx.int32)
    a[0] = 1.7
    a[1] = mx.array([[[2, 3, 4]]])
    assert a.tolist() == [[1, 1, 1], [2, 3, 4]]
    a[..., 0] += mx.array([10, 20])
    assert a.tolist() == [[11, 1, 1], [22, 3, 4]]
    with pytest.raises(ValueError):
        a[0] = mx.zeros((2,))
    b = a[0]
    b[0] = 0
    assert a[0, 0].item() == 11


def test_at_accumulates():
    a = mx.ones((3,))
    index = mx.array([0, 0, 2])
    assert a.at[index].add(2.0).tolist() == [5, 1, 3]
    assert a.at[index].subtract(1.0).tolist() == [-1, 1, 0]
    assert a.at[index].multiply(3.0).tolist() == [9, 1, 3]
    assert a.at[index].divide(2.0).tolist() == [0.25, 1, 0.5]
    assert a.at[index].maximum(mx.array([2.0, 4.0, 0.0])).tolist() == [4, 1, 1]
    assert a.at[index].minimum(mx.array([2.0, 0.5, 0.0])).tolist() == [0.5, 1, 0]
    assert a.at[1:].add(1.0).tolist() == [1, 2, 2]
    assert a.tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="index"):
        a.at.add(1)


def test_gradients():
    x = mx.array(values())
    index = mx.array([2, 0, 2])
    grad = np.array(mx.grad(lambda a: (a[index, 1:3] * 2).sum())(x))
    want = np.zeros(SHAPE, np.float32)
    np.add.at(want, (np.array([2, 0, 2]), slice(1, 3)), 2)
    np.testing.assert_array_equal(grad, want)

    def assigned(a, v):
        b = a * 1
        b[mx.array([1, 2]), ..., 0] = v
        return (b * 3).sum()

    by_a, by_v = mx.grad(assigned, argnums=(0, 1))(x, mx.ones((2, 4)))
    want = np.full(SHAPE, 3, np.float32)
    want[1:, :, 0] = 0
    np.testing.assert_array_equal(np.array(by_a), want)
    np.testing.assert_array_equal(np.array(by_v), np.full((2, 4), 3))
    with pytest.raises(ValueError, match="stop_gradient"):
        mx.grad(lambda i: mx.take(mx.ones((3,)), i.astype(mx.int32)).sum())(mx.array([1, 0]))


def test_index_functions():
    x = values()
    a = mx.array(x)
    for axis, shape in itertools.product(range(-3, 3), [(), (2,), (2, 2)]):
        index = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3
        np.testing.assert_array_equal(np.array(mx.take(a, mx.array(index), axis)), x.take(index, axis))
    assert mx.take(a, -1).item() == 59
    assert mx.take(a, 1, axis=0).shape == (4, 5)
    order = np.argsort(-x, axis=1)
    taken = mx.take_along_axis(a, mx.array(order), axis=1)
    np.testing.assert_array_equal(np.array(taken), np.take_along_axis(x, order, 1))
    put = mx.put_along_axis(a, mx.array([[[0, 1, 2, 3, 0]]]), 9, axis=1)
    y = x.copy()
    np.put_along_axis(y, np.array([[[0, 1, 2, 3, 0]]]), 9, 1)
    np.testing.assert_array_equal(np.array(put), y)
    flat = mx.put_along_axis(a, mx.array([0, 59]), mx.array([1.0, 2.0]), axis=None)
    assert flat.shape == SHAPE and flat[0, 0, 0].item() == 1 and flat[2, 3, 4].item() == 2
    with pytest.raises(TypeError):
        mx.take(a, np.int32(1))
    with pytest.raises(ValueError):
        mx.take(a, 60)
