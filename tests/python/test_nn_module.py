# nn.Module: storage of attributes, traversal, update, freezing, files. Layers are tested elsewhere.
import copy
import gc
import pickle
import weakref

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten, tree_map, tree_unflatten


def paths(tree, **kwargs):
    return [path for path, _ in tree_flatten(tree, **kwargs)]


class Nested(nn.Module):
    """One of everything a module can hold."""

    def __init__(self):
        super().__init__()
        self.weight = mx.zeros((2,))
        self._hidden = mx.zeros((3,))
        self.table = {"w1": mx.ones((1,)), "_w2": mx.ones((1,))}
        self.layers = [nn.Linear(2, 2), nn.ReLU(), "text", {"inner": nn.Linear(2, 3, bias=False)}]
        self._secret = nn.Linear(1, 1)
        self.pair = (mx.zeros((4,)), nn.Linear(1, 1))
        self.name = "nested"
        self.nothing = None


# Attributes


def test_arrays_and_containers_are_items_and_other_values_attributes():
    m = Nested()
    assert list(m) == ["weight", "_hidden", "table", "layers", "_secret", "pair"]
    assert m.__dict__["name"] == "nested" and "name" not in m and m.nothing is None
    assert m["weight"] is m.weight


def test_attribute_changes_kind():
    m = nn.Linear(2, 2)
    m.bias = None
    assert "bias" not in m and m.bias is None
    m.bias = mx.zeros((2,))
    assert "bias" in m and m.bias.shape == (2,)
    del m.bias
    assert not hasattr(m, "bias")
    m.note = 1
    del m.note
    assert not hasattr(m, "note")


def test_dict_access_bypasses_attribute_rules():
    m = Nested()
    m["extra"] = mx.ones((1,))
    assert m.extra.shape == (1,) and m.get("missing") is None and "extra" in m
    assert m.pop("extra").shape == (1,) and not hasattr(m, "extra")


@pytest.mark.parametrize("name", ["items", "update", "state", "training"])
def test_names_of_the_class_cannot_hold_arrays(name):
    with pytest.raises(AttributeError):
        setattr(nn.Linear(1, 1), name, mx.zeros((1,)))


def test_a_module_without_super_init_says_what_to_do():
    class Broken(nn.Module):
        def __init__(self):
            self.w = mx.zeros((1,))

    m = Broken()
    for use in (lambda: m.training, lambda: m.trainable_parameters()):
        with pytest.raises(AttributeError, match="super"):
            use()


def test_error_of_a_property_is_not_hidden():
    class Bad(nn.Module):
        @property
        def value(self):
            return self.no_such_name

    with pytest.raises(AttributeError, match="no_such_name"):
        _ = Bad().value


def test_modules_behave_as_dicts():
    a, b = nn.ReLU(), nn.GELU()
    assert a == b and not a and len(nn.Linear(1, 1)) == 2
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError):
        nn.Module()()


def test_state_is_the_module():
    m = nn.Linear(1, 1)
    assert m.state is m
    m.state["hello"] = mx.ones((1,))
    assert m.hello.shape == (1,)


@pytest.mark.parametrize("copy_of", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_have_items_and_attributes(copy_of):
    m = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.25)).eval()
    m.layers[0].freeze(keys="bias")
    other = copy_of(m)
    assert other.layers[0] is not m.layers[0]
    assert mx.array_equal(other.layers[0].weight, m.layers[0].weight)
    assert not other.training and other.layers[1]._p_1 == 0.75
    assert paths(other.trainable_parameters()) == ["layers.0.weight"]


# Traversal


def test_parameters_skip_private_names_but_not_private_keys():
    assert paths(Nested().parameters()) == [
        "weight",
        "table.w1",
        "table._w2",
        "layers.0.weight",
        "layers.0.bias",
        "layers.3.inner.weight",
    ]
    assert Nested().parameters()["layers"][1:3] == [{}, {}]


def test_children_and_leaf_modules_include_private_ones():
    m = Nested()
    children = m.children()
    assert children["layers"][2] == {} and children["layers"][0] is m.layers[0]
    assert paths(children, is_leaf=nn.Module.is_module) == [
        "layers.0",
        "layers.1",
        "layers.3.inner",
        "_secret",
    ]
    leaves = m.leaf_modules()
    assert leaves["layers"][3]["inner"] is m.layers[3]["inner"] and leaves["_secret"] is m._secret


