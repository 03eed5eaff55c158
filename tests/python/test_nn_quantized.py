# Quantized layers and nn.quantize. Kernels and formats are tested with the core.
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_unflatten

pytestmark = pytest.mark.needs("quantize", "dequantize", "quantized_matmul")


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(9)


def trainable(module):
    return [path for path, _ in tree_flatten(module.trainable_parameters())]


MODES = [
    ("affine", None, None, (64, 4)),
    ("affine", 32, 8, (32, 8)),
    ("mxfp4", None, None, (32, 4)),
    ("nvfp4", None, None, (16, 4)),
    ("mxfp8", None, None, (32, 8)),
]


@pytest.mark.parametrize("mode, group_size, bits, resolved", MODES)
@pytest.mark.parametrize("bias", [True, False])
def test_quantized_linear(mode, group_size, bits, resolved, bias):
    linear = nn.Linear(128, 16, bias=bias)
    layer = nn.QuantizedLinear.from_linear(linear, group_size, bits, mode)
    assert (layer.group_size, layer.bits, layer.mode) == (*resolved, mode)
    assert ("biases" in layer) == (mode == "affine")
    assert (layer.get("biases") is None) == (mode != "affine")
    assert layer.weight.shape == (16, 128 * resolved[1] // 32) and layer.weight.dtype == mx.uint32
    assert layer.scales.shape == (16, 128 // resolved[0])
    weight = mx.dequantize(
        layer.weight, layer.scales, layer.get("biases"), *resolved, mode=mode
    ).astype(mx.float32)
    x = mx.random.normal((3, 128))
    expected = x @ weight.T + (linear.bias if bias else 0)
    np.testing.assert_allclose(np.array(layer(x)), np.array(expected), rtol=1e-3, atol=1e-3)
    assert repr(layer) == (
        f"QuantizedLinear(input_dims=128, output_dims=16, bias={bias}, "
        f"group_size={resolved[0]}, bits={resolved[1]}, mode={mode})"
    )
    # The bias comes from the float layer and can be trained; the quantized weight cannot.
    assert trainable(layer) == (["bias"] if bias else [])


def test_quantized_linear_of_its_own():
    layer = nn.QuantizedLinear(64, 8)
    assert trainable(layer) == [] and (layer.bias == 0).all().item()
    layer.unfreeze(keys=["scales"])
    assert trainable(layer) == ["scales"]
    assert nn.QuantizedLinear(64, 8, False).get("bias") is None
    with pytest.raises(ValueError, match="mode"):
        nn.QuantizedLinear(64, 8, mode="int4")


def test_quantized_embedding():
    embedding = nn.Embedding(32, 256)
    layer = embedding.to_quantized(bits=8)
    assert isinstance(layer, nn.QuantizedEmbedding) and (layer.group_size, layer.bits) == (64, 8)
    x = mx.array([[1, 5], [7, 31]])
    assert layer(x).shape == (2, 2, 256)
    assert mx.abs(layer(x) - embedding(x)).max() < layer.scales.max()
    h = mx.random.normal((3, 256))
    a, b = layer.as_linear(h), embedding.as_linear(h)
    cosine = (a * b).sum() / mx.sqrt((a * a).sum() * (b * b).sum())
    assert cosine.item() > 0.99
    assert trainable(layer) == [] and (layer.num_embeddings, layer.dims) == (32, 256)
    assert repr(layer) == "QuantizedEmbedding(32, 256, group_size=64, bits=8, mode=affine)"
    other = embedding.to_quantized(mode="mxfp4")
    assert other.get("biases") is None and other(x).shape == (2, 2, 256)
    with pytest.raises(ValueError):
        embedding.to_quantized(quantize_input=True)


def test_qq_linear():
    linear = nn.Linear(64, 8, bias=False)
    layer = linear.to_quantized(mode="nvfp4", quantize_input=True)
    assert isinstance(layer, nn.QQLinear) and (layer.group_size, layer.bits) == (16, 4)
    assert layer.weight.dtype == mx.float32 and trainable(layer) == ["weight"]
    layer.eval()
    assert layer.weight.dtype == mx.uint32 and "scales" in layer
    assert repr(layer) == (
        "QQLinear(input_dims=64, output_dims=8, group_size=16, bits=4, mode=nvfp4)"
    )
    packed = layer.weight
    layer.quantize()
    assert layer.weight is packed
    layer.train()
    assert "scales" not in layer and layer.weight.shape == (8, 64)
    layer.dequantize()
    assert mx.abs(layer.weight.astype(mx.float32) - linear.weight).max().item() < 0.05
    assert "scales" in nn.QQLinear.from_linear(linear.eval())
    with pytest.raises(NotImplementedError):
        nn.QQLinear.from_linear(nn.Linear(64, 8))
    with pytest.raises(ValueError, match="quantize_input"):
        linear.to_quantized(quantize_input=True)


def test_quantize_model():
    model = nn.Sequential(nn.Embedding(5, 64), nn.ReLU(), nn.Sequential(nn.Linear(64, 64)))
    model._secret = nn.Linear(64, 64)
    assert nn.quantize(model) is None
    assert isinstance(model.layers[0], nn.QuantizedEmbedding)
    inner = model.layers[2].layers[0]
    assert isinstance(inner, nn.QuantizedLinear)
    assert isinstance(model._secret, nn.QuantizedLinear)
    nn.quantize(model, bits=2)  # nothing is left to quantize
    assert model.layers[2].layers[0] is inner

    root = nn.Linear(64, 64)
    nn.quantize(root)
    assert root.weight.dtype == mx.float32


def test_quantize_predicate():
    def model():
        return nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64), nn.Linear(64, 64), nn.ReLU())

    m, seen = model(), []

    def choose(path, module):
        seen.append(path)
        return {
            "layers.0": {"group_size": 32, "bits": 8, "quantize_input": False},
            "layers.1": True,
        }.get(path, False)

    nn.quantize(m, 64, 2, class_predicate=choose)
    assert seen == ["layers.0", "layers.1", "layers.2", "layers.3"]
    assert (m.layers[0].group_size, m.layers[0].bits) == (32, 8)
    assert (m.layers[1].group_size, m.layers[1].bits) == (64, 2)
    assert type(m.layers[2]) is nn.Linear
    with pytest.raises(ValueError, match="to_quantized"):
        nn.quantize(model(), class_predicate=lambda path, module: True)
    with pytest.raises(ValueError, match="class_predicate"):
        nn.quantize(model(), class_predicate=lambda path, module: "yes")


