# nn layers: linear, embedding, dropout, containers, normalisation, convolution, pooling, positional
# encodings. Upsampling, recurrent and attention layers and quantized ones have files of their own.
import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten, tree_map


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(3)


def pattern(*shape):
    """Deterministic small values: element i is ((i mod 7) - 3) / 10."""
    return mx.array(((np.arange(math.prod(shape)) % 7 - 3) / 10).astype(np.float32).reshape(shape))


def floats(text):
    return [float(v) for v in text.split()]


def as64(x):
    return np.array(x).astype(np.float64)


# Linear and embedding


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("lead", [(), (5,), (2, 3)])
def test_linear(bias, lead):
    layer = nn.Linear(4, 6, bias=bias)
    assert ("bias" in layer) == bias and layer.weight.shape == (6, 4)
    assert repr(layer) == f"Linear(input_dims=4, output_dims=6, bias={bias})"
    limit = math.sqrt(1 / 4)
    assert all(mx.abs(p).max().item() <= limit for _, p in tree_flatten(layer.parameters()))
    x = mx.random.normal((*lead, 4))
    expected = as64(x) @ as64(layer.weight).T + (as64(layer.bias) if bias else 0)
    np.testing.assert_allclose(np.array(layer(x)), expected, rtol=1e-5, atol=1e-5)


def test_linear_gradients():
    layer = nn.Linear(3, 2)
    x, c = mx.random.normal((5, 3)), mx.random.normal((5, 2))
    _, grads = nn.value_and_grad(layer, lambda: (layer(x) * c).sum())()
    np.testing.assert_allclose(np.array(grads["weight"]), as64(c).T @ as64(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.array(grads["bias"]), as64(c).sum(0), rtol=1e-4, atol=1e-5)


def test_identity_takes_anything():
    x = mx.ones((2,))
    assert nn.Identity()(x) is x and nn.Identity(1, unused=2)(x) is x


def test_bilinear():
    layer = nn.Bilinear(2, 3, 2)
    layer.apply(lambda p: pattern(*p.shape))
    y = layer(pattern(2, 2), pattern(2, 3))
    np.testing.assert_allclose(as64(y).ravel(), floats("-0.338 -0.205 -0.301 -0.198"), rtol=1e-4)
    layer = nn.Bilinear(4, 5, 3, bias=False)
    x1, x2 = mx.random.normal((2, 6, 4)), mx.random.normal((2, 6, 5))
    expected = np.einsum("...j,oji,...i->...o", as64(x2), as64(layer.weight), as64(x1))
    np.testing.assert_allclose(np.array(layer(x1, x2)), expected, rtol=1e-4, atol=1e-5)
    assert layer(x1[0, 0], x2[0, 0]).shape == (3,)
    assert repr(layer) == "Bilinear(input1_dims=4, input2_dims=5, output_dims=3, bias=False)"


@pytest.mark.needs("take")
def test_embedding():
    layer = nn.Embedding(10, 4)
    x = mx.array([[1, 2], [9, 1]])
    assert mx.array_equal(layer(x)[1, 0], layer.weight[9]) and repr(layer) == "Embedding(10, 4)"
    y = mx.random.normal((3, 4))
    assert mx.allclose(layer.as_linear(y), y @ layer.weight.T)
    _, grads = nn.value_and_grad(layer, lambda: layer(x).sum())()
    assert grads["weight"].sum(axis=1).tolist() == [0, 8, 4, 0, 0, 0, 0, 0, 0, 4]


def test_sequential():
    model = nn.Sequential(nn.Linear(2, 3), mx.sigmoid, nn.Linear(3, 1), lambda x: x * 0)
    assert model(mx.ones((4, 2))).tolist() == [[0.0]] * 4
    model.layers[3] = nn.relu
    assert model(mx.ones((4, 2))).shape == (4, 1)


# Dropout

DROPOUTS = [
    (nn.Dropout, (8, 16), (8, 16)),
    (nn.Dropout2d, (4, 5, 6, 32), (4, 1, 1, 32)),
    (nn.Dropout2d, (5, 6, 64), (1, 1, 64)),
    (nn.Dropout3d, (2, 3, 4, 5, 64), (2, 1, 1, 1, 64)),
    (nn.Dropout3d, (3, 4, 5, 64), (1, 1, 1, 64)),
]


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16], ids=str)
@pytest.mark.parametrize("cls, shape, mask_shape", DROPOUTS)
def test_dropout_masks(cls, shape, mask_shape, dtype):
    layer = cls(0.25)
    x = mx.ones(shape, dtype=dtype)
    y = layer(x)
    assert y.dtype == dtype and y.shape == shape
    values = np.array(y.astype(mx.float32))
    kept = float(mx.array(1 / 0.75, dtype=dtype).item())
    assert set(values.ravel()) <= {0.0, kept}
    first = values[tuple(slice(0, n) for n in mask_shape)]
    assert (values == np.broadcast_to(first, shape)).all()
    assert 0.05 < (first == 0).mean() < 0.5
    assert layer.eval()(x) is x and cls(0.0)(x) is x


