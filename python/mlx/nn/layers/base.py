# Module: the base class of all layers. How it stores attributes, walks its sub-modules, changes,
# freezes, saves and loads its parameters. The layers themselves are in the files beside this one.
"""The base class of all layers."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_unflatten

Filter = Callable[["Module", str, Any], bool]


class Module(dict):
    """A layer, a block or a whole model: a tree of parameters with a ``__call__``.

    A module is a ``dict``: attributes that are arrays, modules, dicts, lists or tuples are its
    items, so every function over trees (:mod:`mlx.utils`, ``mx.eval``, ``mx.compile``) sees the
    parameters. Other attributes are ordinary ones. Arrays under a name that begins with an
    underscore are not parameters.

    Subclasses call ``super().__init__()`` first, then assign parameters and sub-modules, and define
    ``__call__``. Modules are compared by content, as dicts are; ``is`` tells one from another.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> class MLP(nn.Module):
    ...     def __init__(self, width):
    ...         super().__init__()
    ...         self.layers = [nn.Linear(2, width), nn.Linear(width, 1)]
    ...
    ...     def __call__(self, x):
    ...         return self.layers[1](nn.relu(self.layers[0](x)))
    >>> model = MLP(8)
    >>> model(mx.ones((5, 2))).shape
    (5, 1)
    >>> model.parameters()["layers"][0]["weight"].shape
    (8, 2)
    """

    __call__: Callable

    def __init__(self):
        self._no_grad = set()
        self._training = True

    # Attributes

    def __setattr__(self, key: str, value: Any) -> None:
        if isinstance(value, (mx.array, dict, list, tuple)):
            # A name in the instance's __dict__ would hide the item; a name of the class cannot be
            # removed, which raises AttributeError.
            if key not in self and hasattr(self, key):
                super().__delattr__(key)
            self[key] = value
        else:
            super().__setattr__(key, value)
            self.pop(key, None)

    def __getattr__(self, key: str) -> Any:
        value = dict.get(self, key)
        if value is not None:
            return value
        if key in ("_no_grad", "_training"):
            raise AttributeError(
                f"{type(self).__name__} has no attribute {key!r}: its __init__ has to call "
                "super().__init__() first"
            )
        # Raises the usual error, or the one that a property raised.
        return super().__getattribute__(key)

    def __delattr__(self, key: str) -> None:
        if key in self:
            del self[key]
        else:
            super().__delattr__(key)

    @property
    def training(self) -> bool:
        """Whether the module is in training mode; see :meth:`train` and :meth:`eval`."""
        return self._training

    @property
    def state(self) -> Module:
        """The module itself, as the dict of all it holds.

        Writing to it writes to the module. Give it to ``mx.compile(inputs=..., outputs=...)``.
        """
        return self

    def _extra_repr(self) -> str:
        """What stands between the parentheses of the repr; for subclasses to override."""
        return ""

    def __repr__(self) -> str:
        text = f"{type(self).__name__}({self._extra_repr()}"
        children = tree_flatten(self.children(), is_leaf=Module.is_module)
        for path, child in children:
            text += "\n" + textwrap.indent(f"({path}): {child!r}", "  ")
        return text + ("\n)" if children else ")")

    # Walking the tree

    @staticmethod
    def is_module(value: Any) -> bool:
        """Whether ``value`` is a module; handy as the ``is_leaf`` of the tree functions."""
        return isinstance(value, Module)

    @staticmethod
    def valid_child_filter(module: Module, key: str, value: Any) -> bool:
        """Passes what can be or hold a sub-module."""
        return isinstance(value, (dict, list))

    @staticmethod
    def valid_parameter_filter(module: Module, key: str, value: Any) -> bool:
        """Passes what can be or hold a parameter: names that begin with ``_`` are private."""
        return isinstance(value, (dict, list, mx.array)) and not key.startswith("_")

    @staticmethod
    def trainable_parameter_filter(module: Module, key: str, value: Any) -> bool:
        """Passes the parameters that are not frozen."""
        return Module.valid_parameter_filter(module, key, value) and key not in module._no_grad

    def filter_and_map(
        self,
        filter_fn: Filter,
        map_fn: Callable[[Any], Any] | None = None,
        is_leaf_fn: Filter | None = None,
    ) -> dict:
        """Picks items of this module and all below it, and maps the leaves.

        Both predicates are called as ``fn(module, key, value)`` with the module that owns the
        value; ``key`` is the attribute's name in that module, inside a dict or list attribute the
        dotted path from the attribute (``"layers.0"``).

        Args:
            filter_fn: Items of a module that fail it are left out; entries of dict and list
                attributes that fail it become ``{}``, so positions are kept.
            map_fn: Applied to every leaf. Default: the identity.
            is_leaf_fn: Where to stop. Default: everything that is no module, dict or list.

        Returns:
            Nested dicts and lists.

        Raises:
            RuntimeError: The filter passed something that is neither a leaf nor a container.

        >>> import mlx.core as mx, mlx.nn as nn
        >>> layer = nn.Linear(2, 3)
        >>> layer.filter_and_map(lambda module, key, value: key == "bias", lambda x: x.shape)
        {'bias': (3,)}
        """

        def leaf_default(module, key, value):
            return not isinstance(value, (dict, list))

        def identity(value):
            return value

        return _select_items(self, filter_fn, map_fn or identity, is_leaf_fn or leaf_default)

    def parameters(self) -> dict:
        """All arrays of this module and those below it as nested dicts and lists, frozen included.

        >>> import mlx.nn as nn
        >>> sorted(nn.Linear(2, 3).parameters())
        ['bias', 'weight']
        """
        return self.filter_and_map(self.valid_parameter_filter)

    def trainable_parameters(self) -> dict:
        """:meth:`parameters` without the frozen ones.

        >>> import mlx.nn as nn
        >>> list(nn.Linear(2, 3).freeze(keys="bias").trainable_parameters())
        ['weight']
        """
        return self.filter_and_map(self.trainable_parameter_filter)

    def children(self) -> dict:
        """The direct sub-modules, in the dicts and lists that hold them."""
        return self.filter_and_map(
            self.valid_child_filter, is_leaf_fn=lambda module, key, value: Module.is_module(value)
        )

    def leaf_modules(self) -> dict:
        """The sub-modules that hold no further ones, in the tree that leads to them.

        >>> import mlx.nn as nn
        >>> model = nn.Sequential(nn.Sequential(nn.Linear(2, 2)), nn.ReLU())
        >>> model.leaf_modules()["layers"][0]["layers"][0]
        Linear(input_dims=2, output_dims=2, bias=True)
        """

        def is_leaf(module, key, value):
            return isinstance(value, Module) and not tree_flatten(value.children())

        return self.filter_and_map(self.valid_child_filter, is_leaf_fn=is_leaf)

    def modules(self) -> list[Module]:
        """This module and all below it, this one first."""
        return [module for _, module in self.named_modules()]

    def named_modules(self) -> list[tuple[str, Module]]:
        """(dotted path, module) for this module (path ``""``) and all below it.

        >>> import mlx.nn as nn
        >>> [path for path, _ in nn.Sequential(nn.ReLU(), nn.Linear(1, 1)).named_modules()]
        ['', 'layers.1', 'layers.0']
        """
        found = []
        self.apply_to_modules(lambda path, module: found.append((path, module)))
        return found

    def apply_to_modules(self, apply_fn: Callable[[str, Module], Any]) -> Module:
        """Calls ``apply_fn(path, module)`` for this module and all below it; returns self.

        A parent comes before its children, and its children are looked up after the call: a
        function may change them. Siblings come last to first.
        """
        stack = [("", self)]
        while stack:
            path, module = stack.pop()
            apply_fn(path, module)
            prefix = f".{path}" if path else ""
            stack.extend(tree_flatten(module.children(), prefix, is_leaf=Module.is_module))
        return self

    # Changing parameters and sub-modules

    def update(self, parameters: dict, strict: bool = True) -> Module:  # type: ignore[override]
        """Replaces parameters by those of a tree that may be sparse; returns self.

        Shapes and dtypes are not compared, and frozen parameters are replaced too.

        Args:
            parameters: Nested dicts and lists of arrays, laid out as :meth:`parameters` is.
            strict: ``False`` skips what does not fit instead of raising.

        Raises:
            ValueError: (strict) A name or list index that the module does not have, or something
                that is no array where the module has one.

        >>> import mlx.core as mx, mlx.nn as nn
        >>> layer = nn.Linear(2, 3).update({"bias": mx.ones((3,))})
        >>> layer.bias.tolist()
        [1.0, 1.0, 1.0]
        """
        _update_arrays(self, parameters, strict, "")
        return self

    def update_modules(self, modules: dict, strict: bool = True) -> Module:
        """Replaces sub-modules by those of a tree that may be sparse; returns self.

        Args:
            modules: Nested dicts and lists of modules, laid out as :meth:`children` or
                :meth:`leaf_modules` are; ``{}`` leaves a place as it is.
            strict: ``False`` skips what does not fit instead of raising.

        Raises:
            ValueError: (strict) A name or list index that the module does not have, or a place
                that holds no module.

        >>> import mlx.nn as nn
        >>> from mlx.utils import tree_unflatten
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        >>> _ = model.update_modules(tree_unflatten([("layers.1", nn.GELU())]))
        >>> type(model.layers[1]).__name__
        'GELU'
        """
        _update_modules(self, modules, strict, "")
        return self

    def apply(
        self, map_fn: Callable[[mx.array], mx.array], filter_fn: Filter | None = None
    ) -> Module:
        """Replaces every parameter by ``map_fn`` of it, frozen ones too; returns self.

        Args:
            map_fn: Array to array.
            filter_fn: Which ones; default :meth:`valid_parameter_filter`.

        >>> import mlx.core as mx, mlx.nn as nn
        >>> nn.Linear(2, 2).apply(lambda x: x.astype(mx.float16)).weight.dtype
        mlx.core.float16
        """
        return self.update(self.filter_and_map(filter_fn or self.valid_parameter_filter, map_fn))

    def set_dtype(
        self,
        dtype: mx.Dtype,
        predicate: Callable[[mx.Dtype], bool] | None = lambda d: mx.issubdtype(d, mx.floating),
    ) -> None:
        """Casts the parameters whose dtype satisfies ``predicate`` (default: floating ones).

        Args:
            dtype: The new dtype.
            predicate: Dtype to bool; ``None`` casts all.

        >>> import mlx.core as mx, mlx.nn as nn
        >>> layer = nn.Linear(2, 2)
        >>> layer.set_dtype(mx.bfloat16)
        >>> layer.bias.dtype
        mlx.core.bfloat16
        """
        self.apply(lambda x: x.astype(dtype) if predicate is None or predicate(x.dtype) else x)

    # Training mode and freezing

    def _set_training_mode(self, mode: bool) -> None:
        """Called by :meth:`train` and :meth:`eval` on every module; for subclasses to extend."""
        self._training = mode

    def train(self, mode: bool = True) -> Module:
        """Puts this module and all below it in training mode (``False``: evaluation mode)."""
        return self.apply_to_modules(lambda _, module: module._set_training_mode(mode))

    def eval(self) -> Module:
        """Puts this module and all below it in evaluation mode: ``train(False)``."""
        return self.train(False)

    def freeze(
        self, *, recurse: bool = True, keys: str | list[str] | None = None, strict: bool = False
    ) -> Module:
        """Takes parameters out of :meth:`trainable_parameters`; returns self.

        Args:
            recurse: Also in all modules below this one.
            keys: Names of the parameters, or one name; ``None`` means all.
            strict: Check that the names exist.

        Raises:
            KeyError: (strict) No module of the tree (without ``recurse``: not this one) has such
                an item.

        >>> import mlx.nn as nn
        >>> from mlx.utils import tree_flatten
        >>> model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)).freeze(keys="weight")
        >>> [path for path, _ in tree_flatten(model.trainable_parameters())]
        ['layers.0.bias', 'layers.1.bias']
        """
        modules = self.modules() if recurse else [self]
        if keys is not None:
            names = keys if isinstance(keys, list) else [keys]
            if strict:
                _require_items(modules, names)
            for module in modules:
                module._no_grad.update(names)
            return self

        own = [(module, _own_array_paths(module)) for module in modules]
        if strict:
            for module, names in own:
                _require_items([module], names)
        for module, names in own:
            module._no_grad.update(names)
        return self

    def unfreeze(
        self, *, recurse: bool = True, keys: str | list[str] | None = None, strict: bool = False
    ) -> Module:
        """Undoes :meth:`freeze`; returns self. The arguments are those of :meth:`freeze`.

        >>> import mlx.nn as nn
        >>> layer = nn.Linear(2, 2).freeze()
        >>> sorted(layer.unfreeze().trainable_parameters())
        ['bias', 'weight']
        """
        modules = self.modules() if recurse else [self]
        if keys is None:
            for module in modules:
                module._no_grad.clear()
            return self
        names = keys if isinstance(keys, list) else [keys]
        if strict:
            _require_items(modules, names)
        for module in modules:
            module._no_grad.difference_update(names)
        return self

    # Files

    def load_weights(
        self,
        file_or_weights: str | os.PathLike | list[tuple[str, mx.array]],
        strict: bool = True,
    ) -> Module:
        """Sets the parameters from a file or from (path, array) pairs; returns self.

        The dtype of the loaded arrays wins.

        Args:
            file_or_weights: A ``.npz`` or ``.safetensors`` file, or the pairs (a dict works too).
            strict: Names and shapes have to match exactly; ``False`` takes what fits by name.

        Raises:
            ValueError: (strict) Names the model does not have, names that are missing, values that
                are no arrays, or other shapes.

        >>> import mlx.core as mx, mlx.nn as nn
        >>> layer = nn.Linear(2, 1, bias=False).load_weights([("weight", mx.ones((1, 2)))])
        >>> layer(mx.ones((2,))).item()
        2.0
        """
        if isinstance(file_or_weights, (str, os.PathLike)):
            weights = mx.load(os.fspath(file_or_weights))
        else:
            weights = dict(file_or_weights)

        if strict:
            _require_same_arrays(weights, tree_flatten(self.parameters(), destination={}))
        if weights:
            self.update(tree_unflatten(weights), strict=False)
        return self

    def save_weights(self, file: str | os.PathLike) -> None:
        """Writes all parameters to ``file``.

        Args:
            file: The path; its suffix, ``.npz`` or ``.safetensors``, chooses the format.

        Raises:
            ValueError: Another suffix.

        >>> import os, tempfile, mlx.nn as nn
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "model.safetensors")
        ...     nn.Linear(2, 2).save_weights(path)
        ...     _ = nn.Linear(2, 2).load_weights(path)
        """
        file = os.fspath(file)
        weights = tree_flatten(self.parameters(), destination={})
        if file.endswith(".npz"):
            mx.savez(file, **weights)
        elif file.endswith(".safetensors"):
            mx.save_safetensors(file, weights)
        else:
            raise ValueError(
                f"[save_weights] the suffix must be .npz or .safetensors: got {file!r}"
            )


# The walks below are functions of the file, not closures: a closure that calls itself is a
# reference cycle and would keep the arrays of a dropped model until the next garbage collection.


def _select_items(module: Module, filter_fn, map_fn, is_leaf_fn) -> dict:
    return {
        key: _select(module, key, value, filter_fn, map_fn, is_leaf_fn)
        for key, value in module.items()
        if filter_fn(module, key, value)
    }


def _select(owner: Module, key: str, value: Any, filter_fn, map_fn, is_leaf_fn) -> Any:
    if is_leaf_fn(owner, key, value):
        return map_fn(value)
    if isinstance(value, Module):
        return _select_items(value, filter_fn, map_fn, is_leaf_fn)

    def below(name, child):
        path = f"{key}.{name}"
        if not filter_fn(owner, path, child):
            return {}
        return _select(owner, path, child, filter_fn, map_fn, is_leaf_fn)

    if isinstance(value, dict):
        return {name: below(name, child) for name, child in value.items()}
    if isinstance(value, list):
        return [below(i, child) for i, child in enumerate(value)]
    raise RuntimeError(
        f"[filter_and_map] {key!r} of {type(owner).__name__} is neither a leaf nor a module, dict "
        f"or list: got {type(value).__name__}"
    )


def _own_array_paths(module: Module) -> list[str]:
    """Dotted paths of the arrays of ``module`` that are reached without entering a sub-module."""

    def own(owner, key, value):
        return not isinstance(value, Module) and Module.valid_parameter_filter(owner, key, value)

    return [path for path, _ in tree_flatten(module.filter_and_map(own))]


def _require_items(modules: list[Module], names: Iterable[str]) -> None:
    for name in names:
        if not any(name in module for module in modules):
            raise KeyError(f"{type(modules[0]).__name__} has no item {name!r}")


def _matching_places(node: Any, tree: Any, strict: bool, path: str, what: str):
    """Pairs the entries of ``tree`` with places of ``node``: yields (key, new value, path)."""
    if isinstance(tree, dict):
        entries: Iterable = tree.items()
    elif isinstance(tree, list):
        entries = enumerate(tree)
    elif strict:
        raise ValueError(
            f"[{what}] expected a dict or a list at {path or 'the root'!r}: "
            f"got {type(tree).__name__}"
        )
    else:
        return

    for key, value in entries:
        place = f"{path}.{key}" if path else str(key)
        if isinstance(node, list):
            exists = isinstance(key, int) and key < len(node)
        elif isinstance(node, dict):
            # A dict whose keys are integers comes back from a flat file as a list.
            if key not in node and isinstance(tree, list):
                if isinstance(value, dict) and not value:
                    continue
                key = str(key)
            exists = key in node
        else:
            exists = False
        if exists:
            yield key, value, place
        elif strict:
            raise ValueError(f"[{what}] the module has nothing at {place!r}")


def _update_arrays(node: Any, tree: Any, strict: bool, path: str) -> None:
    for key, new, place in _matching_places(node, tree, strict, path, "update"):
        old = node[key]
        if not isinstance(old, mx.array):
            _update_arrays(old, new, strict, place)
        elif strict and not isinstance(new, mx.array):
            raise ValueError(f"[update] expected an array for {place!r}: got {type(new).__name__}")
        else:
            node[key] = new


def _update_modules(node: Any, tree: Any, strict: bool, path: str) -> None:
    for key, new, place in _matching_places(node, tree, strict, path, "update_modules"):
        old = node[key]
        if isinstance(old, Module) and isinstance(new, Module):
            node[key] = new
        elif isinstance(old, (dict, list)):
            _update_modules(old, new, strict, place)
        elif strict and not (isinstance(new, dict) and not new):
            raise ValueError(
                f"[update_modules] {place!r} is no module but {type(old).__name__}: "
                f"cannot put {type(new).__name__} there"
            )


def _require_same_arrays(weights: dict[str, Any], expected: dict[str, mx.array]) -> None:
    def names(paths):
        paths = sorted(paths)
        more = f" and {len(paths) - 10} more" if len(paths) > 10 else ""
        return ", ".join(paths[:10]) + more

    if extra := weights.keys() - expected.keys():
        raise ValueError(
            f"[load_weights] received {len(extra)} parameters not in model: {names(extra)}"
        )
    if missing := expected.keys() - weights.keys():
        raise ValueError(f"[load_weights] missing {len(missing)} parameters: {names(missing)}")
    for path, array in expected.items():
        new = weights[path]
        if not isinstance(new, mx.array):
            raise ValueError(
                f"[load_weights] expected an array for {path}: got {type(new).__name__}"
            )
        if new.shape != array.shape:
            raise ValueError(
                f"[load_weights] expected shape {tuple(array.shape)} for {path}: "
                f"got {tuple(new.shape)}"
            )
