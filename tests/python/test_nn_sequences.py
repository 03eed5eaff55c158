# Layers over sequences: recurrent ones, multi-head attention, transformers.
import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.utils import tree_flatten


@pytest.fixture(autouse=True)
def seed():
    mx.random.seed(5)


def pattern(*shape):
    """Deterministic small values: element i is ((i mod 7) - 3) / 10."""
    return mx.array(((np.arange(math.prod(shape)) % 7 - 3) / 10).astype(np.float32).reshape(shape))


def floats(text):
    return [float(v) for v in text.split()]


def np_sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Recurrent

X = pattern(1, 3, 2)


def patterned(layer):
    return layer.apply(lambda p: pattern(*p.shape))


def test_worked_values():
    y = patterned(nn.RNN(2, 2))(X)
    expected = "-0.168381 -0.168381 -0.1837 -0.171452 -0.27346 -0.189318"
    np.testing.assert_allclose(np.array(y).ravel(), floats(expected), rtol=1e-4)
    y = patterned(nn.GRU(2, 2))(X)
    expected = "0.0231568 0.0447865 0.00439152 0.0785735 -0.0307753 0.106602"
    np.testing.assert_allclose(np.array(y).ravel(), floats(expected), rtol=1e-4)
    h, c = patterned(nn.LSTM(2, 2))(X)
    expected = "0.0443043 0.0372078 0.0484415 0.0556907 0.0356924 0.0651834"
    np.testing.assert_allclose(np.array(h).ravel(), floats(expected), rtol=1e-4)
    expected = "0.0814902 0.0814902 0.0845278 0.130915 0.0595354 0.163446"
    np.testing.assert_allclose(np.array(c).ravel(), floats(expected), rtol=1e-4)


def np_rnn(p, x, h):
    return np.tanh(x @ p["Wxh"].T + p.get("bias", 0) + h @ p["Whh"].T), None


def np_gru(p, x, h):
    size = h.shape[-1]
    a, b = x @ p["Wx"].T + p.get("b", 0), h @ p["Wh"].T
    r, z = np_sigmoid(a + b)[..., :size], np_sigmoid(a + b)[..., size : 2 * size]
    n = np.tanh(a[..., 2 * size :] + r * (b[..., 2 * size :] + p.get("bhn", 0)))
    return (1 - z) * n + z * h, None


def np_lstm(p, x, h, c):
    i, f, g, o = np.split(x @ p["Wx"].T + p.get("bias", 0) + h @ p["Wh"].T, 4, -1)
    c = np_sigmoid(f) * c + np_sigmoid(i) * np.tanh(g)
    return np_sigmoid(o) * np.tanh(c), c


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("lead", [(), (2,)])
@pytest.mark.parametrize("with_state", [False, True])
@pytest.mark.parametrize("cls, step", [(nn.RNN, np_rnn), (nn.GRU, np_gru), (nn.LSTM, np_lstm)])
def test_against_numpy(cls, step, bias, lead, with_state):
    layer = cls(3, 4, bias=bias)
    p = {k: np.array(v).astype(np.float64) for k, v in layer.parameters().items()}
    assert all(np.abs(v).max() <= 0.5 for v in p.values())
    x = np.random.default_rng(0).normal(size=(*lead, 5, 3))
    h = np.random.default_rng(1).normal(size=(*lead, 4)) if with_state else np.zeros((*lead, 4))
    c = 0.5 * h
    initial = []
    if with_state:
        initial = [h, c] if cls is nn.LSTM else [h]
        initial = [mx.array(v.astype(np.float32)) for v in initial]
    hidden, cells = [], []
    for t in range(5):
        state = (h, c) if cls is nn.LSTM else (h,)
        h, c = step(p, x[..., t, :], *state)
        hidden.append(h)
        cells.append(c)
    y = layer(mx.array(x.astype(np.float32)), *initial)
    if cls is nn.LSTM:
        y, cell = y
        np.testing.assert_allclose(np.array(cell), np.stack(cells, -2), rtol=1e-4, atol=1e-5)
    assert y.shape == (*lead, 5, 4)
    np.testing.assert_allclose(np.array(y), np.stack(hidden, -2), rtol=1e-4, atol=1e-5)


