# Layers whose weights are spread over the processes of a group: tensor parallelism (sharded linear
# layers) and fully sharded data parallelism. Averaging gradients is in mlx.nn.utils.
"""Distributed layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten, tree_map_with_path, tree_unflatten

from .base import Module
from .linear import Linear
from .quantized import QuantizedLinear

Segments = int | list[int] | list[float]
ShardingPredicate = Callable[[str, mx.array], "int | tuple[int, Segments] | None"]


@lru_cache
def sum_gradients(group: mx.distributed.Group) -> Callable[[mx.array], mx.array]:
    """Makes the identity whose gradient is summed over a group.

    It goes before a layer whose output is sharded: each process then sees only its part of the
    gradient of the common input.

    >>> import mlx.core as mx
    >>> from mlx.nn.layers.distributed import sum_gradients
    >>> sum_gradients(mx.distributed.init())(mx.array([1.0])).tolist()
    [1.0]
    """
    if group.size() == 1:
        return lambda x: x

    @mx.custom_function
    def forward(x):
        return x

    @forward.vjp
    def sum_cotangents(x, cotangent, _):
        return mx.distributed.all_sum(cotangent, group=group)

    return forward


# Which part of a parameter belongs to a process


def _split_segments(weight: mx.array, axis: int, segments: Segments) -> list[mx.array]:
    if isinstance(segments, int):
        return mx.split(weight, segments, axis=axis)
    size = weight.shape[axis]
    positions = [int(s * size) if isinstance(s, float) else s for s in segments]
    return mx.split(weight, positions, axis=axis)


def _shard(
    weight: mx.array, axis: int, segments: Segments, group: mx.distributed.Group
) -> mx.array:
    """This process's share of every segment of ``weight`` along ``axis``."""
    size, rank = group.size(), group.rank()
    shares = [
        mx.split(part, size, axis=axis)[rank] for part in _split_segments(weight, axis, segments)
    ]
    return mx.contiguous(mx.concatenate(shares, axis=axis))


def _all_to_sharded(segments: Segments) -> ShardingPredicate:
    """Outputs are sharded: rows of matrices and all of the bias."""

    def place(path: str, weight: mx.array):
        return (-1 if path.endswith("bias") else max(weight.ndim - 2, 0)), segments

    return place


def _sharded_to_all(segments: Segments) -> ShardingPredicate:
    """Inputs are sharded: columns of matrices; the bias is added once, after the sum."""

    def place(path: str, weight: mx.array):
        return None if path.endswith("bias") else (-1, segments)

    return place


def _as_predicate(sharding: str | ShardingPredicate, segments: Segments) -> ShardingPredicate:
    if callable(sharding):
        return sharding
    if sharding == "all-to-sharded":
        return _all_to_sharded(segments)
    if sharding == "sharded-to-all":
        return _sharded_to_all(segments)
    raise ValueError(
        "[shard] sharding must be 'all-to-sharded', 'sharded-to-all' or a function: "
        f"got {sharding!r}"
    )


def _sharded_parameters(
    parameters: dict, predicate: ShardingPredicate, group: mx.distributed.Group
) -> dict:
    def place(path, weight):
        if not isinstance(weight, mx.array):
            return weight
        where = predicate(path, weight)
        if where is None:
            return weight
        if isinstance(where, int):
            where = (where, 1)
        if not isinstance(where, tuple) or len(where) != 2:
            raise ValueError(
                "[shard] the function must return None, an axis or (axis, segments): "
                f"got {where!r} for {path!r}"
            )
        return _shard(weight, *where, group)

    return tree_map_with_path(place, parameters)


def shard_inplace(
    module: Module,
    sharding: str | ShardingPredicate,
    *,
    segments: Segments = 1,
    group: mx.distributed.Group | None = None,
) -> None:
    """Replaces the parameters of a module by this process's shares of them.

    Communication is the module's own business.

    Args:
        module: Changed in place.
        sharding: ``"all-to-sharded"`` (outputs are sharded), ``"sharded-to-all"`` (inputs are), or
            ``f(path, weight)`` that returns ``None`` to keep a parameter whole, an axis, or
            ``(axis, segments)``.
        segments: Parts of a fused weight that are sharded one by one: a number of equal parts, or
            positions to split at, as integers or as fractions of the axis.
        group: Default: all processes.

    Raises:
        ValueError: Another string, or the function returned something else.

    >>> import mlx.nn as nn
    >>> from mlx.nn.layers.distributed import shard_inplace
    >>> shard_inplace(nn.Linear(4, 4), "all-to-sharded")
    """
    group = group or mx.distributed.init()
    predicate = _as_predicate(sharding, segments)
    module.update(_sharded_parameters(module.parameters(), predicate, group))


