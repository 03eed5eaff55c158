# mlx.optimizers: worked values, state handling, dtypes, schedules, clipping.
import inspect
import math

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map, tree_unflatten


def floats(text):
    return [float(v) for v in text.split()]


def ALL():
    skip = (optim.Optimizer, optim.MultiOptimizer)
    return [
        cls
        for _, cls in inspect.getmembers(optim, inspect.isclass)
        if issubclass(cls, optim.Optimizer) and cls not in skip
    ]


W1 = [1, -2, 0.5]
G1 = [[0.1, -0.2, 0.3], [-0.3, 0.1, 0.2], [0.05, 0.4, -0.1]]
W2 = [[1, 2, -1], [0.5, -0.5, 3]]
G2 = [[[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], [[-0.3, 0.1, 0.2], [0.2, -0.1, 0.05]]]

# optimizer, parameters after all gradients, state; worked out by hand and in float64
VECTORS = [
    (lambda: optim.SGD(0.1), "1.015 -2.03 0.46", {"v": "0 0 0"}),
    (
        lambda: optim.SGD(0.1, momentum=0.9),
        "1.0249 -2.0048 0.3907",
        {"v": "-0.139 0.328 0.323"},
    ),
    (
        lambda: optim.SGD(0.1, momentum=0.9, nesterov=True),
        "1.03741 -2.03432 0.36163",
        {"v": "-0.139 0.328 0.323"},
    ),
    (
        lambda: optim.SGD(0.1, momentum=0.9, dampening=0.5, weight_decay=0.1),
        "0.98454 -1.9467 0.43172",
        {"v": "0.0651025 -0.103955 0.226179"},
    ),
    (
        lambda: optim.RMSprop(0.1),
        "0.792141 -2.32375 -0.787253",
        {"v": "0.00101401 0.00209104 0.00137809"},
    ),
    (lambda: optim.Adagrad(0.1), "0.979251 -2.03201 0.371256", {"v": "0.1025 0.21 0.14"}),
    (
        lambda: optim.AdaDelta(0.1),
        "1.00001 -2.00032 0.499573",
        {"v": "0.00916 0.02014 0.01189", "u": "2.54598e-06 3.05542e-06 1.62024e-06"},
    ),
    (
        lambda: optim.Adam(0.1),
        "1.03115 -1.79698 -0.501786",
        {"m": "-0.0139 0.0328 0.0323", "v": "0.00010239 0.00020991 0.00013978"},
    ),
    (
        lambda: optim.Adam(0.1, bias_correction=True),
        "0.977169 -1.9191 0.247776",
        {"m": "-0.0139 0.0328 0.0323", "v": "0.00010239 0.00020991 0.00013978"},
    ),
    (
        lambda: optim.AdamW(0.1),
        "1.02858 -1.79173 -0.50224",
        {"m": "-0.0139 0.0328 0.0323", "v": "0.00010239 0.00020991 0.00013978"},
    ),
    (
        lambda: optim.Adamax(0.1),
        "1.00164 -1.9942 0.463529",
        {"m": "-0.0139 0.0328 0.0323", "v": "0.2997 0.4 0.2994"},
    ),
    (
        lambda: optim.Lion(0.1, weight_decay=0.1),
        "0.871289 -2.04159 0.38814",
        {"m": "-0.0014899 0.0030298 0.0039203"},
    ),
    (
        lambda: optim.Adafactor(),
        "0.999813 -2.01414 0.482771",
        {"exp_avg_sq": "0.033754 0.0797536 0.0399878"},
    ),
    (
        lambda: optim.Muon(0.1),
        "1.00151 -2.00077 0.492346",
        {"v": "-0.00581113 0.0128747 0.018746"},
    ),
]
FACTORED = {
    "exp_avg_sq_row": "0.0466667 0.119301",
    "exp_avg_sq_col": "0.073513 0.0674629 0.107976",
}
MATRICES = [
    (
        lambda: optim.Adafactor(),
        "1.01391 2.00692 -1.03144 0.473106 -0.511034 3.01358",
        FACTORED,
    ),
    (
        lambda: optim.Adafactor(
            0.1, relative_step=False, scale_parameter=False, beta_1=0.9, weight_decay=0.1
        ),
        "0.983168 1.97296 -1.00977 0.463965 -0.505916 2.95741",
        {
            **FACTORED,
            "exp_avg": "-0.00918967 -0.00338771 0.0183779 0.015644 0.00587323 -0.00748205",
        },
    ),
    (
        lambda: optim.Adafactor(warmup_init=True),
        "1 2 -1 0.499996 -0.500001 3",
        FACTORED,
    ),
    (
        lambda: optim.Muon(0.1),
        "0.950857 1.97663 -1.12987 0.377353 -0.589519 3.02743",
        {"v": "-0.00930147 -0.00254016 0.0232526 0.0294638 0.0182426 -0.0230545"},
    ),
    (
        lambda: optim.Muon(0.1, nesterov=False, weight_decay=0),
        "0.939643 2.00526 -1.11112 0.39656 -0.57933 3.06111",
        {"v": "-0.01025 -0.0045 0.02425 0.029 0.01875 -0.026"},
    ),
]


@pytest.mark.parametrize(
    "make, expected, state, w, gradients",
    [(*case, W1, G1) for case in VECTORS] + [(*case, W2, G2) for case in MATRICES],
)
def test_worked_values(make, expected, state, w, gradients):
    optimizer = make()
    parameters = {"w": mx.array(w, mx.float32)}
    for g in gradients:
        parameters = optimizer.apply_gradients({"w": mx.array(g, mx.float32)}, parameters)
    result = np.array(parameters["w"]).ravel()
    np.testing.assert_allclose(result, floats(expected), rtol=1e-4, atol=1e-6)
    assert list(optimizer.state["w"]) == list(state)
    for name, values in state.items():
        actual = np.array(optimizer.state["w"][name]).ravel()
        np.testing.assert_allclose(actual, floats(values), rtol=1e-4, atol=1e-9)
    assert optimizer.step.item() == len(gradients)


def test_adamw_follows_its_paper():
    rng = np.random.default_rng(0)
    w = w32 = rng.normal(size=(4, 3)).astype(np.float32)
    m = v = np.zeros((4, 3))
    optimizer = optim.AdamW(1e-2, [0.8, 0.95], 1e-6, 0.1, bias_correction=True)
    parameters = {"w": mx.array(w32)}
    for t in range(1, 11):
        g = rng.normal(size=(4, 3)).astype(np.float32)
        parameters = optimizer.apply_gradients({"w": mx.array(g)}, parameters)
        m, v = 0.8 * m + 0.2 * g, 0.95 * v + 0.05 * g.astype(np.float64) ** 2
        step = (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.95**t)) + 1e-6)
        w = w * (1 - 1e-2 * 0.1) - 1e-2 * step
    np.testing.assert_allclose(np.array(parameters["w"]), w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("cls", ALL(), ids=lambda c: c.__name__)
@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.float32], ids=str)
def test_parameters_keep_their_dtype(cls, dtype):
    parameters = {"w": mx.ones((4, 3), dtype=dtype), "b": mx.ones((3,), dtype=dtype)}
    gradients = tree_map(lambda p: 0.1 * mx.ones_like(p), parameters)
    schedule = optim.linear_schedule(1e-3, 1e-2, 3)
    optimizers = [cls(1e-2), cls(learning_rate=schedule)]
    if cls in (optim.Adam, optim.AdamW):
        optimizers.append(cls(1e-2, bias_correction=True))
    for optimizer in optimizers:
        for _ in range(2):
            parameters = optimizer.apply_gradients(gradients, parameters)
        assert all(p.dtype == dtype for _, p in tree_flatten(parameters))
        assert all(mx.isfinite(p).all().item() for _, p in tree_flatten(parameters))


