# Multi-head attention and the encoder-decoder transformer.
"""Attention and transformers. Sequences have the shape ``(B, L, D)``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mlx.core as mx

from ..utils import checkpoint as checkpointed
from .activations import relu
from .base import Module
from .dropout import Dropout
from .linear import Linear
from .normalization import LayerNorm

Activation = Callable[[mx.array], mx.array]


class MultiHeadAttention(Module):
    """Scaled dot product attention with several heads.

    Args:
        dims: Size of the projected queries and keys, all heads together.
        num_heads: Number of heads; divides ``dims``.
        query_input_dims: Size of the queries; default ``dims``.
        key_input_dims: Size of the keys; default ``dims``.
        value_input_dims: Size of the values; default ``key_input_dims``.
        value_dims: Size of the projected values, all heads together; default ``dims``.
        value_output_dims: Size of the output; default ``dims``.
        bias: Whether the projections have biases.

    Sub-modules: ``query_proj``, ``key_proj``, ``value_proj``, ``out_proj``. Source: Vaswani et al.,
    "Attention is all you need", 2017.

    Raises:
        ValueError: ``num_heads`` does not divide ``dims``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> x = mx.zeros((1, 5, 8))
    >>> mask = nn.MultiHeadAttention.create_additive_causal_mask(5)
    >>> nn.MultiHeadAttention(8, num_heads=2)(x, x, x, mask).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        dims: int,
        num_heads: int,
        query_input_dims: int | None = None,
        key_input_dims: int | None = None,
        value_input_dims: int | None = None,
        value_dims: int | None = None,
        value_output_dims: int | None = None,
        bias: bool = False,
    ):
        super().__init__()
        if dims % num_heads != 0:
            raise ValueError(
                "[MultiHeadAttention] dims must be a multiple of num_heads: "
                f"got dims={dims}, num_heads={num_heads}"
            )
        key_input_dims = key_input_dims or dims
        value_dims = value_dims or dims

        self.num_heads = num_heads
        self.query_proj = Linear(query_input_dims or dims, dims, bias=bias)
        self.key_proj = Linear(key_input_dims, dims, bias=bias)
        self.value_proj = Linear(value_input_dims or key_input_dims, value_dims, bias=bias)
        self.out_proj = Linear(value_dims, value_output_dims or dims, bias=bias)

    def _split_heads(self, x: mx.array) -> mx.array:
        batch, length, dims = x.shape
        x = x.reshape(batch, length, self.num_heads, dims // self.num_heads)
        return x.transpose(0, 2, 1, 3)

    def __call__(
        self, queries: mx.array, keys: mx.array, values: mx.array, mask: Any = None
    ) -> mx.array:
        """Attends from ``(B, Lq, ·)`` to ``(B, Lk, ·)``; returns ``(B, Lq, ·)``.

        ``mask`` is that of ``mx.fast.scaled_dot_product_attention``: additive or boolean,
        broadcastable to ``(B, num_heads, Lq, Lk)``, or ``"causal"``.
        """
        queries = self._split_heads(self.query_proj(queries))
        keys = self._split_heads(self.key_proj(keys))
        values = self._split_heads(self.value_proj(values))
        output = mx.fast.scaled_dot_product_attention(
            queries, keys, values, scale=math.sqrt(1 / queries.shape[-1]), mask=mask
        )
        batch, _, length, _ = output.shape
        return self.out_proj(output.transpose(0, 2, 1, 3).reshape(batch, length, -1))

    @staticmethod
    def create_additive_causal_mask(N: int, dtype: mx.Dtype = mx.float32) -> mx.array:
        """``(N, N)``: 0 up to the diagonal, the most negative finite number above it."""
        positions = mx.arange(N)
        # A product, not a where with -inf: adding two masks must not make a NaN.
        above = (positions[:, None] < positions[None]).astype(dtype)
        return above * mx.array(mx.finfo(dtype).min, dtype=dtype)


class TransformerEncoderLayer(Module):
    """Self-attention and a two-layer perceptron, each with a residual connection.

    Args:
        dims: Size D of the sequence's features.
        num_heads: Number of attention heads.
        mlp_dims: Hidden size of the perceptron; default ``4 * dims``.
        dropout: Probability of dropout.
        activation: Of the perceptron.
        norm_first: Normalise the input of each part; ``False`` normalises the sum after it.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.TransformerEncoderLayer(8, num_heads=2)(mx.zeros((1, 5, 8)), None).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
    ):
        super().__init__()
        mlp_dims = mlp_dims or 4 * dims
        self.attention = MultiHeadAttention(dims, num_heads)
        self.ln1 = LayerNorm(dims)
        self.ln2 = LayerNorm(dims)
        self.linear1 = Linear(dims, mlp_dims)
        self.linear2 = Linear(mlp_dims, dims)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation
        self.norm_first = norm_first

    def _mlp(self, x: mx.array) -> mx.array:
        return self.linear2(self.dropout2(self.activation(self.linear1(x))))

    def __call__(self, x: mx.array, mask: Any) -> mx.array:
        if self.norm_first:
            y = self.ln1(x)
            x = x + self.dropout1(self.attention(y, y, y, mask))
            return x + self._mlp(self.ln2(x))
        x = self.ln1(x + self.dropout1(self.attention(x, x, x, mask)))
        return self.ln2(x + self._mlp(x))


class TransformerEncoder(Module):
    """A stack of :class:`TransformerEncoderLayer` and a last layer norm.

    Args:
        num_layers: Number of layers.
        dims: Size D of the sequence's features.
        num_heads: Number of attention heads.
        mlp_dims: Hidden size of the perceptrons; default ``4 * dims``.
        dropout: Probability of dropout.
        activation: Of the perceptrons.
        norm_first: See :class:`TransformerEncoderLayer`.
        checkpoint: Compute the layers' inner values again for the gradient, to save memory.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.TransformerEncoder(2, dims=8, num_heads=2)(mx.zeros((1, 5, 8)), None).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        num_layers: int,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
        checkpoint: bool = False,
    ):
        super().__init__()
        self.layers = [
            TransformerEncoderLayer(dims, num_heads, mlp_dims, dropout, activation, norm_first)
            for _ in range(num_layers)
        ]
        self.ln = LayerNorm(dims)
        self.checkpoint = checkpoint

    def __call__(self, x: mx.array, mask: Any) -> mx.array:
        for layer in self.layers:
            x = (checkpointed(layer) if self.checkpoint else layer)(x, mask)
        return self.ln(x)


