# Activation functions, and the layers that apply them.
"""Activation functions and their layer forms."""

from __future__ import annotations

import math
from functools import partial

import mlx.core as mx

from .base import Module

# Traced at the first call, not at import. "shapeless": one trace serves all shapes.
_compiled = partial(mx.compile, shapeless=True)


@_compiled
def sigmoid(x: mx.array) -> mx.array:
    """``1 / (1 + exp(-x))``, elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.sigmoid(mx.array([0.0])).tolist()
    [0.5]
    """
    return mx.sigmoid(x)


@_compiled
def relu(x: mx.array) -> mx.array:
    """``max(x, 0)``, elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.relu(mx.array([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return mx.maximum(x, 0)


@_compiled
def relu2(x: mx.array) -> mx.array:
    """``max(x, 0) ** 2``, elementwise (So et al., "Primer", 2021).

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.relu2(mx.array([-1.0, 3.0])).tolist()
    [0.0, 9.0]
    """
    return mx.square(mx.maximum(x, 0))


@_compiled
def relu6(x: mx.array) -> mx.array:
    """``min(max(x, 0), 6)``, elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.relu6(mx.array([-1.0, 2.0, 7.0])).tolist()
    [0.0, 2.0, 6.0]
    """
    return mx.minimum(mx.maximum(x, 0), 6.0)


@_compiled
def leaky_relu(x: mx.array, negative_slope: float = 0.01) -> mx.array:
    """``max(negative_slope * x, x)``, elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.leaky_relu(mx.array([-2.0, 2.0]), negative_slope=0.5).tolist()
    [-1.0, 2.0]
    """
    return mx.maximum(negative_slope * x, x)


@_compiled
def elu(x: mx.array, alpha: float = 1.0) -> mx.array:
    """``x`` where positive, else ``alpha * (exp(x) - 1)`` (Clevert et al., 2015).

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.elu(mx.array([0.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    # The branch not taken must not overflow: its infinity would turn the gradient into NaN.
    return mx.where(x > 0, x, alpha * (mx.exp(mx.minimum(x, 0)) - 1))


@_compiled
def celu(x: mx.array, alpha: float = 1.0) -> mx.array:
    """``max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1)`` (Barron, 2017).

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.celu(mx.array([0.0, 2.0]), alpha=2.0).tolist()
    [0.0, 2.0]
    """
    return mx.maximum(x, 0.0) + alpha * (mx.exp(mx.minimum(x, 0.0) / alpha) - 1)


@_compiled
def selu(x: mx.array) -> mx.array:
    """``1.0507 * elu(x, 1.67326)`` (Klambauer et al., 2017).

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.selu(mx.array(1.0)).item(), 4)
    1.0507
    """
    return elu(x, 1.67326) * 1.0507


@_compiled
def silu(x: mx.array) -> mx.array:
    """``x * sigmoid(x)``, elementwise; also called swish.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.silu(mx.array(1.0)).item(), 4)
    0.7311
    """
    return x * mx.sigmoid(x)


@_compiled
def softplus(x: mx.array) -> mx.array:
    """``log(1 + exp(x))``, elementwise, without overflow.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.softplus(mx.array(1000.0)).item()
    1000.0
    """
    return mx.logaddexp(x, 0)


@_compiled
def softsign(x: mx.array) -> mx.array:
    """``x / (1 + abs(x))``, elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.softsign(mx.array([-1.0, 1.0])).tolist()
    [-0.5, 0.5]
    """
    return x / (1 + mx.abs(x))


@_compiled
def softshrink(x: mx.array, lambd: float = 0.5) -> mx.array:
    """``x - sign(x) * lambd`` where ``abs(x) > lambd``, else 0.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.softshrink(mx.array([-1.0, 0.25, 2.0])).tolist()
    [-0.5, 0.0, 1.5]
    """
    return mx.where(mx.abs(x) > lambd, x - mx.sign(x) * lambd, 0)


@_compiled
def hard_shrink(x: mx.array, lambd: float = 0.5) -> mx.array:
    """``x`` where ``abs(x) > lambd``, else 0.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.hard_shrink(mx.array([-1.0, 0.25, 2.0])).tolist()
    [-1.0, 0.0, 2.0]
    """
    return mx.where(mx.abs(x) > lambd, x, 0)


@_compiled
def hard_tanh(x: mx.array, min_val: float = -1.0, max_val: float = 1.0) -> mx.array:
    """``x`` clamped to ``[min_val, max_val]``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.hard_tanh(mx.array([-2.0, 0.5, 2.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    return mx.minimum(mx.maximum(x, min_val), max_val)


@_compiled
def hardswish(x: mx.array) -> mx.array:
    """``x * min(max(x + 3, 0), 6) / 6`` (Howard et al., "MobileNetV3", 2019).

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.hardswish(mx.array([0.0, 4.0])).tolist()
    [0.0, 4.0]
    """
    return x * mx.minimum(mx.maximum(x + 3, 0), 6) / 6


@_compiled
def log_sigmoid(x: mx.array) -> mx.array:
    """``log(sigmoid(x)) = -softplus(-x)``, elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.log_sigmoid(mx.array(-1000.0)).item()
    -1000.0
    """
    return -softplus(-x)


@_compiled
def softmax(x: mx.array, axis: int | list[int] = -1) -> mx.array:
    """``exp(x) / sum(exp(x))`` along ``axis``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.softmax(mx.array([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    return mx.softmax(x, axis=axis)


@_compiled
def softmin(x: mx.array, axis: int | list[int] = -1) -> mx.array:
    """``softmax(-x)`` along ``axis``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.softmin(mx.array([1.0, 1.0])).tolist()
    [0.5, 0.5]
    """
    return mx.softmax(-x, axis=axis)


@_compiled
def log_softmax(x: mx.array, axis: int | list[int] = -1) -> mx.array:
    """``x - log(sum(exp(x)))`` along ``axis``; exact for large values too.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> [round(v, 4) for v in nn.log_softmax(mx.array([1e30, 1e30])).tolist()]
    [-0.6931, -0.6931]
    """
    # Without the shift, log(2) would vanish beside 1e30.
    x = x - mx.stop_gradient(mx.max(x, axis=axis, keepdims=True))
    return x - mx.logsumexp(x, axis=axis, keepdims=True)


@_compiled
def gelu(x: mx.array) -> mx.array:
    """``x * (1 + erf(x / sqrt(2))) / 2``: x times the normal distribution function.

    Source: Hendrycks and Gimpel, "Gaussian error linear units", 2016.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.gelu(mx.array(1.0)).item(), 4)
    0.8413
    """
    return x * (1 + mx.erf(x / math.sqrt(2))) / 2


@_compiled
def gelu_approx(x: mx.array) -> mx.array:
    """``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``: :func:`gelu` within 5e-4.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.gelu_approx(mx.array(1.0)).item(), 4)
    0.8412
    """
    return 0.5 * x * (1 + mx.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@_compiled
def gelu_fast_approx(x: mx.array) -> mx.array:
    """``x * sigmoid(1.702 * x)``: :func:`gelu` within 0.025.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.gelu_fast_approx(mx.array(1.0)).item(), 4)
    0.8458
    """
    return x * mx.sigmoid(1.702 * x)


def glu(x: mx.array, axis: int = -1) -> mx.array:
    """``a * sigmoid(b)`` where ``a`` and ``b`` are the halves of ``x`` along ``axis``.

    Raises ``ValueError`` when that axis is odd. Source: Dauphin et al., "Language modeling with
    gated convolutional networks", 2016.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.glu(mx.array([1.0, 3.0, 0.0, 0.0])).tolist()
    [0.5, 1.5]
    """
    a, b = mx.split(x, 2, axis=axis)
    return a * mx.sigmoid(b)


@_compiled
def step(x: mx.array, threshold: float = 0.0) -> mx.array:
    """1 where ``x >= threshold``, else 0, as int32.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.step(mx.array([-1.0, 0.0, 1.0])).tolist()
    [0, 1, 1]
    """
    return mx.where(x >= threshold, 1, 0)


@_compiled
def prelu(x: mx.array, alpha: mx.array) -> mx.array:
    """``max(x, 0) + alpha * min(x, 0)`` with a learned ``alpha`` that broadcasts to ``x``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.prelu(mx.array([-2.0, 2.0]), mx.array([0.5])).tolist()
    [-1.0, 2.0]
    """
    return mx.maximum(0, x) + alpha * mx.minimum(0, x)


@_compiled
def mish(x: mx.array) -> mx.array:
    """``x * tanh(softplus(x))`` (Misra, "Mish", 2019).

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.mish(mx.array(1.0)).item(), 4)
    0.8651
    """
    return x * mx.tanh(softplus(x))


def tanh(x: mx.array) -> mx.array:
    """The hyperbolic tangent, elementwise: ``mx.tanh``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.tanh(mx.array([0.0])).tolist()
    [0.0]
    """
    return mx.tanh(x)


class Sigmoid(Module):
    """Applies :func:`sigmoid` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Sigmoid()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return sigmoid(x)


class ReLU(Module):
    """Applies :func:`relu` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ReLU()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return relu(x)


class ReLU2(Module):
    """Applies :func:`relu2` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ReLU2()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return relu2(x)


class ReLU6(Module):
    """Applies :func:`relu6` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ReLU6()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return relu6(x)


class LeakyReLU(Module):
    """Applies :func:`leaky_relu` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.LeakyReLU(0.5)(mx.array([-2.0])).tolist()
    [-1.0]
    """

    def __init__(self, negative_slope: float = 1e-2):
        super().__init__()
        self._negative_slope = negative_slope

    def __call__(self, x: mx.array) -> mx.array:
        return leaky_relu(x, self._negative_slope)


class ELU(Module):
    """Applies :func:`elu` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.ELU(alpha=2.0)(mx.array([3.0])).tolist()
    [3.0]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self._alpha = alpha

    def __call__(self, x: mx.array) -> mx.array:
        return elu(x, self._alpha)


class CELU(Module):
    """Applies :func:`celu` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.CELU(alpha=2.0)(mx.array([3.0])).tolist()
    [3.0]
    """

    def __init__(self, alpha: float = 1.0):
        super().__init__()
        self._alpha = alpha

    def __call__(self, x: mx.array) -> mx.array:
        return celu(x, self._alpha)


class SELU(Module):
    """Applies :func:`selu` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.SELU()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return selu(x)


class SiLU(Module):
    """Applies :func:`silu` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.SiLU()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return silu(x)


class Softplus(Module):
    """Applies :func:`softplus` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Softplus()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return softplus(x)


class Softsign(Module):
    """Applies :func:`softsign` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Softsign()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return softsign(x)


class Softshrink(Module):
    """Applies :func:`softshrink` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Softshrink(1.0)(mx.array([3.0])).tolist()
    [2.0]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def __call__(self, x: mx.array) -> mx.array:
        return softshrink(x, self.lambd)


class HardShrink(Module):
    """Applies :func:`hard_shrink` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.HardShrink(1.0)(mx.array([0.5, 3.0])).tolist()
    [0.0, 3.0]
    """

    def __init__(self, lambd: float = 0.5):
        super().__init__()
        self.lambd = lambd

    def __call__(self, x: mx.array) -> mx.array:
        return hard_shrink(x, self.lambd)


class HardTanh(Module):
    """Applies :func:`hard_tanh` with the bounds -1 and 1.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.HardTanh()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return hard_tanh(x)


class Hardswish(Module):
    """Applies :func:`hardswish` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Hardswish()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return hardswish(x)


class LogSigmoid(Module):
    """Applies :func:`log_sigmoid` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.LogSigmoid()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return log_sigmoid(x)


class Softmax(Module):
    """Applies :func:`softmax` along the last axis.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Softmax()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return softmax(x)


class Softmin(Module):
    """Applies :func:`softmin` along the last axis.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Softmin()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return softmin(x)


class LogSoftmax(Module):
    """Applies :func:`log_softmax` along the last axis.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.LogSoftmax()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return log_softmax(x)


class Mish(Module):
    """Applies :func:`mish` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Mish()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return mish(x)


class Tanh(Module):
    """Applies :func:`tanh` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Tanh()(mx.zeros((2, 3))).shape
    (2, 3)
    """

    def __call__(self, x: mx.array) -> mx.array:
        return tanh(x)


class GELU(Module):
    """Applies :func:`gelu` or one of its approximations elementwise.

    Args:
        approx: ``"none"`` (:func:`gelu`), ``"precise"`` or ``"tanh"`` (:func:`gelu_approx`), or
            ``"fast"`` (:func:`gelu_fast_approx`).

    Raises:
        ValueError: Another ``approx``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.GELU("tanh")(mx.array(1.0)).item(), 4)
    0.8412
    """

    _functions = {
        "none": gelu,
        "precise": gelu_approx,
        "tanh": gelu_approx,
        "fast": gelu_fast_approx,
    }

    def __init__(self, approx: str = "none"):
        super().__init__()
        if approx not in self._functions:
            raise ValueError(
                f"[GELU] approx must be one of {', '.join(self._functions)}: got {approx!r}"
            )
        self._approx = approx

    def __call__(self, x: mx.array) -> mx.array:
        return self._functions[self._approx](x)


class GLU(Module):
    """Applies :func:`glu` along ``axis``, which it halves.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.GLU()(mx.ones((2, 6))).shape
    (2, 3)
    """

    def __init__(self, axis: int = -1):
        super().__init__()
        self.axis = axis

    def __call__(self, x: mx.array) -> mx.array:
        return glu(x, axis=self.axis)


class Step(Module):
    """Applies :func:`step` elementwise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.Step(1.0)(mx.array([0.5, 1.0])).tolist()
    [0, 1]
    """

    def __init__(self, threshold: float = 0.0):
        super().__init__()
        self.threshold = threshold

    def __call__(self, x: mx.array) -> mx.array:
        return step(x, self.threshold)


class PReLU(Module):
    """Applies :func:`prelu` with learned slopes.

    Args:
        num_parameters: One slope, or one per feature (the size of the last axis).
        init: The first value of all slopes.

    Its parameter ``weight`` has the shape ``(num_parameters,)``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.PReLU()(mx.array([-4.0, 4.0])).tolist()
    [-1.0, 4.0]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25):
        super().__init__()
        self.weight = mx.full((num_parameters,), init)

    def __call__(self, x: mx.array) -> mx.array:
        return prelu(x, self["weight"])