def shard_linear(
    module: Module,
    sharding: str,
    *,
    segments: Segments = 1,
    group: mx.distributed.Group | None = None,
) -> Module:
    """Makes a distributed layer of a linear one, quantized or not, which stays as it is.

    Args:
        module: A :class:`Linear` or :class:`QuantizedLinear`.
        sharding: ``"all-to-sharded"`` or ``"sharded-to-all"``.
        segments: As in :func:`shard_inplace`.
        group: Default: all processes.

    Raises:
        ValueError: Another string, or dimensions that the group does not divide.

    >>> import mlx.nn as nn
    >>> from mlx.nn.layers.distributed import shard_linear
    >>> type(shard_linear(nn.Linear(4, 4), "all-to-sharded")).__name__
    'AllToShardedLinear'
    """
    plain = isinstance(module, Linear)
    cls: Any
    if sharding == "all-to-sharded":
        cls = AllToShardedLinear if plain else QuantizedAllToShardedLinear
    elif sharding == "sharded-to-all":
        cls = ShardedToAllLinear if plain else QuantizedShardedToAllLinear
    else:
        raise ValueError(
            "[shard_linear] sharding must be 'all-to-sharded' or 'sharded-to-all': "
            f"got {sharding!r}"
        )
    make = cls.from_linear if plain else cls.from_quantized_linear
    return make(module, segments=segments, group=group)


def _share_of(layer: Module, name: str, size: int, group: mx.distributed.Group) -> int:
    if size % group.size() != 0:
        raise ValueError(
            f"[{type(layer).__name__}] {name} must be a multiple of the group's size "
            f"{group.size()}: got {size}"
        )
    return size // group.size()


class AllToShardedLinear(Module):
    """A linear layer of which each process computes a part of the outputs.

    Every process has the whole input; the output of process r has the shape
    ``(..., output_dims / N)``. The gradient of the input is summed over the group.

    Args:
        input_dims: Size of the input.
        output_dims: Size of the output of all processes; a multiple of N.
        bias: Whether there is a bias.
        group: Default: all processes.

    Parameters of a process: ``weight`` ``(output_dims / N, input_dims)``, ``bias``
    ``(output_dims / N,)``, both uniform in ``±sqrt(1 / input_dims)``.

    Raises:
        ValueError: The group does not divide ``output_dims``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.AllToShardedLinear(4, 6)(mx.ones((2, 4))).shape  # one process
    (2, 6)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group: mx.distributed.Group | None = None,
    ):
        super().__init__()
        self.group = group or mx.distributed.init()
        share = _share_of(self, "output_dims", output_dims, self.group)
        limit = math.sqrt(1.0 / input_dims)
        self.weight = mx.random.uniform(-limit, limit, (share, input_dims))
        if bias:
            self.bias = mx.random.uniform(-limit, limit, (share,))

    def _extra_repr(self) -> str:
        share, input_dims = self.weight.shape
        return (
            f"input_dims={input_dims}, output_dims={share * self.group.size()}, "
            f"bias={'bias' in self}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        x = sum_gradients(self.group)(x)
        if "bias" in self:
            return mx.addmm(self["bias"], x, self["weight"].T)
        return x @ self["weight"].T

    @classmethod
    def from_linear(
        cls,
        linear_layer: Module,
        *,
        segments: Segments = 1,
        group: mx.distributed.Group | None = None,
    ) -> AllToShardedLinear:
        """Takes this process's share of a :class:`Linear`; segments as in :func:`shard_inplace`."""
        group = group or mx.distributed.init()
        output_dims, input_dims = linear_layer.weight.shape
        layer = cls(input_dims, output_dims, "bias" in linear_layer, group)
        layer.update(
            _sharded_parameters(linear_layer.parameters(), _all_to_sharded(segments), group)
        )
        return layer