@pytest.mark.parametrize("cls", ALL(), ids=lambda c: c.__name__)
def test_arguments_stay_as_they_were(cls):
    options = [{}]
    if "weight_decay" in inspect.signature(cls).parameters:
        options.append({"weight_decay": 0.5})
    if cls is optim.Adafactor:
        options.append({"weight_decay": 0.5, "relative_step": False})
    for extra in options:
        g, w = mx.array([1.0, 2.0]), mx.array([3.0, 4.0])
        parameters, gradients = {"w": w}, {"w": g}
        cls(0.1, **extra).apply_gradients(gradients, parameters)
        assert g.tolist() == [1.0, 2.0] and w.tolist() == [3.0, 4.0]
        assert gradients["w"] is g and parameters["w"] is w


@pytest.mark.parametrize("cls", ALL(), ids=lambda c: c.__name__)
def test_each_lowers_a_quadratic(cls):
    slow = (optim.AdaDelta, optim.Adafactor)  # they step in proportion to a parameter at zero
    target = mx.array([[1.0, -1.0], [0.5, 2.0]])
    model = nn.Module()
    model.w = mx.zeros((2, 2))
    optimizer = cls(learning_rate=0.05)
    loss_and_grad = nn.value_and_grad(model, lambda: mx.square(model.w - target).sum())
    first = loss_and_grad()[0].item()
    for _ in range(60):
        _, gradients = loss_and_grad()
        optimizer.update(model, gradients)
        mx.eval(model.parameters(), optimizer.state)
    assert loss_and_grad()[0].item() < first * (0.9999 if cls in slow else 0.8)


