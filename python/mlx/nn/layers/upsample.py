# Upsampling: along each spatial axis an output is a weighted sum of a few taps of the input. What
# an output takes from where is worked out by the functions at the top.
"""Upsampling of signals ``(N, L, C)``, images ``(N, H, W, C)`` and so on, channels last."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import mlx.core as mx

from .base import Module

# The parameter of Keys' cubic kernel (Keys, "Cubic convolution interpolation for digital image
# processing", 1981). The two values are PyTorch's without and with antialiasing.
_CUBIC_A = -0.75
_CUBIC_A_ANTIALIAS = -0.5

# Input positions and weights of one tap for all outputs along an axis.
Tap = tuple[mx.array, mx.array]


def _output_size(size: int, scale: float) -> int:
    return int(scale * size)


def _source_positions(size: int, scale: float, align_corners: bool) -> mx.array:
    """Where in the input each output lies."""
    outputs = _output_size(size, scale)
    index = mx.arange(outputs, dtype=mx.float32)
    if align_corners:
        return index * ((size - 1) / max(outputs - 1, 1))
    return index * (1 / scale) - ((outputs - 1) / scale - size + 1) / 2


def _triangle(distance: mx.array) -> mx.array:
    return mx.maximum(1 - distance, 0)


def _cubic_near(d: mx.array, a: float) -> mx.array:
    """Keys' kernel for distances up to 1."""
    return ((a + 2) * d - (a + 3)) * d * d + 1


def _cubic_far(d: mx.array, a: float) -> mx.array:
    """Keys' kernel for distances from 1 to 2."""
    return a * (((d - 5) * d + 8) * d - 4)


def _cubic(d: mx.array) -> mx.array:
    a = _CUBIC_A_ANTIALIAS
    return mx.where(d < 1, _cubic_near(d, a), mx.where(d < 2, _cubic_far(d, a), 0))


def _linear_taps(size: int, scale: float, align_corners: bool) -> list[Tap]:
    position = mx.clip(_source_positions(size, scale, align_corners), 0, size - 1)
    left, right = mx.floor(position), mx.ceil(position)
    fraction = position - left
    return [(left.astype(mx.int32), 1 - fraction), (right.astype(mx.int32), fraction)]


def _cubic_taps(size: int, scale: float, align_corners: bool) -> list[Tap]:
    position = _source_positions(size, scale, align_corners)
    first = mx.floor(position)
    taps = []
    for k in range(-1, 3):
        tap = first + k
        kernel = _cubic_near if k in (0, 1) else _cubic_far
        weight = kernel(mx.abs(position - tap), _CUBIC_A)
        taps.append((mx.clip(tap, 0, size - 1).astype(mx.int32), weight))
    return taps


def _antialias_taps(size: int, scale: float, radius: int, kernel: Callable) -> list[Tap]:
    """A kernel that is widened when shrinking, so that every input has a say."""
    position = _source_positions(size, scale, False)
    first = mx.floor(position)
    stretch = 1 / scale if scale < 1 else 1.0
    reach = math.ceil(radius * stretch) + 1
    taps = [first + k for k in range(1 - reach, reach)]
    weights = [
        mx.where((tap >= 0) & (tap < size), kernel(mx.abs(position - tap) * (1 / stretch)), 0)
        for tap in taps
    ]
    total = sum(weights)
    total = mx.where(total > 0, total, 1)
    return [
        (mx.clip(tap, 0, size - 1).astype(mx.int32), weight / total)
        for tap, weight in zip(taps, weights)
    ]


def _resample(x: mx.array, axis: int, taps: list[Tap]) -> mx.array:
    shape = (-1,) + (1,) * (x.ndim - axis - 1)
    return sum(mx.take(x, index, axis=axis) * weight.reshape(shape) for index, weight in taps)


def upsample_nearest(x: mx.array, scale_factor: tuple[float, ...]) -> mx.array:
    """Each output is the nearest input; dtype is kept.

    Args:
        x: Channels last, ``(N, ..., C)``.
        scale_factor: One factor per spatial axis; the new size is ``int(scale * size)``.

    >>> import mlx.core as mx
    >>> from mlx.nn.layers.upsample import upsample_nearest
    >>> upsample_nearest(mx.array([1, 2]).reshape(1, 2, 1), (2.0,)).flatten().tolist()
    [1, 1, 2, 2]
    """
    if all(int(scale) == scale for scale in scale_factor):
        return _repeat_elements(x, [int(scale) for scale in scale_factor])
    for axis, scale in enumerate(scale_factor, start=1):
        size = x.shape[axis]
        outputs = _output_size(size, scale)
        index = mx.arange(outputs)
        if outputs > size:
            # (i + 0.5) * size / outputs - 0.5 with one division, so that halves are exact.
            index = mx.round(((2 * index + 1) * size - outputs) / (2 * outputs)).astype(mx.int32)
        else:
            index = (index * size) // outputs
        x = mx.take(x, index, axis=axis)
    return x