class ShardedToAllLinear(Module):
    """A linear layer of which each process has a part of the inputs.

    The input of process r has the shape ``(..., input_dims / N)``; the products are summed, so that
    every process has the whole output.

    Args:
        input_dims: Size of the input of all processes; a multiple of N.
        output_dims: Size of the output.
        bias: Whether there is a bias.
        group: Default: all processes.

    Parameters of a process: ``weight`` ``(output_dims, input_dims / N)``, ``bias``
    ``(output_dims,)``, both uniform in ``±sqrt(1 / input_dims)``.

    Raises:
        ValueError: The group does not divide ``input_dims``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ShardedToAllLinear(4, 6)(mx.ones((2, 4))).shape  # one process
    (2, 6)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group: mx.distributed.Group | None = None,
    ):
        super().__init__()
        self.group = group or mx.distributed.init()
        share = _share_of(self, "input_dims", input_dims, self.group)
        limit = math.sqrt(1.0 / input_dims)
        self.weight = mx.random.uniform(-limit, limit, (output_dims, share))
        if bias:
            self.bias = mx.random.uniform(-limit, limit, (output_dims,))

    def _extra_repr(self) -> str:
        output_dims, share = self.weight.shape
        return (
            f"input_dims={share * self.group.size()}, output_dims={output_dims}, "
            f"bias={'bias' in self}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.distributed.all_sum(x @ self["weight"].T, group=self.group)
        return y + self["bias"] if "bias" in self else y

    @classmethod
    def from_linear(
        cls,
        linear_layer: Module,
        *,
        segments: Segments = 1,
        group: mx.distributed.Group | None = None,
    ) -> ShardedToAllLinear:
        """Takes this process's share of a :class:`Linear`; segments as in :func:`shard_inplace`."""
        group = group or mx.distributed.init()
        output_dims, input_dims = linear_layer.weight.shape
        layer = cls(input_dims, output_dims, "bias" in linear_layer, group)
        layer.update(
            _sharded_parameters(linear_layer.parameters(), _sharded_to_all(segments), group)
        )
        return layer


class _QuantizedShardedLinear(Module):
    """What both quantized forms share: the parameters, which stay frozen, and the product."""

    def _make(
        self,
        input_dims: int,
        output_dims: int,
        bias_dims: int | None,
        group_size: int,
        bits: int,
        mode: str,
    ) -> None:
        self.group_size = group_size
        self.bits = bits
        self.mode = mode
        limit = math.sqrt(1.0 / input_dims)
        weight = mx.random.uniform(-limit, limit, (output_dims, input_dims))
        self.weight, self.scales, *biases = mx.quantize(weight, group_size, bits, mode=mode)
        self.biases = biases[0] if biases else None
        if bias_dims is not None:
            self.bias = mx.zeros((bias_dims,))
        self.freeze()

    def unfreeze(self, *args, **kwargs) -> None:  # type: ignore[override]
        """Like :meth:`Module.unfreeze`, but the layer's own parameters stay frozen."""
        super().unfreeze(*args, **kwargs)
        self.freeze(recurse=False)

    def _multiply(self, x: mx.array) -> mx.array:
        return mx.quantized_matmul(
            x,
            self["weight"],
            scales=self["scales"],
            biases=self.get("biases"),
            transpose=True,
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )

    def _repr_with(self, input_dims: int, output_dims: int) -> str:
        return (
            f"input_dims={input_dims}, output_dims={output_dims}, bias={'bias' in self}, "
            f"group_size={self.group_size}, bits={self.bits}, mode={self.mode}"
        )

    @classmethod
    def _from(cls, layer: Module, place: ShardingPredicate, group: mx.distributed.Group) -> Any:
        output_dims, packed = layer.weight.shape
        make: Any = cls  # a subclass; the constructors of both take the same arguments
        new = make(
            packed * 32 // layer.bits,
            output_dims,
            "bias" in layer,
            group_size=layer.group_size,
            bits=layer.bits,
            mode=getattr(layer, "mode", "affine"),
            group=group,
        )
        new.update(_sharded_parameters(layer.parameters(), place, group))
        return new


