# Positional encodings: rotary (RoPE), sinusoidal, and linear attention biases (ALiBi).
"""Positional encodings."""

from __future__ import annotations

import math

import mlx.core as mx

from .base import Module


class RoPE(Module):
    """Rotary positional encoding: rotates pairs of features by angles that grow with position.

    Args:
        dims: How many features of the last axis are rotated; the others are returned as they are.
        traditional: Pair neighbouring features; by default feature ``i`` and ``i + dims / 2``.
        base: The angle of pair ``i`` is ``position * base ** (-2 * i / dims)``.
        scale: Factor for the positions.

    The input has the shape ``(..., L, D)``; positions count along L. Source: Su et al., "RoFormer",
    2021.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.RoPE(8)(mx.zeros((1, 4, 10, 8)), offset=3).shape
    (1, 4, 10, 8)
    """

    def __init__(
        self, dims: int, traditional: bool = False, base: float = 10000, scale: float = 1.0
    ):
        super().__init__()
        self.dims = dims
        self.traditional = traditional
        self.base = base
        self.scale = scale

    def _extra_repr(self) -> str:
        return f"{self.dims}, traditional={self.traditional}"

    def __call__(self, x: mx.array, offset: int | mx.array = 0) -> mx.array:
        """Encodes ``x``, whose first position is ``offset`` (one, or one per batch element)."""
        return mx.fast.rope(
            x,
            self.dims,
            traditional=self.traditional,
            base=self.base,
            scale=self.scale,
            offset=offset,
        )


class SinusoidalPositionalEncoding(Module):
    """Sines and cosines of positions at geometrically spaced frequencies.

    Args:
        dims: Size of the encoding, even.
        min_freq: The lowest frequency.
        max_freq: The highest frequency.
        scale: Factor for the result; ``None`` is ``sqrt(2 / dims)``, which gives unit vectors.
        cos_first: Cosines before sines.
        full_turns: Multiply the frequencies by ``2 * pi``.

    The input holds positions in any shape; the output has that shape and a last axis of ``dims``.
    Source: Vaswani et al., "Attention is all you need", 2017.

    Raises:
        ValueError: ``dims`` is odd or not positive.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.SinusoidalPositionalEncoding(8)(mx.arange(5)).shape
    (5, 8)
    """

    def __init__(
        self,
        dims: int,
        min_freq: float = 0.0001,
        max_freq: float = 1,
        scale: float | None = None,
        cos_first: bool = False,
        full_turns: bool = False,
    ):
        super().__init__()
        if dims <= 0 or dims % 2 != 0:
            raise ValueError(
                f"[SinusoidalPositionalEncoding] dims must be positive and even: got {dims}"
            )
        half = dims // 2
        low, high = math.log(min_freq), math.log(max_freq)
        # From max_freq down to min_freq; a single frequency is the highest.
        fraction = 1 - mx.arange(half) / max(half - 1, 1)
        sigmas = mx.exp(fraction * (high - low) + low)
        self._sigmas = sigmas * (2 * math.pi) if full_turns else sigmas
        self.scale = math.sqrt(2 / dims) if scale is None else scale
        self.cos_first = cos_first

    def __call__(self, x: mx.array) -> mx.array:
        angles = x[..., None] * self._sigmas
        parts = [mx.sin(angles), mx.cos(angles)]
        if self.cos_first:
            parts.reverse()
        y = mx.concatenate(parts, axis=-1)
        return y if self.scale == 1 else y * self.scale


class ALiBi(Module):
    """Attention with linear biases: adds ``-slope * distance`` to attention scores.

    Source: Press et al., "Train short, test long", 2021.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ALiBi()(mx.zeros((1, 8, 4, 4))).shape
    (1, 8, 4, 4)
    """

    @staticmethod
    def create_alibi_matrix(
        q_sequence_length: int,
        k_sequence_length: int,
        num_heads: int,
        offset: int,
        dtype: mx.Dtype = mx.float32,
    ) -> mx.array:
        """The biases of the queries ``offset`` to ``q_sequence_length``.

        Returns:
            ``(1, num_heads, q_sequence_length - offset, k_sequence_length)``.
        """
        queries = mx.arange(offset, q_sequence_length)
        keys = mx.arange(k_sequence_length)
        distance = mx.abs(queries[:, None] - keys[None]).astype(dtype)
        slope = ALiBi.create_alibi_slope(num_heads, dtype)
        return mx.expand_dims(-distance, (0, 1)) * slope

    @staticmethod
    def create_alibi_slope(num_heads: int, dtype: mx.Dtype = mx.float32) -> mx.array:
        """One slope per head, as ``(num_heads, 1, 1)``.

        A power of two n has the slopes ``2 ** (-8 * i / n)`` for i from 1 to n. Other numbers take
        those of the power of two below, then every second one of the power of two above.
        """

        def slopes(n):
            return [2.0 ** (-8.0 * i / n) for i in range(1, n + 1)]

        below = 1 << (num_heads.bit_length() - 1)
        values = slopes(below)
        if below < num_heads:
            values += slopes(2 * below)[::2][: num_heads - below]
        return mx.array(values, dtype=dtype).reshape(num_heads, 1, 1)

    def __call__(
        self, attention_scores: mx.array, offset: int = 0, mask: mx.array | None = None
    ) -> mx.array:
        """Adds the biases, and ``mask`` if given, to scores of shape ``(B, H, Q, K)``."""
        biases = self.create_alibi_matrix(
            q_sequence_length=attention_scores.shape[-2] + offset,
            k_sequence_length=attention_scores.shape[-1],
            num_heads=attention_scores.shape[1],
            offset=offset,
            dtype=attention_scores.dtype,
        )
        if mask is not None:
            biases = biases + mask
        return attention_scores + biases
