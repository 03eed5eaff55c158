# The embedding table. Its quantized form is in quantized.py.
"""Embeddings."""

from __future__ import annotations

import math

import mlx.core as mx

from .base import Module


class Embedding(Module):
    """Looks up a vector for each index: ``weight[x]``.

    Args:
        num_embeddings: Number of vectors.
        dims: Size of each.

    The input holds integers in any shape; the output has that shape and a last axis of ``dims``.
    The parameter ``weight`` has the shape ``(num_embeddings, dims)`` and is normal with standard
    deviation ``sqrt(1 / dims)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Embedding(100, 8)(mx.array([[1, 2, 3]])).shape
    (1, 3, 8)
    """

    def __init__(self, num_embeddings: int, dims: int):
        super().__init__()
        self.weight = mx.random.normal(shape=(num_embeddings, dims), scale=math.sqrt(1 / dims))

    def _extra_repr(self) -> str:
        return f"{self.weight.shape[0]}, {self.weight.shape[1]}"

    def __call__(self, x: mx.array) -> mx.array:
        return self["weight"][x]

    def as_linear(self, x: mx.array) -> mx.array:
        """``x @ weight.T``: the table as an output layer, for tied weights."""
        return x @ self["weight"].T

    def to_quantized(
        self,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
        quantize_input: bool = False,
    ) -> Module:
        """Makes a :class:`QuantizedEmbedding` of this layer.

        Args:
            group_size: Weights that share a scale; ``None`` takes the mode's default.
            bits: Bits per weight; ``None`` takes the mode's default.
            mode: Quantization mode, see ``mx.quantize``.
            quantize_input: Has to be ``False``: the input is integers.

        Raises:
            ValueError: ``quantize_input`` is set.
        """
        # Imported here because quantized.py builds on this file.
        from .quantized import QuantizedEmbedding

        if quantize_input:
            raise ValueError("[Embedding] quantize_input is not possible: the input is integers")
        return QuantizedEmbedding.from_embedding(self, group_size, bits, mode)