class TransformerDecoderLayer(Module):
    """Self-attention, attention to a memory and a perceptron, each with a residual connection.

    The arguments are those of :class:`TransformerEncoderLayer`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> layer = nn.TransformerDecoderLayer(8, num_heads=2)
    >>> layer(mx.zeros((1, 5, 8)), mx.zeros((1, 9, 8)), None, None).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
    ):
        super().__init__()
        mlp_dims = mlp_dims or 4 * dims
        self.self_attention = MultiHeadAttention(dims, num_heads)
        self.cross_attention = MultiHeadAttention(dims, num_heads)
        self.ln1 = LayerNorm(dims)
        self.ln2 = LayerNorm(dims)
        self.ln3 = LayerNorm(dims)
        self.linear1 = Linear(dims, mlp_dims)
        self.linear2 = Linear(mlp_dims, dims)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = activation
        self.norm_first = norm_first

    def _mlp(self, x: mx.array) -> mx.array:
        return self.linear2(self.dropout3(self.activation(self.linear1(x))))

    def __call__(self, x: mx.array, memory: mx.array, x_mask: Any, memory_mask: Any) -> mx.array:
        if self.norm_first:
            y = self.ln1(x)
            x = x + self.dropout1(self.self_attention(y, y, y, x_mask))
            y = self.ln2(x)
            x = x + self.dropout2(self.cross_attention(y, memory, memory, memory_mask))
            return x + self._mlp(self.ln3(x))
        x = self.ln1(x + self.dropout1(self.self_attention(x, x, x, x_mask)))
        y = self.cross_attention(x, memory, memory, memory_mask)
        x = self.ln2(x + self.dropout2(y))
        return self.ln3(x + self._mlp(x))


class TransformerDecoder(Module):
    """A stack of :class:`TransformerDecoderLayer` and a last layer norm.

    The arguments are those of :class:`TransformerEncoder`.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> decoder = nn.TransformerDecoder(2, dims=8, num_heads=2)
    >>> decoder(mx.zeros((1, 5, 8)), mx.zeros((1, 9, 8)), None, None).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        num_layers: int,
        dims: int,
        num_heads: int,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        norm_first: bool = True,
        checkpoint: bool = False,
    ):
        super().__init__()
        self.layers = [
            TransformerDecoderLayer(dims, num_heads, mlp_dims, dropout, activation, norm_first)
            for _ in range(num_layers)
        ]
        self.ln = LayerNorm(dims)
        self.checkpoint = checkpoint

    def __call__(self, x: mx.array, memory: mx.array, x_mask: Any, memory_mask: Any) -> mx.array:
        for layer in self.layers:
            call = checkpointed(layer) if self.checkpoint else layer
            x = call(x, memory, x_mask, memory_mask)
        return self.ln(x)


class Transformer(Module):
    """An encoder and a decoder that attends to what the encoder returns.

    Args:
        dims: Size D of the features of both sequences.
        num_heads: Number of attention heads.
        num_encoder_layers: Layers of the encoder.
        num_decoder_layers: Layers of the decoder.
        mlp_dims: Hidden size of the perceptrons; default ``4 * dims``.
        dropout: Probability of dropout.
        activation: Of the perceptrons.
        custom_encoder: A module to use instead, called ``encoder(src, src_mask)``.
        custom_decoder: A module to use instead, called
            ``decoder(tgt, memory, tgt_mask, memory_mask)``.
        norm_first: See :class:`TransformerEncoderLayer`.
        checkpoint: See :class:`TransformerEncoder`.

    Source: Vaswani et al., "Attention is all you need", 2017.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> model = nn.Transformer(8, num_heads=2, num_encoder_layers=1, num_decoder_layers=1)
    >>> model(mx.zeros((1, 9, 8)), mx.zeros((1, 5, 8)), None, None, None).shape
    (1, 5, 8)
    """

    def __init__(
        self,
        dims: int = 512,
        num_heads: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        mlp_dims: int | None = None,
        dropout: float = 0.0,
        activation: Activation = relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        norm_first: bool = True,
        checkpoint: bool = False,
    ):
        super().__init__()
        layout = (dims, num_heads, mlp_dims, dropout, activation, norm_first, checkpoint)
        # "is None" and not "or": a module without parameters is an empty dict, which is falsy.
        if custom_encoder is None:
            custom_encoder = TransformerEncoder(num_encoder_layers, *layout)
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(num_decoder_layers, *layout)
        self.encoder = custom_encoder
        self.decoder = custom_decoder

    def __call__(
        self, src: mx.array, tgt: mx.array, src_mask: Any, tgt_mask: Any, memory_mask: Any
    ) -> mx.array:
        memory = self.encoder(src, src_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask)
