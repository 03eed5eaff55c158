# Runs the example in every docstring of mlx.utils, mlx.nn and mlx.optimizers, and checks that every
# public class and function has one.
import doctest
import importlib
import inspect

import mlx.nn as nn
import mlx.optimizers as optim
import mlx.utils
import pytest

MODULES = [
    "mlx.utils",
    "mlx.nn",
    "mlx.nn.init",
    "mlx.nn.losses",
    "mlx.nn.utils",
    "mlx.optimizers",
    "mlx.optimizers.base",
    "mlx.optimizers.optimizers",
    "mlx.optimizers.schedulers",
    *(
        f"mlx.nn.layers.{name}"
        for name in (
            "activations",
            "base",
            "containers",
            "convolution",
            "convolution_transpose",
            "distributed",
            "dropout",
            "embedding",
            "linear",
            "normalization",
            "pooling",
            "positional_encoding",
            "quantized",
            "recurrent",
            "transformer",
            "upsample",
        )
    ),
]

# What an example calls in the core that may not be there yet, by the name of the docstring.
NEEDS = {
    "save_weights": ["save_safetensors", "load"],
    "cross_entropy": ["take_along_axis"],
    "nll_loss": ["take_along_axis"],
    "Embedding": ["take"],
    "upsample.": ["take"],
    "Conv1d": ["conv1d"],
    "Conv2d": ["conv2d"],
    "Conv3d": ["conv3d"],
    "ConvTranspose1d": ["conv_transpose1d"],
    "ConvTranspose2d": ["conv_transpose2d"],
    "ConvTranspose3d": ["conv_transpose3d"],
    "LayerNorm": ["fast.layer_norm"],
    "InstanceNorm": ["fast.layer_norm"],
    "RMSNorm": ["fast.rms_norm"],
    "RoPE": ["fast.rope"],
    "MultiHeadAttention": ["fast.scaled_dot_product_attention"],
    "Transformer": ["fast.scaled_dot_product_attention", "fast.layer_norm"],
    "quantize": ["quantize"],
    "Quantized": ["quantize", "quantized_matmul"],
    "QQLinear": ["quantize"],
    "orthogonal": ["linalg.qr"],
    "sparse": ["argsort"],
    "average_gradients": ["distributed.init"],
    "clip_grad_norm_sharded": ["distributed.init"],
    "checkpoint": ["checkpoint"],
    "layers.distributed": ["distributed.init", "custom_function"],
    "QuantizedEmbedding": ["dequantize"],
}


def examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in MODULES:
        for test in finder.find(importlib.import_module(name), name):
            if test.examples:
                needs = [n for key, names in NEEDS.items() if key in test.name for n in names]
                yield pytest.param(test, marks=pytest.mark.needs(*needs), id=test.name)


@pytest.mark.parametrize("test", list(examples()))
def test_example(test):
    output = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=output.append)
    assert runner.failures == 0, "".join(output)


def public(module):
    for name, value in vars(module).items():
        owner = getattr(inspect.unwrap(value) if callable(value) else value, "__module__", None)
        if not name.startswith("_") and callable(value) and str(owner).startswith("mlx."):
            if owner != "mlx.core":
                yield name, inspect.unwrap(value)


@pytest.mark.parametrize("module", [mlx.utils, nn, nn.init, nn.losses, optim, optim.schedulers])
def test_everything_public_has_an_example(module):
    missing = [name for name, value in public(module) if ">>>" not in (value.__doc__ or "")]
    # Type aliases and names that only stand for others.
    assert set(missing) <= {"Optimizer", "Initializer", "Schedule"}