class QuantizedAllToShardedLinear(_QuantizedShardedLinear):
    """The quantized form of :class:`AllToShardedLinear`. Its parameters are frozen.

    Args:
        input_dims: Size of the input.
        output_dims: Size of the output of all processes; a multiple of N.
        bias: Whether there is a bias.
        group_size: Weights that share a scale.
        bits: Bits per weight.
        mode: See ``mx.quantize``.
        group: Default: all processes.

    Raises:
        ValueError: The group does not divide ``output_dims``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.QuantizedAllToShardedLinear(64, 6)(mx.ones((2, 64))).shape  # one process
    (2, 6)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group_size: int = 64,
        bits: int = 4,
        mode: str = "affine",
        group: mx.distributed.Group | None = None,
    ):
        super().__init__()
        self.group = group or mx.distributed.init()
        share = _share_of(self, "output_dims", output_dims, self.group)
        self._make(input_dims, share, share if bias else None, group_size, bits, mode)

    def _extra_repr(self) -> str:
        share, packed = self.weight.shape
        return self._repr_with(packed * 32 // self.bits, share * self.group.size())

    def __call__(self, x: mx.array) -> mx.array:
        y = self._multiply(sum_gradients(self.group)(x))
        return y + self["bias"] if "bias" in self else y

    @classmethod
    def from_quantized_linear(
        cls,
        quantized_linear_layer: QuantizedLinear,
        *,
        segments: Segments = 1,
        group: mx.distributed.Group | None = None,
    ) -> QuantizedAllToShardedLinear:
        """Takes this process's share of a :class:`QuantizedLinear`."""
        group = group or mx.distributed.init()
        return cls._from(quantized_linear_layer, _all_to_sharded(segments), group)


class QuantizedShardedToAllLinear(_QuantizedShardedLinear):
    """The quantized form of :class:`ShardedToAllLinear`. Its parameters are frozen.

    Args:
        input_dims: Size of the input of all processes; a multiple of N.
        output_dims: Size of the output.
        bias: Whether there is a bias.
        group_size: Weights that share a scale.
        bits: Bits per weight.
        mode: See ``mx.quantize``.
        group: Default: all processes.

    Raises:
        ValueError: The group does not divide ``input_dims``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.QuantizedShardedToAllLinear(64, 6)(mx.ones((2, 64))).shape  # one process
    (2, 6)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group_size: int = 64,
        bits: int = 4,
        mode: str = "affine",
        group: mx.distributed.Group | None = None,
    ):
        super().__init__()
        self.group = group or mx.distributed.init()
        share = _share_of(self, "input_dims", input_dims, self.group)
        self._make(share, output_dims, output_dims if bias else None, group_size, bits, mode)

    def _extra_repr(self) -> str:
        output_dims, packed = self.weight.shape
        return self._repr_with(packed * 32 // self.bits * self.group.size(), output_dims)

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.distributed.all_sum(self._multiply(x), group=self.group)
        return y + self["bias"] if "bias" in self else y

    @classmethod
    def from_quantized_linear(
        cls,
        quantized_linear_layer: QuantizedLinear,
        *,
        segments: Segments = 1,
        group: mx.distributed.Group | None = None,
    ) -> QuantizedShardedToAllLinear:
        """Takes this process's share of a :class:`QuantizedLinear`."""
        group = group or mx.distributed.init()
        return cls._from(quantized_linear_layer, _sharded_to_all(segments), group)


# Fully sharded data parallelism


def _gather_function(
    shards: list[mx.array], group: mx.distributed.Group, compute_dtype: mx.Dtype | None
) -> Callable[..., list[mx.array]]:
    """Makes the function from shards of one dtype to full arrays, whose gradient is averaged and
    scattered."""
    size = group.size()
    dtype = shards[0].dtype
    shapes = [shard.shape for shard in shards]
    ends, total = [], 0
    for shard in shards[:-1]:
        total += shard.size
        ends.append(total)

    def split_columns(rows):
        return mx.split(rows, ends, axis=1) if ends else [rows]

    @mx.custom_function
    def gather(*shards):
        flat = mx.concatenate([shard.reshape(-1) for shard in shards])
        if compute_dtype is not None and mx.issubdtype(dtype, mx.floating):
            flat = flat.astype(compute_dtype)
        rows = mx.distributed.all_gather(flat[None], group=group)
        return [
            part.reshape(shape[0] * size, *shape[1:])
            for part, shape in zip(split_columns(rows), shapes)
        ]

    @gather.vjp
    def average_and_scatter(primals, cotangents, _):
        rows = mx.concatenate([c.reshape(size, -1) for c in cotangents], axis=1)
        own = mx.distributed.sum_scatter(rows, group=group) / size
        return [
            part.reshape(shape).astype(dtype) for part, shape in zip(split_columns(own), shapes)
        ]

    return gather


