# Learning rate schedules: functions of the step. The optimizers that call them are beside this
# file.
"""Schedules.

Each call returns a function of the step, a Python number or an array, for an optimizer's
``learning_rate`` (or another hyper-parameter).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import mlx.core as mx

Schedule = Callable[["int | float | mx.array"], "float | mx.array"]


def _require_steps(name: str, argument: str, value: int) -> None:
    if value < 1:
        raise ValueError(f"[{name}] {argument} must be at least 1: got {value}")


def exponential_decay(init: float, decay_rate: float) -> Schedule:
    """``init * decay_rate ** step``.

    >>> import mlx.optimizers as optim
    >>> round(optim.exponential_decay(0.1, 0.5)(2), 4)
    0.025
    """

    def schedule(step):
        return init * decay_rate**step

    return schedule


def step_decay(init: float, decay_rate: float, step_size: int) -> Schedule:
    """``init * decay_rate ** (step // step_size)``.

    Raises ``ValueError`` when ``step_size`` is below 1.

    >>> import mlx.optimizers as optim
    >>> round(optim.step_decay(0.1, 0.5, 10)(25), 4)
    0.025
    """
    _require_steps("step_decay", "step_size", step_size)

    def schedule(step):
        return init * decay_rate ** (step // step_size)

    return schedule


def cosine_decay(init: float, decay_steps: int, end: float = 0.0) -> Schedule:
    """From ``init`` to ``end`` along half a cosine, then ``end``.

    ``end + (1 + cos(pi * min(step, decay_steps) / decay_steps)) / 2 * (init - end)``. Raises
    ``ValueError`` when ``decay_steps`` is below 1. Source: Loshchilov and Hutter, "SGDR", 2016.

    >>> import mlx.optimizers as optim
    >>> round(optim.cosine_decay(0.1, 10)(5).item(), 4)
    0.05
    """
    _require_steps("cosine_decay", "decay_steps", decay_steps)

    def schedule(step):
        progress = mx.minimum(step, decay_steps)
        factor = 0.5 * (1.0 + mx.cos((math.pi / decay_steps) * progress))
        return end + factor * (init - end)

    return schedule


def linear_schedule(init: float, end: float, steps: int) -> Schedule:
    """From ``init`` to ``end`` along a line, then ``end``; a warm-up, for instance.

    Raises ``ValueError`` when ``steps`` is below 1.

    >>> import mlx.optimizers as optim
    >>> round(optim.linear_schedule(0.0, 0.1, 10)(5).item(), 4)
    0.05
    """
    _require_steps("linear_schedule", "steps", steps)

    def schedule(step):
        return mx.minimum(step, steps) * ((end - init) / steps) + init

    return schedule


def join_schedules(schedules: list[Schedule], boundaries: list[int]) -> Schedule:
    """One schedule after the other, each counting its steps from its beginning.

    Args:
        schedules: At least one.
        boundaries: The steps at which the second, third, ... begins; one fewer than schedules.

    Raises:
        ValueError: No schedules, or another number of boundaries.

    >>> import mlx.optimizers as optim
    >>> warm_up = optim.linear_schedule(0.0, 0.1, 10)
    >>> schedule = optim.join_schedules([warm_up, optim.cosine_decay(0.1, 100)], [10])
    >>> round(schedule(10).item(), 4)
    0.1
    """
    if not schedules:
        raise ValueError("[join_schedules] expected at least one schedule")
    if len(schedules) != len(boundaries) + 1:
        raise ValueError(
            "[join_schedules] expected one boundary fewer than schedules: "
            f"got {len(schedules)} schedules and {len(boundaries)} boundaries"
        )

    def schedule(step):
        # All are evaluated, for the step may be traced. An unsigned step wraps below a boundary;
        # what comes of it is not chosen.
        value = schedules[0](step)
        for boundary, following in zip(boundaries, schedules[1:]):
            value = mx.where(step < boundary, value, following(step - boundary))
        return value

    return schedule
