# nn.init: shapes, dtypes, ranges, statistics and errors of the initialisers.
import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest

init = nn.init
KERNEL = (8, 3, 3, 5)  # fan_in 45, fan_out 72


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(7)


FACTORIES = {
    "constant": lambda dtype: init.constant(3, dtype),
    "normal": lambda dtype: init.normal(dtype=dtype),
    "uniform": lambda dtype: init.uniform(dtype=dtype),
    "identity": init.identity,
    "glorot_normal": init.glorot_normal,
    "glorot_uniform": init.glorot_uniform,
    "he_normal": init.he_normal,
    "he_uniform": init.he_uniform,
    "sparse": lambda dtype: init.sparse(0.5, dtype=dtype),
    "orthogonal": lambda dtype: init.orthogonal(dtype=dtype),
}


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", FACTORIES)
def test_shape_and_dtype(name, dtype):
    needs = {"orthogonal": "linalg", "sparse": "argsort"}.get(name, "array")
    if not hasattr(mx, needs):
        pytest.skip(f"mlx.core has no {needs}")
    dtype = getattr(mx, dtype)
    y = FACTORIES[name](dtype)(mx.zeros((4, 4), dtype=mx.int32))
    assert y.shape == (4, 4) and y.dtype == dtype
    assert np.isfinite(np.array(y.astype(mx.float32))).all()


def test_constant_and_identity():
    assert init.constant(2.5)(mx.zeros((2, 1))).tolist() == [[2.5], [2.5]]
    assert mx.array_equal(init.identity()(mx.zeros((3, 3))), mx.eye(3))


def test_normal_and_uniform_statistics():
    x = np.array(init.normal(2.0, 0.5)(mx.zeros((200, 200))))
    assert abs(x.mean() - 2) < 0.02 and abs(x.std() - 0.5) < 0.02
    x = np.array(init.uniform(-1.0, 3.0)(mx.zeros((200, 200))))
    assert x.min() >= -1 and x.max() < 3 and abs(x.mean() - 1) < 0.05


@pytest.mark.parametrize(
    "make, options, std",
    [
        (init.glorot_normal, {}, math.sqrt(2 / 117)),
        (init.glorot_normal, {"gain": 3.0}, 3 * math.sqrt(2 / 117)),
        (init.he_normal, {}, 1 / math.sqrt(45)),
        (init.he_normal, {"mode": "fan_out", "gain": 2.0}, 2 / math.sqrt(72)),
    ],
)
def test_normal_fans(make, options, std):
    x = np.concatenate([np.array(make()(mx.zeros(KERNEL), **options)).ravel() for _ in range(60)])
    assert abs(x.mean()) < 0.03 * std and abs(x.std() / std - 1) < 0.03


@pytest.mark.parametrize(
    "make, options, limit",
    [
        (init.glorot_uniform, {}, math.sqrt(6 / 117)),
        (init.glorot_uniform, {"gain": 3.0}, 3 * math.sqrt(6 / 117)),
        (init.he_uniform, {}, math.sqrt(3 / 45)),
        (init.he_uniform, {"mode": "fan_out", "gain": 2.0}, 2 * math.sqrt(3 / 72)),
    ],
)
def test_uniform_fans(make, options, limit):
    x = np.concatenate([np.array(make()(mx.zeros(KERNEL), **options)).ravel() for _ in range(60)])
    assert 0.99 * limit < abs(x).max() <= limit * (1 + 1e-6)


@pytest.mark.needs("argsort")
@pytest.mark.parametrize("sparsity", [0.0, 0.3, 0.5, 1.0])
def test_sparse_zeros_per_row(sparsity):
    x = np.array(init.sparse(sparsity, mean=1.0)(mx.zeros((6, 7))))
    assert ((x == 0).sum(1) == math.ceil(sparsity * 7)).all()


@pytest.mark.needs("linalg.qr")
@pytest.mark.parametrize("shape", [(4, 4), (6, 4), (3, 5)])
def test_orthogonal(shape):
    q = np.array(init.orthogonal()(mx.zeros(shape)), dtype=np.float64)
    gram = q @ q.T if shape[0] <= shape[1] else q.T @ q
    np.testing.assert_allclose(gram, np.eye(min(shape)), atol=1e-5)
    assert np.array(init.orthogonal(gain=2.0)(mx.zeros((1, 1)))).item() in (2.0, -2.0)


@pytest.mark.parametrize(
    "function, shape, message",
    [
        (init.identity(), (2, 3), "square"),
        (init.identity(), (2,), "square"),
        (init.glorot_normal(), (3,), "dimensions"),
        (init.glorot_uniform(), (3,), "dimensions"),
        (init.he_normal(), (3,), "dimensions"),
        (init.he_uniform(), (3,), "dimensions"),
        (init.sparse(0.5), (2, 2, 2), "matrix"),
        (init.orthogonal(), (2, 2, 2), "3D array"),
    ],
)
def test_errors(function, shape, message):
    with pytest.raises(ValueError, match=message):
        function(mx.zeros(shape))


@pytest.mark.parametrize("make", [init.he_normal, init.he_uniform])
def test_unknown_mode(make):
    with pytest.raises(ValueError, match="mode"):
        make()(mx.zeros((2, 2)), mode="fan")