class FullyShardedModule(Module):
    """Keeps only a slice of every parameter of a module, and gathers them for each call.

    Slices are along axis 0. Gradients of the slices are averaged over the group.

    Args:
        module: Becomes the child ``module``; its parameters are replaced by slices.
        group: Default: all processes.
        compute_dtype: Gather and compute in this dtype.

    Raises:
        ValueError: A parameter is a scalar, or the group does not divide its axis 0.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> from mlx.nn.layers.distributed import FullyShardedModule
    >>> FullyShardedModule(nn.Linear(4, 2))(mx.ones((3, 4))).shape  # one process
    (3, 2)
    """

    def __init__(
        self,
        module: Module,
        group: mx.distributed.Group | None = None,
        compute_dtype: mx.Dtype | None = None,
    ):
        super().__init__()
        self.group = group or mx.distributed.init()
        self.compute_dtype = compute_dtype
        self.module = module
        size, rank = self.group.size(), self.group.rank()
        slices = []
        for path, array in self._own_parameters():
            if array.ndim == 0 or array.shape[0] % size != 0:
                raise ValueError(
                    f"[fully_shard] axis 0 of {path!r} must be a multiple of the group's size "
                    f"{size}: got shape {tuple(array.shape)}"
                )
            share = array.shape[0] // size
            slices.append((path, mx.contiguous(array[rank * share : (rank + 1) * share])))
        self._put(slices)

    def _own_parameters(self) -> list[tuple[str, mx.array]]:
        return _shardable_parameters(self.module)

    def _put(self, parameters: list[tuple[str, mx.array]]) -> None:
        if parameters:
            self.module.update(tree_unflatten(parameters))

    def _extra_repr(self) -> str:
        return f"num_sharded_params={len(self._own_parameters())}"

    def _gather(self, shards: list[tuple[str, mx.array]]) -> list[tuple[str, mx.array]]:
        by_dtype: dict[mx.Dtype, list[tuple[str, mx.array]]] = {}
        for path, shard in shards:
            by_dtype.setdefault(shard.dtype, []).append((path, shard))
        full: list[tuple[str, mx.array]] = []
        for items in by_dtype.values():
            arrays = [shard for _, shard in items]
            gather = _gather_function(arrays, self.group, self.compute_dtype)
            full += zip([path for path, _ in items], gather(*arrays))
        return full

    def _with_full_parameters(self, fn: Callable, *args: Any, **kwargs: Any) -> Any:
        shards = self._own_parameters()
        self._put(self._gather(shards))
        try:
            return fn(*args, **kwargs)
        finally:
            self._put(shards)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._with_full_parameters(self.module, *args, **kwargs)

    def as_linear(self, *args: Any, **kwargs: Any) -> Any:
        """``module.as_linear`` with the full parameters, for tied embeddings."""
        return self._with_full_parameters(self.module.as_linear, *args, **kwargs)


def _shardable_parameters(module: Module) -> list[tuple[str, mx.array]]:
    """Paths and arrays of a module, without those that a nested wrapper takes care of."""

    def own(owner, key, value):
        return not isinstance(value, FullyShardedModule) and Module.valid_parameter_filter(
            owner, key, value
        )

    return tree_flatten(module.filter_and_map(own))


def fully_shard(
    module: Module,
    *,
    group: mx.distributed.Group | None = None,
    compute_dtype: mx.Dtype | None = None,
) -> Module:
    """Wraps a module in a :class:`FullyShardedModule`.

    Returns the module itself in a group of one process, when it is wrapped already, and when it has
    nothing to shard.

    >>> import mlx.nn as nn
    >>> layer = nn.Linear(4, 2)
    >>> nn.fully_shard(layer) is layer  # one process
    True
    """
    group = group or mx.distributed.init()
    if (
        group.size() == 1
        or isinstance(module, FullyShardedModule)
        or not _shardable_parameters(module)
    ):
        return module
    return FullyShardedModule(module, group, compute_dtype)
