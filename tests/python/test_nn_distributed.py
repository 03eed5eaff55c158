# Distributed layers in one process: a stand-in for the group and its messages plays all ranks one
# after the other. Real processes are tested with the distributed back ends.
import mlx.core as mx
import mlx.nn as nn
import numpy as np
import pytest
from mlx.nn.layers.distributed import (
    FullyShardedModule,
    shard_inplace,
    shard_linear,
    sum_gradients,
)
from mlx.utils import tree_flatten

pytestmark = pytest.mark.needs("distributed.init", "custom_function")


class Group:
    """Stands for one rank of a group."""

    def __init__(self, rank, size):
        self._rank, self._size = rank, size

    def rank(self):
        return self._rank

    def size(self):
        return self._size


@pytest.fixture
def messages(monkeypatch):
    """Replaces all_sum by a local function and counts its calls."""
    calls = []

    def all_sum(x, *, group=None, stream=None):
        calls.append((tuple(x.shape), stream))
        return x * group.size()

    monkeypatch.setattr(mx.distributed, "all_sum", all_sum)
    return calls


def ranks(size):
    return [Group(rank, size) for rank in range(size)]


def test_one_process_changes_nothing():
    g = {"w": mx.ones((2,))}
    assert nn.average_gradients(g) is g
    layer = nn.Linear(4, 4)
    assert nn.fully_shard(layer) is layer
    x = mx.ones((2, 4))
    assert sum_gradients(mx.distributed.init())(x) is x
    for sharding in ("all-to-sharded", "sharded-to-all"):
        assert mx.allclose(shard_linear(layer, sharding)(x), layer(x), atol=1e-6)


@pytest.mark.parametrize("size, calls", [(32 * 1024**2, 1), (4 * 50, 2), (0, 10)])
def test_average_gradients_packs(messages, size, calls):
    gradients = [mx.full((10,), float(i)) for i in range(10)]
    averaged = nn.average_gradients(gradients, Group(0, 4), size, communication_stream="s")
    assert len(messages) == calls and messages[0][1] == "s"
    assert [v.tolist() for v in averaged] == [v.tolist() for v in gradients]


def test_average_gradients_structure(messages):
    gradients = {"a": [mx.ones((2, 3)), {}], "b": mx.ones((), dtype=mx.float16)}
    averaged = nn.average_gradients(gradients, Group(0, 2))
    assert len(messages) == 2 and averaged["a"][1] == {}  # several dtypes go one by one
    assert averaged["b"].dtype == mx.float16
    assert nn.average_gradients({}, Group(0, 2)) == {}


def test_clip_grad_norm_sharded(messages):
    gradients = {"a": mx.array([3.0]), "b": [mx.array([4.0])]}
    clipped, norm = nn.utils.clip_grad_norm_sharded(gradients, 1.0, Group(0, 4))
    assert norm.item() == pytest.approx(10)
    np.testing.assert_allclose(clipped["b"][0].item(), 0.4, rtol=1e-5)


def test_sum_gradients(messages):
    group = Group(0, 3)
    assert sum_gradients(group) is sum_gradients(group)
    x = mx.array([1.0, 2.0])
    assert sum_gradients(group)(x).tolist() == [1.0, 2.0]
    grad = mx.grad(lambda x: sum_gradients(group)(x).sum())(x)
    assert grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("segments", [1, 2, [4], [0.25]])
@pytest.mark.parametrize("bias", [True, False])
def test_shares_of_a_linear_layer_add_up(segments, bias):
    layer = nn.Linear(8, 16, bias=bias)
    weight = np.array(layer.weight)

    def pieces(size):
        if segments == 1:
            return [(0, size)]
        cut = size // 2 if segments == 2 else 4 if segments == [4] else size // 4
        return [(0, cut), (cut, size)]

    for rank, group in enumerate(ranks(2)):
        shard = shard_linear(layer, "all-to-sharded", segments=segments, group=group)
        rows = []
        for start, end in pieces(16):
            half = (end - start) // 2
            rows += range(start + rank * half, start + (rank + 1) * half)
        assert np.array_equal(np.array(shard.weight), weight[rows])
        if bias:
            assert np.array_equal(np.array(shard.bias), np.array(layer.bias)[rows])
        assert repr(shard) == f"AllToShardedLinear(input_dims=8, output_dims=16, bias={bias})"

        shard = shard_linear(layer, "sharded-to-all", segments=segments, group=group)
        columns = []
        for start, end in pieces(8):
            half = (end - start) // 2
            columns += range(start + rank * half, start + (rank + 1) * half)
        assert np.array_equal(np.array(shard.weight), weight[:, columns])
        assert ("bias" in shard) == bias
        assert repr(shard) == f"ShardedToAllLinear(input_dims=8, output_dims=16, bias={bias})"


