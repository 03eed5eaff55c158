"""Function transforms: arguments and result structures of grad, value_and_grad, vjp, jvp and vmap, nesting,
evaluation inside a trace, compile's calling rules, depth, errors. Derivatives of single ops: the case tables.
"""

import collections
import functools
import gc
import weakref

import mlx.core as mx
import numpy as np
import pytest
from harness import errors
from harness.case import has


def _need(*names):
    missing = [n for n in names if not has(n)]
    if missing:
        pytest.skip(f"mlx.core has no {', '.join(missing)} yet")


# ---- grad and value_and_grad ----------------------------------------------------------------------


def test_argnums():
    f = lambda x, y, z: (x * y + z * z).sum()
    x, y, z = mx.array(2.0), mx.array(3.0), mx.array(5.0)
    assert mx.grad(f)(x, y, z).item() == 3
    assert mx.grad(f, argnums=1)(x, y, z).item() == 2
    assert mx.grad(f, argnums=[1])(x, y, z).item() == 2
    for argnums in ((0, 2), (2, 0), [2, 0]):
        got = mx.grad(f, argnums=argnums)(x, y, z)
        assert isinstance(got, tuple) and [g.item() for g in got] == [3, 10]


def test_argnames():
    f = lambda x, *, y: (x * y * y).sum()
    x, y = mx.array(2.0), mx.array(3.0)
    none, named = mx.grad(f, argnames="y")(x, y=y)
    assert none is None and named["y"].item() == 12
    first, named = mx.grad(f, argnums=0, argnames=["y"])(x, y=y)
    assert first.item() == 9 and named["y"].item() == 12


def test_trees_of_arguments():
    Point = collections.namedtuple("Point", "x y")
    params = {"a": [mx.array(1.0), (mx.array(2.0),)], "p": Point(mx.array(3.0), mx.array(4.0))}

    def f(p, label):
        assert label == "label"
        return p["a"][0] * p["a"][1][0] + p["p"].x * p["p"].y

    g = mx.grad(f)(params, "label")
    assert g["a"][0].item() == 2 and g["a"][1][0].item() == 1 and isinstance(g["a"][1], tuple)
    assert isinstance(g["p"], Point) and g["p"].x.item() == 4 and g["p"].y.item() == 3


def test_value_and_grad_structures():
    value, g = mx.value_and_grad(lambda x: x * x)(mx.array(3.0))
    assert value.item() == 9 and g.item() == 6
    (value, extra, tree), g = mx.value_and_grad(lambda x: (x * x, x + 1, {"k": [x, "s"]}))(
        mx.array(3.0)
    )
    assert (
        value.item() == 9 and extra.item() == 4 and tree["k"][0].item() == 3 and tree["k"][1] == "s"
    )
    assert g.item() == 6
    value, (gx, gy) = mx.value_and_grad(lambda x, y: x * y, argnums=(0, 1))(
        mx.array(3.0), mx.array(4.0)
    )
    assert (gx.item(), gy.item()) == (4, 3)


def test_auxiliary_outputs_carry_no_gradient():
    def f(x):
        (_, y), g = mx.value_and_grad(lambda t: (t * t, t * 3))(x)
        return y * g

    assert mx.grad(f)(mx.array(2.0)).item() == 12  # d/dx (3x stopped) * 2x


def test_containers_come_back_as_they_were():
    p = {"w": mx.array(1.0), "v": [mx.array(2.0)]}
    w, v, inner = p["w"], p["v"][0], p["v"]
    mx.grad(lambda q: q["w"] * q["v"][0])(p)
    assert p["w"] is w and p["v"] is inner and inner[0] is v

    def overwrite(q):
        q["v"][0] = q["w"] * 10
        return q["w"]

    mx.grad(overwrite)(p)
    assert p["w"] is w and p["v"][0].item() == 10


def test_added_entries_are_left_out():
    def f(p):
        p["z"] = p["w"] * 2
        return p["w"] * 3

    p = {"w": mx.array(1.0)}
    g = mx.grad(f)(p)
    assert list(g) == ["w"] and g["w"].item() == 3 and p["z"].item() == 2