def test_a_container_of_parameterless_modules_is_a_leaf():
    m = nn.Sequential(nn.Sequential(nn.ReLU()), nn.Sequential(nn.Linear(1, 1)))
    assert paths(m.leaf_modules(), is_leaf=nn.Module.is_module) == ["layers.0", "layers.1.layers.0"]


def test_named_modules_go_depth_first_last_sibling_first():
    m = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Sequential(nn.Linear(1, 1)))
    names = [name for name, _ in m.named_modules()]
    assert names == ["", "layers.2", "layers.2.layers.0", "layers.1", "layers.0"]
    assert m.modules()[0] is m and len(m.modules()) == 5


def test_children_are_looked_up_after_the_parent_was_visited():
    m = nn.Sequential(nn.Linear(1, 1))

    def grow(path, module):
        if path == "":
            module.layers.append(nn.ReLU())

    seen = []
    m.apply_to_modules(lambda p, x: (grow(p, x), seen.append(p)))
    assert seen == ["", "layers.1", "layers.0"]


def test_filter_and_map_gives_the_owner_and_paths_within_it():
    seen = set()

    def record(module, key, value):
        seen.add((type(module).__name__, key))
        return nn.Module.valid_parameter_filter(module, key, value)

    shapes = Nested().filter_and_map(record, lambda x: x.shape)
    assert ("Nested", "table.w1") in seen and ("Nested", "layers.3.inner") in seen
    assert ("Linear", "weight") in seen and ("Linear", "layers.0.weight") not in seen
    assert shapes["table"]["w1"] == (1,)


def test_filter_and_map_refuses_what_is_neither_leaf_nor_container():
    with pytest.raises(RuntimeError, match="layers.2"):
        Nested().filter_and_map(lambda *_: True, is_leaf_fn=lambda m, k, v: isinstance(v, mx.array))


def test_repr():
    m = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Dropout(0.3), nn.ReLU()))
    assert repr(m) == (
        "Sequential(\n"
        "  (layers.0): Linear(input_dims=2, output_dims=3, bias=True)\n"
        "  (layers.1): Sequential(\n"
        "    (layers.0): Dropout(p=0.3)\n"
        "    (layers.1): ReLU()\n"
        "  )\n"
        ")"
    )


# Update


def test_update_replaces_items_in_place_and_returns_self():
    m = nn.Sequential(nn.Linear(2, 2), nn.relu)
    before = m.layers[0]
    assert m.update({"layers": [{"weight": mx.zeros((5,))}]}) is m
    assert m.layers[0] is before and before.weight.shape == (5,)
    m.update({})
    m.layers[0].update(nn.Linear(2, 2))  # a module is a tree


@pytest.mark.parametrize(
    "tree",
    [
        {"missing": {}},
        {"layers": [{}, {}, {}]},
        {"layers": [{"weight": {}}]},
        {"layers": [{"weight": [mx.zeros((1,))]}]},
        {"layers": (1,)},
        {"layers": "abc"},
        {"layers": [{}, {"weight": mx.zeros((1,))}]},
        mx.zeros((1,)),
    ],
)
def test_update_strict_and_not(tree):
    m = nn.Sequential(nn.Linear(2, 2), nn.relu)
    with pytest.raises(ValueError):
        m.update(tree)
    assert m.update(tree, strict=False) is m


def test_update_modules():
    m = nn.Sequential(nn.Linear(2, 2), nn.relu, nn.Sequential(nn.Linear(2, 2)))
    m.update_modules(m.leaf_modules())
    new = nn.Linear(2, 4)
    m.update_modules(tree_unflatten([("layers.2.layers.0", new)]))
    assert m.layers[2].layers[0] is new
    assert m.update_modules({}) is m
    for tree in (
        {"x": nn.ReLU()},
        {"layers": [{}] * 4},
        {"layers": 3},
        {"layers": [{}, nn.Linear(1, 1)]},  # in the place of a function
    ):
        with pytest.raises(ValueError):
            m.update_modules(tree)
        m.update_modules(tree, strict=False)
    assert m.layers[1] is nn.relu