# State


def test_state_layout_and_order_of_an_update():
    seen = []

    def schedule(step):
        seen.append(step.item())
        return mx.array(0.1)

    optimizer = optim.Adam(schedule)
    assert list(optimizer.state) == ["step", "learning_rate"] and optimizer.step.dtype == mx.uint64
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    state = optimizer.state
    gradients = tree_map(mx.ones_like, model.trainable_parameters())
    optimizer.update(model, gradients)
    optimizer.update(model, gradients)
    assert optimizer.state is state and optimizer.step.item() == 2
    assert seen == [0, 0, 1]  # at construction, then before each increment
    assert state["layers"][1] == {} and list(state["layers"][2]["bias"]) == ["m", "v"]


def test_hyper_parameters_are_attributes():
    adam = optim.AdamW(0.1, [0.5, 0.6], 1e-3, 0.2, True)
    assert (adam.betas, adam.eps, adam.weight_decay) == ([0.5, 0.6], 1e-3, 0.2)
    assert adam.bias_correction and isinstance(adam, optim.Adam)
    assert issubclass(optim.Adamax, optim.Adam)
    sgd = optim.SGD(0.1, 0.9, 0.01, 0.5)
    assert (sgd.momentum, sgd.weight_decay, sgd.dampening, sgd.nesterov) == (0.9, 0.01, 0.5, False)


def test_learning_rate():
    optimizer = optim.SGD(0.1)
    assert optimizer.learning_rate.item() == pytest.approx(0.1)
    optimizer.learning_rate = 0.5
    assert optimizer.learning_rate.item() == 0.5
    assert optimizer.apply_gradients({"w": mx.array(1.0)}, {"w": mx.array(1.0)})["w"].item() == 0.5
    with pytest.raises(KeyError):
        _ = optim.Adafactor().learning_rate
    scheduled = optim.SGD(optim.linear_schedule(0.5, 1.0, 2))
    assert scheduled.learning_rate.item() == 0.5
    scheduled.update({}, {})
    assert scheduled.learning_rate.item() == 0.5 and scheduled.step.item() == 1
    scheduled.update({}, {})
    assert scheduled.learning_rate.item() == 0.75


def test_state_is_live_and_settable():
    optimizer = optim.SGD(0.1)
    optimizer.state["hello"] = "world"
    assert optimizer.state["hello"] == "world"
    optimizer.step = 7
    assert optimizer.step.item() == 7 and optimizer.step.dtype == mx.uint64


def test_a_parameter_that_comes_late_has_no_state():
    one = {"w": mx.array(1.0)}
    optimizer = optim.SGD(0.1, momentum=0.5)
    optimizer.update({}, {})
    with pytest.raises(KeyError):
        optimizer.apply_gradients(one, one)
    optimizer.init(one)
    optimizer.apply_gradients(one, one)


def test_base_class_is_abstract():
    optimizer = optim.Optimizer({"x": lambda step: step})
    with pytest.raises(NotImplementedError):
        optimizer.init({"w": mx.array(1.0)})
    with pytest.raises(NotImplementedError):
        optimizer.apply_single(mx.array(1.0), mx.array(1.0), {})
    fresh = optim.Optimizer({"x": lambda step: step + 10})
    fresh.update({}, {})
    assert fresh.state["x"].item() == 10