def test_dtypes_of_gradients():
    for dtype in (mx.float16, mx.bfloat16, mx.float32, mx.float64):
        g = mx.grad(lambda x: (x * x).sum())(mx.array([1.0, 2.0], dtype=dtype))
        assert g.dtype == dtype and g.tolist() == [2, 4]
    g = mx.grad(lambda x: (1.5 * x).sum())(mx.array([1, 2], dtype=mx.int32))
    assert g.dtype == mx.int32 and g.tolist() == [1, 1]
    g = mx.grad(lambda x: x.astype(mx.float16).sum().astype(mx.float32))(mx.ones((2,)))
    assert g.dtype == mx.float32


def test_unused_and_stopped():
    g = mx.grad(lambda x, y: x * 1.0, argnums=(0, 1))(mx.array(2.0), mx.ones((3,)))
    assert g[0].item() == 1 and g[1].tolist() == [0, 0, 0]
    assert mx.grad(lambda x: x * mx.stop_gradient(x))(mx.array(3.0)).item() == 3
    assert mx.stop_gradient(mx.array([1, 2])).tolist() == [1, 2]


def test_closures_are_constants():
    c = mx.array(3.0)
    assert mx.grad(lambda x: x * c)(mx.array(2.0)).item() == 3
    assert mx.grad(lambda x: x * c)(c).item() == 3


def test_complex_gradients():
    z = mx.array([1 + 2j, 3 - 1j])
    assert mx.grad(lambda z: mx.real(2 * z).sum())(z).tolist() == [2, 2]
    assert mx.grad(lambda z: mx.imag(2 * z).sum())(z).tolist() == [2j, 2j]
    g = mx.grad(lambda z: mx.square(mx.abs(z)).sum())(z).tolist()
    assert np.allclose(g, [2 + 4j, 6 - 2j])


def test_higher_derivatives():
    f = lambda x: x**4
    d1 = mx.grad(f)
    d2, d3 = mx.grad(d1), mx.grad(mx.grad(d1))
    x = mx.array(2.0)
    assert (d1(x).item(), d2(x).item(), d3(x).item()) == (32, 48, 48)
    _, t = mx.jvp(mx.grad(mx.sin), [mx.array(0.5, mx.float64)], [mx.array(1.0, mx.float64)])
    assert abs(t[0].item() + np.sin(0.5)) < 1e-12
    hessian = mx.vmap(
        lambda v: mx.jvp(mx.grad(lambda x: (x**3).sum()), [mx.array([1.0, 2.0])], [v])[1][0]
    )(mx.eye(2))
    assert hessian.tolist() == [[6, 0], [0, 12]]


def test_values_inside_a_gradient():
    def f(x):
        y = x * x
        if y.item() > 3:
            mx.eval(y)
            return y * x
        return y

    assert mx.grad(f)(mx.array(2.0)).item() == 12 and mx.grad(f)(mx.array(1.0)).item() == 2


def test_in_place_updates_differentiate():
    def f(x):
        y = mx.zeros((3,))
        y[0] = x
        y[1:] += x * x
        return (y * mx.array([1.0, 2.0, 3.0])).sum()

    assert mx.grad(f)(mx.array(3.0)).item() == 1 + 5 * 6


def test_shared_subexpressions_accumulate():
    def f(x):
        y = x * 2
        return (y * y + y).sum() + x.sum()

    assert mx.grad(f)(mx.array([1.0, 2.0])).tolist() == [11, 19]


def test_exceptions_leave_transforms_usable():
    def bad(x):
        raise KeyError("inside")

    for transform in (
        mx.grad(bad),
        mx.vmap(bad),
        lambda x: mx.jvp(bad, [x], [x]),
        lambda x: mx.vjp(bad, [x], [x]),
    ):
        with pytest.raises(KeyError, match="inside"):
            transform(mx.ones((2,)))
    assert mx.grad(lambda x: x * x)(mx.array(2.0)).item() == 4
    y = mx.ones((2,)) + 1
    assert y.tolist() == [2, 2]


# ---- vjp and jvp ----------------------------------------------------------------------------------


def test_vjp_and_jvp_return_lists():
    outputs, gradients = mx.vjp(
        lambda x, y: (x * y, x + y), [mx.array(2.0), mx.array(3.0)], [mx.array(1.0), mx.array(10.0)]
    )
    assert isinstance(outputs, list) and isinstance(gradients, list)
    assert [o.item() for o in outputs] == [6, 5] and [g.item() for g in gradients] == [13, 12]
    outputs, tangents = mx.jvp(
        lambda x, y: [x * y, y], [mx.array(2.0), mx.array(3.0)], [mx.array(1.0), mx.array(0.5)]
    )
    assert isinstance(tangents, list) and [t.item() for t in tangents] == [4, 0.5]
    outputs, tangents = mx.jvp(lambda x: x * x, (mx.array(2.0),), (mx.array(1.0),))
    assert outputs[0].item() == 4 and tangents[0].item() == 4