def test_recurrent_parameters_errors_and_repr():
    assert {k: v.shape for k, v in nn.GRU(3, 4).parameters().items()} == {
        "Wx": (12, 3),
        "Wh": (12, 4),
        "b": (12,),
        "bhn": (4,),
    }
    assert {k: v.shape for k, v in nn.LSTM(3, 4).parameters().items()} == {
        "Wx": (16, 3),
        "Wh": (16, 4),
        "bias": (16,),
    }
    bare = nn.RNN(3, 4, bias=False)
    assert bare.bias is None and set(bare) == {"Wxh", "Whh"} and bare.hidden_size == 4
    assert nn.GRU(1, 1, bias=False).bhn is None and nn.LSTM(1, 1, bias=False).bias is None
    with pytest.raises(ValueError, match="nonlinearity"):
        nn.RNN(3, 4, nonlinearity="tanh")
    relu = nn.RNN(3, 4, nonlinearity=nn.relu)
    assert (relu(mx.random.normal((2, 5, 3))) >= 0).all().item()
    assert repr(nn.LSTM(3, 4)) == "LSTM(input_dims=3, hidden_size=4, bias=True)"
    assert repr(nn.GRU(3, 4, bias=False)) == "GRU(input_dims=3, hidden_size=4, bias=False)"


@pytest.mark.parametrize("cls", [nn.RNN, nn.GRU, nn.LSTM])
def test_zero_state_is_no_state(cls):
    layer = cls(3, 4)
    x = mx.random.normal((2, 5, 3))
    zero = [mx.zeros((2, 4))] * (2 if cls is nn.LSTM else 1)
    a, b = layer(x), layer(x, *zero)
    pairs = zip(a, b) if cls is nn.LSTM else [(a, b)]
    assert all(mx.allclose(u, v, atol=1e-6).item() for u, v in pairs)


def test_gradients_flow_through_time():
    layer = nn.LSTM(2, 3)
    x = mx.random.normal((1, 4, 2))
    grad = mx.grad(lambda x: layer(x)[0][:, -1].sum())(x)
    assert (mx.abs(grad[:, 0]) > 0).all().item()


# Attention


def np_attention(layer, q, k, v, mask=None):
    p = {k: np.array(x).astype(np.float64) for k, x in tree_flatten(layer.parameters())}

    def heads(x, name):
        y = x @ p[f"{name}.weight"].T + p.get(f"{name}.bias", 0)
        return y.reshape(*y.shape[:2], layer.num_heads, -1).transpose(0, 2, 1, 3)

    q, k, v = heads(q, "query_proj"), heads(k, "key_proj"), heads(v, "value_proj")
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    e = np.exp(scores - scores.max(-1, keepdims=True))
    y = (e / e.sum(-1, keepdims=True)) @ v
    y = y.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)
    return y @ p["out_proj.weight"].T + p.get("out_proj.bias", 0)


attention = pytest.mark.needs("fast.scaled_dot_product_attention")
transformer = pytest.mark.needs("fast.scaled_dot_product_attention", "fast.layer_norm")


@attention
def test_attention_worked_values():
    layer = patterned(nn.MultiHeadAttention(4, 2))
    x = pattern(1, 3, 4)
    expected = (
        "-0.0184023 0.0279153 -0.0144976 0.0151186 -0.0182781 0.0284001 -0.0141271 0.0164793 "
        "-0.0183895 0.0280221 -0.0144506 0.0153031"
    )
    np.testing.assert_allclose(
        np.array(layer(x, x, x)).ravel(), floats(expected), rtol=1e-4, atol=1e-6
    )
    mask = nn.MultiHeadAttention.create_additive_causal_mask(3)
    expected = (
        "-0.03 0.045 -0.027 -0.008 -0.0193477 0.0229723 -0.0121919 0.0269529 "
        "-0.0183895 0.0280221 -0.0144506 0.0153031"
    )
    np.testing.assert_allclose(
        np.array(layer(x, x, x, mask)).ravel(), floats(expected), rtol=1e-4, atol=1e-6
    )


@attention
@pytest.mark.parametrize("bias", [False, True])
def test_attention_against_numpy(bias):
    layer = nn.MultiHeadAttention(
        8,
        2,
        query_input_dims=3,
        key_input_dims=4,
        value_input_dims=5,
        value_dims=6,
        value_output_dims=7,
        bias=bias,
    )
    shapes = {k: v.shape for k, v in tree_flatten(layer.parameters()) if k.endswith("weight")}
    assert shapes == {
        "query_proj.weight": (8, 3),
        "key_proj.weight": (8, 4),
        "value_proj.weight": (6, 5),
        "out_proj.weight": (7, 6),
    }
    q, k, v = (mx.random.normal((2, n, d)) for n, d in ((4, 3), (6, 4), (6, 5)))
    mask = mx.random.normal((4, 6))
    arrays = [np.array(x).astype(np.float64) for x in (q, k, v, mask)]
    y = layer(q, k, v, mask)
    np.testing.assert_allclose(np.array(y), np_attention(layer, *arrays), rtol=1e-4, atol=1e-5)


