# The optimizers, one class per update rule, and gradient clipping. The base class is in base.py,
# schedules are in schedulers.py.
"""Optimizers.

In the formulas ``w`` is a parameter, ``g`` its gradient, ``t`` the number of the update, from 1 on.
All state begins as zeros in the shape and dtype of the gradient. Parameters keep their dtype.
"""

from __future__ import annotations

import math
from typing import Any

import mlx.core as mx
from mlx.utils import tree_map, tree_reduce

from .base import MultiOptimizer, Optimizer  # noqa: F401  (both belong to this module too)
from .schedulers import Schedule


def _require_at_least_zero(name: str, argument: str, value: float) -> None:
    if value < 0:
        raise ValueError(f"[{name}] {argument} must be >=0: got {value}")


def _require_positive(name: str, argument: str, value: float) -> None:
    if not value > 0:
        raise ValueError(f"[{name}] {argument} must be >0: got {value}")


def _require_betas(name: str, betas: list[float]) -> None:
    if not all(0 <= beta < 1 for beta in betas):
        raise ValueError(f"[{name}] betas must be in [0, 1): got {betas}")


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    ``g = g + weight_decay * w``; ``v = momentum * v + (1 - dampening) * g``; ``w = w - lr * v``,
    with ``nesterov`` ``w = w - lr * (g + momentum * v)``, without momentum ``w = w - lr * g``.

    Args:
        learning_rate: A number or a schedule.
        momentum: 0 turns it off.
        weight_decay: L2 penalty.
        dampening: Of the momentum.
        nesterov: Look ahead.

    State: ``v``.

    Raises:
        ValueError: ``nesterov`` without momentum or with dampening.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.SGD(learning_rate=0.1, momentum=0.9)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(
        self,
        learning_rate: float | Schedule,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        dampening: float = 0.0,
        nesterov: bool = False,
    ):
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "[SGD] nesterov needs a momentum and no dampening: "
                f"got momentum={momentum}, dampening={dampening}"
            )
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.dampening = dampening
        self.nesterov = nesterov

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        if self.weight_decay != 0:
            gradient = gradient + self.weight_decay * parameter
        if self.momentum <= 0:
            return parameter - lr * gradient

        v = self.momentum * state["v"]
        v = v + ((1 - self.dampening) * gradient if self.dampening > 0 else gradient)
        state["v"] = v
        step = gradient + self.momentum * v if self.nesterov else v
        return parameter - lr * step