def test_vjp_of_stopped_outputs_takes_no_cotangent():
    f = lambda x: (mx.stop_gradient(x), x * x)
    _, g = mx.vjp(f, [mx.array(3.0)], [mx.array(1.0)])
    assert g[0].item() == 6


def test_jvp_of_independent_outputs_is_zero():
    _, t = mx.jvp(
        lambda x: (mx.stop_gradient(x) * 2, mx.array([5.0])), [mx.array(3.0)], [mx.array(1.0)]
    )
    assert t[0].item() == 0 and t[1].tolist() == [0]


def test_repeated_transforms_do_not_pile_up():
    x = mx.array(1.0)
    for _ in range(2000):
        _, (x,) = mx.vjp(lambda t: t * 1.0, [x], [x])
    assert x.item() == 1.0


# ---- vmap -----------------------------------------------------------------------------------------


def test_vmap_axes():
    a = mx.arange(24.0).reshape(2, 3, 4)
    for axis in (0, 1, 2, -1, -3):
        for out in (0, 1, 2, -1):
            got = mx.vmap(lambda x: x * 2 + 1, in_axes=axis, out_axes=out)(a)
            assert np.array_equal(
                got, np.moveaxis(np.moveaxis(np.array(a) * 2 + 1, axis, 0), 0, out)
            )
    b = mx.arange(3.0)
    got = mx.vmap(lambda x, y: x + y, in_axes=(1, None))(
        mx.arange(6.0).reshape(2, 3), mx.arange(2.0)
    )
    assert got.tolist() == [[0, 4], [1, 5], [2, 6]]
    got = mx.vmap(lambda t: t["a"] * t["b"], in_axes={"a": 0, "b": None})({"a": b, "b": b})
    assert got.shape == (3, 3)


def test_vmap_structures():
    got = mx.vmap(lambda x: {"s": x.sum(), "l": [x, (x * 2,)]})(mx.ones((2, 3)))
    assert got["s"].tolist() == [3, 3] and got["l"][1][0].shape == (2, 3)
    got = mx.vmap(lambda x: (x, x), out_axes=(0, 1))(mx.ones((2, 3)))
    assert got[0].shape == (2, 3) and got[1].shape == (3, 2)
    got = mx.vmap(lambda x: mx.array(5.0))(mx.ones((4, 2)))
    assert got.tolist() == [5, 5, 5, 5]


def test_vmap_nests():
    x, y = mx.arange(3.0), mx.arange(4.0)
    outer = mx.vmap(mx.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))
    assert np.array_equal(outer(x, y), np.outer(np.arange(3), np.arange(4)))
    per_example = mx.vmap(mx.grad(lambda w, x: ((w * x).sum()) ** 2), in_axes=(None, 0))
    w, xs = mx.array([1.0, 2.0]), mx.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert per_example(w, xs).tolist() == [[2, 0], [0, 4], [6, 6]]
    total = mx.grad(lambda w: mx.vmap(lambda x: (w * x).sum())(xs).sum())(w)
    assert total.tolist() == [2, 2]


def test_vmap_of_matmul_and_indexing():
    a, b = mx.random.normal((5, 3, 4)), mx.random.normal((5, 4, 2))
    assert np.allclose(mx.vmap(lambda x, y: x @ y)(a, b), np.array(a) @ np.array(b), atol=1e-5)
    assert np.array_equal(mx.vmap(lambda x: x[1:, ::-1])(a), np.array(a)[:, 1:, ::-1])

    def update(x):
        y = mx.zeros((3, 4))
        y[1] = x[0]
        return y

    got = np.array(mx.vmap(update)(a))
    assert np.array_equal(got[:, 1], np.array(a)[:, 0]) and (got[:, 0] == 0).all()


# ---- deep graphs ----------------------------------------------------------------------------------


