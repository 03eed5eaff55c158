"""The cases in PyTorch, eager, on the CPU."""

import random

import torch
from cases import SIDE
from timing import main

torch.manual_seed(0)


def uniform(*shape, dtype=torch.float32):
    return (torch.rand(*shape) - 0.5).to(dtype)


def unary(fn, *shape, dtype=torch.float32):
    def prepare():
        a = uniform(*(shape or (SIDE, SIDE)), dtype=dtype)
        return lambda: fn(a)

    return prepare


def binary(fn, shape_a=(SIDE, SIDE), shape_b=(SIDE, SIDE), dtype=torch.float32):
    def prepare():
        a, b = uniform(*shape_a, dtype=dtype), uniform(*shape_b, dtype=dtype)
        return lambda: fn(a, b)

    return prepare


def where():
    a, b = uniform(SIDE, SIDE), uniform(SIDE, SIDE)
    c = a > b
    return lambda: torch.where(c, a, b)


def gelu_chain():
    x, w, b = uniform(SIDE, SIDE), uniform(SIDE), uniform(SIDE)

    def run():
        t = x * w + b
        return 0.5 * t * (1 + torch.tanh(0.7978845608 * (t + 0.044715 * t * t * t)))

    return run


def mlp_step():
    model = torch.nn.Sequential(
        torch.nn.Linear(784, 512),
        torch.nn.ReLU(),
        torch.nn.Linear(512, 512),
        torch.nn.ReLU(),
        torch.nn.Linear(512, 10),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = uniform(256, 784), torch.randint(0, 10, (256,))

    def run():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()

    def with_grad():
        with torch.enable_grad():
            run()

    return with_grad


def chain():
    one = torch.tensor(1.0)

    def run():
        x = one
        for _ in range(1000):
            x = x + 1.0

    return run


def list_100k():
    random.seed(0)
    values = [random.random() for _ in range(100_000)]
    return lambda: torch.tensor(values)


SUITE = {
    "add": binary(torch.add),
    "two_a_plus_b": binary(lambda a, b: 2 * a + b),
    "exp": unary(torch.exp),
    "where": where,
    "cast_f32_f16": unary(lambda a: a.to(torch.float16)),
    "cast_f32_bf16": unary(lambda a: a.to(torch.bfloat16)),
    "cast_f16_f32": unary(lambda a: a.to(torch.float32), dtype=torch.float16),
    "row_broadcast": binary(torch.add, shape_b=(1, SIDE)),
    "column_broadcast": binary(torch.add, shape_b=(SIDE, 1)),
    "gelu_chain": gelu_chain,
    "add_2048": binary(torch.add, (2048, 2048), (2048, 2048)),
    "add_transposed_2048": binary(lambda a, b: a.T + b, (2048, 2048), (2048, 2048)),
    "sum_all": unary(torch.sum),
    "sum_axis0": unary(lambda a: torch.sum(a, dim=0)),
    "sum_axis1": unary(lambda a: torch.sum(a, dim=1)),
    "argmax_axis1": unary(lambda a: torch.argmax(a, dim=1)),
    "max_bf16": unary(torch.max, dtype=torch.bfloat16),
    "var_axis1": unary(lambda a: torch.var(a, dim=1, correction=0)),
    "logsumexp": unary(lambda a: torch.logsumexp(a, dim=1)),
    "softmax": unary(lambda a: torch.softmax(a, dim=1)),
    "matmul_f32_512": binary(torch.matmul, (512, 512), (512, 512)),
    "matmul_f32_1024": binary(torch.matmul, (1024, 1024), (1024, 1024)),
    "matmul_f32_2048": binary(torch.matmul, (2048, 2048), (2048, 2048)),
    "matmul_bf16_1024": binary(torch.matmul, (1024, 1024), (1024, 1024), torch.bfloat16),
    "matmul_f16_1024": binary(torch.matmul, (1024, 1024), (1024, 1024), torch.float16),
    "matmul_batch": binary(torch.matmul, (1024, 16, 64), (1024, 64, 16)),
    "gemv": binary(torch.matmul, (SIDE, SIDE), (SIDE,)),
    "gemv_transposed": binary(torch.matmul, (SIDE,), (SIDE, SIDE)),
    "mlp_step": mlp_step,
    "eval_one_add": unary(lambda a: a + a, 1),
    "chain_1000_adds": chain,
    "array_of_list_100k": list_100k,
}

if __name__ == "__main__":
    with torch.no_grad():
        main(SUITE, torch.__version__)