def test_a_dropped_model_goes_without_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        m = Nested()
        m.update_modules(m.leaf_modules())
        m.update(m.parameters())
        m.freeze()
        repr(m)
        nn.value_and_grad(m, lambda: mx.zeros(()))
        ref = weakref.ref(m.layers[0])
        del m
        assert ref() is None
    finally:
        gc.enable()


def test_apply_and_set_dtype():
    m = nn.Sequential(nn.Linear(2, 2)).freeze()
    m.layers[0].count = mx.array([1], mx.int32)
    assert m.set_dtype(mx.float16) is None
    assert m.layers[0].weight.dtype == mx.float16 and m.layers[0].count.dtype == mx.int32
    m.set_dtype(mx.float32, predicate=None)
    assert m.layers[0].count.dtype == mx.float32
    m.apply(mx.zeros_like, lambda module, key, value: not key.endswith("weight"))
    assert m.layers[0].bias.tolist() == [0, 0]
    m.update(tree_map(lambda p: p.astype(mx.bfloat16), m.parameters()))
    assert m.layers[0].weight.dtype == mx.bfloat16


# Training mode and freezing


def test_train_and_eval_reach_all_modules():
    m = Nested()
    assert m.eval() is m and not any(x.training for x in m.modules())
    assert m.train() is m and all(x.training for x in m.modules())
    m.train(False)
    assert not m._secret.training


def test_freeze_and_unfreeze():
    m = Nested()
    assert m.freeze() is m and paths(m.trainable_parameters()) == []
    assert m.trainable_parameters()["layers"][0] == {}
    m.unfreeze(recurse=False)
    assert paths(m.trainable_parameters()) == ["weight", "table.w1", "table._w2"]
    m.unfreeze()
    m.freeze(keys=["bias"])
    assert "layers.0.bias" not in paths(m.trainable_parameters())
    m.freeze(keys="table.w1", recurse=False)
    assert "table.w1" not in paths(m.trainable_parameters())
    m.freeze(keys=("weight",))  # one useless key
    assert "weight" in paths(m.trainable_parameters())
    m.freeze(recurse=False)
    m.freeze(recurse=False)
    assert "layers.0.weight" in paths(m.trainable_parameters())
    m.unfreeze(keys=["weight"])
    assert paths(m.trainable_parameters())[0] == "weight"


def test_freeze_strict_keys():
    m = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1, bias=False))
    m.freeze(keys="bias", strict=True)
    m.unfreeze(keys=["bias", "weight"], strict=True)
    for fn in (m.freeze, m.unfreeze):
        with pytest.raises(KeyError):
            fn(keys="nope", strict=True)
        with pytest.raises(KeyError):
            fn(keys="weight", strict=True, recurse=False)
    with pytest.raises(KeyError):
        Nested().freeze(strict=True)  # table.w1 is no plain item
    nn.Linear(1, 1).freeze(strict=True)


# Files


@pytest.mark.parametrize("suffix", [".npz", ".safetensors"])
def test_weights_round_trip(tmp_path, suffix):
    needs = "savez" if suffix == ".npz" else "save_safetensors"
    if not hasattr(mx, needs):
        pytest.skip(f"mlx.core has no {needs}")
    file = str(tmp_path / f"model{suffix}")
    a, b = (nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)) for _ in range(2))
    a.layers[0].set_dtype(mx.float16)
    a.save_weights(file)
    assert b.load_weights(file) is b
    for (path, x), (_, y) in zip(tree_flatten(a.parameters()), tree_flatten(b.parameters())):
        assert x.dtype == y.dtype and mx.array_equal(x, y), path
    a.save_weights(tmp_path / f"path{suffix}")
    b.load_weights(tmp_path / f"path{suffix}")


def test_save_refuses_other_suffixes(tmp_path):
    with pytest.raises(ValueError, match="suffix"):
        nn.Linear(1, 1).save_weights(str(tmp_path / "x.bin"))


@pytest.mark.parametrize(
    "weights, message",
    [
        ([("weight", mx.ones((2, 2))), ("bias", mx.ones((2,))), ("x", mx.ones((1,)))], "not in"),
        ([("weight", mx.ones((2, 2)))], "missing"),
        ([("weight", mx.ones((2, 2))), ("bias", 3)], "expected an array"),
        ([("weight", mx.ones((2, 2))), ("bias", mx.ones((3,)))], "shape"),
    ],
)
def test_load_weights_strict(weights, message):
    m = nn.Linear(2, 2)
    with pytest.raises(ValueError, match=message):
        m.load_weights(weights)
    m.load_weights(weights, strict=False)
    assert m.weight.tolist() == [[1, 1], [1, 1]]