def test_attention_arguments():
    with pytest.raises(ValueError, match="num_heads"):
        nn.MultiHeadAttention(8, 3)
    layer = nn.MultiHeadAttention(8, 2, key_input_dims=4)
    assert layer.value_proj.weight.shape == (8, 4)  # values are as wide as keys
    assert layer.num_heads == 2 and "bias" not in layer.query_proj


@pytest.mark.parametrize("dtype", [mx.float32, mx.float16, mx.bfloat16], ids=str)
def test_causal_mask(dtype):
    mask = nn.MultiHeadAttention.create_additive_causal_mask(4, dtype)
    assert mask.dtype == dtype and mask.shape == (4, 4)
    values = np.array(mask.astype(mx.float32))
    assert np.isfinite(values).all()
    lower = np.tril(np.ones((4, 4), bool))
    assert (values[lower] == 0).all()
    lowest = mx.array(mx.finfo(dtype).min, dtype=dtype).astype(mx.float32).item()
    assert (values[~lower] == lowest).all()


# Transformers


@transformer
@pytest.mark.parametrize("norm_first", [True, False])
def test_encoder_and_decoder_layers_are_their_formulas(norm_first):
    x, memory = mx.random.normal((2, 5, 8)), mx.random.normal((2, 7, 8))
    mask = nn.MultiHeadAttention.create_additive_causal_mask(5)

    def mlp(m, x):
        return m.linear2(nn.gelu(m.linear1(x)))

    m = nn.TransformerEncoderLayer(8, 2, activation=nn.gelu, norm_first=norm_first)
    if norm_first:
        a = x + m.attention(m.ln1(x), m.ln1(x), m.ln1(x), mask)
        expected = a + mlp(m, m.ln2(a))
    else:
        a = m.ln1(x + m.attention(x, x, x, mask))
        expected = m.ln2(a + mlp(m, a))
    assert mx.allclose(m(x, mask), expected, atol=1e-5)
    assert m.linear1.weight.shape == (32, 8)

    m = nn.TransformerDecoderLayer(8, 2, mlp_dims=6, activation=nn.gelu, norm_first=norm_first)
    if norm_first:
        a = x + m.self_attention(m.ln1(x), m.ln1(x), m.ln1(x), mask)
        a = a + m.cross_attention(m.ln2(a), memory, memory, None)
        expected = a + mlp(m, m.ln3(a))
    else:
        a = m.ln1(x + m.self_attention(x, x, x, mask))
        a = m.ln2(a + m.cross_attention(a, memory, memory, None))
        expected = m.ln3(a + mlp(m, a))
    assert mx.allclose(m(x, memory, mask, None), expected, atol=1e-5)
    assert m.linear1.weight.shape == (6, 8)


@transformer
@pytest.mark.parametrize("checkpoint", [False, True])
def test_transformer(checkpoint):
    model = nn.Transformer(8, 2, 2, 2, mlp_dims=16, dropout=0.1, checkpoint=checkpoint).eval()
    src, tgt = mx.random.normal((2, 6, 8)), mx.random.normal((2, 4, 8))
    mask = nn.MultiHeadAttention.create_additive_causal_mask(4)
    y = model(src, tgt, None, mask, None)
    memory = src
    for layer in model.encoder.layers:
        memory = layer(memory, None)
    memory, expected = model.encoder.ln(memory), tgt
    for layer in model.decoder.layers:
        expected = layer(expected, memory, mask, None)
    assert mx.allclose(y, model.decoder.ln(expected), atol=1e-5)
    _, grads = nn.value_and_grad(model, lambda: model(src, tgt, None, mask, None).square().sum())()
    assert len(tree_flatten(grads)) == len(tree_flatten(model.parameters()))


@transformer
def test_custom_modules_without_parameters_are_used():
    class Decoder(nn.Module):
        def __call__(self, tgt, memory, tgt_mask, memory_mask):
            return tgt + memory.sum()

    class Encoder(nn.Module):
        def __call__(self, src, mask):
            return src

    model = nn.Transformer(8, 2, custom_encoder=Encoder(), custom_decoder=Decoder())
    y = model(mx.ones((1, 2, 8)), mx.zeros((1, 3, 8)), None, None, None)
    assert mx.array_equal(y, mx.full((1, 3, 8), 16.0))
