"""The array class: construction, dtypes, conversion, protocols, operators, printing."""

import copy
import gc
import pickle
import reprlib
import weakref

import mlx.core as mx
import numpy as np
import pytest
from harness import dtypes, errors

CONSTRUCTION = [
    # value, dtype argument, dtype of the result, tolist()
    (True, None, "bool_", True),
    (3, None, "int32", 3),
    (2**31, None, "int64", 2**31),
    (-(2**31) - 1, None, "int64", -(2**31) - 1),
    (1.5, None, "float32", 1.5),
    (1 + 2j, None, "complex64", 1 + 2j),
    (300, "uint8", "uint8", 44),
    (1j, "float32", "float32", 0.0),
    (0.1, "float64", "float64", 0.1),
    (2**64 - 1, "uint64", "uint64", 2**64 - 1),
    ([], None, "float32", []),
    ([[], [], []], None, "float32", [[], [], []]),
    ([True, False], None, "bool_", [True, False]),
    ([1, 2.5], None, "float32", [1.0, 2.5]),
    ([True, 2], None, "int32", [1, 2]),
    ([1, 2**40], None, "int64", [1, 2**40]),
    ([1, 1j], None, "complex64", [1 + 0j, 1j]),
    ([[1, 2], (3, 4)], None, "int32", [[1, 2], [3, 4]]),
    ([1.7, -1.7], "int32", "int32", [1, -1]),
    ([0.0, 0.5], "bool_", "bool_", [False, True]),
    ([1 + 2j], "float32", "float32", [1.0]),
    ([300, -1], "uint8", "uint8", [44, 255]),
    ([12.34567890123456, -0.1, 1e-300], "float64", "float64", [12.34567890123456, -0.1, 1e-300]),
    ([0, 2**32 - 1], "uint32", "uint32", [0, 2**32 - 1]),
    ([1, 2], "bfloat16", "bfloat16", [1.0, 2.0]),
    (b"Hello", None, "uint8", [72, 101, 108, 108, 111]),
    (bytearray(b"ab"), None, "uint8", [97, 98]),
    (memoryview(b"ab"), None, "uint8", [97, 98]),
    (np.array([1.5, 2.5]), None, "float32", [1.5, 2.5]),
    (np.array([0.1]), "float64", "float64", [0.1]),
    (np.array([1 + 1j]), None, "complex64", [1 + 1j]),
    (np.float16(1.5), None, "float16", 1.5),
    (np.int64(3), None, "int64", 3),
    (np.array([[1, 2], [3, 4]], np.int8).T, None, "int8", [[1, 3], [2, 4]]),
    (np.arange(10, dtype=np.uint16)[::3], None, "uint16", [0, 3, 6, 9]),
    (np.zeros((0, 3), np.int32), None, "int32", []),
]


@pytest.mark.parametrize(
    "value, dtype, result, items",
    CONSTRUCTION,
    ids=[f"{i}-{type(c[0]).__name__}-{c[2]}" for i, c in enumerate(CONSTRUCTION)],
)
def test_construction(value, dtype, result, items):
    a = mx.array(value) if dtype is None else mx.array(value, dtype=getattr(mx, dtype))
    assert a.dtype == getattr(mx, result) and a.tolist() == items
    assert a.shape == np.shape(items) or 0 in a.shape


def test_numpy_round_trip():
    rng = np.random.default_rng(0)
    for d in dtypes.ALL:
        if d.name == "bfloat16":
            continue
        for shape in ((), (3,), (2, 3), (0, 2), (2, 3, 4)):
            x = rng.integers(0, 2, shape).astype(d.numpy)
            a = mx.array(x, dtype=d.mx)
            back = np.array(a)
            assert back.dtype == d.numpy and np.array_equal(back, x) and a.shape == shape


def test_nested_arrays_stay_in_the_graph():
    a = mx.array([[1.0, 2.0], mx.array([3.0, 4.0])])
    assert a.tolist() == [[1, 2], [3, 4]]
    g = mx.grad(lambda x: mx.array([x, x * x, 1.0]).sum())(mx.array(3.0))
    assert g.item() == 7.0
    assert mx.array([mx.array(1, mx.int8), 2]).dtype in (mx.int8, mx.int32)


def test_array_of_array_is_a_copy():
    a = mx.array([1, 2, 3])
    b = mx.array(a)
    c = mx.array(a, dtype=mx.float32)
    a[0] = 9
    assert b.tolist() == [1, 2, 3] and c.dtype == mx.float32


