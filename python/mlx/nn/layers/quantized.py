# Layers with quantized weights, and quantize(), which puts them in the place of others. The formats
# are those of mx.quantize.
"""Quantized layers."""

from __future__ import annotations

import math
from collections.abc import Callable

import mlx.core as mx
from mlx.utils import tree_map_with_path

from .base import Module
from .embedding import Embedding
from .linear import Linear

# Group size and bits of each mode.
_DEFAULTS = {"affine": (64, 4), "mxfp4": (32, 4), "nvfp4": (16, 4), "mxfp8": (32, 8)}


def _with_defaults(mode: str, group_size: int | None, bits: int | None) -> tuple[int, int]:
    if mode not in _DEFAULTS:
        raise ValueError(f"[quantize] mode must be one of {', '.join(_DEFAULTS)}: got {mode!r}")
    default_group_size, default_bits = _DEFAULTS[mode]
    return group_size or default_group_size, bits or default_bits


def quantize(
    model: Module,
    group_size: int | None = None,
    bits: int | None = None,
    *,
    mode: str = "affine",
    quantize_input: bool = False,
    class_predicate: Callable[[str, Module], bool | dict] | None = None,
) -> None:
    """Replaces the leaf modules of ``model`` by quantized ones, in place.

    Args:
        model: Its leaf modules are replaced, not itself.
        group_size: Weights that share a scale; ``None`` takes the mode's default.
        bits: Bits per weight; ``None`` takes the mode's default.
        mode: ``"affine"``, ``"mxfp4"``, ``"nvfp4"`` or ``"mxfp8"``, see ``mx.quantize``.
        quantize_input: Make layers that quantize their input as well (:class:`QQLinear`).
        class_predicate: ``class_predicate(path, module)`` returns whether to quantize the module,
            or a dict of arguments for its ``to_quantized``. Default: every module that has a
            method ``to_quantized``.

    Raises:
        ValueError: The predicate chose a module without ``to_quantized``, or returned something
            else than a bool or a dict.

    >>> import mlx.nn as nn
    >>> model = nn.Sequential(nn.Linear(64, 64), nn.ReLU())
    >>> nn.quantize(model, bits=8, class_predicate=lambda path, m: isinstance(m, nn.Linear))
    >>> type(model.layers[0]).__name__
    'QuantizedLinear'
    """

    def choose(path, module):
        if class_predicate is None:
            return hasattr(module, "to_quantized")
        return class_predicate(path, module)

    def convert(path, module):
        if not Module.is_module(module):
            return module
        choice = choose(path, module)
        if not choice:
            return module
        if not hasattr(module, "to_quantized"):
            raise ValueError(
                f"[quantize] {path!r} ({type(module).__name__}) has no method to_quantized"
            )
        if isinstance(choice, bool):
            arguments = {"group_size": group_size, "bits": bits, "mode": mode}
            if quantize_input:
                arguments["quantize_input"] = True
        elif isinstance(choice, dict):
            # Modules of other authors need not know the argument.
            arguments = {k: v for k, v in choice.items() if k != "quantize_input" or v}
        else:
            raise ValueError(
                "[quantize] class_predicate must return a bool or a dict: "
                f"got {type(choice).__name__} for {path!r}"
            )
        return module.to_quantized(**arguments)

    leaves = model.leaf_modules()
    model.update_modules(tree_map_with_path(convert, leaves, is_leaf=Module.is_module))


