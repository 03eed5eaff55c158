# Linear layers: Identity, Linear, Bilinear. Their quantized and distributed forms are in
# quantized.py and distributed.py.
"""Linear layers."""

from __future__ import annotations

import math
from typing import Any

import mlx.core as mx

from .base import Module


class Identity(Module):
    """Returns its input. Takes any arguments, so that it can stand in for every other layer.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Identity(3, bias=False)(mx.array([1.0])).tolist()
    [1.0]
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def __call__(self, x: mx.array) -> mx.array:
        return x


class Linear(Module):
    """``y = x @ weight.T + bias`` over the last axis.

    Args:
        input_dims: Size of the last axis of the input.
        output_dims: Size of the last axis of the output.
        bias: Whether there is a bias.

    Parameters: ``weight`` of shape ``(output_dims, input_dims)`` and ``bias`` of shape
    ``(output_dims,)``, both uniform in ``±sqrt(1 / input_dims)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Linear(4, 2)(mx.ones((3, 5, 4))).shape
    (3, 5, 2)
    """

    def __init__(self, input_dims: int, output_dims: int, bias: bool = True):
        super().__init__()
        limit = math.sqrt(1.0 / input_dims)
        self.weight = mx.random.uniform(-limit, limit, (output_dims, input_dims))
        if bias:
            self.bias = mx.random.uniform(-limit, limit, (output_dims,))

    def _extra_repr(self) -> str:
        output_dims, input_dims = self.weight.shape
        return f"input_dims={input_dims}, output_dims={output_dims}, bias={'bias' in self}"

    def __call__(self, x: mx.array) -> mx.array:
        if "bias" in self:
            return mx.addmm(self["bias"], x, self["weight"].T)
        return x @ self["weight"].T

    def to_quantized(
        self,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
        quantize_input: bool = False,
    ) -> Module:
        """Makes a :class:`QuantizedLinear` of this layer, or a :class:`QQLinear`.

        Args:
            group_size: Weights that share a scale; ``None`` takes the mode's default.
            bits: Bits per weight; ``None`` takes the mode's default.
            mode: Quantization mode, see ``mx.quantize``.
            quantize_input: Make a :class:`QQLinear`, which quantizes its input as well.

        Raises:
            ValueError: ``quantize_input`` with a mode other than ``nvfp4`` and ``mxfp8``.
        """
        # Imported here because quantized.py builds on this file.
        from .quantized import QQLinear, QuantizedLinear

        if not quantize_input:
            return QuantizedLinear.from_linear(self, group_size, bits, mode)
        if mode not in ("nvfp4", "mxfp8"):
            raise ValueError(
                f"[Linear] quantize_input needs the mode 'nvfp4' or 'mxfp8': got {mode!r}"
            )
        return QQLinear.from_linear(self, group_size, bits, mode)


class Bilinear(Module):
    """``y[o] = x2 @ weight[o] @ x1 + bias[o]`` over the last axes of two inputs.

    Args:
        input1_dims: Size of the last axis of the first input.
        input2_dims: Size of the last axis of the second input.
        output_dims: Size of the last axis of the output.
        bias: Whether there is a bias.

    The leading dimensions of both inputs are equal and are those of the output. Parameters:
    ``weight`` of shape ``(output_dims, input2_dims, input1_dims)`` and ``bias`` of shape
    ``(output_dims,)``, both uniform in ``±sqrt(1 / input1_dims)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Bilinear(3, 4, 2)(mx.ones((5, 3)), mx.ones((5, 4))).shape
    (5, 2)
    """

    def __init__(self, input1_dims: int, input2_dims: int, output_dims: int, bias: bool = True):
        super().__init__()
        limit = math.sqrt(1.0 / input1_dims)
        shape = (output_dims, input2_dims, input1_dims)
        self.weight = mx.random.uniform(-limit, limit, shape)
        if bias:
            self.bias = mx.random.uniform(-limit, limit, (output_dims,))

    def _extra_repr(self) -> str:
        output_dims, input2_dims, input1_dims = self.weight.shape
        return (
            f"input1_dims={input1_dims}, input2_dims={input2_dims}, output_dims={output_dims}, "
            f"bias={'bias' in self}"
        )

    def __call__(self, x1: mx.array, x2: mx.array) -> mx.array:
        output_dims, input2_dims, input1_dims = self["weight"].shape
        lead = x1.shape[:-1]
        x1 = x1.reshape(-1, input1_dims)
        x2 = x2.reshape(-1, 1, input2_dims)

        # All rows of all output matrices at once: (n, out * in2), then one small product per row.
        rows = self["weight"].reshape(output_dims * input2_dims, input1_dims)
        products = (x1 @ rows.T).reshape(-1, output_dims, input2_dims)
        y = (x2 @ products.swapaxes(-2, -1)).squeeze(1)
        y = y.reshape(*lead, output_dims)
        return y + self["bias"] if "bias" in self else y
