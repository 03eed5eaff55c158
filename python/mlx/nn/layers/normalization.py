# Normalisation layers. The fused layer_norm and rms_norm they call are core operations (mx.fast).
"""Normalisation layers. All take channels last."""

from __future__ import annotations

import mlx.core as mx

from .base import Module


def _require_positive_eps(layer: Module, eps: float) -> None:
    if not eps > 0:
        raise ValueError(f"[{type(layer).__name__}] eps must be positive: got {eps}")


class LayerNorm(Module):
    """``(x - mean) / sqrt(var + eps) * weight + bias`` over the last axis.

    Args:
        dims: Size of the last axis.
        eps: Added to the variance; positive.
        affine: Whether there are parameters.
        bias: Whether ``bias`` is one of them.

    Parameters: ``weight`` (ones) and ``bias`` (zeros) of shape ``(dims,)``. Source: Ba et al.,
    "Layer normalization", 2016.

    Raises:
        ValueError: ``eps`` is not positive.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.LayerNorm(4)(mx.ones((2, 4))).tolist()[0]
    [0.0, 0.0, 0.0, 0.0]
    """

    def __init__(self, dims: int, eps: float = 1e-5, affine: bool = True, bias: bool = True):
        super().__init__()
        _require_positive_eps(self, eps)
        if affine:
            self.weight = mx.ones((dims,))
            if bias:
                self.bias = mx.zeros((dims,))
        self.eps = eps
        self.dims = dims

    def _extra_repr(self) -> str:
        return f"{self.dims}, eps={self.eps}, affine={'weight' in self}"

    def __call__(self, x: mx.array) -> mx.array:
        return mx.fast.layer_norm(x, self.get("weight"), self.get("bias"), self.eps)


class RMSNorm(Module):
    """``x / sqrt(mean(x ** 2) + eps) * weight`` over the last axis, accumulated in float32.

    Args:
        dims: Size of the last axis.
        eps: Added to the mean square; positive.

    The parameter ``weight`` (ones) has the shape ``(dims,)``. Source: Zhang and Sennrich, "Root
    mean square layer normalization", 2019.

    Raises:
        ValueError: ``eps`` is not positive.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.RMSNorm(2)(mx.ones((1, 2))).shape
    (1, 2)
    """

    def __init__(self, dims: int, eps: float = 1e-5):
        super().__init__()
        _require_positive_eps(self, eps)
        self.weight = mx.ones((dims,))
        self.eps = eps

    def _extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, eps={self.eps}"

    def __call__(self, x: mx.array) -> mx.array:
        return mx.fast.rms_norm(x, self["weight"], self.eps)


class InstanceNorm(Module):
    """Normalises each channel of each sample over its spatial axes.

    Args:
        dims: Number of channels, the last axis.
        eps: Added to the (biased) variance; positive.
        affine: Whether there are parameters.

    Parameters: ``weight`` (ones) and ``bias`` (zeros) of shape ``(dims,)``. The input has the shape
    ``(N, ..., dims)``; dtype is kept. Source: Ulyanov et al., "Instance normalization", 2016.

    Raises:
        ValueError: ``eps`` is not positive, or an input of fewer than three dimensions.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.InstanceNorm(3)(mx.ones((2, 4, 4, 3))).shape
    (2, 4, 4, 3)
    """

    def __init__(self, dims: int, eps: float = 1e-5, affine: bool = False):
        super().__init__()
        _require_positive_eps(self, eps)
        if affine:
            self.weight = mx.ones((dims,))
            self.bias = mx.zeros((dims,))
        self.dims = dims
        self.eps = eps

    def _extra_repr(self) -> str:
        return f"{self.dims}, eps={self.eps}, affine={'weight' in self}"

    def __call__(self, x: mx.array) -> mx.array:
        if x.ndim < 3:
            raise ValueError(
                "[InstanceNorm] expected a batch axis, spatial axes and a channel axis: "
                f"got shape {tuple(x.shape)}"
            )
        # With channels first and space flattened it is a layer norm without parameters, whose
        # float32 accumulation keeps float16 from overflowing.
        batch, *space, channels = x.shape
        rows = x.reshape(batch, -1, channels).swapaxes(1, 2)
        rows = mx.fast.layer_norm(rows, None, None, self.eps)
        x = rows.swapaxes(1, 2).reshape(batch, *space, channels)
        return self["weight"] * x + self["bias"] if "weight" in self else x