def test_quantize_calls_modules_of_others():
    class Half(nn.Module):
        def __init__(self, **arguments):
            super().__init__()
            self.w = mx.ones((2,))
            self.arguments = tuple(arguments)
            self.freeze()

    class Mine(nn.Module):
        def to_quantized(self, group_size, bits, mode):
            return Half(group_size=group_size, bits=bits, mode=mode)

    m = nn.Sequential(Mine())
    m.layers[0].w = mx.ones((2,))
    nn.quantize(m, 32, 4)
    assert isinstance(m.layers[0], Half)


def test_quantized_weights_round_trip(tmp_path):
    def model():
        m = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
        nn.quantize(m)
        return m.eval()

    a, b = model(), model()
    file = str(tmp_path / "model.safetensors")
    a.save_weights(file)
    b.load_weights(list(mx.load(file).items()))
    x = mx.random.normal((2, 64))
    assert mx.array_equal(a(x), b(x))


def test_layer_surgery_around_a_quantized_layer():
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def __call__(self, x):
            return self.inner(x) * 2

    model = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))
    nn.quantize(model)
    pairs = [
        (name, Wrapper(module))
        for name, module in model.named_modules()
        if isinstance(module, nn.QuantizedLinear)
    ]
    model.update_modules(tree_unflatten(pairs))
    assert all(isinstance(layer, Wrapper) for layer in model.layers)
