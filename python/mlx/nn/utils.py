# Gradients with respect to a module's parameters, and averaging and clipping them over the
# processes of a distributed group. The plain transforms are in mlx.core.
"""Transforms of functions of modules, and gradients in distributed training."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map, tree_reduce, tree_unflatten

if TYPE_CHECKING:
    from .layers.base import Module

_Slot = tuple[Any, Any, Any, mx.array]


def _put(node: Any, tree: Any, replaced: list[_Slot]) -> None:
    """Writes the arrays of ``tree`` into ``node`` and notes (node, key, old, new) of each."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, mx.array):
            replaced.append((node, key, node[key], value))
            node[key] = value
        elif isinstance(value, (dict, list)):
            _put(node[key], value, replaced)


def _function_of_parameters(module: Module, fn: Callable) -> Callable:
    """Makes ``fn``, which uses ``module``, a function of the parameters and its own arguments.

    During a call the module holds the parameters given. Afterwards it holds its own again, except
    where ``fn`` itself has assigned others (running statistics, for instance).
    """

    def call(parameters, *args, **kwargs):
        replaced: list[_Slot] = []
        try:
            _put(module, parameters, replaced)
            return fn(*args, **kwargs)
        finally:
            for node, key, old, new in replaced:
                if node[key] is new:
                    node[key] = old

    return call


def value_and_grad(model: Module, fn: Callable) -> Callable:
    """Makes a function that returns ``fn``'s value and its gradient by the model's parameters.

    Args:
        model: Its trainable parameters are differentiated; frozen ones are left out.
        fn: Uses the model, returns a scalar array or a tuple that begins with one.

    Returns:
        A function of ``fn``'s arguments that returns ``(value, gradients)``; the value is all that
        ``fn`` returns, the gradients are laid out as ``model.trainable_parameters()``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> model = nn.Linear(2, 1, bias=False)
    >>> loss_and_grad = nn.value_and_grad(model, lambda x: model(x).sum())
    >>> loss, grads = loss_and_grad(mx.array([1.0, 2.0]))
    >>> grads["weight"].tolist()
    [[1.0, 2.0]]
    """
    value_and_grad_fn = mx.value_and_grad(_function_of_parameters(model, fn))

    @wraps(fn)
    def wrapped(*args, **kwargs):
        return value_and_grad_fn(model.trainable_parameters(), *args, **kwargs)

    return wrapped


def checkpoint(module: Module, fn: Callable | None = None) -> Callable:
    """Makes a function that keeps no intermediate values for its gradient but computes them again.

    Args:
        module: Gradients flow to its trainable parameters and to the arguments.
        fn: Uses the module; default: the module itself.

    Returns:
        A function with the arguments and results of ``fn``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> layer = nn.Linear(2, 1)
    >>> nn.utils.checkpoint(layer)(mx.ones((3, 2))).shape
    (3, 1)
    """
    if fn is None:

        def fn(*args, **kwargs):
            # Looked up at every call, for layers whose __call__ is replaced later.
            return module(*args, **kwargs)

    checkpointed = mx.checkpoint(_function_of_parameters(module, fn))

    @wraps(fn)
    def wrapped(*args, **kwargs):
        return checkpointed(module.trainable_parameters(), *args, **kwargs)

    return wrapped


def _all_sum_packed(
    leaves: list[mx.array], group: mx.distributed.Group, stream: Any
) -> list[mx.array]:
    """Averages several arrays with one message."""
    size = group.size()
    packed = mx.concatenate([leaf.reshape(-1) for leaf in leaves])
    packed = mx.distributed.all_sum(packed, group=group, stream=stream) / size
    ends, total = [], 0
    for leaf in leaves[:-1]:
        total += leaf.size
        ends.append(total)
    parts = mx.split(packed, ends) if ends else [packed]
    return [part.reshape(leaf.shape) for part, leaf in zip(parts, leaves)]


def average_gradients(
    gradients: Any,
    group: mx.distributed.Group | None = None,
    all_reduce_size: int = 32 * 1024**2,
    communication_stream: Any = None,
) -> Any:
    """Averages gradients over the processes of a group.

    Args:
        gradients: A tree of arrays.
        group: Default: all processes. A group of one returns the tree as it is.
        all_reduce_size: Bytes to collect into one message; 0 or less sends every array on its own.
            Arrays of several dtypes are always sent on their own.
        communication_stream: Where the messages are sent; default: the group's own.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.average_gradients({"w": mx.array([1.0])})["w"].tolist()  # one process
    [1.0]
    """
    group = group or mx.distributed.init()
    size = group.size()
    if size == 1:
        return gradients

    flat = tree_flatten(gradients)
    if not flat:
        return gradients
    if all_reduce_size <= 0:
        return tree_map(
            lambda g: mx.distributed.all_sum(g, group=group, stream=communication_stream) / size,
            gradients,
        )
    if any(leaf.dtype != flat[0][1].dtype for _, leaf in flat):
        return average_gradients(gradients, group, 0)

    itemsize = flat[0][1].dtype.size
    averaged: list[mx.array] = []
    pack: list[mx.array] = []
    pack_bytes = 0
    for _, leaf in flat:
        pack.append(leaf)
        pack_bytes += leaf.size * itemsize
        if pack_bytes >= all_reduce_size:
            averaged += _all_sum_packed(pack, group, communication_stream)
            pack, pack_bytes = [], 0
    if pack:
        averaged += _all_sum_packed(pack, group, communication_stream)
    return tree_unflatten([(path, new) for (path, _), new in zip(flat, averaged)])


def clip_grad_norm_sharded(
    gradients: Any, max_norm: float, group: mx.distributed.Group | None = None
) -> tuple[Any, mx.array]:
    """Scales gradients whose norm over all shards exceeds ``max_norm``.

    Args:
        gradients: A tree with this process's shards, as :func:`mlx.nn.fully_shard` gives them.
        max_norm: The largest norm.
        group: Default: all processes.

    Returns:
        The gradients times ``min(max_norm / (norm + 1e-6), 1)``, and the norm before that.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> _, norm = nn.utils.clip_grad_norm_sharded({"w": mx.array([3.0, 4.0])}, 1.0)
    >>> norm.item()
    5.0
    """
    group = group or mx.distributed.init()
    local = tree_reduce(lambda total, g: total + mx.sum(mx.square(g)), gradients, mx.array(0.0))
    norm = mx.sqrt(mx.distributed.all_sum(local, group=group))
    scale = mx.minimum(max_norm / (norm + 1e-6), 1.0)
    return tree_map(lambda g: g * scale.astype(g.dtype), gradients), norm