def test_mlx_array_protocol():
    class Box:
        def __init__(self, a):
            self.a = a

        def __mlx_array__(self):
            return self.a

    box = Box(mx.array([1.0, 2.0]))
    assert mx.array(box).tolist() == [1, 2] and mx.array(box, dtype=mx.int32).dtype == mx.int32
    assert mx.exp(box).shape == (2,) and (mx.ones(2) + box).tolist() == [2, 3]
    assert mx.add(box, mx.ones(2)).tolist() == [2, 3]


def test_properties():
    a = mx.zeros((2, 3), mx.float16)
    assert (a.shape, a.ndim, a.size, a.itemsize, a.nbytes) == ((2, 3), 2, 6, 2, 12)
    assert a.T.shape == (3, 2) and mx.zeros((2, 3, 4)).T.shape == (4, 3, 2)
    z = mx.array([1 + 2j])
    assert z.real.tolist() == [1.0] and z.imag.tolist() == [2.0]
    assert isinstance(a.shape, tuple) and len(a) == 2


def test_conversion():
    assert mx.array([[2.5]]).item() == 2.5 and mx.array(1.5, mx.bfloat16).item() == 1.5
    assert int(mx.array(1.7)) == 1 and float(mx.array(2)) == 2.0 and complex(mx.array(1j)) == 1j
    assert bool(mx.array([1])) and not bool(mx.array(0.0)) and bool(mx.array(float("nan")))
    assert [x.item() for x in mx.array([1, 2])] == [1, 2]
    assert [x.shape for x in mx.zeros((2, 3))] == [(3,), (3,)]
    assert f"{mx.array(1.234567):.2f}" == "1.23" and f"{mx.array([1])}" == repr(mx.array([1]))
    assert mx.array(7).tolist() == 7 and mx.zeros((0,)).tolist() == []
    assert isinstance(mx.array(True).item(), bool) and isinstance(mx.array(1).item(), int)


def test_identity_and_equality():
    a, b = mx.array([1, 2]), mx.array([1, 3])
    assert (a == b).tolist() == [True, False] and (a != b).tolist() == [False, True]
    for other in ([1, 2], (1, 2), "x", object(), None):
        assert (a == other) is False and (a != other) is True
    assert {a: 1}[a] == 1 and hash(a) != hash(b)


def test_copies():
    a = mx.array([1, 2, 3])
    for b in (copy.copy(a), copy.deepcopy(a)):
        b[0] = 7
        assert a.tolist() == [1, 2, 3] and b.tolist() == [7, 2, 3]


def test_pickle():
    for d in dtypes.ALL:
        a = mx.array([0, 1], dtype=d.mx)
        b = pickle.loads(pickle.dumps(a))
        assert b.dtype == a.dtype and b.tolist() == a.tolist(), d


def test_weak_reference_and_lifetime():
    a = mx.array([1, 2])
    ref = weakref.ref(a)
    assert ref() is a
    del a
    gc.collect()
    assert ref() is None


def test_buffer_protocol():
    a = mx.arange(6, dtype=mx.int32).reshape(2, 3)
    view = memoryview(a)
    assert view.shape == (2, 3) and view.format == "i" and view.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert memoryview(a.T).strides == (4, 12)
    n = np.asarray(mx.broadcast_to(mx.array([1.0, 2.0]), (3, 2)))
    assert n.tolist() == [[1, 2]] * 3
    kept = np.array(mx.ones((4,)) + 1, copy=False)
    gc.collect()
    assert kept.tolist() == [2, 2, 2, 2]
    for d in dtypes.ALL:
        if d.name not in ("bfloat16", "complex64"):
            assert (
                memoryview(mx.zeros((1,), d.mx)).format
                == d.numpy.char.replace("l", "q").replace("L", "Q")
                or d.size == 8
            )


def test_writes_through_a_view_are_seen():
    a = mx.zeros((3,))
    mx.eval(a)
    memoryview(a)[1] = 5.0
    assert a.tolist() == [0, 5, 0]


