"""The cases as an MLX program: plain ops, no compile. Runs unchanged on any MLX."""

import random

import mlx.core as mx
import numpy as np
from cases import SIDE
from timing import main

mx.set_default_device(mx.cpu)
rng = np.random.default_rng(0)


def uniform(*shape, dtype=mx.float32):
    x = mx.array(rng.random(shape, dtype=np.float32) - 0.5).astype(dtype)
    mx.eval(x)
    return x


def unary(fn, *shape, dtype=mx.float32):
    def prepare():
        a = uniform(*(shape or (SIDE, SIDE)), dtype=dtype)
        return lambda: mx.eval(fn(a))

    return prepare


def binary(fn, shape_a=(SIDE, SIDE), shape_b=(SIDE, SIDE), dtype=mx.float32):
    def prepare():
        a, b = uniform(*shape_a, dtype=dtype), uniform(*shape_b, dtype=dtype)
        return lambda: mx.eval(fn(a, b))

    return prepare


def where():
    a, b = uniform(SIDE, SIDE), uniform(SIDE, SIDE)
    c = a > b
    mx.eval(c)
    return lambda: mx.eval(mx.where(c, a, b))


def gelu_chain():
    x, w, b = uniform(SIDE, SIDE), uniform(SIDE), uniform(SIDE)

    def run():
        t = x * w + b
        mx.eval(0.5 * t * (1 + mx.tanh(0.7978845608 * (t + 0.044715 * t * t * t))))

    return run


def mlp_step():
    import mlx.nn as nn
    import mlx.optimizers as optim

    model = nn.Sequential(
        nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )
    optimizer = optim.SGD(learning_rate=0.01)
    images, labels = uniform(256, 784), mx.array(rng.integers(0, 10, 256))

    def loss(model, x, y):
        return nn.losses.cross_entropy(model(x), y, reduction="mean")

    step = nn.value_and_grad(model, loss)
    mx.eval(model.parameters())

    def run():
        value, grads = step(model, images, labels)
        optimizer.update(model, grads)
        mx.eval(model.parameters(), value)

    return run


def chain():
    one = mx.array(1.0)

    def run():
        x = one
        for _ in range(1000):
            x = x + 1.0
        mx.eval(x)

    return run


def list_100k():
    random.seed(0)
    values = [random.random() for _ in range(100_000)]
    return lambda: mx.eval(mx.array(values))


def numpy_list_100k():
    random.seed(0)
    values = [random.random() for _ in range(100_000)]
    return lambda: np.array(values, dtype=np.float32)


SUITE = {
    "add": binary(lambda a, b: a + b),
    "two_a_plus_b": binary(lambda a, b: 2 * a + b),
    "exp": unary(mx.exp),
    "where": where,
    "cast_f32_f16": unary(lambda a: a.astype(mx.float16)),
    "cast_f32_bf16": unary(lambda a: a.astype(mx.bfloat16)),
    "cast_f16_f32": unary(lambda a: a.astype(mx.float32), dtype=mx.float16),
    "row_broadcast": binary(lambda a, b: a + b, shape_b=(1, SIDE)),
    "column_broadcast": binary(lambda a, b: a + b, shape_b=(SIDE, 1)),
    "gelu_chain": gelu_chain,
    "add_2048": binary(lambda a, b: a + b, (2048, 2048), (2048, 2048)),
    "add_transposed_2048": binary(lambda a, b: a.T + b, (2048, 2048), (2048, 2048)),
    "sum_all": unary(mx.sum),
    "sum_axis0": unary(lambda a: mx.sum(a, axis=0)),
    "sum_axis1": unary(lambda a: mx.sum(a, axis=1)),
    "argmax_axis1": unary(lambda a: mx.argmax(a, axis=1)),
    "max_bf16": unary(mx.max, dtype=mx.bfloat16),
    "var_axis1": unary(lambda a: mx.var(a, axis=1)),
    "logsumexp": unary(lambda a: mx.logsumexp(a, axis=1)),
    "softmax": unary(lambda a: mx.softmax(a, axis=1)),
    "matmul_f32_512": binary(mx.matmul, (512, 512), (512, 512)),
    "matmul_f32_1024": binary(mx.matmul, (1024, 1024), (1024, 1024)),
    "matmul_f32_2048": binary(mx.matmul, (2048, 2048), (2048, 2048)),
    "matmul_bf16_1024": binary(mx.matmul, (1024, 1024), (1024, 1024), mx.bfloat16),
    "matmul_f16_1024": binary(mx.matmul, (1024, 1024), (1024, 1024), mx.float16),
    "matmul_batch": binary(mx.matmul, (1024, 16, 64), (1024, 64, 16)),
    "gemv": binary(mx.matmul, (SIDE, SIDE), (SIDE,)),
    "gemv_transposed": binary(mx.matmul, (SIDE,), (SIDE, SIDE)),
    "mlp_step": mlp_step,
    "eval_one_add": unary(lambda a: a + a, 1),
    "chain_1000_adds": chain,
    "array_of_list_100k": list_100k,
    "numpy_list_100k": numpy_list_100k,
}

if __name__ == "__main__":
    main(SUITE, mx.__version__)