class RMSprop(Optimizer):
    """``v = alpha * v + (1 - alpha) * g**2``; ``w = w - lr * g / (sqrt(v) + eps)``.

    Args:
        learning_rate: A number or a schedule.
        alpha: Smoothing, at least 0.
        eps: Positive.

    State: ``v``. Source: Tieleman and Hinton, lecture 6.5 of "Neural networks for machine
    learning", 2012.

    Raises:
        ValueError: ``alpha`` or ``eps`` out of range.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.RMSprop(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(self, learning_rate: float | Schedule, alpha: float = 0.99, eps: float = 1e-8):
        super().__init__()
        _require_at_least_zero("RMSprop", "alpha", alpha)
        _require_positive("RMSprop", "eps", eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.alpha = alpha
        self.eps = eps

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        v = self.alpha * state["v"] + (1 - self.alpha) * mx.square(gradient)
        state["v"] = v
        return parameter - lr * gradient / (mx.sqrt(v) + self.eps)


class Adagrad(Optimizer):
    """``v = v + g**2``; ``w = w - lr * g / (sqrt(v) + eps)``.

    Args:
        learning_rate: A number or a schedule.
        eps: Positive.

    State: ``v``. Source: Duchi et al., "Adaptive subgradient methods", 2011.

    Raises:
        ValueError: ``eps`` is not positive.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.Adagrad(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(self, learning_rate: float | Schedule, eps: float = 1e-8):
        super().__init__()
        _require_positive("Adagrad", "eps", eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.eps = eps

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        v = state["v"] + mx.square(gradient)
        state["v"] = v
        return parameter - lr * gradient / (mx.sqrt(v) + self.eps)


class AdaDelta(Optimizer):
    """Steps in the units of the parameters, from running means of squared gradients and steps.

    ``v = rho * v + (1 - rho) * g**2``; ``d = sqrt(u + eps) / sqrt(v + eps) * g``;
    ``u = rho * u + (1 - rho) * d**2``; ``w = w - lr * d``.

    Args:
        learning_rate: A number or a schedule.
        rho: Smoothing, at least 0.
        eps: Positive.

    State: ``v``, ``u``. Source: Zeiler, "ADADELTA", 2012.

    Raises:
        ValueError: ``rho`` or ``eps`` out of range.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.AdaDelta(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(self, learning_rate: float | Schedule, rho: float = 0.9, eps: float = 1e-6):
        super().__init__()
        _require_at_least_zero("AdaDelta", "rho", rho)
        _require_positive("AdaDelta", "eps", eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.rho = rho
        self.eps = eps

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["v"] = mx.zeros_like(parameter)
        state["u"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        u = state["u"]
        v = self.rho * state["v"] + (1 - self.rho) * mx.square(gradient)
        d = mx.sqrt(u + self.eps) / mx.sqrt(v + self.eps) * gradient
        state["v"] = v
        state["u"] = self.rho * u + (1 - self.rho) * mx.square(d)
        return parameter - lr * d


class Adam(Optimizer):
    """Steps by running means of the gradient and its square.

    ``m = b1 * m + (1 - b1) * g``; ``v = b2 * v + (1 - b2) * g**2``;
    ``w = w - lr * m / (sqrt(v) + eps)``; with ``bias_correction`` m and v are divided by
    ``1 - b1**t`` and ``1 - b2**t`` first.

    Args:
        learning_rate: A number or a schedule.
        betas: The two smoothings, in ``[0, 1)``.
        eps: At least 0.
        bias_correction: Off by default.

    State: ``m``, ``v``. Source: Kingma and Ba, "Adam", 2014.

    Raises:
        ValueError: ``betas`` or ``eps`` out of range.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.Adam(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(
        self,
        learning_rate: float | Schedule,
        betas: list[float] = [0.9, 0.999],
        eps: float = 1e-8,
        bias_correction: bool = False,
    ):
        super().__init__()
        name = type(self).__name__
        _require_betas(name, betas)
        _require_at_least_zero(name, "eps", eps)
        self._maybe_schedule("learning_rate", learning_rate)
        self.betas = betas
        self.eps = eps
        self.bias_correction = bias_correction

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["m"] = mx.zeros_like(parameter)
        state["v"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        dtype = gradient.dtype
        b1, b2 = self.betas
        m = b1 * state["m"] + (1 - b1) * gradient
        v = b2 * state["v"] + (1 - b2) * mx.square(gradient)
        state["m"] = m
        state["v"] = v
        if not self.bias_correction:
            return parameter - self._learning_rate_as(dtype) * m / (mx.sqrt(v) + self.eps)
        step_size = (self.learning_rate / (1 - b1**self.step)).astype(dtype)
        root = mx.sqrt(v) * mx.rsqrt(1 - b2**self.step).astype(dtype)
        return parameter - step_size * m / (root + self.eps)


class AdamW(Adam):
    """:class:`Adam` applied to ``w * (1 - lr * weight_decay)``: the decay is not in the gradient.

    Args:
        learning_rate: A number or a schedule.
        betas: The two smoothings, in ``[0, 1)``.
        eps: At least 0.
        weight_decay: The decay per unit of learning rate.
        bias_correction: Off by default; PyTorch's AdamW has it on.

    State: ``m``, ``v``. Source: Loshchilov and Hutter, "Decoupled weight decay regularization",
    2017.

    Raises:
        ValueError: ``betas`` or ``eps`` out of range.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.AdamW(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(
        self,
        learning_rate: float | Schedule,
        betas: list[float] = [0.9, 0.999],
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        bias_correction: bool = False,
    ):
        super().__init__(learning_rate, betas, eps, bias_correction)
        self.weight_decay = weight_decay

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        decayed = parameter * (1 - lr * self.weight_decay)
        return super().apply_single(gradient, decayed, state)


class Adamax(Adam):
    """Adam with a running maximum: ``v = max(b2 * v, abs(g))``; ``w = w - lr * m / (v + eps)``.

    Args:
        learning_rate: A number or a schedule.
        betas: The two smoothings, in ``[0, 1)``.
        eps: At least 0.

    State: ``m``, ``v``; there is no bias correction. Source: Kingma and Ba, "Adam", 2014.

    Raises:
        ValueError: ``betas`` or ``eps`` out of range.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.Adamax(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(
        self,
        learning_rate: float | Schedule,
        betas: list[float] = [0.9, 0.999],
        eps: float = 1e-8,
    ):
        super().__init__(learning_rate, betas, eps)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        b1, b2 = self.betas
        m = b1 * state["m"] + (1 - b1) * gradient
        v = mx.maximum(b2 * state["v"], mx.abs(gradient))
        state["m"] = m
        state["v"] = v
        return parameter - lr * m / (v + self.eps)


class Lion(Optimizer):
    """Steps of equal size in the direction of the sign of a running mean.

    ``c = b1 * m + (1 - b1) * g``; ``m = b2 * m + (1 - b2) * g``;
    ``w = (1 - lr * weight_decay) * w - lr * sign(c)``. Its learning rate should be 3 to 10 times
    smaller than Adam's.

    Args:
        learning_rate: A number or a schedule.
        betas: The two smoothings, in ``[0, 1)``.
        weight_decay: The decay per unit of learning rate.

    State: ``m``. Source: Chen et al., "Symbolic discovery of optimization algorithms", 2023.

    Raises:
        ValueError: ``betas`` out of range.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.Lion(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([0.0])})["w"].shape
    (1,)
    """

    def __init__(
        self,
        learning_rate: float | Schedule,
        betas: list[float] = [0.9, 0.99],
        weight_decay: float = 0.0,
    ):
        super().__init__()
        _require_betas("Lion", betas)
        self._maybe_schedule("learning_rate", learning_rate)
        self.betas = betas
        self.weight_decay = weight_decay

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["m"] = mx.zeros_like(parameter)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        b1, b2 = self.betas
        m = state["m"]
        direction = b1 * m + (1 - b1) * gradient
        state["m"] = b2 * m + (1 - b2) * gradient
        if self.weight_decay > 0:
            parameter = (1 - lr * self.weight_decay) * parameter
        return parameter - lr * mx.sign(direction)


def _rms(x: mx.array) -> mx.array:
    return mx.sqrt(mx.mean(mx.square(x)))


class Adafactor(Optimizer):
    """Adaptive steps whose second moment takes memory for rows and columns only.

    With ``u = g**2 + eps[0]`` and ``b2 = 1 - t**decay_rate``, parameters of two and more dimensions
    keep running means of ``u`` over the last axis (``row``) and over the last but one (``col``) and
    step by ``g / sqrt(row * col / mean(row))``; others keep the running mean of ``u`` itself. The
    step is divided by ``max(1, rms(step) / clip_threshold)`` and multiplied by the step size.

    Args:
        learning_rate: A number or a schedule; without effect while ``relative_step`` is set.
        eps: Added to the squared gradient, and the smallest parameter scale.
        clip_threshold: Of the root mean square of a step.
        decay_rate: Exponent of the smoothing.
        beta_1: Smoothing of the steps; ``None`` turns it off.
        weight_decay: The decay per step size.
        scale_parameter: Multiply the step size by ``max(eps[1], rms(w))``.
        relative_step: Take ``min(1e-2, 1 / sqrt(t))`` for the step size.
        warmup_init: Take ``1e-6 * t`` instead of the 1e-2.

    State: ``exp_avg_sq_row`` and ``exp_avg_sq_col``, or ``exp_avg_sq``; with ``beta_1`` also
    ``exp_avg``. Source: Shazeer and Stern, "Adafactor", 2018.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.Adafactor()
    >>> optimizer.init({"w": mx.zeros((3, 4))})
    >>> {name: array.shape for name, array in optimizer.state["w"].items()}
    {'exp_avg_sq_row': (3,), 'exp_avg_sq_col': (4,)}
    """

    def __init__(
        self,
        learning_rate: float | Schedule | None = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = -0.8,
        beta_1: float | None = None,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
    ):
        super().__init__()
        if learning_rate is not None:
            self._maybe_schedule("learning_rate", learning_rate)
        self.eps = eps
        self.clip_threshold = clip_threshold
        self.decay_rate = decay_rate
        self.beta_1 = beta_1
        self.weight_decay = weight_decay
        self.scale_parameter = scale_parameter
        self.relative_step = relative_step
        self.warmup_init = warmup_init

    def init_single(self, parameter: mx.array, state: dict) -> None:
        shape, dtype = parameter.shape, parameter.dtype
        if parameter.ndim >= 2:
            state["exp_avg_sq_row"] = mx.zeros(shape[:-1], dtype=dtype)
            state["exp_avg_sq_col"] = mx.zeros((*shape[:-2], shape[-1]), dtype=dtype)
        else:
            state["exp_avg_sq"] = mx.zeros_like(parameter)
        if self.beta_1 is not None:
            state["exp_avg"] = mx.zeros_like(parameter)

    def _step_size(self, parameter_rms: mx.array) -> mx.array:
        if self.relative_step:
            largest = 1e-6 * self.step if self.warmup_init else 1e-2
            step_size = mx.minimum(largest, mx.rsqrt(self.step))
        else:
            step_size = self.learning_rate
        step_size = step_size.astype(parameter_rms.dtype)
        if self.scale_parameter:
            step_size = step_size * mx.maximum(self.eps[1], parameter_rms)
        return step_size

    def _approximate_exp_moving_avg(
        self, exp_avg_sq_row: mx.array, exp_avg_sq_col: mx.array
    ) -> mx.array:
        """``1 / sqrt`` of the second moment of rank one that has these row and column means."""
        mean = mx.mean(exp_avg_sq_row, axis=-1, keepdims=True)
        row = mx.rsqrt(exp_avg_sq_row / mean)
        col = mx.rsqrt(exp_avg_sq_col)
        return row[..., None] * col[..., None, :]

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        step_size = self._step_size(_rms(parameter))
        # Computed in float32 and rounded once: in float16, t**decay_rate would lose all digits.
        new_share = (self.step**self.decay_rate).astype(gradient.dtype)
        old_share = (1.0 - self.step**self.decay_rate).astype(gradient.dtype)

        squared = mx.square(gradient) + self.eps[0]
        if gradient.ndim >= 2:
            row = old_share * state["exp_avg_sq_row"] + new_share * mx.mean(squared, axis=-1)
            col = old_share * state["exp_avg_sq_col"] + new_share * mx.mean(squared, axis=-2)
            state["exp_avg_sq_row"] = row
            state["exp_avg_sq_col"] = col
            update = self._approximate_exp_moving_avg(row, col) * gradient
        else:
            exp_avg_sq = old_share * state["exp_avg_sq"] + new_share * squared
            state["exp_avg_sq"] = exp_avg_sq
            update = mx.rsqrt(exp_avg_sq) * gradient

        update = update / mx.maximum(1.0, _rms(update) / self.clip_threshold)
        update = step_size * update
        if self.beta_1 is not None:
            update = self.beta_1 * state["exp_avg"] + (1 - self.beta_1) * update
            state["exp_avg"] = update
        if self.weight_decay != 0:
            parameter = parameter - (self.weight_decay * step_size) * parameter
        return parameter - update


class Muon(Optimizer):
    """Momentum whose steps are orthogonalised, for weight matrices.

    ``g = g + weight_decay * w``; ``v = momentum * v + (1 - momentum) * g``; the step is v, with
    ``nesterov`` ``(1 - momentum) * g + momentum * v``. Steps of two and more dimensions (all but
    the first flattened) are brought near the closest orthogonal matrix and multiplied by
    ``sqrt(max(1, rows / columns))`` of the parameter's last two dimensions. Embeddings and output
    layers should be left to another optimizer; see :class:`MultiOptimizer`.

    Args:
        learning_rate: A number or a schedule.
        momentum: Smoothing.
        weight_decay: L2 penalty.
        nesterov: Look ahead.
        ns_steps: Newton-Schulz iterations of the orthogonalisation.

    State: ``v``. Source: Jordan, "Muon: an optimizer for hidden layers in neural networks", 2024.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.Muon(learning_rate=0.1)
    >>> optimizer.apply_gradients({"w": mx.ones((2, 3))}, {"w": mx.zeros((2, 3))})["w"].shape
    (2, 3)
    """

    def __init__(
        self,
        learning_rate: float | Schedule,
        momentum: float = 0.95,
        weight_decay: float = 0.01,
        nesterov: bool = True,
        ns_steps: int = 5,
    ):
        super().__init__()
        self._maybe_schedule("learning_rate", learning_rate)
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.nesterov = nesterov
        self.ns_steps = ns_steps

    def init_single(self, parameter: mx.array, state: dict) -> None:
        state["v"] = mx.zeros_like(parameter)

    def _orthogonalize(self, x: mx.array) -> mx.array:
        """Pushes the singular values of a matrix towards 1 by a quintic polynomial."""
        a, b, c = 3.4445, -4.7750, 2.0315  # the source's: steepest at 0 that stays bounded
        tall = x.shape[-2] > x.shape[-1]
        if tall:
            x = x.T
        x = x / (mx.sqrt(mx.sum(mx.square(x))) + 1e-7)
        for _ in range(self.ns_steps):
            gram = x @ x.T
            x = a * x + (b * gram + c * (gram @ gram)) @ x
        return x.T if tall else x

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        lr = self._learning_rate_as(gradient.dtype)
        if self.weight_decay != 0:
            gradient = gradient + self.weight_decay * parameter
        v = self.momentum * state["v"] + (1 - self.momentum) * gradient
        state["v"] = v
        step = (1 - self.momentum) * gradient + self.momentum * v if self.nesterov else v
        if step.ndim >= 2:
            shape = step.shape
            step = self._orthogonalize(step.reshape(shape[0], -1)).reshape(shape)
            lr = lr * math.sqrt(max(1, shape[-2] / shape[-1]))
        return parameter - lr * step


def clip_grad_norm(grads: Any, max_norm: float) -> tuple[Any, mx.array]:
    """Scales gradients whose common norm exceeds ``max_norm``.

    Args:
        grads: A tree of arrays.
        max_norm: The largest norm, at least 0.

    Returns:
        The gradients times ``min(max_norm / (norm + 1e-6), 1)``, and the norm before that, which is
        the root of the sum of all squares.

    Raises:
        ValueError: ``max_norm`` is negative.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> grads, norm = optim.clip_grad_norm({"w": mx.array([3.0, 4.0])}, 10.0)
    >>> norm.item(), grads["w"].tolist()
    (5.0, [3.0, 4.0])
    """
    if max_norm < 0:
        raise ValueError(f"[clip_grad_norm] max_norm must be at least 0: got {max_norm}")
    squares = tree_reduce(lambda total, g: total + mx.sum(mx.square(g)), grads, 0.0)
    total_norm = mx.sqrt(squares)
    scale = mx.minimum(max_norm / (total_norm + 1e-6), 1.0)
    return tree_map(lambda g: g * scale.astype(g.dtype), grads), total_norm