@pytest.mark.skipif(not hasattr(mx.array, "__dlpack__"), reason="array has no __dlpack__ yet")
def test_dlpack():
    a = mx.arange(6.0).reshape(2, 3)
    assert np.array_equal(np.from_dlpack(a), np.array(a)) and a.__dlpack_device__() == (1, 0)
    assert np.array_equal(np.from_dlpack(a.T), np.array(a).T)
    if hasattr(mx, "from_dlpack"):
        x = np.arange(4, dtype=np.float32)
        assert mx.from_dlpack(x).tolist() == [0, 1, 2, 3]


def test_numpy_on_the_left():
    r = np.ones(2, np.float32) * mx.array([1.0, 2.0])
    assert isinstance(r, np.ndarray) and r.tolist() == [1, 2]


def test_bfloat16_array_interface():
    with pytest.raises((TypeError, ValueError), match="bfloat16|"):
        np.array(mx.ones((2,), mx.bfloat16))


# ---- operators ------------------------------------------------------------------------------------

OPERATORS = [
    # expression of a (= [7, -7]) and b (= [2, 2]), expected
    ("a + b", [9, -5]),
    ("a - b", [5, -9]),
    ("1 - a", [-6, 8]),
    ("a * b", [14, -14]),
    ("a / b", [3.5, -3.5]),
    ("1 / b", [0.5, 0.5]),
    ("a // b", [3, -4]),
    ("7 // b", [3, 3]),
    ("a % b", [1, 1]),
    ("7 % b", [1, 1]),
    ("b ** 3", [8, 8]),
    ("3 ** b", [9, 9]),
    ("-a", [-7, 7]),
    ("~a", [-8, 6]),
    ("abs(a)", [7, 7]),
    ("a & b", [2, 0]),
    ("a | 8", [15, -7]),
    ("a ^ b", [5, -5]),
    ("a << 1", [14, -14]),
    ("a >> 1", [3, -4]),
    ("a < b", [False, True]),
    ("a <= b", [False, True]),
    ("2 > a", [False, True]),
    ("a >= b", [True, False]),
    ("a == -7", [False, True]),
    ("a != b", [True, True]),
    ("~(a > 0)", [False, True]),
]


@pytest.mark.parametrize("text, expected", OPERATORS, ids=[o[0] for o in OPERATORS])
def test_operators(text, expected):
    assert eval(text, {"a": mx.array([7, -7]), "b": mx.array([2, 2])}).tolist() == expected


def test_in_place_operators_keep_identity():
    a = mx.array([1, 2])
    same, derived = a, a + 0
    a += 1
    a *= mx.array([2, 3])
    a -= 1
    a //= 2
    a **= 2
    assert same is a and a.tolist() == [1, 16] and derived.tolist() == [1, 2]
    a += 1.5
    assert a.dtype == mx.float32
    a = mx.zeros(3)
    a += mx.ones((2, 3))
    assert a.shape == (2, 3)
    b = mx.array([6, 3])
    b &= 3
    b |= 8
    b ^= 1
    b <<= 2
    b >>= 1
    assert b.tolist() == [22, 20]
    m = mx.eye(2)
    m @= mx.full((2, 2), 2.0)
    assert m.tolist() == [[2, 2], [2, 2]]


# ---- dtypes ---------------------------------------------------------------------------------------


def test_dtype_objects():
    assert repr(mx.float32) == "mlx.core.float32" and str(mx.bool_) == "mlx.core.bool"
    for d in dtypes.ALL:
        assert d.mx.size == d.size and d.mx == d.mx and hash(d.mx) == hash(d.mx)
        for other in (None, 3, "float32", object(), np.float32):
            assert (d.mx == other) is False and (d.mx != other) is True
    assert len({d.mx for d in dtypes.ALL}) == 14


def test_promotion_table():
    for a in dtypes.ALL:
        for b in dtypes.ALL:
            expected = dtypes.promote(a, b).mx
            assert mx.result_type(a.mx, mx.zeros((), b.mx)) == expected, (a, b)
            assert mx.can_cast(a.mx, b.mx) == (expected == b.mx)


def test_issubdtype():
    tree = {
        "signedinteger": "i", "unsignedinteger": "u", "integer": "iu", "floating": "f",
        "complexfloating": "c", "inexact": "fc", "number": "iufc", "generic": "biufc",
    }  # fmt: skip
    for d in dtypes.ALL:
        for category, kinds in tree.items():
            assert mx.issubdtype(d.mx, getattr(mx, category)) == (d.kind in kinds), (d, category)
        assert mx.issubdtype(d.mx, d.mx) and not mx.issubdtype(mx.generic, d.mx)
    assert mx.issubdtype(mx.floating, mx.inexact) and not mx.issubdtype(mx.inexact, mx.floating)