def test_dropout_errors_and_repr():
    for p in (-0.1, 1.0):
        with pytest.raises(ValueError, match=r"\[0, 1\)"):
            nn.Dropout(p)
    for layer, shape in ((nn.Dropout2d(0.5), (3, 4)), (nn.Dropout3d(0.5), (3, 4, 5))):
        for mode in (layer.train(), layer.eval()):
            with pytest.raises(ValueError, match="dimensions"):
                mode(mx.zeros(shape))
    assert repr(nn.Dropout(0.1)) == "Dropout(p=0.1)"


def test_dropout_gradient_uses_the_mask_of_the_forward_pass():
    layer = nn.Dropout(0.5)
    x = mx.ones((64,))
    y, grad = mx.value_and_grad(lambda x: (lambda y: (y.sum(), y))(layer(x)))(x)
    assert mx.array_equal(grad, y[1])


# Normalisation


def normalized(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


@pytest.mark.parametrize(
    "make",
    [
        lambda eps: nn.LayerNorm(4, eps=eps),
        lambda eps: nn.RMSNorm(4, eps=eps),
        lambda eps: nn.InstanceNorm(4, eps=eps),
        lambda eps: nn.GroupNorm(2, 4, eps=eps),
        lambda eps: nn.BatchNorm(4, eps=eps),
    ],
)
def test_eps_must_be_positive(make):
    for eps in (0.0, -1e-5, float("nan")):
        with pytest.raises(ValueError, match="must be positive"):
            make(eps)
    make(1e-30)


@pytest.mark.needs("fast.layer_norm")
def test_layer_norm():
    x = np.random.default_rng(0).normal(size=(3, 5, 8)).astype(np.float32)
    for options, keys in (
        ({}, {"weight", "bias"}),
        ({"bias": False}, {"weight"}),
        ({"affine": False}, set()),
    ):
        layer = nn.LayerNorm(8, **options)
        assert set(layer) == keys
        layer.apply(lambda p: p + 0.5)
        y = normalized(x.astype(np.float64), -1)
        y = y * (1.5 if "weight" in keys else 1) + (0.5 if "bias" in keys else 0)
        np.testing.assert_allclose(np.array(layer(mx.array(x))), y, rtol=1e-4, atol=1e-5)
    assert repr(nn.LayerNorm(8, affine=False)) == "LayerNorm(8, eps=1e-05, affine=False)"


@pytest.mark.needs("fast.rms_norm")
def test_rms_norm():
    x = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    layer = nn.RMSNorm(8).apply(lambda p: 2 * p)
    y = 2 * x / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(np.array(layer(mx.array(x))), y, rtol=1e-4)
    half = nn.RMSNorm(8)(mx.full((1, 8), 300.0, dtype=mx.float16) * 1)
    assert mx.isfinite(half).all().item() and repr(layer) == "RMSNorm(8, eps=1e-05)"


@pytest.mark.needs("fast.layer_norm")
@pytest.mark.parametrize("shape", [(2, 5, 3), (2, 4, 5, 3), (2, 2, 3, 4, 3)])
def test_instance_norm(shape):
    x = np.random.default_rng(0).normal(2, 3, size=shape).astype(np.float32)
    expected = normalized(x.astype(np.float64), tuple(range(1, len(shape) - 1)))
    layer = nn.InstanceNorm(3)
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, rtol=1e-4, atol=1e-5)
    affine = nn.InstanceNorm(3, affine=True).apply(lambda p: p + 1)
    y = np.array(affine(mx.array(x)))
    np.testing.assert_allclose(y, 2 * expected + 1, rtol=1e-4, atol=1e-4)
    assert repr(layer) == "InstanceNorm(3, eps=1e-05, affine=False)"
    with pytest.raises(ValueError):
        layer(mx.zeros((4, 3)))


