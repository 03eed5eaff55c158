# Transposed convolution layers: the gradients of the convolutions of convolution.py as layers.
"""Transposed convolutions. All take channels last."""

from __future__ import annotations

import mlx.core as mx

from .base import Module
from .convolution import _per_axis, _uniform_kernel


def _repr_of(layer: Module, kernel_size: int | tuple[int, ...]) -> str:
    return (
        f"{layer.weight.shape[-1]}, {layer.weight.shape[0]}, kernel_size={kernel_size}, "
        f"stride={layer.stride}, padding={layer.padding}, dilation={layer.dilation}, "
        f"output_padding={layer.output_padding}, bias={'bias' in layer}"
    )


class ConvTranspose1d(Module):
    """Transposed convolution over one axis: ``(N, L, in_channels)`` to ``(N, L', out_channels)``.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel.
        stride: Step of the kernel over the output.
        padding: Elements taken off the output on both sides.
        dilation: Spacing of the kernel's elements.
        output_padding: Elements added to the end of the output.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(out_channels, kernel_size, in_channels)``, uniform in
    ``±sqrt(1 / (in_channels * kernel_size))``, and ``bias`` (zeros) of shape ``(out_channels,)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ConvTranspose1d(3, 8, kernel_size=4, stride=2, padding=1)(mx.zeros((2, 10, 3))).shape
    (2, 20, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        output_padding: int = 0,
        bias: bool = True,
    ):
        super().__init__()
        self.weight = _uniform_kernel(out_channels, (kernel_size,), in_channels, in_channels)
        if bias:
            self.bias = mx.zeros((out_channels,))
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.output_padding = output_padding

    def _extra_repr(self) -> str:
        return _repr_of(self, self.weight.shape[1])

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.conv_transpose1d(
            x, self["weight"], self.stride, self.padding, self.dilation, self.output_padding
        )
        return y + self["bias"] if "bias" in self else y


class ConvTranspose2d(Module):
    """Transposed convolution over images, ``(N, H, W, in_channels)``.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, a number or a pair (so are the next four).
        stride: Step of the kernel over the output.
        padding: Elements taken off the output on both sides.
        dilation: Spacing of the kernel's elements.
        output_padding: Elements added to the end of the output.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(out_channels, kh, kw, in_channels)``, uniform in
    ``±sqrt(1 / (in_channels * kh * kw))``, and ``bias`` (zeros) of shape ``(out_channels,)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ConvTranspose2d(3, 8, kernel_size=2, stride=2)(mx.zeros((1, 4, 4, 3))).shape
    (1, 8, 8, 8)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] = 0,
        dilation: int | tuple[int, int] = 1,
        output_padding: int | tuple[int, int] = 0,
        bias: bool = True,
    ):
        super().__init__()
        self.weight = _uniform_kernel(
            out_channels, _per_axis(kernel_size, 2), in_channels, in_channels
        )
        if bias:
            self.bias = mx.zeros((out_channels,))
        self.stride = _per_axis(stride, 2)
        self.padding = _per_axis(padding, 2)
        self.dilation = dilation
        self.output_padding = _per_axis(output_padding, 2)

    def _extra_repr(self) -> str:
        return _repr_of(self, tuple(self.weight.shape[1:-1]))

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.conv_transpose2d(
            x, self["weight"], self.stride, self.padding, self.dilation, self.output_padding
        )
        return y + self["bias"] if "bias" in self else y


class ConvTranspose3d(Module):
    """Transposed convolution over volumes, ``(N, D, H, W, in_channels)``.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, a number or three (so are the next four).
        stride: Step of the kernel over the output.
        padding: Elements taken off the output on both sides.
        dilation: Spacing of the kernel's elements.
        output_padding: Elements added to the end of the output.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(out_channels, kd, kh, kw, in_channels)``, uniform in
    ``±sqrt(1 / (in_channels * kd * kh * kw))``, and ``bias`` (zeros) of shape ``(out_channels,)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ConvTranspose3d(1, 2, kernel_size=2, stride=2)(mx.zeros((1, 2, 2, 2, 1))).shape
    (1, 4, 4, 4, 2)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int, int],
        stride: int | tuple[int, int, int] = 1,
        padding: int | tuple[int, int, int] = 0,
        dilation: int | tuple[int, int, int] = 1,
        output_padding: int | tuple[int, int, int] = 0,
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
        self.output_padding = _per_axis(output_padding, 3)

    def _extra_repr(self) -> str:
        return _repr_of(self, tuple(self.weight.shape[1:-1]))

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.conv_transpose3d(
            x, self["weight"], self.stride, self.padding, self.dilation, self.output_padding
        )
        return y + self["bias"] if "bias" in self else y