def test_isdtype():
    kinds = {
        "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu",
        "real floating": "f", "complex floating": "c", "numeric": "iufc",
    }  # fmt: skip
    for d in dtypes.ALL:
        for kind, letters in kinds.items():
            assert mx.isdtype(d.mx, kind) == (d.kind in letters), (d, kind)
        assert mx.isdtype(d.mx, ("bool", "numeric")) and mx.isdtype(d.mx, d.mx)


def test_finfo_and_iinfo():
    for d in dtypes.FLOATS:
        info = mx.finfo(d.mx)
        assert info.max == d.max and info.min == -d.max and info.eps == 2.0**-d.mantissa
        assert (
            info.smallest_normal == 2.0**d.min_exponent
            and info.bits == 8 * d.size
            and info.dtype == d.mx
        )
    for d in dtypes.INTS:
        info, twin = mx.iinfo(d.mx), np.iinfo(d.numpy)
        assert (info.min, info.max, info.dtype) == (twin.min, twin.max, d.mx)
    assert repr(mx.finfo(mx.float32)) == "finfo(min=-3.40282e+38, max=3.40282e+38, dtype=float32)"
    assert repr(mx.iinfo(mx.int32)) == "iinfo(min=-2147483648, max=2147483647, dtype=int32)"
    assert mx.finfo(mx.complex64).dtype == mx.float32


# ---- printing -------------------------------------------------------------------------------------

INF, NAN = float("inf"), float("nan")
TEXTS = [
    (lambda: mx.array(3.0), "array(3, dtype=float32)"),
    (lambda: mx.array(True), "array(True, dtype=bool)"),
    (lambda: mx.array([1.2, 65504.0], mx.float16), "array([1.2002, 65504], dtype=float16)"),
    (lambda: mx.array([1.1, 3.14159], mx.bfloat16), "array([1.10156, 3.14062], dtype=bfloat16)"),
    (lambda: mx.array([1.123456789012], mx.float64), "array([1.12346], dtype=float64)"),
    (
        lambda: mx.array([1.0, NAN, INF, -INF, -0.0, 1e-5]),
        "array([1, nan, inf, -inf, -0, 1e-05], dtype=float32)",
    ),
    (lambda: mx.array([1e6, 1234567.0, 0.1]), "array([1e+06, 1.23457e+06, 0.1], dtype=float32)"),
    (
        lambda: mx.array([1 + 1j, -1.5 + 0j, 1 - 2.5j]),
        "array([1+1j, -1.5+0j, 1-2.5j], dtype=complex64)",
    ),
    (lambda: mx.arange(6), "array([0, 1, 2, 3, 4, 5], dtype=int32)"),
    (lambda: mx.arange(7), "array([0, 1, 2, ..., 4, 5, 6], dtype=int32)"),
    (lambda: mx.array([200], mx.uint8), "array([200], dtype=uint8)"),
    (lambda: mx.array([-5], mx.int8), "array([-5], dtype=int8)"),
    (lambda: mx.array([]), "array([], dtype=float32)"),
    (lambda: mx.array([[1, 2], [3, 4]]), "array([[1, 2],\n       [3, 4]], dtype=int32)"),
    (
        lambda: mx.arange(8).reshape(2, 2, 2),
        "array([[[0, 1],\n        [2, 3]],\n       [[4, 5],\n        [6, 7]]], dtype=int32)",
    ),
    (lambda: mx.zeros((3, 0)), "array([[],\n       [],\n       []], dtype=float32)"),
    (
        lambda: mx.array([[1, 2]] * 7),
        "array([[1, 2],\n       [1, 2],\n       [1, 2],\n       ...,\n       [1, 2],\n       [1, 2],\n"
        "       [1, 2]], dtype=int32)",
    ),
]


@pytest.mark.parametrize("make, text", TEXTS, ids=[t[1][:40] for t in TEXTS])
def test_repr(make, text):
    assert (
        repr(make()) == text and str(make()) == text and reprlib.repr(make()).startswith("array(")
    )


