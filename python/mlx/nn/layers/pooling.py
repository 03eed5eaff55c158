# Max and average pooling over one, two or three spatial axes.
"""Pooling. All take channels last: ``(N, L, C)``, ``(N, H, W, C)``, ``(N, D, H, W, C)``."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx

from .base import Module


def _lowest(dtype: mx.Dtype) -> float | int | bool:
    """The value that never wins a maximum."""
    if mx.issubdtype(dtype, mx.inexact):
        return -float("inf")
    return False if dtype == mx.bool_ else mx.iinfo(dtype).min


def _windows(x: mx.array, kernel: tuple[int, ...], stride: tuple[int, ...]) -> mx.array:
    """All windows that fit: ``(N, *out, *kernel, C)``, a view where the memory allows it."""
    batch, *space, channels = x.shape
    axes = len(space)
    if kernel == stride and all(n % k == 0 for n, k in zip(space, kernel)):
        # Windows that tile the input are a reshape, whose gradient costs nothing.
        split = [size for n, k in zip(space, kernel) for size in (n // k, k)]
        order = [0, *range(1, 2 * axes, 2), *range(2, 2 * axes + 1, 2), 2 * axes + 1]
        return x.reshape(batch, *split, channels).transpose(order)

    strides = [1]
    for size in (channels, *reversed(space)):
        strides.insert(0, strides[0] * size)
    out = [max((n - k) // s + 1, 0) for n, k, s in zip(space, kernel, stride)]
    return mx.as_strided(
        x,
        shape=(batch, *out, *kernel, channels),
        strides=(
            strides[0],
            *(step * s for step, s in zip(strides[1:-1], stride)),
            *strides[1:-1],
            1,
        ),
    )


class _Pool(Module):
    """What all pooling layers share; subclasses say the number of axes and how a window reduces."""

    _axes: int
    _pad_value: Callable[[mx.Dtype], float | int | bool]
    _reduce: Callable

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ):
        super().__init__()
        kernel = self._checked("kernel_size", kernel_size, 1)
        # Assigned by attribute they would become items, which mx.grad of a module rejects.
        self.__dict__.update(
            _kernel_size=kernel,
            _stride=kernel if stride is None else self._checked("stride", stride, 1),
            _padding=self._checked("padding", padding, 0),
        )

    def _checked(self, name: str, value: int | tuple[int, ...], smallest: int) -> tuple[int, ...]:
        values = (value,) * self._axes if isinstance(value, int) else value
        if (
            not isinstance(values, (tuple, list))
            or len(values) != self._axes
            or not all(isinstance(v, int) and v >= smallest for v in values)
        ):
            raise ValueError(
                f"[{type(self).__name__}] {name} must be an integer of at least {smallest}, or "
                f"{self._axes} of them: got {value!r}"
            )
        return tuple(values)

    def _extra_repr(self) -> str:
        return f"kernel_size={self._kernel_size}, stride={self._stride}, padding={self._padding}"

    def __call__(self, x: mx.array) -> mx.array:
        if x.ndim != self._axes + 2:
            raise ValueError(
                f"[{type(self).__name__}] expected a batch axis, {self._axes} spatial axes and a "
                f"channel axis: got shape {tuple(x.shape)}"
            )
        if any(self._padding):
            width = [(0, 0), *((p, p) for p in self._padding), (0, 0)]
            value = mx.array(type(self)._pad_value(x.dtype), dtype=x.dtype)
            x = mx.pad(x, width, constant_values=value)
        windows = _windows(x, self._kernel_size, self._stride)
        return type(self)._reduce(windows, axis=tuple(range(-self._axes - 1, -1)))


class _MaxPool(_Pool):
    _pad_value = staticmethod(_lowest)
    _reduce = staticmethod(lambda windows, axis: mx.max(windows, axis=axis))


class _AvgPool(_Pool):
    _pad_value = staticmethod(lambda dtype: 0)
    _reduce = staticmethod(lambda windows, axis: mx.mean(windows, axis=axis))


class MaxPool1d(_MaxPool):
    """The maximum of each window: ``(N, L, C)`` to ``(N, L', C)``.

    ``L' = (L + 2 * padding - kernel_size) // stride + 1``; padding never wins.

    Args:
        kernel_size: Size of the window.
        stride: Step of the window; ``None`` is ``kernel_size``.
        padding: Elements put on both sides.

    Raises:
        ValueError: Arguments that are no positive integers (padding: negative), or an input of
            another number of dimensions.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.MaxPool1d(2)(mx.array([1.0, 3.0, 2.0, 0.0]).reshape(1, 4, 1)).flatten().tolist()
    [3.0, 2.0]
    """

    _axes = 1


class AvgPool1d(_AvgPool):
    """The mean of each window: ``(N, L, C)`` to ``(N, L', C)``; zeros of the padding count.

    Arguments, shapes and errors are those of :class:`MaxPool1d`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.AvgPool1d(2)(mx.array([1.0, 3.0, 2.0, 0.0]).reshape(1, 4, 1)).flatten().tolist()
    [2.0, 1.0]
    """

    _axes = 1


class MaxPool2d(_MaxPool):
    """The maximum of each window of images, ``(N, H, W, C)``.

    Arguments are numbers or pairs; otherwise as :class:`MaxPool1d`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.MaxPool2d(2, stride=2)(mx.zeros((1, 8, 6, 3))).shape
    (1, 4, 3, 3)
    """

    _axes = 2


class AvgPool2d(_AvgPool):
    """The mean of each window of images, ``(N, H, W, C)``; zeros of the padding count.

    Arguments are numbers or pairs; otherwise as :class:`MaxPool1d`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.AvgPool2d((1, 2), stride=2, padding=(0, 1))(mx.zeros((1, 8, 6, 3))).shape
    (1, 4, 4, 3)
    """

    _axes = 2


class MaxPool3d(_MaxPool):
    """The maximum of each window of volumes, ``(N, D, H, W, C)``.

    Arguments are numbers or triples; otherwise as :class:`MaxPool1d`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.MaxPool3d(3, stride=1, padding=1)(mx.zeros((1, 4, 4, 4, 2))).shape
    (1, 4, 4, 4, 2)
    """

    _axes = 3


class AvgPool3d(_AvgPool):
    """The mean of each window of volumes, ``(N, D, H, W, C)``; zeros of the padding count.

    Arguments are numbers or triples; otherwise as :class:`MaxPool1d`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.AvgPool3d(2)(mx.zeros((1, 4, 4, 4, 2))).shape
    (1, 2, 2, 2, 2)
    """

    _axes = 3
