# mx.compile in its disabled mode: the checks of a call, and that the function is called.
import functools

import mlx.core as mx
import numpy as np
import pytest


def test_results_and_structure_are_those_of_the_function():
    def fun(x, *, tree, scale=2.0):
        """Doc."""
        return {"y": x * scale, "z": [tree["a"], None], "n": 3}

    compiled = mx.compile(fun)
    out = compiled(mx.array(2.0), tree={"a": mx.array(1.0)})
    assert out["y"].item() == 4 and out["z"][0].item() == 1 and out["z"][1] is None
    assert out["n"] == 3
    assert compiled.__doc__ == "Doc." and compiled.__name__ == "fun"
    assert functools.partial(mx.compile, shapeless=True)(fun).__wrapped__ is fun


@pytest.mark.parametrize("bad", [object(), np.ones(2), {1}, 1j, [1, [b"x"]], {"a": object()}])
def test_other_leaves_are_refused(bad):
    compiled = mx.compile(lambda x, y=None: x)
    with pytest.raises(ValueError, match="compile"):
        compiled(bad)
    with pytest.raises(ValueError, match="compile"):
        compiled(mx.array(1.0), y=bad)


def test_constants_and_containers_are_accepted():
    compiled = mx.compile(lambda *args: len(args))
    assert compiled(mx.array(1.0), 1, True, 2.5, "s", None, [1, (mx.array(1.0), {})]) == 7


def test_inputs_and_outputs_are_used_in_place():
    state = {"count": mx.array(0)}

    def fun():
        state["count"] = state["count"] + 1

    step = mx.compile(fun, inputs=state, outputs=state)
    for _ in range(3):
        step()
    assert state["count"].item() == 3


def test_modes_and_errors():
    mx.disable_compile()
    mx.enable_compile()
    with pytest.raises(TypeError):
        mx.compile(3)
    with pytest.raises(ZeroDivisionError):
        mx.compile(lambda: 1 / 0)()


def test_inside_other_transforms():
    square = mx.compile(lambda x: x * x)
    assert mx.grad(square)(mx.array(3.0)).item() == 6
    assert mx.vmap(square)(mx.array([1.0, 2.0])).tolist() == [1, 4]
    assert mx.compile(mx.grad(square))(mx.array(3.0)).item() == 6
