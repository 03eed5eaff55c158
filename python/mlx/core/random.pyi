"""
Random numbers. Every draw is a function of a key; functions called without one take the next key of their thread.
"""

from collections.abc import Sequence
from typing import Any


state: _RandomState = ...

def seed(seed: int) -> None:
    """
    Sets the key of the calling thread to `key(seed)`, 0 <= seed < 2**64. Samplers called without a key split it.

    Example:
        >>> mx.random.seed(0)
    """

def key(seed: int) -> array:
    """
    The key of a seed, 0 <= seed < 2**64: its high and low 32 bits (uint32, shape (2,)).

    Example:
        >>> mx.random.key(1)
        array([0, 1], dtype=uint32)
    """

def split(key: array, num: int = 2, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    `num` independent keys, the rows of an array of shape (num, 2). Raises ValueError for what is no key.

    Example:
        >>> mx.random.split(mx.random.key(0)).shape
        (2, 2)
    """

def uniform(low: bool | int | float | complex | array | Any = 0, high: bool | int | float | complex | array | Any = 1, shape: Sequence[int] = [], dtype: Dtype | None = float32, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Uniformly distributed numbers in [low, high): 32 random bits divided by 2**32. `low` and `high` broadcast to the shape; float16, bfloat16 or float32. Raises ValueError for other dtypes and shapes, RuntimeError for float64.

    Example:
        >>> mx.random.uniform(key=mx.random.key(0))
        array(0.418457, dtype=float32)
    """

def normal(shape: Sequence[int] = [], dtype: Dtype | None = float32, loc: bool | int | float | complex | array | Any | None = None, scale: bool | int | float | complex | array | Any | None = None, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Normally distributed numbers, loc + scale * z with z = sqrt(2) * erfinv(u); floating dtypes, and complex64, whose parts have variance 1/2. `loc` and `scale` broadcast to the shape. Raises ValueError for other dtypes and shapes.

    Example:
        >>> mx.random.normal((2, 3)).shape
        (2, 3)
    """

def multivariate_normal(mean: array, cov: array, shape: Sequence[int] = [], dtype: Dtype | None = float32, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Jointly normal vectors. Not available yet: raises RuntimeError, and ValueError for arguments that do not fit.
    """

def truncated_normal(lower: bool | int | float | complex | array | Any, upper: bool | int | float | complex | array | Any, shape: Sequence[int] | None = None, dtype: Dtype | None = float32, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Standard normal numbers that lie in [lower, upper]; the shape defaults to that of the bounds. Raises ValueError for dtypes that are not floating and shapes that do not fit.

    Example:
        >>> mx.random.truncated_normal(mx.zeros((2,)), 1.0).shape
        (2,)
    """

def gumbel(shape: Sequence[int] = [], dtype: Dtype | None = float32, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Standard Gumbel numbers, -log(-log(u)) with u uniform. Raises as `uniform`.

    Example:
        >>> mx.random.gumbel((2,)).shape
        (2,)
    """

def laplace(shape: Sequence[int] = [], dtype: Dtype | None = float32, loc: float = 0.0, scale: float = 1.0, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Laplace numbers with density exp(-|x - loc| / scale) / (2 * scale). Raises ValueError for dtypes that are not floating.

    Example:
        >>> mx.random.laplace((2,)).shape
        (2,)
    """

def randint(low: bool | int | float | complex | array | Any, high: bool | int | float | complex | array | Any, shape: Sequence[int] = [], dtype: Dtype | None = int32, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Integers in [low, high), `low` where that is empty. They come from float32 numbers: of ranges beyond 2**24 not every integer occurs. Raises ValueError for dtypes other than integers and bool.

    Example:
        >>> mx.random.randint(0, 10, (3,), key=mx.random.key(0)).shape
        (3,)
    """

def bernoulli(p: bool | int | float | complex | array | Any = 0.5, shape: Sequence[int] | None = None, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    True with probability `p`, a floating number or array; the shape defaults to that of `p`. Raises ValueError for an integer `p` and for shapes that do not fit.

    Example:
        >>> mx.random.bernoulli(1.0)
        array(True, dtype=bool)
    """

def categorical(logits: array, axis: int = -1, shape: Sequence[int] | None = None, num_samples: int | None = None, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    Categories (uint32) with the probabilities softmax(logits) over `axis`. The shape is that of the logits without the axis, or `shape`, to which that broadcasts, or has `num_samples` draws of each distribution as a last axis. Raises ValueError for a bad axis or shape and when both are given.

    Example:
        >>> mx.random.categorical(mx.zeros((2, 3))).shape
        (2,)
    """

def permutation(x: int | array, axis: int = 0, key: array | None = None, stream: Stream | ThreadLocalStream | Device | DeviceType | None = None) -> array:
    """
    0, ..., x - 1 in random order (uint32), or the sub-arrays of `x` along an axis. Raises ValueError for a negative number, IndexError for a bad axis.

    Example:
        >>> mx.random.permutation(3).shape
        (3,)
    """
