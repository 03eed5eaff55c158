# Functions over trees: nested dict, list and tuple with arbitrary leaves. What mlx.nn, the
# optimizers and the transforms share; nothing here depends on arrays.
"""Functions over trees (nested ``dict``, ``list`` and ``tuple``).

Everything that is not a ``dict``, ``list`` or ``tuple`` (or a subclass of one) is a leaf, ``None``
included. An empty container is a tree without leaves. Dictionaries keep their insertion order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, overload

# A missing list position is filled with an empty dict, so a name such as "4000000000.weight" in a
# hostile weight file must not be taken at its word.
_MAX_LIST_GAP = 1 << 20


def _rebuild(kind: type, items: Iterable) -> Any:
    """Makes a list or tuple of class ``kind``; a namedtuple takes its items one by one."""
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def _children(tree: Any) -> Iterator[tuple[Any, Any]] | None:
    """The (key, child) pairs of a container, or ``None`` for a leaf."""
    if isinstance(tree, dict):
        return iter(tree.items())
    if isinstance(tree, (list, tuple)):
        return enumerate(tree)
    return None


def _flatten_into(add: Callable, node: Any, path: str, is_leaf: Callable | None) -> None:
    children = None if is_leaf is not None and is_leaf(node) else _children(node)
    if children is None:
        add((path[1:], node))
        return
    for key, child in children:
        _flatten_into(add, child, f"{path}.{key}", is_leaf)


def tree_map(
    fn: Callable, tree: Any, *rest: Any, is_leaf: Callable[[Any], bool] | None = None
) -> Any:
    """Applies ``fn`` to every leaf of ``tree`` and returns a tree of the results.

    Args:
        fn: Called as ``fn(leaf, *leaves_of_rest)``.
        tree: The tree that gives the structure. Lists and tuples keep their class, a ``dict`` of
            any class becomes a plain ``dict``.
        rest: Further trees, indexed with the keys of ``tree``; they may hold more than it.
        is_leaf: ``is_leaf(node)`` makes a node a leaf although it is a container.

    Raises:
        KeyError, IndexError: A tree in ``rest`` lacks a key or an index of ``tree``.

    >>> tree_map(lambda x, y: x + y, {"a": [1, 2]}, {"a": [10, 20], "b": 0})
    {'a': [11, 22]}
    """
    if is_leaf is not None and is_leaf(tree):
        return fn(tree, *rest)
    if isinstance(tree, dict):
        return {
            key: tree_map(fn, child, *(r[key] for r in rest), is_leaf=is_leaf)
            for key, child in tree.items()
        }
    if isinstance(tree, (list, tuple)):
        return _rebuild(
            type(tree),
            [
                tree_map(fn, child, *(r[i] for r in rest), is_leaf=is_leaf)
                for i, child in enumerate(tree)
            ],
        )
    return fn(tree, *rest)


def tree_map_with_path(
    fn: Callable,
    tree: Any,
    *rest: Any,
    is_leaf: Callable[[Any], bool] | None = None,
    path: str | None = None,
) -> Any:
    """Like :func:`tree_map`, with the dotted path of the leaf as the first argument of ``fn``.

    Args:
        fn: Called as ``fn(path, leaf, *leaves_of_rest)``.
        tree: The tree that gives the structure.
        rest: Further trees, indexed with the keys of ``tree``.
        is_leaf: ``is_leaf(node)`` makes a node a leaf although it is a container.
        path: A prefix for all paths. A root that is a leaf itself is given ``path`` unchanged.

    Raises:
        KeyError, IndexError: A tree in ``rest`` lacks a key or an index of ``tree``.

    >>> tree_map_with_path(lambda path, x: f"{path}={x}", {"model": [{"w": 1}, {"w": 2}]})
    {'model': [{'w': 'model.0.w=1'}, {'w': 'model.1.w=2'}]}
    """
    if (is_leaf is not None and is_leaf(tree)) or not isinstance(tree, (dict, list, tuple)):
        return fn(path, tree, *rest)

    def below(key, child):
        child_path = str(key) if path is None else f"{path}.{key}"
        rest_children = (r[key] for r in rest)
        return tree_map_with_path(fn, child, *rest_children, is_leaf=is_leaf, path=child_path)

    if isinstance(tree, dict):
        return {key: below(key, child) for key, child in tree.items()}
    return _rebuild(type(tree), [below(i, child) for i, child in enumerate(tree)])


@overload
def tree_flatten(
    tree: Any,
    prefix: str = ...,
    is_leaf: Callable[[Any], bool] | None = ...,
    destination: list | None = ...,
) -> list[tuple[str, Any]]: ...


@overload
def tree_flatten(
    tree: Any,
    prefix: str = ...,
    is_leaf: Callable[[Any], bool] | None = ...,
    *,
    destination: dict,
) -> dict[str, Any]: ...


def tree_flatten(
    tree: Any,
    prefix: str = "",
    is_leaf: Callable[[Any], bool] | None = None,
    destination: list | dict | None = None,
) -> list[tuple[str, Any]] | dict[str, Any]:
    """Lists the leaves of ``tree`` with their dotted paths, depth first.

    Args:
        tree: The tree. A bare leaf has the path ``""``.
        prefix: Put before every path. It has to begin with a dot, for the first character of the
            joined path is dropped: ``".model"`` gives ``"model.w"``.
        is_leaf: ``is_leaf(node)`` makes a node a leaf although it is a container.
        destination: A list to extend with pairs or a dict to update; a new list by default.

    Returns:
        The destination.

    Raises:
        ValueError: ``destination`` is neither ``None`` nor a list nor a dict.

    >>> tree_flatten([{"w": 1, "b": 2}, 3])
    [('0.w', 1), ('0.b', 2), ('1', 3)]
    >>> tree_flatten({"w": {"x": 1}}, destination={})
    {'w.x': 1}
    """
    if destination is None:
        destination = []
    if isinstance(destination, list):
        add = destination.append
    elif isinstance(destination, dict):

        def add(pair):
            destination[pair[0]] = pair[1]

    else:
        raise ValueError(
            "[tree_flatten] destination must be a list, a dict or None: "
            f"got {type(destination).__name__}"
        )

    _flatten_into(add, tree, prefix, is_leaf)
    return destination


def _list_indices(keys: Iterable[str]) -> dict[int, str] | None:
    """Maps list indices to keys when every key is an integer and no two are the same one."""
    indices: dict[int, str] = {}
    for key in keys:
        try:
            index = int(key)
        except ValueError:
            return None
        if index in indices:
            return None
        indices[index] = key
    return indices


def tree_unflatten(tree: list[tuple[str, Any]] | dict[str, Any]) -> Any:
    """Builds the tree that :func:`tree_flatten` took apart.

    A level whose keys are all distinct integers becomes a list in the order of those integers, gaps
    filled with ``{}``; any other level becomes a dict.

    Args:
        tree: (path, leaf) pairs, or a dict from path to leaf.

    Returns:
        The tree. One pair with the path ``""`` gives its leaf, no pairs give ``[]``.

    Raises:
        ValueError: A list index lies more than a million places behind the number of items.

    >>> tree_unflatten([("layers.2.w", 1), ("layers.0.w", 2)])
    {'layers': [{'w': 2}, {}, {'w': 1}]}
    """
    items = list(tree.items() if isinstance(tree, dict) else tree)
    if len(items) == 1 and items[0][0] == "":
        return items[0][1]

    groups: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    for path, leaf in items:
        key, _, below = path.partition(".")
        groups[key].append((below, leaf))

    indices = _list_indices(groups)
    if indices is None:
        return {key: tree_unflatten(children) for key, children in groups.items()}

    result: list[Any] = []
    for index in sorted(indices):
        if index - len(indices) > _MAX_LIST_GAP:
            raise ValueError(
                f"[tree_unflatten] list index {index} with only {len(indices)} items beside it: "
                f"a gap of more than {_MAX_LIST_GAP} is not filled"
            )
        while len(result) < index:
            result.append({})
        result.append(tree_unflatten(groups[indices[index]]))
    return result


def tree_reduce(
    fn: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = None,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Folds the leaves of ``tree`` from left to right.

    Args:
        fn: Called as ``fn(accumulator, leaf)``.
        tree: The tree.
        initializer: The first accumulator; ``None`` means the first leaf.
        is_leaf: ``is_leaf(node)`` makes a node a leaf although it is a container.

    Returns:
        The last accumulator; ``initializer`` when there are no leaves.

    >>> tree_reduce(lambda total, x: total + x, {"a": [1, 2], "b": 3}, 0)
    6
    """
    leaves = iter(tree_flatten(tree, is_leaf=is_leaf))
    if initializer is None:
        first = next(leaves, None)
        if first is None:
            return None
        initializer = first[1]
    for _, leaf in leaves:
        initializer = fn(initializer, leaf)
    return initializer


