"""Indexing: reading and assigning with basic indices, take, bounds, gradients. Array-index assignment and its
relatives are tested as far as they exist.
"""

import mlx.core as mx
import numpy as np
import pytest
from harness import checks, dtypes, errors, strategies
from harness.case import Case, has
from harness.domains import ANY_COMPLEX
from hypothesis import given, settings
from hypothesis import strategies as st

IX = np.array([2, 0, -1])

READS = {
    # index, for an array of shape (4, 5, 6)
    "int": 1,
    "negative int": -1,
    "ints": np.s_[1, -2, 3],
    "slice": np.s_[1:3],
    "step": np.s_[::2, ::-1, 5:0:-2],
    "ellipsis": np.s_[..., 2],
    "ellipsis middle": np.s_[1, ..., 0],
    "newaxis": np.s_[None, :, 2, None],
    "everything": np.s_[:],
    "empty tuple": (),
    "empty slice": np.s_[3:1],
    "clipped": np.s_[-9:99],
}
ARRAY_READS = {
    "array": IX,
    "array rows": np.s_[:, IX],
    "array last": np.s_[..., IX],
    "two arrays": np.s_[IX, IX],
    "array and int": np.s_[IX, 1],
    "split arrays": np.s_[IX, :, IX],
    "int, slice, array": np.s_[0, :, IX],
    "slice, int, array": np.s_[:, 0, IX],
    "matrix index": np.array([[0, 1], [3, 2]]),
    "broadcast indices": np.s_[np.array([[0], [1]]), IX],
    "array newaxis": np.s_[IX, None, 2],
    "clipped slice": np.s_[-50:3, np.array([1, 4])],
}


def _index_to_mlx(index):
    convert = lambda i: mx.array(i.astype(np.int32)) if isinstance(i, np.ndarray) else i
    return tuple(convert(i) for i in index) if isinstance(index, tuple) else convert(index)


def has_array_index(index):
    return any(isinstance(i, np.ndarray) for i in (index if isinstance(index, tuple) else (index,)))


def reading(name, index) -> Case:
    return Case(
        name,
        lambda a: a[_index_to_mlx(index)],
        lambda a: a[index],
        (ANY_COMPLEX,),
        [((4, 5, 6),)],
        accuracy="copy",
        needs="take" if has_array_index(index) else "array",
        derivative_shapes=[((4, 5, 6),)],
    )


CASES = [reading(name, index) for name, index in {**READS, **ARRAY_READS}.items()]
NAMES = [c.name.replace(" ", "-") for c in CASES]


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_reading(case):
    checks.forward(case)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_reading_derivatives(case):
    checks.derivatives(case)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_reading_vmap(case):
    checks.batching(case.but(derivative_shapes=[((4, 5, 6),)]))


TAKE = [
    Case(
        f"take {kind}",
        lambda a, axis, ix=ix: mx.take(
            a, mx.array(ix) if isinstance(ix, np.ndarray) else ix, axis=axis
        ),
        lambda a, axis, ix=ix: np.take(a, ix, axis=axis),
        (ANY_COMPLEX,),
        [((4, 5, 6),), ((7, 3, 4),)],
        variants=[dict(axis=a) for a in (None, 0, 1, -1)],
        accuracy="copy",
        derivative_shapes=[((3, 4, 3),)],
    )
    for kind, ix in (
        ("int", 2),
        ("last", -1),
        ("array", IX.astype(np.int32)),
        ("matrix", np.array([[0, 1], [2, 2]], np.uint32)),
        ("duplicates", np.array([1, 1, 1], np.int64)),
        ("empty", np.zeros((0,), np.int32)),
    )
]


@pytest.mark.parametrize("case", TAKE, ids=[c.name.replace(" ", "-") for c in TAKE])
def test_take(case):
    checks.forward(case)
    checks.derivatives(case)
    checks.batching(case)


@pytest.mark.skipif(not has("take"), reason="mlx.core has no take yet")
@given(strategies.views(shape=strategies.full_shapes), st.data())
@settings(max_examples=200)
def test_take_anywhere(view, data):
    a, x = view
    if not x.ndim or x.size == 0:
        return
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    n = x.shape[axis]
    ix = np.array(data.draw(st.lists(st.integers(-n, n - 1), max_size=5)), np.int32)
    assert np.array_equal(
        dtypes.to_numpy(mx.take(a, mx.array(ix), axis=axis)), np.take(x, ix, axis=axis)
    )