def test_a_state_from_a_flat_file_is_completed():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1), nn.ReLU())
    gradients = tree_map(mx.ones_like, model.trainable_parameters())
    first = optim.Adam(0.1)
    first.apply_gradients(gradients, model)
    flat = tree_flatten(first.state)
    kept = [(path, x) for path, x in flat if not path.startswith("layers.2")]

    second = optim.Adam(0.1)
    second.state = tree_unflatten(flat)
    a = first.apply_gradients(gradients, model)
    b = second.apply_gradients(gradients, model)
    assert all(mx.array_equal(x, y) for (_, x), (_, y) in zip(tree_flatten(a), tree_flatten(b)))

    third = optim.Adam(0.1)
    third.state = tree_unflatten(kept)
    third.init(model.trainable_parameters())
    assert mx.array_equal(third.state["layers"][0]["weight"]["m"], mx.full((2, 2), 0.1))
    assert (third.state["layers"][2]["bias"]["m"] == 0).all().item()
    third.update(model, gradients)


def test_init_keeps_what_exists_and_extends():
    optimizer = optim.SGD(0.1, momentum=0.9)
    optimizer.init({"layers": [{"w": mx.zeros((1,))}]})
    optimizer.state["layers"][0]["w"]["v"] = mx.ones((1,))
    optimizer.init({"layers": [{"w": mx.zeros((1,))}, (mx.zeros((2,)), mx.zeros((3,)))]})
    layers = optimizer.state["layers"]
    assert layers[0]["w"]["v"].item() == 1 and layers[1][1]["v"].shape == (3,)
    assert isinstance(layers[1], tuple)


def test_gradients_may_be_sparse():
    parameters = {"a": [{"w": mx.ones((1,))}, {"w": mx.ones((1,))}], "b": mx.ones((1,))}
    optimizer = optim.SGD(1.0)
    new = optimizer.apply_gradients({"a": [{}, {"w": mx.ones((1,))}]}, parameters)
    assert new == {"a": [{}, {"w": mx.array([0.0])}]}


# Errors


@pytest.mark.parametrize(
    "make",
    [
        lambda: optim.SGD(0.1, nesterov=True),
        lambda: optim.SGD(0.1, momentum=0.9, dampening=0.1, nesterov=True),
        lambda: optim.RMSprop(0.1, alpha=-1.0),
        lambda: optim.AdaDelta(0.1, rho=-1.0),
        lambda: optim.Adam(0.1, betas=[1.0, 0.9]),
        lambda: optim.Adam(0.1, betas=[0.9, -0.1]),
        lambda: optim.AdamW(0.1, eps=-1e-8),
        lambda: optim.Adamax(0.1, eps=-1e-8),
        lambda: optim.Lion(0.1, betas=[0.9, 1.0]),
        lambda: optim.clip_grad_norm({}, -1.0),
        lambda: optim.MultiOptimizer([optim.SGD(0.1)], [lambda p, g: True]),
        lambda: optim.step_decay(0.1, 0.9, 0),
        lambda: optim.cosine_decay(0.1, 0),
        lambda: optim.linear_schedule(0.1, 0.2, 0),
        lambda: optim.join_schedules([], []),
        lambda: optim.join_schedules([lambda s: s], [1]),
    ],
)
def test_bad_arguments(make):
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize("cls", [optim.RMSprop, optim.Adagrad, optim.AdaDelta])
def test_eps_must_be_positive(cls):
    for eps in (0.0, -1e-8):
        with pytest.raises(ValueError, match=">0"):
            cls(0.1, eps=eps)


# Training


def train(optimizer, compiled):
    mx.random.seed(0)
    model = nn.Sequential(nn.Linear(3, 8), nn.tanh, nn.Linear(8, 1))
    x = mx.random.normal((16, 3))
    y = x.sum(axis=1, keepdims=True)
    loss_and_grad = nn.value_and_grad(model, lambda x, y: nn.losses.mse_loss(model(x), y))

    def step(x, y):
        loss, gradients = loss_and_grad(x, y)
        optimizer.update(model, gradients)
        return loss

    if compiled:
        state = [model.state, optimizer.state, mx.random.state]
        step = mx.compile(step, inputs=state, outputs=state)
    losses = []
    for i in range(10):
        if i == 5:
            optimizer.learning_rate = 0.02
        losses.append(step(x, y).item())
    return losses, model