def test_load_weights_not_strict_ignores_what_is_not_there():
    m = nn.Sequential(nn.Linear(2, 2))
    m.load_weights([("layers.7.weight", mx.ones((1,))), ("other.x", mx.ones((1,)))], strict=False)
    m.load_weights([], strict=False)
    m.load_weights(tree_flatten(m.parameters(), destination={}))


def test_a_dict_with_integer_keys_round_trips():
    m = nn.Module()
    m.blocks = {"0": nn.Linear(1, 1), "2": nn.Linear(1, 1)}
    m.load_weights([(k, mx.ones_like(v)) for k, v in tree_flatten(m.parameters())])
    assert m.blocks["2"].weight.item() == 1


# Transforms


def test_value_and_grad_differentiates_trainable_parameters_only():
    m = nn.Sequential(nn.Linear(2, 2), nn.relu, nn.Linear(2, 1))
    m.layers[0].freeze()
    m.layers[2].freeze(keys="bias")

    def loss(x, *, scale):
        """The doc of loss."""
        y = m(x) * scale
        return y.sum(), y

    fn = nn.value_and_grad(m, loss)
    assert fn.__doc__ == "The doc of loss."
    x = mx.array([[1.0, 2.0]])
    weight = m.layers[2].weight
    (value, y), grads = fn(x, scale=2.0)
    assert paths(grads) == ["layers.2.weight"] and value.item() == pytest.approx(y.item())
    hidden = nn.relu(m.layers[0](x))
    assert mx.allclose(grads["layers"][2]["weight"], 2 * hidden)
    assert m.layers[2].weight is weight


def test_value_and_grad_restores_parameters_after_an_error():
    m = nn.Linear(1, 1)
    weight = m.weight

    def fail():
        raise OSError("no")

    with pytest.raises(OSError):
        nn.value_and_grad(m, fail)()
    assert m.weight is weight


def test_what_the_function_assigns_survives():
    m = nn.Linear(1, 1)
    m.calls = mx.array(0.0)
    m.freeze(keys="calls")

    def loss(x):
        m.calls = m.calls + 1
        return m(x).sum()

    fn = nn.value_and_grad(m, loss)
    fn(mx.ones((1, 1)))
    fn(mx.ones((1, 1)))
    assert m.calls.item() == 2


def test_grad_of_a_module():
    m = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    m.layers[0].freeze()
    grads = mx.grad(lambda model, x: model(x).sum())(m, mx.ones((1, 2)))
    assert type(grads) is dict
    assert paths(grads) == paths(m.parameters())
    value, _ = mx.value_and_grad(lambda model: model.layers[1].weight.sum())(m)
    assert value.item() == m.layers[1].weight.item()


@pytest.mark.needs("checkpoint")
def test_checkpoint_gives_the_same_gradients_and_counts_two_calls():
    m = nn.Sequential(nn.Linear(3, 4), nn.tanh, nn.Linear(4, 1))
    x = mx.array([[1.0, -2.0, 0.5]])
    calls = []

    def forward(x):
        calls.append(1)
        return m(x)

    checkpointed = nn.utils.checkpoint(m, forward)
    _, plain = nn.value_and_grad(m, lambda x: m(x).sum())(x)
    _, grads = nn.value_and_grad(m, lambda x: checkpointed(x).sum())(x)
    assert len(calls) == 2
    for (path, a), (_, b) in zip(tree_flatten(plain), tree_flatten(grads)):
        assert mx.allclose(a, b), path
    gx = mx.grad(lambda x: nn.utils.checkpoint(m)(x).sum())(x)
    assert mx.allclose(gx, mx.grad(lambda x: m(x).sum())(x))


def test_module_as_state_of_compile():
    m = nn.Linear(2, 1)

    @mx.compile
    def direct(x):
        return x + 1

    step = mx.compile(lambda x: m(x).sum(), inputs=m.state)
    first = step(mx.ones((1, 2))).item()
    m.update({"bias": m.bias + 1})
    assert step(mx.ones((1, 2))).item() == pytest.approx(first + 1, rel=1e-5)
    assert direct(mx.array(1.0)).item() == 2