# The index family comes as a whole; until then basic indices are all there is.
needs_index_family = pytest.mark.skipif(not has("take"), reason="mlx.core has no take yet")


@needs_index_family
def test_index_dtypes():
    a = mx.arange(10)
    for d in dtypes.INTS:
        ix = mx.array([1, 3], dtype=d.mx)
        assert a[ix].tolist() == [1, 3] and mx.take(a, ix).tolist() == [1, 3], d


def test_reading_gives_new_values():
    a = mx.arange(4)
    for b in (a[...], a[()], a[:], a[1:3]):
        b[0] = 99
        assert a.tolist() == [0, 1, 2, 3]
    assert mx.array(5)[...].item() == 5 and mx.array(5)[None].shape == (1,)
    assert a[np.int64(2)].item() == 2


WRITES = [
    ("int", 1, (5, 6)),
    ("last", -1, ()),
    ("slice", np.s_[1:3], (2, 5, 6)),
    ("steps", np.s_[::2, ::-1, 5:0:-2], ()),
    ("ellipsis", np.s_[..., 2], (4, 5)),
    ("newaxis", np.s_[None, 1], (6,)),
    ("row broadcast", np.s_[:, 1:3], (1, 6)),
    ("element", np.s_[1, 2, 3], ()),
    ("empty", np.s_[3:1], ()),
    pytest.param("leading ones", np.s_[0], (1, 1, 5, 6), marks=needs_index_family),
    ("everything", np.s_[:], (5, 1)),
]

WRITE_NAMES = [(getattr(w, "values", w))[0].replace(" ", "-") for w in WRITES]


@pytest.mark.parametrize("name, index, shape", WRITES, ids=WRITE_NAMES)
def test_assignment(name, index, shape):
    for d in dtypes.ALL:
        rng = np.random.default_rng(1)
        x = ANY_COMPLEX.forward(rng, (4, 5, 6), d)
        v = ANY_COMPLEX.forward(rng, shape, d)
        a = dtypes.to_mlx(x, d)
        a[index] = dtypes.to_mlx(v, d)
        x[index] = v.reshape(v.shape[2:]) if name == "leading ones" else v
        assert a.dtype == d.mx and np.array_equal(dtypes.to_numpy(a), x, equal_nan=d.inexact), d


def test_assignment_casts_to_the_array():
    a = mx.array([1, 2, 3])
    a[0] = 1.7
    a[1:] = mx.array([2.9, -1.5])
    assert a.dtype == mx.int32 and a.tolist() == [1, 2, -1]
    a[...] = 7.5
    assert a.dtype == mx.int32 and a.tolist() == [7, 7, 7]
    b = mx.zeros((2, 2))
    b[None, -1] = 1
    assert b.tolist() == [[0, 0], [1, 1]]


def test_assignment_is_seen_by_all_names_and_by_no_value():
    a = mx.zeros((3,))
    name, derived = a, a + 1
    a[1] = 5
    assert name.tolist() == [0, 5, 0] and derived.tolist() == [1, 1, 1]
    a[0] += 2
    assert name.tolist() == [2, 5, 0]


def test_assignment_differentiates():
    def f(x, v):
        y = x * 2
        y[1] = v
        y[2:] *= 3
        return y.sum()

    gx, gv = mx.grad(f, argnums=(0, 1))(mx.ones((4,)), mx.array(5.0))
    assert gx.tolist() == [2, 0, 6, 6] and gv.item() == 1


@needs_index_family
def test_gather_gradient_accumulates():
    g = mx.grad(lambda x: x[mx.array([0, 0, 2])].sum())(mx.zeros((3,)))
    assert g.tolist() == [2, 0, 1]
    g = mx.grad(lambda x: mx.take(x, mx.array([1, 1]), axis=0).sum())(mx.zeros((2, 2)))
    assert g.tolist() == [[0, 0], [2, 2]]


# ---- array-index assignment, at, masks ------------------------------------------------------------


def _needs(*names):
    missing = [n for n in names if not has(n)]
    if missing:
        pytest.skip(f"mlx.core has no {', '.join(missing)} yet")