@pytest.mark.parametrize("cls", [optim.SGD, optim.Adam, optim.AdamW], ids=lambda c: c.__name__)
def test_compiled_training_is_eager_training(cls):
    eager, model = train(cls(0.05), compiled=False)
    compiled, other = train(cls(0.05), compiled=True)
    np.testing.assert_allclose(compiled, eager, rtol=1e-4)
    assert eager[-1] < eager[0]
    for (path, a), (_, b) in zip(
        tree_flatten(model.parameters()), tree_flatten(other.parameters())
    ):
        assert mx.allclose(a, b, atol=1e-4), path


def test_compiled_schedule():
    optimizer = optim.SGD(
        optim.join_schedules(
            [optim.linear_schedule(0.0, 1.0, 4), optim.exponential_decay(1.0, 0.5)], [4]
        )
    )
    step = mx.compile(
        lambda: optimizer.update({}, {}), inputs=optimizer.state, outputs=optimizer.state
    )
    rates = []
    for _ in range(6):
        step()
        rates.append(optimizer.learning_rate.item())
    np.testing.assert_allclose(rates, [0, 0.25, 0.5, 0.75, 1, 0.5], rtol=1e-6)


# MultiOptimizer


def is_matrix(path, gradient):
    return gradient.ndim > 1


def test_multi_optimizer_splits_and_joins():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 2), nn.ReLU())
    gradients = tree_map(mx.ones_like, model.trainable_parameters())
    optimizer = optim.MultiOptimizer([optim.SGD(0.5), optim.SGD(0.25)], [is_matrix])
    optimizer.init(model.trainable_parameters())
    first, second = optimizer.state["states"]
    assert "bias" not in first["layers"][0] and "weight" not in second["layers"][0]
    new = optimizer.apply_gradients(gradients, model)
    assert mx.allclose(new["layers"][2]["weight"], model.layers[2].weight - 0.5)
    assert mx.allclose(new["layers"][2]["bias"], model.layers[2].bias - 0.25)
    optimizer.update(model, gradients)
    assert mx.array_equal(model.layers[0].bias, new["layers"][0]["bias"])


def test_multi_optimizer_by_layer_leaves_gaps():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.ReLU(), nn.Linear(2, 2))
    gradients = tree_map(mx.ones_like, model.trainable_parameters())
    optimizer = optim.MultiOptimizer(
        [optim.Adam(0.5), optim.SGD(0.25)], [lambda path, g: path.startswith("layers.3")]
    )
    optimizer.update(model, gradients)
    optimizer.update(model, gradients)
    assert "weight" in optimizer.state["states"][0]["layers"][3]


def test_multi_optimizer_with_nothing_for_one():
    model = nn.Linear(2, 2, bias=False)
    optimizer = optim.MultiOptimizer([optim.SGD(0.5), optim.SGD(0.5)], [is_matrix])
    optimizer.update(model, {"weight": mx.ones((2, 2))})


def test_multi_optimizer_learning_rate_and_state():
    optimizer = optim.MultiOptimizer([optim.SGD(0.5), optim.SGD(0.25)], [is_matrix])
    assert optimizer.learning_rate.item() == 0.5
    optimizer.learning_rate = 0.125
    assert all(o.learning_rate.item() == 0.125 for o in optimizer.optimizers)
    state = optimizer.state
    assert list(state) == ["states"] and state is not optimizer.state
    optimizer.state = state
    for bad in ({}, {"states": state["states"][:1]}):
        with pytest.raises(ValueError):
            optimizer.state = bad