def test_deep_graphs_need_no_stack():
    def chain(x):
        for _ in range(30_000):
            x = x + 1.0
        return x

    assert mx.grad(chain)(mx.array(0.0)).item() == 1
    assert mx.vmap(chain)(mx.zeros((3,))).tolist() == [30000.0] * 3
    _, t = mx.jvp(chain, [mx.array(0.0)], [mx.array(1.0)])
    assert t[0].item() == 1
    assert chain(mx.array(0.0)).item() == 30000
    chain(mx.array(0.0))  # never evaluated, only dropped


# ---- wrappers -------------------------------------------------------------------------------------


def test_transforms_look_like_the_function():
    def loss(x):
        """Docstring of loss."""
        return x.sum()

    for wrapped in (mx.grad(loss), mx.value_and_grad(loss), mx.vmap(loss), mx.compile(loss)):
        assert wrapped.__name__ == "loss" and wrapped.__doc__ == loss.__doc__
        assert functools.wraps(wrapped)(lambda x: x).__name__ == "loss"


def test_transforms_take_part_in_garbage_collection():
    class Owner:
        pass

    for transform in (mx.grad, mx.vmap, mx.compile):
        owner = Owner()
        owner.step = transform(lambda x, o=owner: x)
        ref = weakref.ref(owner)
        del owner
        gc.collect()
        assert ref() is None, transform


def test_decorators():
    @mx.grad
    def f(x):
        return x * x

    @functools.partial(mx.vmap, in_axes=1)
    def g(x):
        return x.sum()

    assert f(mx.array(3.0)).item() == 6 and g(mx.ones((2, 3))).tolist() == [2, 2, 2]


# ---- compile --------------------------------------------------------------------------------------


def test_compile_gives_the_same():
    def f(x, *, scale=2.0):
        return {"y": mx.exp(-x) * scale, "n": 3}

    compiled = mx.compile(f)
    for x in (mx.array([0.0, 1.0]), mx.ones((2, 2)), mx.array(1, mx.float16)):
        for scale in (2.0, 5):
            a, b = compiled(x, scale=scale), f(x, scale=scale)
            assert (
                a["n"] == 3 and mx.allclose(a["y"], b["y"]).item() and a["y"].dtype == b["y"].dtype
            )


def test_compile_inside_and_outside_of_other_transforms():
    f = mx.compile(lambda x: mx.sin(x) * x)
    assert (
        abs(mx.grad(f)(mx.array(0.5, mx.float64)).item() - (np.sin(0.5) + 0.5 * np.cos(0.5)))
        < 1e-12
    )
    assert mx.vmap(f)(mx.zeros((3,))).tolist() == [0, 0, 0]
    g = mx.compile(mx.grad(lambda x: (x**3).sum()))
    assert g(mx.array([1.0, 2.0])).tolist() == [3, 12]


def test_compile_captures():
    state = [mx.array(1.0)]

    @functools.partial(mx.compile, inputs=state, outputs=state)
    def step(x):
        state[0] = state[0] + x
        return state[0] * 10

    assert step(mx.array(2.0)).item() == 30 and state[0].item() == 3
    assert step(mx.array(2.0)).item() == 50 and state[0].item() == 5


def test_compile_switches():
    mx.disable_compile()
    try:
        calls = []
        f = mx.compile(lambda x: calls.append(1) or x + 1)
        assert f(mx.array(1)).item() == 2 and f(mx.array(1)).item() == 2 and len(calls) == 2
    finally:
        mx.enable_compile()


# ---- custom_function and checkpoint ---------------------------------------------------------------


def test_custom_vjp():
    _need("custom_function")

    @mx.custom_function
    def f(x, y):
        return x * y

    @f.vjp
    def f_vjp(primals, cotangent, output):
        x, y = primals
        return cotangent * 100, cotangent * x

    gx, gy = mx.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(mx.array(2.0), mx.array(3.0))
    assert gx.item() == 100 and gy.item() == 2


def test_checkpoint():
    _need("checkpoint")
    calls = []

    def f(x):
        calls.append(1)
        return mx.sin(x) * x

    x = mx.array(0.7)
    expected = mx.grad(lambda t: mx.sin(t) * t)(x).item()
    assert mx.grad(mx.checkpoint(f))(x).item() == expected and len(calls) == 2


ONE = [mx.ones((2,))] if hasattr(mx, "ones") else []

