# nn.losses: values against numpy in float64 and worked values, reductions, errors, gradients.
import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

A = np.array([[0.2, 0.9, -0.4], [1.2, -0.3, 0.5]])
B = np.array([[0.1, 0.5, 0.4], [0.2, 0.3, 0.5]])
T = np.array([2, 0])
a, b = mx.array(A.astype(np.float32)), mx.array(B.astype(np.float32))
t = mx.array(T)
losses = nn.losses

# Losses of integer classes look up the score of each.
lookup = pytest.mark.needs("take_along_axis")

# name, arguments, keyword arguments, worked values
WORKED = [
    pytest.param("cross_entropy", (a, t), {}, "1.87048 0.542159", marks=lookup),
    pytest.param(
        "cross_entropy", (a, t), {"label_smoothing": 0.1}, "1.80715 0.615492", marks=lookup
    ),
    ("cross_entropy", (a, b), {}, "1.16048 1.34216"),
    (
        "binary_cross_entropy",
        (a, b),
        {"reduction": "none"},
        "0.778139 0.791154 0.673015 1.22328 0.644355 0.724077",
    ),
    ("binary_cross_entropy", (b, b), {"with_logits": False}, "0.582609"),
    ("l1_loss", (a, b), {}, "0.483333"),
    ("mse_loss", (a, b), {}, "0.361667"),
    pytest.param("nll_loss", (a, t), {}, "0.4 -1.2", marks=lookup),
    ("gaussian_nll_loss", (a, b, b), {}, "0.0667849"),
    ("gaussian_nll_loss", (a, b, b), {"full": True}, "0.985723"),
    ("kl_div_loss", (a, b), {}, "0.423454 -0.411487"),
    ("smooth_l1_loss", (a, b), {}, "0.180833"),
    ("smooth_l1_loss", (a, b), {"beta": 0.5}, "0.303333"),
    ("triplet_loss", (a, b, 2 * b), {}, "0.695841 0.86235"),
    ("hinge_loss", (a, b), {}, "0.98 0.55 1.16 0.76 1.09 0.75"),
    ("huber_loss", (a, b), {"delta": 0.5}, "0.005 0.08 0.275 0.375 0.175 0"),
    ("log_cosh_loss", (a, b), {}, "0.00499171 0.0779535 0.290754 0.433781 0.170135 0"),
    ("cosine_similarity_loss", (a, b), {}, "0.475966 0.48636"),
    (
        "margin_ranking_loss",
        (a, b, mx.ones((2, 3))),
        {"margin": 0.5},
        "0.4 0.1 1.3 0 1.1 0.5",
    ),
]


@pytest.mark.parametrize("name, arguments, options, expected", WORKED)
def test_worked_values(name, arguments, options, expected):
    value = np.array(getattr(losses, name)(*arguments, **options)).reshape(-1)
    np.testing.assert_allclose(value, [float(v) for v in expected.split()], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name, arguments, options, expected", WORKED)
def test_reductions(name, arguments, options, expected):
    options = {k: v for k, v in options.items() if k != "reduction"}
    function = getattr(losses, name)
    none = np.array(function(*arguments, **options, reduction="none"), dtype=np.float64)
    mean = function(*arguments, **options, reduction="mean")
    total = function(*arguments, **options, reduction="sum")
    assert mean.shape == total.shape == ()
    assert mean.item() == pytest.approx(none.mean(), rel=1e-5, abs=1e-6)
    assert total.item() == pytest.approx(none.sum(), rel=1e-5, abs=1e-6)
    with pytest.raises(ValueError, match="reduction"):
        function(*arguments, **options, reduction="max")


@pytest.mark.parametrize("name, arguments, options, expected", WORKED)
def test_gradients_against_finite_differences(name, arguments, options, expected):
    function = getattr(losses, name)
    x, rest = arguments[0], arguments[1:]
    options = {**options, "reduction": "sum"}

    def loss(x):
        return function(x, *rest, **options)

    x = x + 0.013  # off the kinks
    grad = np.array(mx.grad(loss)(x))
    h = 1e-2
    for i in np.ndindex(*x.shape):
        d = np.zeros(x.shape, np.float32)
        d[i] = h
        numeric = (loss(x + mx.array(d)) - loss(x - mx.array(d))).item() / (2 * h)
        assert grad[i] == pytest.approx(numeric, rel=3e-2, abs=3e-3)


def log_softmax(x, axis=-1):
    x = x - x.max(axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis, keepdims=True))


@lookup
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_cross_entropy_axes(axis, smoothing):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3, 4, 5))
    shape = list(x.shape)
    classes = shape.pop(axis)
    labels = rng.integers(0, classes, shape)
    probabilities = np.exp(log_softmax(rng.normal(size=x.shape), axis))
    weights = rng.uniform(size=shape)

    logp = log_softmax(x, axis)
    picked = np.take_along_axis(logp, np.expand_dims(labels, axis), axis).squeeze(axis)
    smooth = smoothing * logp.mean(axis)
    for targets, score in (
        (mx.array(labels), picked),
        (mx.array(probabilities.astype(np.float32)), (logp * probabilities).sum(axis)),
    ):
        expected = -(1 - smoothing) * score - smooth
        loss = losses.cross_entropy(
            mx.array(x.astype(np.float32)), targets, axis=axis, label_smoothing=smoothing
        )
        np.testing.assert_allclose(np.array(loss), expected, rtol=1e-4, atol=1e-5)
        loss = losses.cross_entropy(
            mx.array(x.astype(np.float32)),
            targets,
            mx.array(weights.astype(np.float32)),
            axis,
            smoothing,
            "mean",
        )
        assert loss.item() == pytest.approx((weights * expected).mean(), rel=1e-4)


