# Initialisers: functions that make an array of random or constant values in the shape of another.
# The layers' own default initialisation is in the layers.
"""Initialisers. Each call returns a function from an array to a new one of the same shape.

With ``fan_in = shape[-1] * R`` and ``fan_out = shape[0] * R``, where ``R`` is the product of the
dimensions between the first and the last (the kernel size of a convolution).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import mlx.core as mx

Initializer = Callable[..., mx.array]


def constant(value: float, dtype: mx.Dtype = mx.float32) -> Initializer:
    """Fills with ``value``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.init.constant(0.5)(mx.zeros((2, 2))).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """

    def initializer(a: mx.array) -> mx.array:
        return mx.full(a.shape, value, dtype=dtype)

    return initializer


def normal(mean: float = 0.0, std: float = 1.0, dtype: mx.Dtype = mx.float32) -> Initializer:
    """Draws from the normal distribution with this mean and standard deviation.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.init.normal(std=0.1)(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def initializer(a: mx.array) -> mx.array:
        return mx.random.normal(shape=a.shape, scale=std, loc=mean, dtype=dtype)

    return initializer


def uniform(low: float = 0.0, high: float = 1.0, dtype: mx.Dtype = mx.float32) -> Initializer:
    """Draws from the uniform distribution over ``[low, high)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> bool(nn.init.uniform(2.0, 3.0)(mx.zeros((4,))).min() >= 2.0)
    True
    """

    def initializer(a: mx.array) -> mx.array:
        return mx.random.uniform(low, high, a.shape, dtype=dtype)

    return initializer


def identity(dtype: mx.Dtype = mx.float32) -> Initializer:
    """Makes the identity matrix.

    The function raises ``ValueError`` unless the array is a square matrix.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.init.identity()(mx.zeros((2, 2))).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def initializer(arr: mx.array) -> mx.array:
        if arr.ndim != 2 or arr.shape[0] != arr.shape[1]:
            raise ValueError(f"[identity] expected a square matrix: got shape {tuple(arr.shape)}")
        return mx.eye(n=arr.shape[0], dtype=dtype)

    return initializer


def _fans(name: str, a: mx.array) -> tuple[int, int]:
    if a.ndim < 2:
        raise ValueError(
            f"[{name}] expected an array of at least 2 dimensions: got shape {tuple(a.shape)}"
        )
    receptive_field = math.prod(a.shape[1:-1])
    return a.shape[-1] * receptive_field, a.shape[0] * receptive_field


def glorot_normal(dtype: mx.Dtype = mx.float32) -> Initializer:
    """Normal with standard deviation ``gain * sqrt(2 / (fan_in + fan_out))``.

    The function is called ``f(a, gain=1.0)`` and raises ``ValueError`` below two dimensions.
    Source: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
    networks", 2010.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.init.glorot_normal()(mx.zeros((4, 3)), gain=2.0).shape
    (4, 3)
    """

    def initializer(a: mx.array, gain: float = 1.0) -> mx.array:
        fan_in, fan_out = _fans("glorot_normal", a)
        std = gain * math.sqrt(2.0 / (fan_in + fan_out))
        return mx.random.normal(shape=a.shape, scale=std, dtype=dtype)

    return initializer


def glorot_uniform(dtype: mx.Dtype = mx.float32) -> Initializer:
    """Uniform in ``±gain * sqrt(6 / (fan_in + fan_out))``.

    The function is called ``f(a, gain=1.0)`` and raises ``ValueError`` below two dimensions.
    Source: as :func:`glorot_normal`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> bool(mx.abs(nn.init.glorot_uniform()(mx.zeros((3, 3)))).max() <= 1.0)
    True
    """

    def initializer(a: mx.array, gain: float = 1.0) -> mx.array:
        fan_in, fan_out = _fans("glorot_uniform", a)
        limit = gain * math.sqrt(6.0 / (fan_in + fan_out))
        return mx.random.uniform(-limit, limit, a.shape, dtype=dtype)

    return initializer


_Mode = Literal["fan_in", "fan_out"]


def _fan(name: str, a: mx.array, mode: str) -> int:
    fan_in, fan_out = _fans(name, a)
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"[{name}] mode must be 'fan_in' or 'fan_out': got {mode!r}")
    return fan_in if mode == "fan_in" else fan_out


def he_normal(dtype: mx.Dtype = mx.float32) -> Initializer:
    """Normal with standard deviation ``gain / sqrt(fan)``.

    The function is called ``f(a, mode="fan_in", gain=1.0)``; ``mode="fan_out"`` takes the other
    fan. It raises ``ValueError`` below two dimensions and for other modes. Source: He et al.,
    "Delving deep into rectifiers", 2015.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.init.he_normal()(mx.zeros((4, 3)), mode="fan_out").shape
    (4, 3)
    """

    def initializer(a: mx.array, mode: _Mode = "fan_in", gain: float = 1.0) -> mx.array:
        std = gain / math.sqrt(_fan("he_normal", a, mode))
        return mx.random.normal(shape=a.shape, scale=std, dtype=dtype)

    return initializer


def he_uniform(dtype: mx.Dtype = mx.float32) -> Initializer:
    """Uniform in ``±gain * sqrt(3 / fan)``.

    Called and checked as the function of :func:`he_normal`, same source.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> bool(mx.abs(nn.init.he_uniform()(mx.zeros((2, 3)))).max() <= 1.0)
    True
    """

    def initializer(a: mx.array, mode: _Mode = "fan_in", gain: float = 1.0) -> mx.array:
        limit = gain * math.sqrt(3.0 / _fan("he_uniform", a, mode))
        return mx.random.uniform(-limit, limit, a.shape, dtype=dtype)

    return initializer


def sparse(
    sparsity: float, mean: float = 0.0, std: float = 1.0, dtype: mx.Dtype = mx.float32
) -> Initializer:
    """Normal values, with ``ceil(sparsity * columns)`` random entries of each row set to zero.

    The function raises ``ValueError`` unless the array has two dimensions. Source: Martens, "Deep
    learning via Hessian-free optimization", 2010.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> (nn.init.sparse(0.5)(mx.zeros((3, 4))) == 0).sum(axis=1).tolist()
    [2, 2, 2]
    """

    def initializer(a: mx.array) -> mx.array:
        if a.ndim != 2:
            raise ValueError(f"[sparse] expected a matrix: got shape {tuple(a.shape)}")
        rows, columns = a.shape
        zeros_per_row = math.ceil(sparsity * columns)
        # The rank of independent uniform numbers is a random permutation of the columns.
        order = mx.argsort(mx.random.uniform(shape=(rows, columns)), axis=1)
        rank = mx.argsort(order, axis=1)
        values = mx.random.normal(shape=a.shape, scale=std, loc=mean, dtype=dtype)
        return mx.where(rank < zeros_per_row, mx.array(0, dtype), values)

    return initializer


def orthogonal(gain: float = 1.0, dtype: mx.Dtype = mx.float32) -> Initializer:
    """A slice of a random orthogonal matrix, times ``gain``.

    The function raises ``ValueError`` unless the array has two dimensions. The matrix is the Q of a
    QR decomposition of a normal matrix, its signs fixed by the diagonal of R, which makes it
    uniformly distributed (Mezzadri, "How to generate random matrices from the classical compact
    groups", 2007). It is computed on the CPU.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> q = nn.init.orthogonal()(mx.zeros((3, 3)))
    >>> bool(mx.allclose(q @ q.T, mx.eye(3), atol=1e-5))
    True
    """

    def initializer(a: mx.array) -> mx.array:
        if a.ndim != 2:
            raise ValueError(f"[orthogonal] expected a matrix (2D array): got a {a.ndim}D array")
        rows, columns = a.shape
        n = max(rows, columns)
        q, r = mx.linalg.qr(mx.random.normal(shape=(n, n)), stream=mx.cpu)
        q = q * mx.sign(mx.diag(r))
        return (gain * q[:rows, :columns]).astype(dtype)

    return initializer
