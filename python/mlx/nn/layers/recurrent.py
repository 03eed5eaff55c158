# Recurrent layers. Each multiplies the inputs of all steps at once and loops over the rest.
"""Recurrent layers over sequences ``(L, D)`` or ``(N, L, D)``."""

from __future__ import annotations

import math
from collections.abc import Callable

import mlx.core as mx

from .activations import tanh
from .base import Module


def _uniform(hidden_size: int, *shape: int) -> mx.array:
    limit = 1 / math.sqrt(hidden_size)
    return mx.random.uniform(-limit, limit, shape)


def _input_products(x: mx.array, weight: mx.array, bias: mx.array | None) -> mx.array:
    """``x @ weight.T + bias`` for all steps."""
    return x @ weight.T if bias is None else mx.addmm(bias, x, weight.T)


class RNN(Module):
    """Elman recurrence: ``h = nonlinearity(Wxh x + bias + Whh h)``.

    Args:
        input_size: Size D of the input's last axis.
        hidden_size: Size H of the hidden state.
        bias: Whether there is a bias; without one the attribute is ``None``.
        nonlinearity: Array to array; ``None`` is :func:`tanh`.

    Parameters, uniform in ``±1 / sqrt(H)``: ``Wxh`` of shape ``(H, D)``, ``Whh`` ``(H, H)``,
    ``bias`` ``(H,)``. Source: Elman, "Finding structure in time", 1990.

    Raises:
        ValueError: ``nonlinearity`` cannot be called.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.RNN(3, 5)(mx.zeros((2, 7, 3))).shape
    (2, 7, 5)
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: Callable[[mx.array], mx.array] | None = None,
    ):
        super().__init__()
        self.nonlinearity = nonlinearity if nonlinearity is not None else tanh
        if not callable(self.nonlinearity):
            raise ValueError(f"[RNN] nonlinearity must be callable: got {nonlinearity!r}")
        self.hidden_size = hidden_size
        self.Wxh = _uniform(hidden_size, hidden_size, input_size)
        self.Whh = _uniform(hidden_size, hidden_size, hidden_size)
        self.bias = _uniform(hidden_size, hidden_size) if bias else None

    def _extra_repr(self) -> str:
        return (
            f"input_dims={self.Wxh.shape[1]}, hidden_size={self.hidden_size}, "
            f"nonlinearity={self.nonlinearity}, bias={self.bias is not None}"
        )

    def __call__(self, x: mx.array, hidden: mx.array | None = None) -> mx.array:
        """Returns the hidden states of all steps, ``(..., L, H)``; ``hidden`` is the first."""
        x = _input_products(x, self.Wxh, self.bias)
        states = []
        for t in range(x.shape[-2]):
            step = x[..., t, :]
            if hidden is not None:
                step = mx.addmm(step, hidden, self.Whh.T)
            hidden = self.nonlinearity(step)
            states.append(hidden)
        return mx.stack(states, axis=-2)


class GRU(Module):
    """Gated recurrent unit.

    ``r = sigmoid(Wxr x + br + Whr h)``, ``z = sigmoid(Wxz x + bz + Whz h)``,
    ``n = tanh(Wxn x + bn + r * (Whn h + bhn))``, ``h = (1 - z) * n + z * h``.

    Args:
        input_size: Size D of the input's last axis.
        hidden_size: Size H of the hidden state.
        bias: Whether there are biases; without them the attributes are ``None``.

    Parameters, uniform in ``±1 / sqrt(H)``, rows in the order r, z, n: ``Wx`` of shape ``(3H, D)``,
    ``Wh`` ``(3H, H)``, ``b`` ``(3H,)``, ``bhn`` ``(H,)``. Source: Cho et al., "Learning phrase
    representations using RNN encoder-decoder", 2014.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.GRU(3, 5)(mx.zeros((2, 7, 3))).shape
    (2, 7, 5)
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True):
        super().__init__()
        self.hidden_size = hidden_size
        self.Wx = _uniform(hidden_size, 3 * hidden_size, input_size)
        self.Wh = _uniform(hidden_size, 3 * hidden_size, hidden_size)
        self.b = _uniform(hidden_size, 3 * hidden_size) if bias else None
        self.bhn = _uniform(hidden_size, hidden_size) if bias else None

    def _extra_repr(self) -> str:
        return (
            f"input_dims={self.Wx.shape[1]}, hidden_size={self.hidden_size}, "
            f"bias={self.b is not None}"
        )

    def __call__(self, x: mx.array, hidden: mx.array | None = None) -> mx.array:
        """Returns the hidden states of all steps, ``(..., L, H)``; ``hidden`` is the first."""
        x = _input_products(x, self.Wx, self.b)
        size = self.hidden_size
        states = []
        for t in range(x.shape[-2]):
            gates, candidate = x[..., t, : 2 * size], x[..., t, 2 * size :]
            if hidden is not None:
                products = hidden @ self.Wh.T
                gates = gates + products[..., : 2 * size]
                recurrent = products[..., 2 * size :]
                if self.bhn is not None:
                    recurrent = recurrent + self.bhn
            else:
                recurrent = self.bhn  # what a zero state leaves
            r, z = mx.split(mx.sigmoid(gates), 2, axis=-1)
            n = mx.tanh(candidate if recurrent is None else candidate + r * recurrent)
            hidden = (1 - z) * n if hidden is None else (1 - z) * n + z * hidden
            states.append(hidden)
        return mx.stack(states, axis=-2)