ERRORS = [
    # call, exception, part of the message
    (lambda: mx.grad(lambda x: x, argnums=-1), ValueError, ""),
    (lambda: mx.grad(lambda x: x, argnums=(0, 0)), ValueError, ""),
    (lambda: mx.grad(lambda x: x, argnums=[]), ValueError, ""),
    (lambda: mx.grad(lambda x: x, argnums=1.5), TypeError, ""),
    (lambda: mx.grad(lambda x: x, argnums=1)(mx.array(1.0)), ValueError, ""),
    (lambda: mx.grad(lambda x: x, argnames="y")(mx.array(1.0)), ValueError, "y"),
    (lambda: mx.grad(lambda x: x)(mx.ones((2,))), ValueError, ""),
    (lambda: mx.grad(lambda x: x)(mx.ones((1,))), ValueError, "scalar"),
    (lambda: mx.grad(lambda x: x)(1.0), ValueError, ""),
    (lambda: mx.grad(lambda x: x["a"])({"a": mx.array(1.0), "b": "s"}), ValueError, ""),
    (lambda: mx.grad(lambda x: (x, x))(mx.array(1.0)), ValueError, ""),
    (lambda: mx.grad(lambda x: 3)(mx.array(1.0)), ValueError, ""),
    (lambda: mx.value_and_grad(lambda x: [x, x])(mx.array(1.0)), ValueError, ""),
    (lambda: mx.value_and_grad(lambda x: ())(mx.array(1.0)), ValueError, ""),
    (lambda: mx.value_and_grad(lambda x: ("s", x))(mx.array(1.0)), ValueError, ""),
    (lambda: mx.vjp(lambda x: x, ONE, []), ValueError, ""),
    (lambda: mx.vjp(lambda x: x, ONE, [mx.ones((3,))]), ValueError, ""),
    (lambda: mx.jvp(lambda x: x, ONE, []), ValueError, ""),
    (lambda: mx.jvp(lambda x: x, ONE, [mx.ones((3,))]), ValueError, ""),
    (lambda: mx.vjp(lambda x: "s", ONE, ONE), (RuntimeError, ValueError, TypeError), ""),
    (lambda: mx.vmap(lambda x: x)(mx.array(1.0)), ValueError, ""),
    (lambda: mx.vmap(lambda x: x, in_axes=1)(mx.ones((2,))), ValueError, ""),
    (lambda: mx.vmap(lambda x, y: x + y)(mx.ones((6, 1)), mx.ones((1, 1, 5))), ValueError, ""),
    (lambda: mx.vmap(lambda x, y: x, in_axes=[0, 0])(mx.ones((2,)), mx.ones((2,))), ValueError, ""),
    (lambda: mx.vmap(lambda x, y: x, in_axes=(None, None))(mx.ones((2,)), mx.ones((2,))), ValueError, ""),
    (lambda: mx.vmap(lambda x: x, in_axes=None)(mx.ones((2,))), TypeError, ""),
    (lambda: mx.vmap(lambda x: x, out_axes=None)(mx.ones((2,))), TypeError, ""),
    (lambda: mx.vmap(lambda x: x, in_axes="0")(mx.ones((2,))), ValueError, ""),
    (lambda: mx.vmap(lambda x: x)(3), ValueError, ""),
    (lambda: mx.vmap(lambda x: 3)(mx.ones((2,))), ValueError, ""),
    (lambda: mx.vmap(lambda x: x)(x=mx.ones((2,))), TypeError, ""),
    (lambda: mx.vmap(lambda x: x.item())(mx.ones((2,))), ValueError, ""),
    (lambda: mx.vmap(lambda x: x if x > 0 else -x)(mx.ones((2,))), ValueError, ""),
    (lambda: mx.grad(lambda x: mx.async_eval(x) or x)(mx.array(1.0)), ValueError, ""),
    (lambda: mx.compile(lambda x: x)(object()), ValueError, ""),
    (lambda: mx.grad(3), TypeError, ""),
    (lambda: mx.grad(lambda x: x.view(mx.int32).astype(mx.float32).sum())(mx.ones((2,))), ValueError, "view"),
]  # fmt: skip


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)


def test_placeholder_that_leaked_out_raises():
    kept = []
    mx.vmap(lambda x: kept.append(x * 2) or x)(mx.ones((2, 3)))
    with pytest.raises((ValueError, RuntimeError)):
        mx.eval(kept[0])
