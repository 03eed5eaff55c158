# nn activations: values against numpy in float64, worked values, gradients, dtypes, layer forms.
import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

X = np.array([-3, -1, -0.25, 0, 0.25, 1, 4], dtype=np.float64)


def np_sigmoid(x):
    return 1 / (1 + np.exp(-x))


def np_softplus(x):
    return np.logaddexp(x, 0)


def np_elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def np_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def np_erf(x):
    return np.vectorize(math.erf)(x)


# name, arguments, the formula in numpy
CASES = [
    ("sigmoid", {}, np_sigmoid),
    ("relu", {}, lambda x: np.maximum(x, 0)),
    ("relu2", {}, lambda x: np.maximum(x, 0) ** 2),
    ("relu6", {}, lambda x: np.clip(x, 0, 6)),
    ("leaky_relu", {}, lambda x: np.where(x > 0, x, 0.01 * x)),
    ("leaky_relu", {"negative_slope": 0.2}, lambda x: np.where(x > 0, x, 0.2 * x)),
    ("elu", {}, np_elu),
    ("elu", {"alpha": 2.0}, lambda x: np_elu(x, 2.0)),
    ("celu", {}, np_elu),
    ("celu", {"alpha": 2.0}, lambda x: np.maximum(x, 0) + 2 * np.expm1(np.minimum(x, 0) / 2)),
    ("selu", {}, lambda x: 1.0507 * np_elu(x, 1.67326)),
    ("silu", {}, lambda x: x * np_sigmoid(x)),
    ("softplus", {}, np_softplus),
    ("softsign", {}, lambda x: x / (1 + abs(x))),
    ("softshrink", {}, lambda x: np.where(abs(x) > 0.5, x - np.sign(x) * 0.5, 0)),
    ("softshrink", {"lambd": 1.5}, lambda x: np.where(abs(x) > 1.5, x - np.sign(x) * 1.5, 0)),
    ("hard_shrink", {}, lambda x: np.where(abs(x) > 0.5, x, 0)),
    ("hard_tanh", {}, lambda x: np.clip(x, -1, 1)),
    ("hard_tanh", {"min_val": -2.0, "max_val": 3.0}, lambda x: np.clip(x, -2, 3)),
    ("hardswish", {}, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    ("log_sigmoid", {}, lambda x: -np_softplus(-x)),
    ("softmax", {}, np_softmax),
    ("softmin", {}, lambda x: np_softmax(-x)),
    ("log_softmax", {}, lambda x: np.log(np_softmax(x))),
    ("gelu", {}, lambda x: x * (1 + np_erf(x / math.sqrt(2))) / 2),
    (
        "gelu_approx",
        {},
        lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    ("gelu_fast_approx", {}, lambda x: x * np_sigmoid(1.702 * x)),
    ("mish", {}, lambda x: x * np.tanh(np_softplus(x))),
    ("tanh", {}, np.tanh),
    ("step", {}, lambda x: (x >= 0).astype(np.float64)),
    ("step", {"threshold": 1.0}, lambda x: (x >= 1).astype(np.float64)),
]
IDS = [f"{name}-{'-'.join(map(str, args.values()))}" for name, args, _ in CASES]


@pytest.mark.parametrize("name, arguments, formula", CASES, ids=IDS)
def test_values(name, arguments, formula):
    function = getattr(nn, name)
    for x in (X, np.linspace(-8, 8, 60).reshape(3, 4, 5)):
        y = np.array(function(mx.array(x.astype(np.float32)), **arguments))
        np.testing.assert_allclose(y, formula(x.astype(np.float32)), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name, arguments, formula", CASES[:-2], ids=IDS[:-2])  # step is constant
def test_gradients(name, arguments, formula):
    x = np.array([-2.7, -1.2, -0.3, 0.2, 0.7, 2.9])
    function = getattr(nn, name)
    c = np.arange(1.0, 7.0)  # softmax: a plain sum would have no gradient

    def total(v):
        return (function(v, **arguments) * mx.array(c.astype(np.float32))).sum()

    ours = np.array(mx.grad(total)(mx.array(x.astype(np.float32))))
    h = 1e-6
    steps = h * np.eye(6)
    expected = [((formula(x + d) - formula(x - d)) * c).sum() / (2 * h) for d in steps]
    np.testing.assert_allclose(ours, expected, rtol=1e-3, atol=1e-4)


# Worked values at X, to six digits.
WORKED = {
    "sigmoid": "0.0474259 0.268941 0.437823 0.5 0.562177 0.731059 0.982014",
    "selu": "-1.67056 -1.11133 -0.388889 0 0.262675 1.0507 4.2028",
    "softplus": "0.0485874 0.313262 0.575939 0.693147 0.825939 1.31326 4.01815",
    "gelu": "-0.00404969 -0.158655 -0.100323 0 0.149677 0.841345 3.99987",
    "gelu_approx": "-0.00363734 -0.158808 -0.100325 0 0.149675 0.841192 3.99993",
    "gelu_fast_approx": "-0.0180713 -0.154204 -0.0988003 0 0.1512 0.845796 3.99558",
    "mish": "-0.145647 -0.303401 -0.129927 0 0.169572 0.865098 3.99741",
    "hardswish": "0 -0.333333 -0.114583 0 0.135417 0.666667 4",
    "softmax": "0.000818908 0.00605095 0.0128099 0.0164482 0.0211199 0.0447108 0.898041",
    "softmin": "0.765081 0.103542 0.04891 0.0380911 0.0296654 0.0140129 0.000697663",
    "log_softmax": "-7.10754 -5.10754 -4.35754 -4.10754 -3.85754 -3.10754 -0.107539",
}


@pytest.mark.parametrize("name", WORKED)
def test_worked_values(name):
    y = np.array(getattr(nn, name)(mx.array(X.astype(np.float32))))
    np.testing.assert_allclose(y, [float(v) for v in WORKED[name].split()], rtol=1e-4, atol=1e-6)


DTYPES = ["float16", "bfloat16", "float32"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, arguments, formula", CASES, ids=IDS)
def test_dtype_is_kept(name, arguments, formula, dtype):
    y = getattr(nn, name)(mx.zeros((2, 3), dtype=getattr(mx, dtype)), **arguments)
    assert y.dtype == (mx.int32 if name == "step" else getattr(mx, dtype)) and y.shape == (2, 3)


def test_sigmoid_is_that_of_the_core():
    x = mx.array(X.astype(np.float32))
    assert mx.array_equal(nn.sigmoid(x), mx.sigmoid(x))
    assert nn.activations.sigmoid is nn.sigmoid


@pytest.mark.parametrize("v", [0.0, 1.0, 1e30, 1e36])
def test_log_softmax_of_large_values(v):
    np.testing.assert_allclose(nn.log_softmax(mx.array([v, v])).tolist(), [-math.log(2)] * 2, 1e-5)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_axes(axis):
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    for name, sign in (("softmax", 1), ("softmin", -1)):
        y = np.array(getattr(nn, name)(mx.array(x), axis=axis))
        e = np.exp(sign * x.astype(np.float64))
        np.testing.assert_allclose(y, e / e.sum(axis, keepdims=True), rtol=1e-5)
    y = np.array(nn.log_softmax(mx.array(x), axis))
    np.testing.assert_allclose(np.exp(y).sum(axis), 1, rtol=1e-5)


def test_elu_has_a_finite_gradient_where_exp_overflows():
    assert mx.grad(lambda x: nn.elu(x))(mx.array(1000.0)).item() == 1
    assert mx.grad(lambda x: nn.celu(x))(mx.array(1000.0)).item() == 1


def test_gelu_approximations_are_close():
    x = mx.array(np.linspace(-6, 6, 201).astype(np.float32))
    assert mx.abs(nn.gelu(x) - nn.gelu_approx(x)).max().item() < 5e-4
    assert mx.abs(nn.gelu(x) - nn.gelu_fast_approx(x)).max().item() < 0.025


def test_glu():
    np.testing.assert_allclose(
        nn.glu(mx.array([1.0, 2.0, 3.0, 4.0])).tolist(), [0.952574, 1.96403], rtol=1e-5
    )
    assert nn.glu(mx.zeros((4, 3)), axis=0).shape == (2, 3)
    with pytest.raises(ValueError):
        nn.glu(mx.zeros((3,)))


def test_prelu():
    x = mx.array([[-2.0, 4.0], [1.0, -1.0]])
    assert nn.prelu(x, mx.array([0.5, 0.1])).tolist() == [[-1.0, 4.0], [1.0, pytest.approx(-0.1)]]
    layer = nn.PReLU(num_parameters=2, init=0.5)
    assert layer.weight.shape == (2,)
    grads = mx.grad(lambda w: nn.prelu(x, w).sum())(layer.weight)
    assert grads.tolist() == [-2.0, -1.0]


def test_activations_nest_in_transforms():
    x = mx.array(X.astype(np.float32))
    compiled = mx.compile(lambda x: nn.gelu(nn.relu(x)))
    assert mx.allclose(compiled(x), nn.gelu(nn.relu(x)))
    batched = mx.vmap(lambda x: nn.silu(x).sum())(mx.stack([x, x]))
    assert batched.shape == (2,)


LAYERS = [
    (nn.Sigmoid(), nn.sigmoid),
    (nn.ReLU(), nn.relu),
    (nn.ReLU2(), nn.relu2),
    (nn.ReLU6(), nn.relu6),
    (nn.LeakyReLU(0.3), lambda x: nn.leaky_relu(x, 0.3)),
    (nn.ELU(0.5), lambda x: nn.elu(x, 0.5)),
    (nn.CELU(0.5), lambda x: nn.celu(x, 0.5)),
    (nn.SELU(), nn.selu),
    (nn.SiLU(), nn.silu),
    (nn.Softplus(), nn.softplus),
    (nn.Softsign(), nn.softsign),
    (nn.Softshrink(0.3), lambda x: nn.softshrink(x, 0.3)),
    (nn.HardShrink(0.3), lambda x: nn.hard_shrink(x, 0.3)),
    (nn.HardTanh(), nn.hard_tanh),
    (nn.Hardswish(), nn.hardswish),
    (nn.LogSigmoid(), nn.log_sigmoid),
    (nn.Softmax(), nn.softmax),
    (nn.Softmin(), nn.softmin),
    (nn.LogSoftmax(), nn.log_softmax),
    (nn.GELU(), nn.gelu),
    (nn.GELU("precise"), nn.gelu_approx),
    (nn.GELU("tanh"), nn.gelu_approx),
    (nn.GELU(approx="fast"), nn.gelu_fast_approx),
    (nn.Step(0.5), lambda x: nn.step(x, 0.5)),
    (nn.Mish(), nn.mish),
    (nn.Tanh(), nn.tanh),
]


@pytest.mark.parametrize("layer, function", LAYERS, ids=lambda v: type(v).__name__)
def test_layer_forms(layer, function):
    x = mx.array(X.astype(np.float32))
    assert mx.array_equal(layer(x), function(x))
    assert not layer.parameters() and repr(layer) == f"{type(layer).__name__}()"


def test_layer_attributes():
    assert nn.GLU(0).axis == 0 and nn.Step(1.0).threshold == 1.0
    assert nn.Softshrink(2.0).lambd == 2.0 and nn.HardShrink(2.0).lambd == 2.0
    assert nn.GLU(axis=0)(mx.zeros((4, 2))).shape == (2, 2)
    with pytest.raises(ValueError, match="approx"):
        nn.GELU("other")