@lookup
def test_cross_entropy_of_extreme_logits():
    inf = float("inf")
    zero = mx.array([0])
    assert losses.cross_entropy(mx.full((1, 4), 1e30), zero).item() == pytest.approx(math.log(4))
    shifted = losses.cross_entropy(mx.array([[1e4, 1e4 + 1]]), zero).item()
    assert shifted == pytest.approx(math.log(1 + math.e), rel=1e-5)
    assert losses.cross_entropy(mx.array([[0.0, -inf, -inf]]), zero).item() == 0
    assert math.isnan(losses.cross_entropy(mx.array([[0.0, -inf]]), mx.array([[1.0, 0.0]])).item())


@lookup
def test_cross_entropy_gradient_is_softmax_minus_target():
    grad = mx.grad(lambda x: losses.cross_entropy(x, t, reduction="sum"))(a)
    expected = np.exp(log_softmax(A)) - np.eye(3)[T]
    np.testing.assert_allclose(np.array(grad), expected, atol=1e-5)


@lookup
def test_cross_entropy_errors():
    for targets in (mx.array([0]), mx.array([[0], [1]]), mx.zeros((2, 4))):
        with pytest.raises(ValueError, match="targets"):
            losses.cross_entropy(a, targets)
    for smoothing in (-0.1, 1.0):
        with pytest.raises(ValueError, match="label_smoothing"):
            losses.cross_entropy(a, t, label_smoothing=smoothing)
    with pytest.raises(ValueError, match="weights"):
        losses.cross_entropy(a, t, weights=mx.ones((3,)))


@pytest.mark.parametrize(
    "name, count",
    [
        ("binary_cross_entropy", 2),
        ("l1_loss", 2),
        ("mse_loss", 2),
        ("smooth_l1_loss", 2),
        ("gaussian_nll_loss", 3),
        ("margin_ranking_loss", 3),
    ],
)
def test_shapes_must_be_equal(name, count):
    for odd in range(count):
        arrays = [mx.ones((2, 3))] * count
        arrays[odd] = mx.ones((3,))
        with pytest.raises(ValueError, match="shape"):
            getattr(losses, name)(*arrays)


def test_binary_cross_entropy_details():
    x = mx.array([0.0, 1.0])
    loss = losses.binary_cross_entropy(x, mx.array([1.0, 0.0]), with_logits=False, reduction="none")
    assert loss.tolist() == [100.0, 100.0]
    weights = mx.array([2.0, 0.0])
    target = mx.array([1.0, 1.0])
    loss = losses.binary_cross_entropy(mx.zeros((2,)), target, weights, reduction="sum")
    assert loss.item() == pytest.approx(2 * math.log(2), rel=1e-5)
    with pytest.raises(ValueError, match="weights"):
        losses.binary_cross_entropy(mx.zeros((2,)), target, mx.ones((1,)))
    huge = losses.binary_cross_entropy(mx.array([1e4, -1e4]), mx.array([0.0, 1.0]))
    assert huge.item() == pytest.approx(1e4)


@lookup
def test_nll_loss_axis():
    x = np.log(np.random.default_rng(0).uniform(size=(3, 4))).astype(np.float32)
    loss = losses.nll_loss(mx.array(x), mx.array([0, 2, 1, 1]), axis=0)
    np.testing.assert_allclose(np.array(loss), -x[[0, 2, 1, 1], range(4)])


def test_log_cosh_does_not_overflow():
    loss = losses.log_cosh_loss(mx.array(1e4), mx.array(0.0))
    assert loss.item() == pytest.approx(1e4 - math.log(2), rel=1e-6)


def test_triplet_norms_and_axis():
    rng = np.random.default_rng(0)
    x, p, n = rng.normal(size=(3, 4, 5))
    for axis, order in ((0, 1), (-1, 3)):

        def distance(u, v, axis=axis, order=order):
            return ((abs(u - v) ** order).sum(axis) + 1e-6) ** (1 / order)

        expected = np.maximum(distance(x, p) - distance(x, n) + 0.7, 0)
        arrays = [mx.array(v.astype(np.float32)) for v in (x, p, n)]
        loss = losses.triplet_loss(*arrays, axis=axis, p=order, margin=0.7)
        np.testing.assert_allclose(np.array(loss), expected, rtol=1e-4, atol=1e-5)


@lookup
def test_low_precision_keeps_its_dtype():
    x = mx.zeros((2, 3), dtype=mx.float16)
    assert losses.cross_entropy(x, t).dtype == mx.float16
    assert losses.mse_loss(x, x).dtype == mx.float16
    assert losses.huber_loss(x, x).dtype == mx.float16