def _repeat_elements(x: mx.array, repeats: list[int]) -> mx.array:
    batch, *space, channels = x.shape
    apart = [batch, *(n for size in space for n in (size, 1)), channels]
    wide = [batch, *(n for size, r in zip(space, repeats) for n in (size, r)), channels]
    x = mx.broadcast_to(x.reshape(apart), wide)
    return x.reshape(batch, *(size * r for size, r in zip(space, repeats)), channels)


def upsample_linear(
    x: mx.array,
    scale_factor: tuple[float, ...],
    align_corners: bool = False,
    antialias: bool = False,
) -> mx.array:
    """Linear interpolation along each spatial axis.

    Args:
        x: Channels last, ``(N, ..., C)``.
        scale_factor: One factor per spatial axis; the new size is ``int(scale * size)``.
        align_corners: Put the first and last outputs onto the first and last inputs.
        antialias: Average over all inputs when shrinking.

    >>> import mlx.core as mx
    >>> from mlx.nn.layers.upsample import upsample_linear
    >>> upsample_linear(mx.array([1.0, 2.0]).reshape(1, 2, 1), (2.0,)).flatten().tolist()
    [1.0, 1.25, 1.75, 2.0]
    """
    for axis, scale in enumerate(scale_factor, start=1):
        if antialias:
            taps = _antialias_taps(x.shape[axis], scale, 1, _triangle)
        else:
            taps = _linear_taps(x.shape[axis], scale, align_corners)
        x = _resample(x, axis, taps)
    return x


def upsample_cubic(
    x: mx.array,
    scale_factor: tuple[float, ...],
    align_corners: bool = False,
    antialias: bool = False,
) -> mx.array:
    """Cubic interpolation along each spatial axis; the arguments are those of the linear one.

    >>> import mlx.core as mx
    >>> from mlx.nn.layers.upsample import upsample_cubic
    >>> upsample_cubic(mx.zeros((1, 4, 4, 3)), (2.0, 1.5)).shape
    (1, 8, 6, 3)
    """
    for axis, scale in enumerate(scale_factor, start=1):
        if antialias:
            taps = _antialias_taps(x.shape[axis], scale, 2, _cubic)
        else:
            taps = _cubic_taps(x.shape[axis], scale, align_corners)
        x = _resample(x, axis, taps)
    return x


class Upsample(Module):
    """Enlarges (or shrinks) the spatial axes of ``(N, ..., C)``.

    Args:
        scale_factor: One factor for all spatial axes, or one for each.
        mode: ``"nearest"``, ``"linear"`` (bilinear for images, and so on) or ``"cubic"``.
        align_corners: Put the first and last outputs onto the first and last inputs; without effect
            for ``"nearest"``.
        antialias: Average over all inputs when shrinking; not for ``"nearest"``, and not together
            with ``align_corners``.

    Raises:
        ValueError: Another mode, ``antialias`` where it is not possible, or an input without
            spatial axes or with another number of them than factors.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Upsample(scale_factor=2, mode="linear")(mx.zeros((1, 4, 4, 3))).shape
    (1, 8, 8, 3)
    """

    def __init__(
        self,
        scale_factor: float | tuple[float, ...],
        mode: Literal["nearest", "linear", "cubic"] = "nearest",
        align_corners: bool = False,
        antialias: bool = False,
    ):
        super().__init__()
        if mode not in ("nearest", "linear", "cubic"):
            raise ValueError(
                f"[Upsample] mode must be 'nearest', 'linear' or 'cubic': got {mode!r}"
            )
        if antialias and mode == "nearest":
            raise ValueError("[Upsample] antialias needs the mode 'linear' or 'cubic'")
        if antialias and align_corners:
            raise ValueError("[Upsample] antialias and align_corners exclude each other")
        self.scale_factor: float | tuple[float, ...]
        if isinstance(scale_factor, (list, tuple)):
            self.scale_factor = tuple(float(scale) for scale in scale_factor)
        else:
            self.scale_factor = float(scale_factor)
        self.mode = mode
        self.align_corners = align_corners
        self.antialias = antialias

    def _extra_repr(self) -> str:
        antialias = ", antialias=True" if self.antialias else ""
        return (
            f"scale_factor={self.scale_factor}, mode={self.mode!r}, "
            f"align_corners={self.align_corners}{antialias}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        axes = x.ndim - 2
        if axes < 1:
            raise ValueError(
                "[Upsample] expected a batch axis, spatial axes and a channel axis: "
                f"got shape {tuple(x.shape)}"
            )
        scales = self.scale_factor
        if not isinstance(scales, tuple):
            scales = (scales,) * axes
        elif len(scales) != axes:
            raise ValueError(
                f"[Upsample] expected one scale for each of the {axes} spatial axes of shape "
                f"{tuple(x.shape)}: got {len(scales)}"
            )
        if self.mode == "nearest":
            return upsample_nearest(x, scales)
        function = upsample_linear if self.mode == "linear" else upsample_cubic
        return function(x, scales, self.align_corners, self.antialias)
