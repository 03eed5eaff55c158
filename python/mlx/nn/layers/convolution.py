# Convolution layers; the transposed ones are in convolution_transpose.py.
"""Convolutions. All take channels last: ``(N, L, C)``, ``(N, H, W, C)``, ``(N, D, H, W, C)``."""

from __future__ import annotations

import math

import mlx.core as mx

from .base import Module


def _per_axis(value: int | tuple[int, ...], axes: int) -> tuple[int, ...]:
    """One number for all spatial axes, or one for each."""
    return (value,) * axes if isinstance(value, int) else tuple(value)


def _uniform_kernel(
    out_channels: int, kernel_size: tuple[int, ...], weight_channels: int, in_channels: int
) -> mx.array:
    limit = math.sqrt(1 / (in_channels * math.prod(kernel_size)))
    return mx.random.uniform(-limit, limit, (out_channels, *kernel_size, weight_channels))


def _check_groups(layer: Module, in_channels: int, groups: int) -> None:
    if in_channels % groups != 0:
        raise ValueError(
            f"[{type(layer).__name__}] in_channels must be a multiple of groups: "
            f"got in_channels={in_channels}, groups={groups}"
        )


class Conv1d(Module):
    """Convolution over one spatial axis: ``(N, L, in_channels)`` to ``(N, L', out_channels)``.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel.
        stride: Step of the kernel.
        padding: Zeros put on both sides.
        dilation: Spacing of the kernel's elements.
        groups: Blocks of channels that do not mix.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(out_channels, kernel_size, in_channels // groups)``, uniform
    in ``±sqrt(1 / (in_channels * kernel_size))``, and ``bias`` (zeros) of shape
    ``(out_channels,)``.

    Raises:
        ValueError: ``groups`` does not divide ``in_channels``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Conv1d(3, 8, kernel_size=5, padding=2)(mx.zeros((2, 10, 3))).shape
    (2, 10, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
    ):
        super().__init__()
        _check_groups(self, in_channels, groups)
        self.weight = _uniform_kernel(
            out_channels, (kernel_size,), in_channels // groups, in_channels
        )
        if bias:
            self.bias = mx.zeros((out_channels,))
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.groups = groups

    def _extra_repr(self) -> str:
        out_channels, kernel_size, weight_channels = self.weight.shape
        return (
            f"{weight_channels * self.groups}, {out_channels}, kernel_size={kernel_size}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"groups={self.groups}, bias={'bias' in self}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.conv1d(x, self["weight"], self.stride, self.padding, self.dilation, self.groups)
        return y + self["bias"] if "bias" in self else y


class Conv2d(Module):
    """Convolution over images: ``(N, H, W, in_channels)`` to ``(N, H', W', out_channels)``.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, a number or a pair (so are the next three).
        stride: Step of the kernel.
        padding: Zeros put on both sides.
        dilation: Spacing of the kernel's elements.
        groups: Blocks of channels that do not mix.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(out_channels, kh, kw, in_channels // groups)``, uniform in
    ``±sqrt(1 / (in_channels * kh * kw))``, and ``bias`` (zeros) of shape ``(out_channels,)``.

    Raises:
        ValueError: ``groups`` does not divide ``in_channels``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Conv2d(3, 8, kernel_size=3, stride=2, padding=1)(mx.zeros((2, 8, 8, 3))).shape
    (2, 4, 4, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        groups: int = 1,
        bias: bool = True,
    ):
        super().__init__()
        _check_groups(self, in_channels, groups)
        self.weight = _uniform_kernel(
            out_channels, _per_axis(kernel_size, 2), in_channels // groups, in_channels
        )
        if bias:
            self.bias = mx.zeros((out_channels,))
        self.stride = _per_axis(stride, 2)
        self.padding = _per_axis(padding, 2)
        self.dilation = dilation
        self.groups = groups

    def _extra_repr(self) -> str:
        out_channels, *kernel_size, weight_channels = self.weight.shape
        return (
            f"{weight_channels * self.groups}, {out_channels}, "
            f"kernel_size={tuple(kernel_size)}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, groups={self.groups}, bias={'bias' in self}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.conv2d(x, self["weight"], self.stride, self.padding, self.dilation, self.groups)
        return y + self["bias"] if "bias" in self else y


class Conv3d(Module):
    """Convolution over volumes: ``(N, D, H, W, in_channels)`` to ``(N, D', H', W', out_channels)``.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, a number or three (so are the next three).
        stride: Step of the kernel.
        padding: Zeros put on both sides.
        dilation: Spacing of the kernel's elements.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(out_channels, kd, kh, kw, in_channels)``, uniform in
    ``±sqrt(1 / (in_channels * kd * kh * kw))``, and ``bias`` (zeros) of shape ``(out_channels,)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Conv3d(1, 4, kernel_size=3)(mx.zeros((2, 5, 5, 5, 1))).shape
    (2, 3, 3, 3, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        padding: int | tuple[int, int, int] = 0,
        dilation: int | tuple[int, int, int] = 1,
        bias: bool = True,
    ):
        super().__init__()
        self.weight = _uniform_kernel(
            out_channels, _per_axis(kernel_size, 3), in_channels, in_channels
        )
        if bias:
            self.bias = mx.zeros((out_channels,))
        self.stride = _per_axis(stride, 3)
        self.padding = _per_axis(padding, 3)
        self.dilation = dilation

    def _extra_repr(self) -> str:
        out_channels, *kernel_size, in_channels = self.weight.shape
        return (
            f"{in_channels}, {out_channels}, kernel_size={tuple(kernel_size)}, "
            f"stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"bias={'bias' in self}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.conv3d(x, self["weight"], self.stride, self.padding, self.dilation)
        return y + self["bias"] if "bias" in self else y
