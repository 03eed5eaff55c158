# Loss functions. All are plain functions of arrays; none holds parameters.
"""Loss functions.

Each takes ``reduction``: ``"none"`` returns the loss of every element or sample, ``"mean"`` and
``"sum"`` reduce it to a scalar. Any other value raises ``ValueError``.
"""

from __future__ import annotations

import math
from typing import Literal

import mlx.core as mx

Reduction = Literal["none", "mean", "sum"]


def _reduce(loss: mx.array, reduction: Reduction) -> mx.array:
    if reduction == "mean":
        return mx.mean(loss)
    if reduction == "sum":
        return mx.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"[losses] reduction must be 'none', 'mean' or 'sum': got {reduction!r}")


def _require_same_shape(name: str, **arrays: mx.array) -> None:
    shapes = {key: tuple(array.shape) for key, array in arrays.items()}
    if len(set(shapes.values())) > 1:
        listed = ", ".join(f"{key} {shape}" for key, shape in shapes.items())
        raise ValueError(f"[{name}] all shapes must be equal: got {listed}")


def _apply_weights(name: str, loss: mx.array, weights: mx.array | None) -> mx.array:
    if weights is None:
        return loss
    if weights.shape != loss.shape:
        raise ValueError(
            f"[{name}] weights must have the shape of the loss {tuple(loss.shape)}: "
            f"got {tuple(weights.shape)}"
        )
    return loss * weights


def _pick(x: mx.array, indices: mx.array, axis: int) -> mx.array:
    """The element of ``x`` along ``axis`` that each index names."""
    return mx.take_along_axis(x, mx.expand_dims(indices, axis), axis).squeeze(axis)


def cross_entropy(
    logits: mx.array,
    targets: mx.array,
    weights: mx.array | None = None,
    axis: int = -1,
    label_smoothing: float = 0.0,
    reduction: Reduction = "none",
) -> mx.array:
    """Cross entropy between the softmax of ``logits`` and the targets.

    ``logsumexp(logits) - logits[target]``, with a label smoothing e:
    ``logsumexp(logits) - (1 - e) * logits[target] - e * mean(logits)``.

    Args:
        logits: Unnormalised scores, floating, of any shape.
        targets: Integer classes in the shape of ``logits`` without ``axis``, or probabilities in
            the shape of ``logits``.
        weights: A factor for each loss, before the reduction; ``"mean"`` does not divide by them.
        axis: The axis of the classes.
        label_smoothing: In ``[0, 1)``.
        reduction: See the module.

    Returns:
        The loss in the shape of ``logits`` without ``axis``, or a scalar.

    Raises:
        ValueError: Shapes that do not fit; ``label_smoothing`` out of range.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> loss = nn.losses.cross_entropy(mx.zeros((3, 4)), mx.array([0, 1, 3]), reduction="mean")
    >>> round(loss.item(), 4)  # log(4)
    1.3863
    """
    if not 0 <= label_smoothing < 1:
        raise ValueError(
            f"[cross_entropy] label_smoothing must be in [0, 1): got {label_smoothing}"
        )
    probabilities = targets.ndim == logits.ndim
    expected = list(logits.shape)
    if not probabilities:
        del expected[axis]
    if list(targets.shape) != expected:
        raise ValueError(
            f"[cross_entropy] targets must have the shape of the logits {tuple(logits.shape)}, "
            f"or that without axis {axis} when they are classes: got {tuple(targets.shape)}"
        )

    # Shifting by the maximum changes nothing but keeps large logits exact.
    logits = logits - mx.stop_gradient(mx.max(logits, axis=axis, keepdims=True))
    if probabilities:
        score = mx.sum(logits * targets, axis=axis)
    else:
        score = _pick(logits, targets, axis)
    log_normalizer = mx.logsumexp(logits, axis=axis)
    if label_smoothing > 0:
        loss = (
            log_normalizer
            - (1 - label_smoothing) * score
            - label_smoothing * mx.mean(logits, axis=axis)
        )
    else:
        loss = log_normalizer - score
    return _reduce(_apply_weights("cross_entropy", loss, weights), reduction)