def test_array_index_assignment():
    _needs("put_along_axis")
    for index in ARRAY_READS.values():
        x = np.arange(120, dtype=np.float32).reshape(4, 5, 6)
        a = mx.array(x)
        a[_index_to_mlx(index)] = -1.0
        x[index] = -1.0
        assert np.array_equal(np.array(a), x), index


def test_at():
    _needs("array.at", "put_along_axis")
    a = mx.array([1.0, 2.0, 3.0])
    ix = mx.array([0, 0, 2])
    assert a.at[ix].add(1.0).tolist() == [3, 2, 4] and a.at[1:].multiply(2.0).tolist() == [1, 4, 6]
    assert a.at[ix].maximum(2.5).tolist() == [2.5, 2, 3] and a.at[0].subtract(1).tolist() == [
        0,
        2,
        3,
    ]
    assert a.tolist() == [1, 2, 3]


def test_mask_assignment():
    _needs("put_along_axis")
    a = mx.arange(6).reshape(2, 3)
    a[a > 2] = 0
    assert a.tolist() == [[0, 1, 2], [0, 0, 0]]


def test_mask_reading():
    a = mx.arange(6).reshape(2, 3)
    try:
        got = a[a > 2]
    except ValueError:
        pytest.skip("boolean-mask reads do not exist yet")
    assert got.tolist() == [3, 4, 5]
    assert a[mx.array([True, False])].tolist() == [[0, 1, 2]]


def _a():
    return mx.arange(24).reshape(4, 6)


ERRORS = [
    # Out of range: never foreign memory.
    (lambda: mx.arange(5)[5], IndexError, "5"),
    (lambda: mx.arange(5)[-6], IndexError, "-6"),
    (lambda: _a()[0, 6], IndexError, "6"),
    (lambda: _a()[-5, 0], IndexError, "-5"),
    (lambda: mx.arange(3)[2**31 - 1], IndexError, ""),
    (lambda: mx.take(mx.arange(5), mx.array([0, 5])), IndexError, "5"),
    (lambda: mx.take(_a(), mx.array([-5]), axis=0), IndexError, "-5"),
    (lambda: mx.arange(5)[mx.array([7])], IndexError, "7"),
    (lambda: mx.take(mx.arange(5), 5), (IndexError, ValueError), ""),
    (lambda: mx.take(_a(), mx.array([0]), axis=2), ValueError, ""),
    (lambda: mx.take(mx.zeros((0, 3)), mx.array([0]), axis=0), ValueError, ""),
    (lambda: mx.arange(5).__setitem__(5, 1), IndexError, "5"),
    (lambda: _a().__setitem__((0, -7), 1), IndexError, "-7"),
    # Malformed indices.
    (lambda: _a()[0, 0, 0], ValueError, ""),
    (lambda: _a()[..., ...], ValueError, ""),
    (lambda: _a()["x"], ValueError, ""),
    (lambda: _a()[1.0], ValueError, ""),
    (lambda: _a()[mx.array([1.0])], ValueError, ""),
    (lambda: _a()[[]], ValueError, ""),
    (lambda: _a()[::0], ValueError, ""),
    (lambda: mx.array(1)[0], ValueError, ""),
    (lambda: mx.array(1)[:], ValueError, ""),
    (lambda: _a().__setitem__(0, [1, 2]), ValueError, ""),
    (lambda: _a().__setitem__(0, mx.ones((5,))), ValueError, ""),
    (lambda: _a().__setitem__(slice(None, None, 0), 1), ValueError, ""),
    (lambda: mx.take([1, 2], mx.array([0])), TypeError, ""),
    (lambda: mx.take(mx.arange(3), mx.array([0.5])), ValueError, ""),
    (lambda: mx.zeros((2,), mx.uint8).__setitem__(0, 300), ValueError, "300"),
    (
        lambda: mx.grad(lambda i: mx.take(mx.ones(3), i).sum())(mx.array([0])),
        ValueError,
        "stop_gradient",
    ),
]


@needs_index_family
@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)


@needs_index_family
def test_index_error_is_also_a_value_error():
    for f in (lambda: _a()[0, 6], lambda: mx.arange(5)[5]):
        with pytest.raises(ValueError):
            f()