@pytest.mark.needs("fast.layer_norm")
def test_instance_norm_of_float16_does_not_overflow():
    x = mx.array(np.tile([[512.0], [-512.0]], (1, 32, 1)).astype(np.float16))
    y = nn.InstanceNorm(1)(x)
    assert y.dtype == mx.float16
    np.testing.assert_allclose(np.abs(np.array(y)), 1, rtol=1e-2)


def test_group_norm_worked_values():
    x = mx.arange(8.0).reshape(1, 2, 4)
    y = nn.GroupNorm(2, 4)(x)
    expected = "-1.34164 -1.34164 -0.447213 -0.447213 0.447213 0.447213 1.34164 1.34164"
    np.testing.assert_allclose(as64(y).ravel(), floats(expected), rtol=1e-4)
    if hasattr(mx, "fast") and hasattr(mx.fast, "layer_norm"):
        y = nn.GroupNorm(2, 4, pytorch_compatible=True)(x)
        expected = "-1.21268 -0.727606 -1.21268 -0.727606 0.727606 1.21268 0.727606 1.21268"
        np.testing.assert_allclose(as64(y).ravel(), floats(expected), rtol=1e-4)


@pytest.mark.parametrize("blocks", [False, True])
def test_group_norm(blocks):
    if blocks and not hasattr(getattr(mx, "fast", None), "layer_norm"):
        pytest.skip("mlx.core has no fast.layer_norm")
    x = np.random.default_rng(0).normal(1, 2, size=(3, 4, 5, 6)).astype(np.float32)
    groups = 3
    if blocks:
        rows = x.astype(np.float64).reshape(3, 20, groups, 2)
        expected = normalized(rows, (1, 3)).reshape(x.shape)
    else:
        rows = x.astype(np.float64).reshape(3, 20, 2, groups)  # channel c in group c % groups
        expected = normalized(rows, (1, 2)).reshape(x.shape)
    layer = nn.GroupNorm(groups, 6, pytorch_compatible=blocks).apply(lambda p: p + 0.5)
    y = np.array(layer(mx.array(x)))
    np.testing.assert_allclose(y, 1.5 * expected + 0.5, rtol=1e-4, atol=1e-4)
    plain = nn.GroupNorm(groups, 6, affine=False, pytorch_compatible=blocks)
    assert not plain.parameters()
    assert repr(plain) == (f"GroupNorm(3, 6, eps=1e-05, affine=False, pytorch_compatible={blocks})")


@pytest.mark.parametrize("groups, dims", [(0, 4), (-1, 4), (2, 0), (4, 6)])
def test_group_norm_errors(groups, dims):
    with pytest.raises(ValueError, match="num_groups"):
        nn.GroupNorm(groups, dims)