def binary_cross_entropy(
    inputs: mx.array,
    targets: mx.array,
    weights: mx.array | None = None,
    with_logits: bool = True,
    reduction: Reduction = "mean",
) -> mx.array:
    """Binary cross entropy of logits (or probabilities) and targets in ``[0, 1]``.

    ``logaddexp(0, x) - x * t`` for logits; ``-(t * log(x) + (1 - t) * log(1 - x))`` for
    probabilities, both logarithms clipped at -100.

    Args:
        inputs: Logits, or probabilities.
        targets: Probabilities in the shape of ``inputs``.
        weights: A factor for each loss, before the reduction.
        with_logits: Whether ``inputs`` are logits.
        reduction: See the module.

    Raises:
        ValueError: Shapes that differ.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> round(nn.losses.binary_cross_entropy(mx.array([0.0]), mx.array([1.0])).item(), 4)
    0.6931
    """
    _require_same_shape("binary_cross_entropy", inputs=inputs, targets=targets)
    if with_logits:
        loss = mx.logaddexp(0.0, inputs) - inputs * targets
    else:
        log_inputs = mx.maximum(mx.log(inputs), -100)
        log_complement = mx.maximum(mx.log(1 - inputs), -100)
        loss = -(targets * log_inputs + (1 - targets) * log_complement)
    return _reduce(_apply_weights("binary_cross_entropy", loss, weights), reduction)


def l1_loss(predictions: mx.array, targets: mx.array, reduction: Reduction = "mean") -> mx.array:
    """``abs(predictions - targets)``.

    Raises ``ValueError`` when the shapes differ.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.l1_loss(mx.array([1.0, 4.0]), mx.array([0.0, 1.0])).item()
    2.0
    """
    _require_same_shape("l1_loss", predictions=predictions, targets=targets)
    return _reduce(mx.abs(predictions - targets), reduction)


def mse_loss(predictions: mx.array, targets: mx.array, reduction: Reduction = "mean") -> mx.array:
    """``(predictions - targets) ** 2``.

    Raises ``ValueError`` when the shapes differ.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.mse_loss(mx.array([1.0, 4.0]), mx.array([0.0, 1.0])).item()
    5.0
    """
    _require_same_shape("mse_loss", predictions=predictions, targets=targets)
    return _reduce(mx.square(predictions - targets), reduction)


def nll_loss(
    inputs: mx.array, targets: mx.array, axis: int = -1, reduction: Reduction = "none"
) -> mx.array:
    """Negative log likelihood: ``-inputs[target]`` along ``axis``.

    Args:
        inputs: Log probabilities.
        targets: Integer classes in the shape of ``inputs`` without ``axis``.
        axis: The axis of the classes.
        reduction: See the module.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.nll_loss(mx.array([[-0.5, -1.0]]), mx.array([1])).tolist()
    [1.0]
    """
    return _reduce(-_pick(inputs, targets, axis), reduction)


def gaussian_nll_loss(
    inputs: mx.array,
    targets: mx.array,
    vars: mx.array,
    full: bool = False,
    eps: float = 1e-6,
    reduction: Reduction = "mean",
) -> mx.array:
    """Negative log likelihood of ``targets`` under normal distributions.

    ``0.5 * (log(v) + (targets - inputs) ** 2 / v)`` with ``v = max(vars, eps)``.

    Args:
        inputs: The means.
        targets: The samples.
        vars: The variances.
        full: Add the constant ``0.5 * log(2 * pi)``.
        eps: The smallest variance.
        reduction: See the module.

    Raises:
        ValueError: Shapes that differ.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> one = mx.array([1.0])
    >>> nn.losses.gaussian_nll_loss(mx.array([3.0]), one, one).item()
    2.0
    """
    _require_same_shape("gaussian_nll_loss", inputs=inputs, targets=targets, vars=vars)
    vars = mx.maximum(vars, eps)
    loss = 0.5 * (mx.log(vars) + mx.square(targets - inputs) / vars)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduce(loss, reduction)


def kl_div_loss(
    inputs: mx.array, targets: mx.array, axis: int = -1, reduction: Reduction = "none"
) -> mx.array:
    """Kullback-Leibler divergence of log probabilities: ``sum(exp(t) * (t - x))`` along ``axis``.

    Args:
        inputs: Log probabilities predicted.
        targets: Log probabilities wanted.
        axis: The axis of the distribution.
        reduction: See the module.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> p = mx.log(mx.array([0.5, 0.5]))
    >>> nn.losses.kl_div_loss(p, p).item()
    0.0
    """
    return _reduce(mx.sum(mx.exp(targets) * (targets - inputs), axis), reduction)


def smooth_l1_loss(
    predictions: mx.array, targets: mx.array, beta: float = 1.0, reduction: Reduction = "mean"
) -> mx.array:
    """``d ** 2 / (2 * beta)`` where the distance d is below ``beta``, else ``d - beta / 2``.

    Source: Girshick, "Fast R-CNN", 2015. Raises ``ValueError`` when the shapes differ.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.smooth_l1_loss(mx.array([0.5, 3.0]), mx.zeros((2,)), reduction="none").tolist()
    [0.125, 2.5]
    """
    _require_same_shape("smooth_l1_loss", predictions=predictions, targets=targets)
    distance = mx.abs(predictions - targets)
    quadratic = 0.5 * mx.square(distance) / beta if beta != 0 else distance
    return _reduce(mx.where(distance < beta, quadratic, distance - 0.5 * beta), reduction)