def test_adafactor_second_moment_is_per_matrix():
    optimizer = optim.Adafactor()
    rng = np.random.default_rng(0)
    row, col = rng.uniform(1, 2, (3, 4)), rng.uniform(1, 2, (3, 5))
    y = optimizer._approximate_exp_moving_avg(
        mx.array(row.astype(np.float32)), mx.array(col.astype(np.float32))
    )
    expected = np.sqrt(row.mean(-1))[:, None, None] / np.sqrt(row[..., None] * col[:, None])
    np.testing.assert_allclose(np.array(y), expected, rtol=1e-5)
    parameters = {"w": mx.ones((2, 3, 4))}
    new = optimizer.apply_gradients({"w": mx.ones((2, 3, 4))}, parameters)
    assert new["w"].shape == (2, 3, 4)
    assert optimizer.state["w"]["exp_avg_sq_col"].shape == (2, 4)


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (3, 2, 2), (5,), ()])
def test_muon_shapes(shape):
    g = mx.random.normal(shape)
    w = mx.zeros(shape)
    optimizer = optim.Muon(1.0, weight_decay=0.0, nesterov=False, momentum=0.0)
    step = -np.array(optimizer.apply_gradients({"w": g}, {"w": w})["w"]).astype(np.float64)
    if len(shape) < 2:
        np.testing.assert_allclose(step, np.array(g), rtol=1e-5)
        return
    scale = math.sqrt(max(1, shape[-2] / shape[-1]))
    singular = np.linalg.svd(step.reshape(shape[0], -1) / scale, compute_uv=False)
    assert (singular > 0.4).all() and (singular < 1.3).all()


# Schedules

SCHEDULES = [
    (lambda: optim.exponential_decay(0.1, 0.9), "0.1 0.09 0.06561 0.059049 0.0348678 0.0205891"),
    (lambda: optim.step_decay(0.1, 0.9, 10), "0.1 0.1 0.1 0.1 0.09 0.09"),
    (lambda: optim.cosine_decay(0.1, 10, 0.01), "0.1 0.0977975 0.0689058 0.055 0.01 0.01"),
    (lambda: optim.linear_schedule(0, 0.1, 10), "0 0.01 0.04 0.05 0.1 0.1"),
    (
        lambda: optim.join_schedules(
            [optim.linear_schedule(0, 0.1, 4), optim.cosine_decay(0.1, 10)], [4]
        ),
        "0 0.025 0.1 0.0975528 0.0345492 0",
    ),
]


@pytest.mark.parametrize("make, expected", SCHEDULES)
@pytest.mark.parametrize("kind", ["int", "uint64"])
def test_schedules(make, expected, kind):
    schedule = make()
    for step, value in zip([0, 1, 4, 5, 10, 15], floats(expected)):
        rate = schedule(step if kind == "int" else mx.array(step, mx.uint64))
        assert float(rate if isinstance(rate, float) else rate.item()) == pytest.approx(
            value, rel=1e-4, abs=1e-8
        )


def test_schedules_of_python_numbers():
    assert type(optim.exponential_decay(0.1, 0.9)(3)) is float
    assert type(optim.step_decay(0.1, 0.9, 2)(3)) is float
    joined = optim.join_schedules([lambda s: 1, lambda s: s], [2])
    assert isinstance(joined(3), mx.array) and joined(3).item() == 1
    assert optim.schedulers.join_schedules is optim.join_schedules
    assert optim.schedulers.cosine_decay(0.1, 10)(0).item() == pytest.approx(0.1)


def test_schedule_drives_the_updates():
    optimizer = optim.SGD(optim.step_decay(0.5, 0.5, 1))
    w = {"w": mx.array(0.0)}
    for expected in (-0.5, -0.75, -0.875):
        w = optimizer.apply_gradients({"w": mx.array(1.0)}, w)
        assert w["w"].item() == expected


# Clipping


def test_clip_grad_norm():
    gradients = {"a": mx.array([3.0, 4.0]), "b": [mx.array([[12.0]])]}
    clipped, norm = optim.clip_grad_norm(gradients, 6.5)
    assert norm.item() == 13
    np.testing.assert_allclose(np.array(clipped["a"]), [1.5, 2], rtol=1e-5)
    np.testing.assert_allclose(clipped["b"][0].item(), 6, rtol=1e-5)
    same, norm = optim.clip_grad_norm(gradients, 100.0)
    assert mx.array_equal(same["a"], gradients["a"]) and norm.item() == 13
    empty, norm = optim.clip_grad_norm({}, 1.0)
    assert empty == {} and norm.item() == 0
    half, _ = optim.clip_grad_norm({"a": mx.ones((4,), dtype=mx.float16)}, 1.0)
    assert half["a"].dtype == mx.float16