@pytest.mark.parametrize("shape", [(5, 4), (2, 3, 4), (2, 3, 5, 4)])
def test_batch_norm(shape):
    x = np.random.default_rng(0).normal(1, 2, size=shape).astype(np.float32)
    rows = x.astype(np.float64).reshape(-1, 4)
    expected = normalized(rows, 0).reshape(shape)
    layer = nn.BatchNorm(4)
    np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, rtol=1e-3, atol=1e-4)
    mean, var = 0.1 * rows.mean(0), 0.9 + 0.1 * rows.var(0, ddof=1)
    np.testing.assert_allclose(np.array(layer.running_mean), mean, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(np.array(layer.running_var), var, rtol=1e-4)
    y = np.array(layer.eval()(mx.array(x)))
    np.testing.assert_allclose(y, (x - mean) / np.sqrt(var + 1e-5), rtol=1e-3, atol=1e-4)

    stateless = nn.BatchNorm(4, track_running_stats=False, affine=False)
    for mode in (stateless.train(), stateless.eval()):
        np.testing.assert_allclose(np.array(mode(mx.array(x))), expected, rtol=1e-3, atol=1e-4)
    assert not stateless.parameters()


def test_batch_norm_worked_statistics():
    layer = nn.BatchNorm(4)
    layer(mx.arange(8.0).reshape(1, 2, 4))
    np.testing.assert_allclose(np.array(layer.running_mean), [0.2, 0.3, 0.4, 0.5], rtol=1e-5)
    np.testing.assert_allclose(np.array(layer.running_var), [1.7] * 4, rtol=1e-5)


def test_batch_norm_statistics_stay_frozen():
    layer = nn.BatchNorm(4)
    names = ["weight", "bias", "running_mean", "running_var"]
    assert list(layer.parameters()) == names
    assert list(layer.trainable_parameters()) == ["weight", "bias"]
    assert layer.unfreeze() is None and list(layer.trainable_parameters()) == ["weight", "bias"]
    layer.freeze()
    layer.unfreeze(keys=["weight"])
    assert list(layer.trainable_parameters()) == ["weight"]


def test_batch_norm_statistics_survive_value_and_grad():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm(4))
    x = mx.random.normal((8, 3))
    _, grads = nn.value_and_grad(model, lambda x: model(x).square().sum())(x)
    assert list(grads["layers"][1]) == ["weight", "bias"]
    mean = model.layers[0](x).mean(axis=0) * 0.1
    assert mx.allclose(model.layers[1].running_mean, mean, atol=1e-6)


def test_batch_norm_errors_and_repr():
    layer = nn.BatchNorm(4)
    for shape in ((4,), (1, 1, 1, 1, 4)):
        with pytest.raises(ValueError, match="dimensions"):
            layer(mx.zeros(shape))
    for shape in ((1, 4), (1, 1, 4)):
        with pytest.raises(ValueError, match="more than one value"):
            layer(mx.zeros(shape))
    assert mx.allclose(layer.eval()(mx.zeros((1, 4))), mx.zeros((1, 4)))
    assert repr(layer) == (
        "BatchNorm(4, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)"
    )


# Convolution


