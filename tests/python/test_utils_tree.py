# mlx.utils: trees of plain Python values, no arrays.
from collections import namedtuple

import pytest
from mlx.utils import (
    tree_flatten,
    tree_map,
    tree_map_with_path,
    tree_merge,
    tree_reduce,
    tree_unflatten,
)

Pair = namedtuple("Pair", ["a", "b"])


class MyList(list):
    pass


class MyDict(dict):
    pass


@pytest.mark.parametrize(
    "tree, expected",
    [
        (1, 2),
        (None, "None"),
        ([1, (2, {"a": 3})], [2, (4, {"a": 6})]),
        ({"b": 1, "a": []}, {"b": 2, "a": []}),
        (Pair(1, [2]), Pair(2, [4])),
        (MyList([1]), MyList([2])),
    ],
)
def test_map_keeps_structure_and_classes(tree, expected):
    result = tree_map(lambda x: 2 * x if x is not None else "None", tree)
    assert result == expected and type(result) is type(expected)


def test_map_makes_plain_dicts():
    result = tree_map(lambda x: x, MyDict(a=MyDict(b=1)))
    assert type(result) is dict and type(result["a"]) is dict


def test_map_rest_trees_may_be_supersets():
    assert tree_map(lambda x, y: x + y, {"a": [1]}, {"a": [10, 20], "b": 3}) == {"a": [11]}


@pytest.mark.parametrize("rest, error", [({"b": 1}, KeyError), ([], IndexError)])
def test_map_rest_lacks_a_place(rest, error):
    with pytest.raises(error):
        tree_map(lambda x, y: x, {"a": 1} if isinstance(rest, dict) else [1], rest)


def test_map_is_leaf_sees_the_root_and_passes_whole_nodes():
    def is_pair(node):
        return isinstance(node, list) and len(node) == 2

    assert tree_map(len, [1, 2], is_leaf=is_pair) == 2
    assert tree_map(lambda x, y: x + y, {"a": [1, 2]}, {"a": [3]}, is_leaf=is_pair) == {
        "a": [1, 2, 3]
    }


@pytest.mark.parametrize(
    "tree, path, paths",
    [
        ({"model": [{"w": 0}, {"w": 0}]}, None, ["model.0.w", "model.1.w"]),
        (Pair(0, 0), None, ["0", "1"]),
        ([0], "prefix", ["prefix.0"]),
        (0, None, [None]),
        (0, "prefix", ["prefix"]),
    ],
)
def test_map_with_path(tree, path, paths):
    seen = []
    assert tree_map_with_path(lambda p, x: seen.append(p) or x, tree, path=path) == tree
    assert seen == paths


@pytest.mark.parametrize(
    "tree, flat",
    [
        (7, [("", 7)]),
        (None, [("", None)]),
        ([], []),
        ({"a": {}}, []),
        ({"b": 1, "a": (2, [3])}, [("b", 1), ("a.0", 2), ("a.1.0", 3)]),
        ({1: "x"}, [("1", "x")]),
        (Pair(1, 2), [("0", 1), ("1", 2)]),
    ],
)
def test_flatten(tree, flat):
    assert tree_flatten(tree) == flat
    assert tree_flatten(tree, destination={}) == dict(flat)


@pytest.mark.parametrize("prefix, path", [(".hello", "hello.0"), ("hello", "ello.0"), ("", "0")])
def test_flatten_drops_the_first_character(prefix, path):
    assert tree_flatten([1], prefix=prefix) == [(path, 1)]


def test_flatten_into_a_destination_returns_it():
    items, table = [("x", 0)], {"x": 0}
    assert tree_flatten([1], destination=items) is items and items == [("x", 0), ("0", 1)]
    assert tree_flatten([1], destination=table) is table and table == {"x": 0, "0": 1}
    with pytest.raises(ValueError, match="destination"):
        tree_flatten([1], destination=())


def test_flatten_is_leaf():
    assert tree_flatten([[1], 2], is_leaf=lambda x: x == [1]) == [("0", [1]), ("1", 2)]


@pytest.mark.parametrize(
    "flat, tree",
    [
        ([], []),
        ({}, []),
        ([("", 7)], 7),
        ([("a.b", 1), ("a.c", 2)], {"a": {"b": 1, "c": 2}}),
        ([("2.a", 1), ("0.a", 2)], [{"a": 2}, {}, {"a": 1}]),
        ([("10", 1), ("9", 0)], [{}] * 9 + [0, 1]),
        ([("0", 1), ("x", 2)], {"0": 1, "x": 2}),
        ([("01", 1), ("1", 2)], {"01": 1, "1": 2}),
        ({"a.0": 1, "a.1": 2}, {"a": [1, 2]}),
    ],
)
def test_unflatten(flat, tree):
    assert tree_unflatten(flat) == tree


def test_unflatten_refuses_a_hostile_index():
    with pytest.raises(ValueError, match="99999999999"):
        tree_unflatten([("99999999999.weight", 1)])


def test_flatten_and_unflatten_round_trip():
    tree = {"layers": [{"w": 1, "b": 2}, {"w": 3}], "out": {"w": 4}}
    assert tree_unflatten(tree_flatten(tree)) == tree
    assert tree_unflatten(tree_flatten(tree, destination={})) == tree


@pytest.mark.parametrize(
    "tree, initializer, expected",
    [
        ({"a": [1, 2], "b": 3}, None, 6),
        ({"a": [1, 2], "b": 3}, 10, 16),
        ([], None, None),
        ([], 5, 5),
        (["a", ("b",)], "", "ab"),
    ],
)
def test_reduce(tree, initializer, expected):
    assert tree_reduce(lambda a, x: a + x, tree, initializer) == expected


def test_reduce_goes_left_to_right_and_stops_at_leaves():
    assert tree_reduce(lambda a, x: f"({a}{x})", ["a", ["b", "c"]]) == "((ab)c)"
    assert tree_reduce(lambda a, x: a + len(x), [[1, 2], [3]], 0, lambda x: x != [[1, 2], [3]]) == 3


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ({"a": {"x": 1}}, {"a": {"y": 2}, "b": 3}, {"a": {"x": 1, "y": 2}, "b": 3}),
        ([{}, 1], [2], [2, 1]),
        ([{}, {}, 1], [2], [2, {}, 1]),  # an empty place that the other side does not reach
        ({}, {}, {}),
        ([], [], []),
        ({"a": {}}, {"a": {}}, {"a": {}}),
        ({}, 1, 1),
        (1, [], 1),
        ({"a": {}}, {"a": [1]}, {"a": [1]}),
        (None, {"a": 1}, {"a": 1}),
        (Pair({"x": 1}, {}), Pair({"y": 2}, 3), Pair({"x": 1, "y": 2}, 3)),
        ((1,), [{}, 2], (1, 2)),
    ],
)
def test_merge(a, b, expected):
    result = tree_merge(a, b)
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize("a, b", [(1, 2), ({}, []), ([1], {"a": 1}), ({"a": 1}, {"a": 2})])
def test_merge_conflicts(a, b):
    with pytest.raises(ValueError):
        tree_merge(a, b)


def test_merge_fn_decides_and_never_sees_empty_trees():
    calls = []

    def add(x, y):
        calls.append((x, y))
        return x + y

    assert tree_merge({"a": 1, "b": {}, "c": []}, {"a": 2, "b": {}, "d": 4}, add) == {
        "a": 3,
        "b": {},
        "c": [],
        "d": 4,
    }
    assert calls == [(1, 2)]
