# Dropout layers: what they zero is whole elements, or whole channels of images and volumes.
"""Dropout."""

from __future__ import annotations

import mlx.core as mx

from .base import Module


class _Dropout(Module):
    """What all dropout layers share: the check of ``p`` and the scaled random mask."""

    def __init__(self, p: float = 0.5):
        super().__init__()
        if not 0 <= p < 1:
            raise ValueError(f"[{type(self).__name__}] p must be in [0, 1): got {p}")
        self._p_1 = 1 - p

    def _extra_repr(self) -> str:
        return f"p={round(1 - self._p_1, 10)}"

    def _drop(self, x: mx.array, mask_shape: tuple[int, ...]) -> mx.array:
        if not self.training or self._p_1 == 1:
            return x
        mask = mx.random.bernoulli(self._p_1, mask_shape)
        return (mask * x) * (1 / self._p_1)

    def _check_rank(self, x: mx.array, *accepted: int) -> None:
        if x.ndim not in accepted:
            raise ValueError(
                f"[{type(self).__name__}] expected {' or '.join(map(str, accepted))} dimensions: "
                f"got shape {tuple(x.shape)}"
            )


class Dropout(_Dropout):
    """Zeroes elements at random while training and scales the others by ``1 / (1 - p)``.

    Args:
        p: Probability of zeroing, in ``[0, 1)``.

    Raises:
        ValueError: ``p`` out of range.

    The input has any shape; dtype is kept. In evaluation mode the input is returned as it is.
    Source: Srivastava et al., "Dropout", 2014.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> sorted(set(nn.Dropout(0.5)(mx.ones((1000,))).tolist()))
    [0.0, 2.0]
    """

    def __call__(self, x: mx.array) -> mx.array:
        return self._drop(x, x.shape)


class Dropout2d(_Dropout):
    """:class:`Dropout` of whole channels of images: neighbouring pixels are too alike to drop one.

    Args:
        p: Probability of zeroing a channel, in ``[0, 1)``.

    Raises:
        ValueError: ``p`` out of range; an input that is not ``(N, H, W, C)`` or ``(H, W, C)``.

    Source: Tompson et al., "Efficient object localization using convolutional networks", 2015.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> y = nn.Dropout2d(0.5)(mx.ones((2, 4, 4, 3)))
    >>> bool((y == y[:, :1, :1]).all())
    True
    """

    def __call__(self, x: mx.array) -> mx.array:
        self._check_rank(x, 3, 4)
        return self._drop(x, (*x.shape[:-3], 1, 1, x.shape[-1]))


class Dropout3d(_Dropout):
    """:class:`Dropout` of whole channels of volumes.

    Args:
        p: Probability of zeroing a channel, in ``[0, 1)``.

    Raises:
        ValueError: ``p`` out of range; an input that is not ``(N, D, H, W, C)`` or
            ``(D, H, W, C)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> y = nn.Dropout3d(0.5)(mx.ones((2, 4, 4, 4, 3)))
    >>> bool((y == y[:, :1, :1, :1]).all())
    True
    """

    def __call__(self, x: mx.array) -> mx.array:
        self._check_rank(x, 4, 5)
        return self._drop(x, (*x.shape[:-4], 1, 1, 1, x.shape[-1]))