def test_print_options():
    a = mx.array([1.0, 2.345, 1e6])
    with mx.printoptions(precision=2):
        assert repr(a) == "array([1.00, 2.35, 1000000.00], dtype=float32)" or "2.34" in repr(a)
        assert repr(mx.array([1 - 2.345j])) in (
            "array([1.00-2.35j], dtype=complex64)",
            "array([1.00-2.34j], dtype=complex64)",
        )
        assert mx.get_printoptions().precision == 2
    assert mx.get_printoptions().precision == -1 and "2.345" in repr(a)
    mx.set_printoptions(precision=4)
    try:
        assert repr(mx.array([1.12345678])) == "array([1.1235], dtype=float32)"
    finally:
        mx.set_printoptions()


def test_constants():
    assert (
        mx.pi == np.pi
        and mx.e == np.e
        and mx.inf == INF
        and mx.newaxis is None
        and mx.nan != mx.nan
    )
    assert mx.euler_gamma == 0.5772156649015329
    assert all(part.isdigit() for part in mx.__version__.split(".")[:3])


def test_aliases():
    pairs = "acos arccos acosh arccosh asin arcsin asinh arcsinh atan arctan atanh arctanh atan2 arctan2 pow power"
    names = iter(pairs.split())
    for alias, name in zip(names, names):
        assert getattr(mx, alias) is getattr(mx, name)
    assert mx.empty is mx.zeros and mx.matrix_transpose is mx.transpose


METHODS = """flatten reshape squeeze transpose moveaxis swapaxes abs square sqrt rsqrt reciprocal exp log log2 log10
log1p sin cos conj round all any sum prod min max mean logsumexp std var argmin argmax split view astype""".split()


@pytest.mark.parametrize("name", METHODS)
def test_methods_equal_functions(name):
    a = mx.array([[0.5, 0.25], [0.75, 1.0]])
    arguments = {
        "reshape": (4,), "moveaxis": (0, 1), "swapaxes": (0, 1), "split": (2,), "view": (mx.int32,), "astype": (mx.int32,),
    }.get(name, ())  # fmt: skip
    method = getattr(a, name)(*arguments)
    function = getattr(mx, name)(a, *(((4,),) if name == "reshape" else arguments))
    pairs = zip(method, function) if name == "split" else [(method, function)]
    for m, f in pairs:
        assert m.dtype == f.dtype and m.tolist() == f.tolist()


ERRORS = [
    (lambda: mx.array("abc"), ValueError, ""),
    (lambda: mx.array({1, 2}), ValueError, ""),
    (lambda: mx.array(range(3)), ValueError, ""),
    (lambda: mx.array({"a": 1}), ValueError, ""),
    (lambda: mx.array(None), TypeError, ""),
    (lambda: mx.array(), TypeError, ""),
    (lambda: mx.array([1, "a"]), ValueError, ""),
    (lambda: mx.array([1, None]), ValueError, ""),
    (lambda: mx.array([[1, 2], [3]]), ValueError, ""),
    (lambda: mx.array([[1], 2]), ValueError, ""),
    (lambda: mx.array([1, [2]]), ValueError, ""),
    (lambda: mx.array([[], [1]]), ValueError, ""),
    (lambda: mx.array(np.arange(4.0)[::-1]), ValueError, "strides"),
    (lambda: mx.array(2**70), (OverflowError, ValueError), ""),
    (lambda: mx.array([2**70]), (OverflowError, ValueError), ""),
    (lambda: mx.array([1, 2]).item(), ValueError, ""),
    (lambda: bool(mx.array([1, 2])), ValueError, ""),
    (lambda: int(mx.array([])), ValueError, ""),
    (lambda: len(mx.array(1)), TypeError, ""),
    (lambda: iter(mx.array(1)).__next__(), IndexError, ""),
    (lambda: f"{mx.array([1, 2]):.2f}", TypeError, ""),
    (lambda: mx.array([1, 2]).__itruediv__(2), ValueError, ""),
    (lambda: mx.finfo(mx.int32), ValueError, ""),
    (lambda: mx.iinfo(mx.bool_), ValueError, ""),
    (lambda: mx.result_type(), ValueError, ""),
    (lambda: mx.result_type("float32"), ValueError, ""),
    (lambda: mx.isdtype(mx.int32, "integer"), ValueError, ""),
    (lambda: mx.issubdtype("x", mx.int32), ValueError, ""),
    (lambda: mx.ones(2) < [1, 2], ValueError, ""),
    (lambda: mx.ones(2) @ 2, TypeError, ""),
    (lambda: mx.array(1).__array_namespace__("2023.12"), ValueError, ""),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)