class QuantizedEmbedding(Module):
    """An :class:`Embedding` whose table is quantized. Its parameters are frozen.

    Args:
        num_embeddings: Number of vectors.
        dims: Size of each.
        group_size: Weights that share a scale; ``None`` takes the mode's default.
        bits: Bits per weight; ``None`` takes the mode's default.
        mode: See ``mx.quantize``.

    Parameters: ``weight`` (uint32), ``scales`` and, for the mode ``"affine"``, ``biases``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.QuantizedEmbedding(10, 64)(mx.array([1, 2])).shape
    (2, 64)
    """

    def __init__(
        self,
        num_embeddings: int,
        dims: int,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ):
        super().__init__()
        weight = mx.random.normal(shape=(num_embeddings, dims), scale=math.sqrt(1 / dims))
        self._set_weight(weight, group_size, bits, mode)

    def _set_weight(
        self, weight: mx.array, group_size: int | None, bits: int | None, mode: str
    ) -> None:
        self.group_size, self.bits = _with_defaults(mode, group_size, bits)
        self.mode = mode
        self.num_embeddings, self.dims = weight.shape
        self.weight, self.scales, *biases = mx.quantize(
            weight, self.group_size, self.bits, mode=mode
        )
        self.biases = biases[0] if biases else None
        self.freeze()

    def _extra_repr(self) -> str:
        return (
            f"{self.num_embeddings}, {self.dims}, group_size={self.group_size}, "
            f"bits={self.bits}, mode={self.mode}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        biases = self.get("biases")
        return mx.dequantize(
            self["weight"][x],
            scales=self["scales"][x],
            biases=None if biases is None else biases[x],
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )

    def as_linear(self, x: mx.array) -> mx.array:
        """``x @ weight.T``: the table as an output layer, for tied weights."""
        return mx.quantized_matmul(
            x,
            self["weight"],
            scales=self["scales"],
            biases=self.get("biases"),
            transpose=True,
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )

    @classmethod
    def from_embedding(
        cls,
        embedding_layer: Embedding,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ) -> QuantizedEmbedding:
        """Quantizes the table of an :class:`Embedding`."""
        num_embeddings, dims = embedding_layer.weight.shape
        layer = cls(num_embeddings, dims, group_size, bits, mode)
        layer._set_weight(embedding_layer.weight, group_size, bits, mode)
        return layer


class QuantizedLinear(Module):
    """A :class:`Linear` whose weight is quantized. Its parameters are frozen.

    Args:
        input_dims: Size of the last axis of the input; a multiple of the group size.
        output_dims: Size of the last axis of the output.
        bias: Whether there is a bias.
        group_size: Weights that share a scale; ``None`` takes the mode's default.
        bits: Bits per weight; ``None`` takes the mode's default.
        mode: See ``mx.quantize``.

    Parameters: ``weight`` (uint32, ``(output_dims, input_dims * bits / 32)``), ``scales``
    ``(output_dims, input_dims / group_size)``, for the mode ``"affine"`` ``biases`` of that shape,
    and ``bias`` (zeros) ``(output_dims,)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.QuantizedLinear(64, 8)(mx.ones((2, 64))).shape
    (2, 8)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        bias: bool = True,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ):
        super().__init__()
        limit = math.sqrt(1 / input_dims)
        weight = mx.random.uniform(-limit, limit, (output_dims, input_dims))
        self._set_weight(weight, group_size, bits, mode)
        if bias:
            self.bias = mx.zeros((output_dims,))
        self.freeze()

    def _set_weight(
        self, weight: mx.array, group_size: int | None, bits: int | None, mode: str
    ) -> None:
        self.group_size, self.bits = _with_defaults(mode, group_size, bits)
        self.mode = mode
        self.weight, self.scales, *biases = mx.quantize(
            weight, self.group_size, self.bits, mode=mode
        )
        self.biases = biases[0] if biases else None

    def _extra_repr(self) -> str:
        output_dims, packed = self.weight.shape
        return (
            f"input_dims={packed * 32 // self.bits}, output_dims={output_dims}, "
            f"bias={'bias' in self}, group_size={self.group_size}, bits={self.bits}, "
            f"mode={self.mode}"
        )

    def __call__(self, x: mx.array) -> mx.array:
        y = mx.quantized_matmul(
            x,
            self["weight"],
            scales=self["scales"],
            biases=self.get("biases"),
            transpose=True,
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )
        return y + self["bias"] if "bias" in self else y

    @classmethod
    def from_linear(
        cls,
        linear_layer: Module,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "affine",
    ) -> QuantizedLinear:
        """Quantizes the weight of a :class:`Linear`; its bias is taken over and stays trainable."""
        output_dims, input_dims = linear_layer.weight.shape
        layer = cls(input_dims, output_dims, False, group_size, bits, mode=mode)
        layer._set_weight(linear_layer.weight, group_size, bits, mode)
        if "bias" in linear_layer:
            layer.bias = linear_layer.bias
        return layer


class QQLinear(Module):
    """A linear layer without bias that quantizes both its weight and its input.

    In training mode the weight is kept as it is; :meth:`eval` quantizes it and :meth:`train`
    brings it back. Its parameters are not frozen.

    Args:
        input_dims: Size of the last axis of the input.
        output_dims: Size of the last axis of the output.
        group_size: Weights that share a scale; ``None`` takes the mode's default.
        bits: Bits per weight; ``None`` takes the mode's default.
        mode: ``"nvfp4"`` or ``"mxfp8"``, see ``mx.qqmm``.

    Parameters: ``weight`` ``(output_dims, input_dims)``; when quantized, ``weight`` (uint32) and
    ``scales``.

    >>> import mlx.nn as nn
    >>> layer = nn.QQLinear(64, 8)
    >>> "scales" in layer, "scales" in layer.eval()
    (False, True)
    """

    def __init__(
        self,
        input_dims: int,
        output_dims: int,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "nvfp4",
    ):
        super().__init__()
        limit = math.sqrt(1 / input_dims)
        self.weight = mx.random.uniform(-limit, limit, (output_dims, input_dims))
        self.group_size, self.bits = _with_defaults(mode, group_size, bits)
        self.mode = mode
        self._quantized = False

    def _extra_repr(self) -> str:
        output_dims, input_dims = self.weight.shape
        if self._quantized:
            input_dims = input_dims * 32 // self.bits
        return (
            f"input_dims={input_dims}, output_dims={output_dims}, group_size={self.group_size}, "
            f"bits={self.bits}, mode={self.mode}"
        )

    def quantize(self) -> None:
        """Quantizes the weight, unless it is already."""
        if not self._quantized:
            self.weight, self.scales = mx.quantize(
                self.weight, self.group_size, self.bits, mode=self.mode
            )
            self._quantized = True

    def dequantize(self) -> None:
        """Brings back a weight of full precision, unless it is one."""
        if self._quantized:
            self.weight = mx.dequantize(
                self.weight,
                scales=self.scales,
                group_size=self.group_size,
                bits=self.bits,
                mode=self.mode,
            )
            del self.scales
            self._quantized = False

    def _set_training_mode(self, mode: bool) -> None:
        super()._set_training_mode(mode)
        if mode:
            self.dequantize()
        else:
            self.quantize()

    def __call__(self, x: mx.array) -> mx.array:
        return mx.qqmm(
            x,
            self["weight"],
            scales=self.get("scales"),
            group_size=self.group_size,
            bits=self.bits,
            mode=self.mode,
        )

    @classmethod
    def from_linear(
        cls,
        linear_layer: Linear,
        group_size: int | None = None,
        bits: int | None = None,
        mode: str = "nvfp4",
    ) -> QQLinear:
        """Takes over the weight of a :class:`Linear`, and its training or evaluation mode.

        Raises:
            NotImplementedError: The layer has a bias.
        """
        if "bias" in linear_layer:
            raise NotImplementedError("[QQLinear] a bias is not supported")
        output_dims, input_dims = linear_layer.weight.shape
        layer = cls(input_dims, output_dims, group_size, bits, mode=mode)
        layer.weight = linear_layer.weight
        layer.train(linear_layer.training)
        return layer