def triplet_loss(
    anchors: mx.array,
    positives: mx.array,
    negatives: mx.array,
    axis: int = -1,
    p: int = 2,
    margin: float = 1.0,
    eps: float = 1e-6,
    reduction: Reduction = "none",
) -> mx.array:
    """``max(D(anchor, positive) - D(anchor, negative) + margin, 0)``.

    With the distance ``D(a, b) = (sum(abs(a - b) ** p) + eps) ** (1 / p)`` along ``axis``. Source:
    Schroff et al., "FaceNet", 2015.

    Args:
        anchors: Samples.
        positives: Samples of the same class.
        negatives: Samples of another class.
        axis: The axis of the features.
        p: The norm.
        margin: By how much the negative has to be further away.
        eps: Keeps the gradient of a zero distance finite.
        reduction: See the module.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> a = mx.zeros((1, 4))
    >>> nn.losses.triplet_loss(a, a, a).tolist()
    [1.0]
    """

    def distance(b):
        return mx.power(mx.sum(mx.power(mx.abs(anchors - b), p), axis) + eps, 1 / p)

    loss = mx.maximum(distance(positives) - distance(negatives) + margin, 0)
    return _reduce(loss, reduction)


def hinge_loss(inputs: mx.array, targets: mx.array, reduction: Reduction = "none") -> mx.array:
    """``max(1 - inputs * targets, 0)`` for targets of -1 and 1.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.hinge_loss(mx.array([0.5, 2.0]), mx.array([-1.0, 1.0])).tolist()
    [1.5, 0.0]
    """
    return _reduce(mx.maximum(1 - inputs * targets, 0), reduction)


def huber_loss(
    inputs: mx.array, targets: mx.array, delta: float = 1.0, reduction: Reduction = "none"
) -> mx.array:
    """``e ** 2 / 2`` where the error e is at most ``delta``, else ``delta * (e - delta / 2)``.

    Source: Huber, "Robust estimation of a location parameter", 1964.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.huber_loss(mx.array([1.0, 3.0]), mx.zeros((2,))).tolist()
    [0.5, 2.5]
    """
    error = mx.abs(inputs - targets)
    quadratic = mx.minimum(error, delta)
    return _reduce(0.5 * mx.square(quadratic) + delta * (error - quadratic), reduction)


def log_cosh_loss(inputs: mx.array, targets: mx.array, reduction: Reduction = "none") -> mx.array:
    """``log(cosh(inputs - targets))``, without overflow.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.log_cosh_loss(mx.array([2.0]), mx.array([2.0])).tolist()
    [0.0]
    """
    error = inputs - targets
    return _reduce(mx.logaddexp(error, -error) - math.log(2), reduction)


def cosine_similarity_loss(
    x1: mx.array,
    x2: mx.array,
    axis: int = 1,
    eps: float = 1e-8,
    reduction: Reduction = "none",
) -> mx.array:
    """The cosine similarity ``sum(x1 * x2) / max(norm(x1) * norm(x2), eps)`` along ``axis``.

    Note that this is the similarity itself: negate it, or take it from one, to minimise.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.cosine_similarity_loss(mx.array([[3.0, 4.0]]), mx.array([[6.0, 8.0]])).tolist()
    [1.0]
    """
    norms = mx.sqrt(mx.sum(x1 * x1, axis=axis)) * mx.sqrt(mx.sum(x2 * x2, axis=axis))
    return _reduce(mx.sum(x1 * x2, axis=axis) / mx.maximum(norms, eps), reduction)


def margin_ranking_loss(
    inputs1: mx.array,
    inputs2: mx.array,
    targets: mx.array,
    margin: float = 0.0,
    reduction: Reduction = "none",
) -> mx.array:
    """``max(0, -targets * (inputs1 - inputs2) + margin)``.

    Args:
        inputs1: Scores.
        inputs2: Scores.
        targets: 1 where the first should rank higher, -1 where the second should.
        margin: By how much.
        reduction: See the module.

    Raises:
        ValueError: Shapes that differ.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> nn.losses.margin_ranking_loss(mx.array([1.0]), mx.array([3.0]), mx.array([1.0])).tolist()
    [2.0]
    """
    _require_same_shape("margin_ranking_loss", inputs1=inputs1, inputs2=inputs2, targets=targets)
    return _reduce(mx.maximum(0, -targets * (inputs1 - inputs2) + margin), reduction)