class LSTM(Module):
    """Long short-term memory.

    With the gates ``i, f, o = sigmoid(W x + b + U h)`` and ``g = tanh(W x + b + U h)``:
    ``c = f * c + i * g``, ``h = o * tanh(c)``.

    Args:
        input_size: Size D of the input's last axis.
        hidden_size: Size H of the hidden and the cell state.
        bias: Whether there is a bias; without one the attribute is ``None``.

    Parameters, uniform in ``±1 / sqrt(H)``, rows in the order i, f, g, o: ``Wx`` of shape
    ``(4H, D)``, ``Wh`` ``(4H, H)``, ``bias`` ``(4H,)``. Source: Hochreiter and Schmidhuber, "Long
    short-term memory", 1997.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> hidden, cell = nn.LSTM(3, 5)(mx.zeros((2, 7, 3)))
    >>> hidden.shape, cell.shape
    ((2, 7, 5), (2, 7, 5))
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True):
        super().__init__()
        self.hidden_size = hidden_size
        self.Wx = _uniform(hidden_size, 4 * hidden_size, input_size)
        self.Wh = _uniform(hidden_size, 4 * hidden_size, hidden_size)
        self.bias = _uniform(hidden_size, 4 * hidden_size) if bias else None

    def _extra_repr(self) -> str:
        return (
            f"input_dims={self.Wx.shape[1]}, hidden_size={self.hidden_size}, "
            f"bias={self.bias is not None}"
        )

    def __call__(
        self, x: mx.array, hidden: mx.array | None = None, cell: mx.array | None = None
    ) -> tuple[mx.array, mx.array]:
        """Returns the hidden and the cell states of all steps, each ``(..., L, H)``."""
        x = _input_products(x, self.Wx, self.bias)
        hidden_states, cell_states = [], []
        for t in range(x.shape[-2]):
            step = x[..., t, :]
            if hidden is not None:
                step = mx.addmm(step, hidden, self.Wh.T)
            i, f, g, o = mx.split(step, 4, axis=-1)
            new = mx.sigmoid(i) * mx.tanh(g)
            cell = new if cell is None else mx.sigmoid(f) * cell + new
            hidden = mx.sigmoid(o) * mx.tanh(cell)
            hidden_states.append(hidden)
            cell_states.append(cell)
        return mx.stack(hidden_states, axis=-2), mx.stack(cell_states, axis=-2)
