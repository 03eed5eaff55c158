"""The cases in JAX under jit, on the CPU; the overhead cases op by op."""

import random

import jax
import jax.numpy as jnp
import numpy as np
from cases import SIDE
from timing import main

jax.config.update("jax_platforms", "cpu")
rng = np.random.default_rng(0)


def uniform(*shape, dtype=jnp.float32):
    return jnp.asarray(rng.random(shape, dtype=np.float32) - 0.5).astype(dtype).block_until_ready()


def unary(fn, *shape, dtype=jnp.float32, jit=True):
    def prepare():
        a = uniform(*(shape or (SIDE, SIDE)), dtype=dtype)
        compiled = jax.jit(fn) if jit else fn
        return lambda: compiled(a).block_until_ready()

    return prepare


def binary(fn, shape_a=(SIDE, SIDE), shape_b=(SIDE, SIDE), dtype=jnp.float32):
    def prepare():
        a, b = uniform(*shape_a, dtype=dtype), uniform(*shape_b, dtype=dtype)
        compiled = jax.jit(fn)
        return lambda: compiled(a, b).block_until_ready()

    return prepare


def where():
    a, b = uniform(SIDE, SIDE), uniform(SIDE, SIDE)
    c = (a > b).block_until_ready()
    compiled = jax.jit(jnp.where)
    return lambda: compiled(c, a, b).block_until_ready()


def gelu_chain():
    x, w, b = uniform(SIDE, SIDE), uniform(SIDE), uniform(SIDE)

    @jax.jit
    def gelu(x, w, b):
        t = x * w + b
        return 0.5 * t * (1 + jnp.tanh(0.7978845608 * (t + 0.044715 * t * t * t)))

    return lambda: gelu(x, w, b).block_until_ready()


def mlp_step():
    sizes = [784, 512, 512, 10]
    params = [
        (uniform(n, m) * 0.1, uniform(m) * 0.1) for n, m in zip(sizes, sizes[1:], strict=False)
    ]
    images, labels = uniform(256, 784), jnp.asarray(rng.integers(0, 10, 256))

    def loss(params, x, y):
        for w, b in params[:-1]:
            x = jax.nn.relu(x @ w + b)
        w, b = params[-1]
        scores = jax.nn.log_softmax(x @ w + b)
        return -jnp.mean(jnp.take_along_axis(scores, y[:, None], axis=1))

    @jax.jit
    def step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)

    state = [params]

    def run():
        value, state[0] = step(state[0], images, labels)
        jax.block_until_ready((value, state[0]))

    return run


def chain():
    one = jnp.asarray(1.0)

    def run():
        x = one
        for _ in range(1000):
            x = x + 1.0
        x.block_until_ready()

    return run


def list_100k():
    random.seed(0)
    values = [random.random() for _ in range(100_000)]
    return lambda: jnp.asarray(values).block_until_ready()


SUITE = {
    "add": binary(lambda a, b: a + b),
    "two_a_plus_b": binary(lambda a, b: 2 * a + b),
    "exp": unary(jnp.exp),
    "where": where,
    "cast_f32_f16": unary(lambda a: a.astype(jnp.float16)),
    "cast_f32_bf16": unary(lambda a: a.astype(jnp.bfloat16)),
    "cast_f16_f32": unary(lambda a: a.astype(jnp.float32), dtype=jnp.float16),
    "row_broadcast": binary(lambda a, b: a + b, shape_b=(1, SIDE)),
    "column_broadcast": binary(lambda a, b: a + b, shape_b=(SIDE, 1)),
    "gelu_chain": gelu_chain,
    "add_2048": binary(lambda a, b: a + b, (2048, 2048), (2048, 2048)),
    "add_transposed_2048": binary(lambda a, b: a.T + b, (2048, 2048), (2048, 2048)),
    "sum_all": unary(jnp.sum),
    "sum_axis0": unary(lambda a: jnp.sum(a, axis=0)),
    "sum_axis1": unary(lambda a: jnp.sum(a, axis=1)),
    "argmax_axis1": unary(lambda a: jnp.argmax(a, axis=1)),
    "max_bf16": unary(jnp.max, dtype=jnp.bfloat16),
    "var_axis1": unary(lambda a: jnp.var(a, axis=1)),
    "logsumexp": unary(lambda a: jax.nn.logsumexp(a, axis=1)),
    "softmax": unary(lambda a: jax.nn.softmax(a, axis=1)),
    "matmul_f32_512": binary(jnp.matmul, (512, 512), (512, 512)),
    "matmul_f32_1024": binary(jnp.matmul, (1024, 1024), (1024, 1024)),
    "matmul_f32_2048": binary(jnp.matmul, (2048, 2048), (2048, 2048)),
    "matmul_bf16_1024": binary(jnp.matmul, (1024, 1024), (1024, 1024), jnp.bfloat16),
    "matmul_f16_1024": binary(jnp.matmul, (1024, 1024), (1024, 1024), jnp.float16),
    "matmul_batch": binary(jnp.matmul, (1024, 16, 64), (1024, 64, 16)),
    "gemv": binary(jnp.matmul, (SIDE, SIDE), (SIDE,)),
    "gemv_transposed": binary(jnp.matmul, (SIDE,), (SIDE, SIDE)),
    "mlp_step": mlp_step,
    "eval_one_add": unary(lambda a: a + a, 1, jit=False),
    "chain_1000_adds": chain,
    "array_of_list_100k": list_100k,
}

if __name__ == "__main__":
    main(SUITE, jax.__version__)