class GroupNorm(Module):
    """Normalises groups of channels of each sample over their spatial axes.

    Args:
        num_groups: Number of groups.
        dims: Number of channels, the last axis; a multiple of ``num_groups``.
        eps: Added to the (biased) variance; positive.
        affine: Whether there are parameters.
        pytorch_compatible: A group is a block of neighbouring channels, as in PyTorch. By default
            channel ``c`` belongs to group ``c % num_groups``.

    Parameters: ``weight`` (ones) and ``bias`` (zeros) of shape ``(dims,)``. Source: Wu and He,
    "Group normalization", 2018.

    Raises:
        ValueError: ``eps``, ``num_groups`` or ``dims`` is not positive, or the groups do not divide
            the channels.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.GroupNorm(2, 4)(mx.ones((2, 8, 8, 4))).shape
    (2, 8, 8, 4)
    """

    def __init__(
        self,
        num_groups: int,
        dims: int,
        eps: float = 1e-5,
        affine: bool = True,
        pytorch_compatible: bool = False,
    ):
        super().__init__()
        _require_positive_eps(self, eps)
        if num_groups <= 0 or dims <= 0 or dims % num_groups != 0:
            raise ValueError(
                "[GroupNorm] num_groups and dims must be positive and dims a multiple of "
                f"num_groups: got num_groups={num_groups}, dims={dims}"
            )
        if affine:
            self.bias = mx.zeros((dims,))
            self.weight = mx.ones((dims,))
        self.num_groups = num_groups
        self.dims = dims
        self.eps = eps
        self.pytorch_compatible = pytorch_compatible

    def _extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.dims}, eps={self.eps}, affine={'weight' in self}, "
            f"pytorch_compatible={self.pytorch_compatible}"
        )

    def _normalize_blocks(self, x: mx.array) -> mx.array:
        batch, *space, dims = x.shape
        block = dims // self.num_groups
        # A group becomes one row: (N, space, groups, block) -> (N, groups, space * block).
        rows = x.reshape(batch, -1, self.num_groups, block).swapaxes(1, 2)
        shape = rows.shape
        rows = mx.fast.layer_norm(rows.reshape(batch, self.num_groups, -1), None, None, self.eps)
        return rows.reshape(shape).swapaxes(1, 2).reshape(batch, *space, dims)

    def _normalize_interleaved(self, x: mx.array) -> mx.array:
        rows = x.reshape(x.shape[0], -1, self.num_groups)
        mean = mx.mean(rows, axis=1, keepdims=True)
        var = mx.var(rows, axis=1, keepdims=True)
        return ((rows - mean) * mx.rsqrt(var + self.eps)).reshape(x.shape)

    def __call__(self, x: mx.array) -> mx.array:
        x = self._normalize_blocks(x) if self.pytorch_compatible else self._normalize_interleaved(x)
        return self["weight"] * x + self["bias"] if "weight" in self else x


class BatchNorm(Module):
    """Normalises each channel over the batch and the spatial axes.

    Args:
        num_features: Number of channels, the last axis.
        eps: Added to the variance; positive.
        momentum: The weight of a new batch in the running statistics.
        affine: Whether there are parameters.
        track_running_stats: Keep running statistics, and use them in evaluation mode.

    Parameters: ``weight`` (ones) and ``bias`` (zeros), and, always frozen, ``running_mean`` and
    ``running_var``, all of shape ``(num_features,)``. A batch is normalised by its biased variance;
    the unbiased one enters the running statistics. The input has the shape ``(N, C)``,
    ``(N, L, C)`` or ``(N, H, W, C)``. Source: Ioffe and Szegedy, "Batch normalization", 2015.

    Raises:
        ValueError: ``eps`` is not positive, another number of dimensions, or only one value per
            channel while training.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> norm = nn.BatchNorm(2)
    >>> y = norm(mx.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> [round(v, 4) for v in norm.running_mean.tolist()]
    [0.1, 0.2]
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ):
        super().__init__()
        _require_positive_eps(self, eps)
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = mx.ones((num_features,))
            self.bias = mx.zeros((num_features,))
        if track_running_stats:
            self.running_mean = mx.zeros((num_features,))
            self.running_var = mx.ones((num_features,))
            self._freeze_statistics()

    def _freeze_statistics(self) -> None:
        self.freeze(keys=["running_mean", "running_var"], recurse=False)

    def unfreeze(self, *args, **kwargs) -> None:  # type: ignore[override]
        """Like :meth:`Module.unfreeze`, but the running statistics stay frozen."""
        super().unfreeze(*args, **kwargs)
        self._freeze_statistics()

    def _extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={'weight' in self}, track_running_stats={self.track_running_stats}"
        )

    def _update_statistics(self, mean: mx.array, var: mx.array, count: int) -> None:
        old, new = 1 - self.momentum, self.momentum
        unbiased = var * (count / (count - 1))
        self.running_mean = old * self.running_mean + new * mean
        self.running_var = old * self.running_var + new * unbiased

    def __call__(self, x: mx.array) -> mx.array:
        if not 2 <= x.ndim <= 4:
            raise ValueError(
                f"[BatchNorm] expected 2, 3 or 4 dimensions: got shape {tuple(x.shape)}"
            )
        if self.track_running_stats and not self.training:
            mean, var = self.running_mean, self.running_var
        else:
            axes = tuple(range(x.ndim - 1))
            mean = mx.mean(x, axis=axes)
            var = mx.var(x, axis=axes)
        if self.training:
            count = x.size // max(x.shape[-1], 1)
            if count == 1:
                raise ValueError(
                    "[BatchNorm] expected more than one value per channel while training: "
                    f"got shape {tuple(x.shape)}"
                )
            if self.track_running_stats:
                self._update_statistics(mean, var, count)
        x = (x - mean) * mx.rsqrt(var + self.eps)
        return self["weight"] * x + self["bias"] if "weight" in self else x