_ABSENT = object()


def tree_merge(tree_a: Any, tree_b: Any, merge_fn: Callable | None = None) -> Any:
    """Unites two trees.

    Dicts are united by key and lists (or tuples) by position, at every depth; a subtree that only
    one side has is taken as it is. An empty container counts as absent, so a leaf beats it.

    Args:
        tree_a: The first tree; its list and tuple classes are kept.
        tree_b: The second tree.
        merge_fn: ``merge_fn(a, b)`` decides where both sides have a leaf.

    Raises:
        ValueError: Both sides have a leaf at one place (or a leaf and a container, or a dict and a
            list) and there is no ``merge_fn``; or empty containers of two classes meet.

    >>> tree_merge({"a": {"x": 1}}, {"a": {"y": 2}, "b": 3})
    {'a': {'x': 1, 'y': 2}, 'b': 3}
    >>> tree_merge([1, 2], [10], lambda a, b: a + b)
    [11, 2]
    """
    empty_a = isinstance(tree_a, (dict, list, tuple)) and not tree_a
    empty_b = isinstance(tree_b, (dict, list, tuple)) and not tree_b
    if empty_a and empty_b:
        if type(tree_a) is not type(tree_b):
            raise ValueError(
                "[tree_merge] cannot merge an empty "
                f"{type(tree_a).__name__} with an empty {type(tree_b).__name__}"
            )
        return type(tree_a)()
    # Where the other side does not reach, an empty container stays what it is.
    if tree_a is _ABSENT or tree_b is _ABSENT:
        return tree_b if tree_a is _ABSENT else tree_a

    a = None if empty_a else tree_a
    b = None if empty_b else tree_b
    if (a is None) != (b is None):
        return b if a is None else a
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        size = max(len(a), len(b))
        pairs = (
            (a[i] if i < len(a) else _ABSENT, b[i] if i < len(b) else _ABSENT) for i in range(size)
        )
        return _rebuild(type(a), [tree_merge(x, y, merge_fn) for x, y in pairs])
    if isinstance(a, dict) and isinstance(b, dict):
        keys = dict.fromkeys((*a, *b))
        return {k: tree_merge(a.get(k, _ABSENT), b.get(k, _ABSENT), merge_fn) for k in keys}
    if merge_fn is None:
        raise ValueError(
            "[tree_merge] both trees have an element at one place "
            f"({type(tree_a).__name__} and {type(tree_b).__name__}) and no merge_fn was given"
        )
    return merge_fn(a, b)