def np_conv(x, w, stride, padding, dilation, groups=1):
    """Direct cross-correlation, channels last, any number of spatial axes."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), *((p, p) for p in padding), (0, 0)])
    kernel = w.shape[1:-1]
    space = [
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(x.shape[1:-1], kernel, stride, dilation)
    ]
    out = np.zeros((x.shape[0], *space, w.shape[0]))
    per_in, per_out = x.shape[-1] // groups, w.shape[0] // groups
    for o in np.ndindex(*space):
        for k in np.ndindex(*kernel):
            place = tuple(o[i] * stride[i] + k[i] * dilation[i] for i in range(axes))
            for g in range(groups):
                outs = slice(g * per_out, (g + 1) * per_out)
                values = x[(slice(None), *place, slice(g * per_in, (g + 1) * per_in))]
                out[(slice(None), *o, outs)] += values @ w[(outs, *k)].T
    return out


CONVOLUTIONS = [
    (nn.Conv1d, (2, 9, 4), {"kernel_size": 3}),
    (
        nn.Conv1d,
        (2, 9, 4),
        {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2, "groups": 2},
    ),
    (nn.Conv2d, (2, 6, 7, 4), {"kernel_size": 3}),
    (
        nn.Conv2d,
        (2, 6, 7, 4),
        {"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 2), "groups": 2},
    ),
    (nn.Conv3d, (1, 4, 5, 6, 4), {"kernel_size": (2, 3, 2), "stride": 2, "padding": 1}),
]


@pytest.mark.parametrize("cls, shape, options", CONVOLUTIONS)
@pytest.mark.parametrize("bias", [True, False])
def test_convolutions(cls, shape, options, bias):
    axes = len(shape) - 2
    if not hasattr(mx, f"conv{axes}d"):
        pytest.skip(f"mlx.core has no conv{axes}d")
    layer = cls(4, 6, **options, bias=bias)
    assert ("bias" in layer) == bias
    if bias:
        assert (layer.bias == 0).all().item()
        layer.bias = layer.bias + 0.5

    def each(name, default):
        value = options.get(name, default)
        return (value,) * axes if isinstance(value, int) else value

    kernel, groups = each("kernel_size", None), options.get("groups", 1)
    assert layer.weight.shape == (6, *kernel, 4 // groups)
    assert mx.abs(layer.weight).max().item() <= math.sqrt(1 / (4 * math.prod(kernel)))
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    stride, padding, dilation = each("stride", 1), each("padding", 0), each("dilation", 1)
    expected = np_conv(x.astype(np.float64), as64(layer.weight), stride, padding, dilation, groups)
    y = np.array(layer(mx.array(x)))
    np.testing.assert_allclose(y, expected + 0.5 * bias, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_transposed_convolution_is_the_gradient_of_the_convolution(axes):
    if not hasattr(mx, f"conv_transpose{axes}d"):
        pytest.skip(f"mlx.core has no conv_transpose{axes}d")
    cls = [nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d][axes - 1]
    layer = cls(3, 2, kernel_size=3, stride=2, padding=1, output_padding=1, bias=False)
    x = mx.random.normal((2, *(4,) * axes, 3))
    y = layer(x)
    assert layer.weight.shape == (2, *(3,) * axes, 3) and y.shape == (2, *(8,) * axes, 2)
    # <T x, z> = <x, C z> with the convolution C whose weight has its channel axes exchanged.
    z = mx.random.normal(y.shape)
    weight = layer.weight.swapaxes(0, -1)
    c = np_conv(as64(z), as64(weight), (2,) * axes, (1,) * axes, (1,) * axes)
    assert (y * z).sum().item() == pytest.approx((as64(x) * c).sum(), rel=1e-3, abs=1e-3)


def test_convolution_reprs_and_attributes():
    assert repr(nn.Conv1d(4, 6, 3, groups=2)) == (
        "Conv1d(4, 6, kernel_size=3, stride=1, padding=0, dilation=1, groups=2, bias=True)"
    )
    assert repr(nn.Conv2d(3, 8, (3, 5))) == (
        "Conv2d(3, 8, kernel_size=(3, 5), stride=(1, 1), padding=(0, 0), dilation=1, groups=1, "
        "bias=True)"
    )
    assert repr(nn.Conv3d(1, 2, (2, 3, 4), bias=False)) == (
        "Conv3d(1, 2, kernel_size=(2, 3, 4), stride=(1, 1, 1), padding=(0, 0, 0), dilation=1, "
        "bias=False)"
    )
    assert repr(nn.ConvTranspose1d(3, 2, 4)) == (
        "ConvTranspose1d(3, 2, kernel_size=4, stride=1, padding=0, dilation=1, output_padding=0, "
        "bias=True)"
    )
    assert "kernel_size=(3, 5)" in repr(nn.ConvTranspose2d(1, 1, (3, 5)))
    assert "kernel_size=(2, 3, 4)" in repr(nn.ConvTranspose3d(1, 1, (2, 3, 4)))
    layer = nn.Conv2d(3, 8, 3, stride=2, padding=1)
    assert (layer.stride, layer.padding, layer.dilation, layer.groups) == ((2, 2), (1, 1), 1, 1)
    assert list(layer.parameters()) == ["weight", "bias"]


def test_convolution_groups_must_divide():
    for cls in (nn.Conv1d, nn.Conv2d):
        with pytest.raises(ValueError, match="groups"):
            cls(3, 4, 3, groups=2)


# Pooling


def np_pool(x, kernel, stride, padding, reduce, value):
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), *((p, p) for p in padding), (0, 0)], constant_values=value)
    space = [(n - k) // s + 1 for n, k, s in zip(x.shape[1:-1], kernel, stride)]
    out = np.zeros((x.shape[0], *space, x.shape[-1]))
    for o in np.ndindex(*space):
        window = tuple(slice(o[i] * stride[i], o[i] * stride[i] + kernel[i]) for i in range(axes))
        out[(slice(None), *o)] = reduce(x[(slice(None), *window)], tuple(range(1, axes + 1)))
    return out


@pytest.mark.parametrize(
    "shape, kernel, stride, padding",
    [
        ((2, 8, 3), 2, None, 0),
        ((2, 7, 3), 3, 2, 1),
        ((2, 9, 3), 4, 1, 2),
        ((2, 8, 6, 3), 2, None, 0),
        ((2, 7, 6, 3), (3, 2), (2, 1), (1, 0)),
        ((1, 5, 5, 2), 2, None, 0),
        ((1, 4, 6, 4, 2), 2, None, 0),
        ((1, 5, 4, 6, 2), (3, 2, 1), (1, 2, 3), (1, 1, 0)),
    ],
)
def test_pooling(shape, kernel, stride, padding):
    axes = len(shape) - 2

    def each(value):
        return (value,) * axes if isinstance(value, int) else value

    x = np.random.default_rng(0).normal(-1, 1, size=shape).astype(np.float32)
    arguments = each(kernel), each(stride if stride is not None else kernel), each(padding)
    for name, reduce, value in (("Max", np.max, -np.inf), ("Avg", np.mean, 0)):
        layer = getattr(nn, f"{name}Pool{axes}d")(kernel, stride, padding)
        expected = np_pool(x.astype(np.float64), *arguments, reduce, value)
        np.testing.assert_allclose(np.array(layer(mx.array(x))), expected, rtol=1e-5, atol=1e-6)
        assert not layer.parameters()


def test_pooling_worked_values_and_integers():
    x = mx.array([1, 2, 3, 4]).reshape(1, 4, 1)
    y = nn.AvgPool1d(2, stride=2, padding=1)(x.astype(mx.float32))
    assert y.flatten().tolist() == [0.5, 2.5, 2.0]
    for values in ([1, 2, 3, 4], [-1, -2, -3, -4]):
        x = mx.array(values).reshape(1, 4, 1)
        y = nn.MaxPool1d(3, stride=2, padding=1)(x)
        assert y.dtype == mx.int32
        assert y.flatten().tolist() == [max(values[:2]), max(values[1:])]
    x = mx.array([7, 5], dtype=mx.uint8).reshape(1, 2, 1)
    assert nn.MaxPool1d(2, padding=1)(x).flatten().tolist() == [7, 5]


def test_pooling_gradients():
    x = mx.array([[1.0, 5.0, 2.0, 3.0, 4.0]]).reshape(1, 5, 1)
    for layer, expected in (
        (nn.MaxPool1d(2), [0, 1, 0, 1, 0]),
        (nn.MaxPool1d(3, stride=1), [0, 2, 0, 0, 1]),
        (nn.AvgPool1d(2, stride=1), [0.5, 1, 1, 1, 0.5]),
    ):
        grad = mx.grad(lambda x, layer=layer: layer(x).sum())(x)
        assert grad.flatten().tolist() == expected


def test_pooling_errors_and_repr():
    assert (
        repr(nn.MaxPool1d(3, padding=2)) == "MaxPool1d(kernel_size=(3,), stride=(3,), padding=(2,))"
    )
    assert repr(nn.AvgPool2d([1, 2], stride=2, padding=(1, 2))) == (
        "AvgPool2d(kernel_size=(1, 2), stride=(2, 2), padding=(1, 2))"
    )
    for arguments in (("3",), (0,), (2, 0), (2, 1, -1), ((1, 2, 3),), (2.0,), ((1.5, 2),)):
        with pytest.raises(ValueError):
            nn.MaxPool2d(*arguments)
    for layer, shape in ((nn.MaxPool1d(2), (4, 4)), (nn.MaxPool2d(2), (1, 4, 4))):
        with pytest.raises(ValueError, match="spatial"):
            layer(mx.zeros(shape))


# Positional encodings


def test_sinusoidal_encoding():
    encode = nn.SinusoidalPositionalEncoding(4)
    y = encode(mx.array([1, 2]))
    expected = "0.59501 7.07107e-05 0.382051 0.707107 0.64297 0.000141421 -0.29426 0.707107"
    np.testing.assert_allclose(as64(y).ravel(), floats(expected), rtol=1e-4, atol=1e-7)
    sigmas = nn.SinusoidalPositionalEncoding(8)._sigmas
    np.testing.assert_allclose(as64(sigmas), floats("1 0.0464159 0.00215443 0.0001"), rtol=1e-4)
    unit = nn.SinusoidalPositionalEncoding(16, min_freq=0.01)(mx.arange(10))
    np.testing.assert_allclose((as64(unit) ** 2).sum(-1), 1, atol=1e-5)
    assert not encode.parameters() and encode(mx.zeros((2, 3))).shape == (2, 3, 4)


def test_sinusoidal_encoding_options():
    x = mx.array([0.25])
    y = nn.SinusoidalPositionalEncoding(2, scale=1.0, full_turns=True, cos_first=True)(x)
    np.testing.assert_allclose(as64(y)[0], [0, 1], atol=1e-6)  # a quarter turn at frequency 1
    assert nn.SinusoidalPositionalEncoding(2, scale=0.0)(x).tolist() == [[0, 0]]
    for dims in (0, -2, 3):
        with pytest.raises(ValueError, match="dims"):
            nn.SinusoidalPositionalEncoding(dims)


@pytest.mark.needs("fast.rope")
@pytest.mark.parametrize("traditional", [False, True])
def test_rope(traditional):
    layer = nn.RoPE(4, traditional=traditional, base=100.0, scale=0.5)
    x = np.random.default_rng(0).normal(size=(1, 2, 5, 6)).astype(np.float32)
    angles = (np.arange(5) + 3)[:, None] * 0.5 * 100.0 ** (-np.arange(2) / 2)
    cos, sin = np.cos(angles), np.sin(angles)
    pairs = ([0, 2], [1, 3]) if traditional else ([0, 1], [2, 3])
    expected = x.astype(np.float64)
    a, b = expected[..., pairs[0]], expected[..., pairs[1]]
    expected[..., pairs[0]], expected[..., pairs[1]] = a * cos - b * sin, a * sin + b * cos
    np.testing.assert_allclose(np.array(layer(mx.array(x), offset=3)), expected, atol=1e-5)
    assert repr(layer) == f"RoPE(4, traditional={traditional})"


@pytest.mark.parametrize(
    "heads, slopes",
    [
        (4, "0.25 0.0625 0.015625 0.00390625"),
        (6, "0.25 0.0625 0.015625 0.00390625 0.5 0.125"),
        (8, "0.5 0.25 0.125 0.0625 0.03125 0.015625 0.0078125 0.00390625"),
    ],
)
def test_alibi(heads, slopes):
    slope = nn.ALiBi.create_alibi_slope(heads)
    assert slope.shape == (heads, 1, 1) and slope.flatten().tolist() == floats(slopes)
    matrix = nn.ALiBi.create_alibi_matrix(5, 6, heads, 2)
    i, j = np.arange(2, 5)[:, None], np.arange(6)[None]
    expected = -np.abs(i - j) * np.array(floats(slopes))[:, None, None]
    assert matrix.shape == (1, heads, 3, 6)
    np.testing.assert_allclose(as64(matrix)[0], expected, rtol=1e-6)
    scores = mx.ones((2, heads, 3, 6), dtype=mx.float16)
    y = nn.ALiBi()(scores, offset=2, mask=mx.ones((3, 6), dtype=mx.float16))
    assert y.dtype == mx.float16
    np.testing.assert_allclose(as64(y)[1], 2 + expected, rtol=1e-2, atol=1e-2)


# All of them


def test_layers_train_in_half_precision():
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 2))
    model.set_dtype(mx.float16)
    x = mx.random.normal((3, 4)).astype(mx.float16)
    loss, grads = nn.value_and_grad(model, lambda x: model(x).square().sum())(x)
    assert loss.dtype == mx.float16
    assert tree_map(lambda g: g.dtype, grads) == tree_map(lambda p: p.dtype, model.parameters())
