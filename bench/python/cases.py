"""The benchmark cases: names, what bounds each on this machine, and how close we mean to be.

How a case is written in each framework is in suite_mlx.py, suite_torch.py and
suite_jax.py; how it is timed in timing.py; how runs are compared in compare.py.
"""

from dataclasses import dataclass

SIDE = 4096  # large arrays are SIDE x SIDE: 16M elements


@dataclass(frozen=True)
class Case:
    name: str
    # Bounds, by name in the output of bench/limits; the slowest of them is the limit.
    bounds: tuple = ()
    # Floating-point operations, bounded by the peak of the named unit.
    flops: float = 0
    unit: str = "fma_f32"
    # Our time may be this many times the limit.
    budget: float = 0
    # A limit in seconds that is a goal of its own (overheads).
    goal: float = 0


def streamed(name, *bounds, budget=1.25):
    return Case(name, bounds=bounds, budget=budget)


def matmul_flops(m, n, k):
    return 2.0 * m * n * k


# Forward and backward of 784-512-512-10 at batch 256; no gradient of the images.
MLP_FLOPS = 2.0 * 256 * (784 * 512 * 2 + 512 * 512 * 3 + 512 * 10 * 3)

CASES = [
    streamed("add", "add"),
    streamed("two_a_plus_b", "add"),
    streamed("exp", "copy", "exp"),
    streamed("where", "where"),
    streamed("cast_f32_f16", "narrow"),
    streamed("cast_f32_bf16", "narrow"),
    streamed("cast_f16_f32", "widen"),
    streamed("row_broadcast", "copy"),
    streamed("column_broadcast", "copy"),
    streamed("gelu_chain", "copy", "gelu"),
    streamed("add_2048", "add_2048"),
    streamed("add_transposed_2048", "add_2048", budget=2.5),
    streamed("sum_all", "read", budget=1.2),
    streamed("sum_axis0", "read", budget=1.2),
    streamed("sum_axis1", "read", budget=1.2),
    streamed("argmax_axis1", "read", budget=1.4),
    streamed("max_bf16", "read_bf16", budget=1.4),
    streamed("var_axis1", "read", budget=2.2),
    streamed("logsumexp", "read", "logsumexp"),
    streamed("softmax", "copy", "softmax"),
    Case("matmul_f32_512", flops=matmul_flops(512, 512, 512), budget=1 / 0.75),
    Case("matmul_f32_1024", flops=matmul_flops(1024, 1024, 1024), budget=1 / 0.85),
    Case("matmul_f32_2048", flops=matmul_flops(2048, 2048, 2048), budget=1 / 0.85),
    Case("matmul_bf16_1024", flops=matmul_flops(1024, 1024, 1024), unit="bf16_dot", budget=1 / 0.8),
    Case("matmul_f16_1024", flops=matmul_flops(1024, 1024, 1024), budget=1 / 0.75),
    Case("matmul_batch", flops=1024 * matmul_flops(16, 16, 64), budget=1 / 0.6),
    Case("gemv", bounds=("read",), budget=1 / 0.8),
    Case("gemv_transposed", bounds=("read",), budget=1 / 0.8),
    Case("mlp_step", flops=MLP_FLOPS),
    Case("eval_one_add", goal=3e-6, budget=1),
    Case("chain_1000_adds", goal=450e-6, budget=1),
    Case("array_of_list_100k", bounds=("numpy_list_100k",), budget=1.5),
]