@pytest.mark.needs("quantize")
@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
def test_shares_of_a_quantized_linear_layer(bits):
    layer = nn.QuantizedLinear(256, 128, bits=bits, group_size=64)
    for group in ranks(2):
        shard = shard_linear(layer, "all-to-sharded", group=group)
        assert isinstance(shard, nn.QuantizedAllToShardedLinear)
        assert (shard.bits, shard.group_size, shard.mode) == (bits, 64, "affine")
        half = slice(64 * group.rank(), 64 * (group.rank() + 1))
        for name in ("weight", "scales", "biases", "bias"):
            assert mx.array_equal(shard[name], layer[name][half]), name
        shard = shard_linear(layer, "sharded-to-all", group=group)
        assert shard.scales.shape == (128, 2) and shard.bias.shape == (128,)
        assert "input_dims=256, output_dims=128" in repr(shard)
        shard.unfreeze()
        assert tree_flatten(shard.trainable_parameters()) == []


@pytest.mark.needs("quantize")
def test_quantized_shards_without_biases():
    layer = nn.QuantizedLinear(64, 32, mode="mxfp4")
    shard = shard_linear(layer, "all-to-sharded", group=Group(1, 2))
    assert "biases" not in shard and shard.mode == "mxfp4"
    assert shard(mx.ones((1, 64))).shape == (1, 16)


def test_shard_inplace():
    module = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 4))
    group = Group(1, 2)
    whole = np.array(module.layers[1].weight)

    def place(path, weight):
        if path.startswith("layers.0"):
            return 0
        return (1, 2) if path.endswith("weight") else None

    assert shard_inplace(module, place, group=group) is None
    assert module.layers[0].weight.shape == (4, 4) and module.layers[0].bias.shape == (4,)
    assert np.array_equal(np.array(module.layers[1].weight), whole[:, [2, 3, 6, 7]])
    assert module.layers[1].bias.shape == (4,)
    stacked = nn.Module()
    stacked.w = mx.zeros((3, 4, 2))
    shard_inplace(stacked, "all-to-sharded", group=group)
    assert stacked.w.shape == (3, 2, 2)


def test_sharding_errors():
    layer, group = nn.Linear(3, 3), Group(0, 2)
    for bad in ("columns", lambda path, weight: "0"):
        with pytest.raises(ValueError):
            shard_inplace(nn.Linear(4, 4), bad, group=group)
    with pytest.raises(ValueError):
        shard_linear(nn.Linear(4, 4), "columns", group=group)
    for sharding in ("all-to-sharded", "sharded-to-all"):
        with pytest.raises(ValueError, match="multiple"):
            shard_linear(layer, sharding, group=group)
    with pytest.raises(ValueError, match="axis 0"):
        nn.fully_shard(layer, group=group)


@pytest.mark.parametrize("dtype", [None, mx.float16], ids=str)
def test_fully_sharded_module(monkeypatch, dtype):
    """Rank 0 of two, whose partner holds the other halves."""
    layer = nn.Linear(4, 2)
    weight, bias = layer.weight, layer.bias
    halves = {r: mx.concatenate([weight[r], bias[r : r + 1]]) for r in (0, 1)}
    group = Group(0, 2)

    def all_gather(x, *, group=None, stream=None):
        return mx.concatenate([x, halves[1][None].astype(x.dtype)])

    def sum_scatter(x, *, group=None, stream=None):
        return 2 * x[:1]

    monkeypatch.setattr(mx.distributed, "all_gather", all_gather)
    monkeypatch.setattr(mx.distributed, "sum_scatter", sum_scatter)
    sharded = nn.fully_shard(layer, group=group, compute_dtype=dtype)
    assert isinstance(sharded, FullyShardedModule) and nn.fully_shard(sharded) is sharded
    assert sharded.module.weight.shape == (1, 4) and sharded.module.bias.shape == (1,)
    assert repr(sharded).startswith("FullyShardedModule(num_sharded_params=2")

    x = mx.array([[1.0, 2.0, -1.0, 0.5]])
    expected = mx.addmm(bias, x, weight.T)
    _, grads = nn.value_and_grad(sharded, lambda: sharded(x).sum())()
    assert mx.allclose(sharded(x), expected, atol=1e-2 if dtype else 1e-6)
    assert sharded.module.weight.shape == (1, 4)
    np.testing.assert_allclose(np.array(grads["module"]["weight"]), np.array(x), rtol=1e-3)
    assert grads["module"]["bias"].tolist() == [1.0]
    assert grads["module"]["weight"].dtype == mx.float32

    with pytest.raises(ValueError):
        sharded(mx.ones((1, 3)))
    assert sharded.module.weight.shape == (1, 4)


def test_fully_shard_leaves_what_has_nothing_to_shard():
    relu = nn.ReLU()
    assert nn.fully_shard(relu, group=Group(0, 2)) is relu
