# The base class that keeps the state of an optimizer, and the one that splits parameters among
# several optimizers. The update rules are in optimizers.py.
"""The base class of all optimizers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
from mlx.nn import Module
from mlx.utils import tree_flatten, tree_map, tree_merge, tree_unflatten

from .schedulers import Schedule


class Optimizer:
    """What all optimizers share. Subclasses define :meth:`init_single` and :meth:`apply_single`.

    Args:
        schedulers: From the name of a hyper-parameter to a function of the step.

    ``state`` is a dict with ``step``, the hyper-parameters that can change, and a dict of arrays
    for every parameter, at its place in the tree. Top-level parameters must therefore not be called
    ``step`` or ``learning_rate``.
    """

    def __init__(self, schedulers: dict[str, Schedule] | None = None):
        self._initialized = False
        self._state: dict[str, Any] = {"step": mx.array(0, mx.uint64)}
        self._schedulers = dict(schedulers or {})

    def update(self, model: Module, gradients: dict) -> None:
        """Computes new parameters and puts them into the model.

        Args:
            model: The module to update.
            gradients: As :func:`mlx.nn.value_and_grad` gives them.

        >>> import mlx.core as mx, mlx.nn as nn, mlx.optimizers as optim
        >>> layer = nn.Linear(1, 1, bias=False).update({"weight": mx.array([[1.0]])})
        >>> optim.SGD(learning_rate=0.5).update(layer, {"weight": mx.array([[1.0]])})
        >>> layer.weight.item()
        0.5
        """
        model.update(self.apply_gradients(gradients, model))

    def init(self, parameters: dict) -> None:
        """Makes the state of every parameter that has none.

        The first update does so by itself, from the gradients. Call it to have the state before, or
        to complete one that was loaded from a file.

        Args:
            parameters: A tree of arrays, a dict at its root.

        >>> import mlx.core as mx, mlx.optimizers as optim
        >>> optimizer = optim.Adam(learning_rate=0.1)
        >>> optimizer.init({"w": mx.zeros((2,))})
        >>> sorted(optimizer.state["w"])
        ['m', 'v']
        """
        self._add_missing_state(parameters, self._state)
        self._initialized = True

    def _add_missing_state(self, parameters: Any, state: Any) -> Any:
        """Returns ``state`` with an entry for every leaf of ``parameters``; dicts are kept."""
        if isinstance(parameters, dict):
            # An empty list is what a tree without leaves comes back as from a flat file.
            state = state if isinstance(state, dict) else {}
            for key, child in parameters.items():
                state[key] = self._add_missing_state(child, state.get(key))
            return state
        if isinstance(parameters, (list, tuple)):
            old = list(state) if isinstance(state, (list, tuple)) else []
            old += [None] * (len(parameters) - len(old))
            new = [self._add_missing_state(p, s) for p, s in zip(parameters, old)]
            new += old[len(parameters) :]
            if isinstance(state, list):
                state[:] = new
                return state
            if hasattr(parameters, "_fields"):
                return type(parameters)(*new)
            return type(parameters)(new)
        state = {} if state is None else state
        if not state:
            self.init_single(parameters, state)
        return state

    def init_single(self, parameter: mx.array, state: dict) -> None:
        """Puts the first state of one parameter into ``state``; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} does not define init_single")

    def apply_gradients(self, gradients: dict, parameters: dict) -> dict:
        """Advances the state and returns the new parameters; neither argument is changed.

        Args:
            gradients: A tree of arrays, a dict at its root.
            parameters: A tree that has at least the places of ``gradients``; a module, for example.

        Returns:
            The new parameters, laid out as ``gradients``.

        Raises:
            KeyError: A gradient that has no state, because it was not there at the first call.

        >>> import mlx.core as mx, mlx.optimizers as optim
        >>> new = optim.SGD(0.5).apply_gradients({"w": mx.array([1.0])}, {"w": mx.array([3.0])})
        >>> new["w"].tolist()
        [2.5]
        """
        if not self._initialized:
            self.init(gradients)
        # Schedules see the number of updates already done: 0 at the first one.
        for name, schedule in self._schedulers.items():
            self.state[name] = schedule(self.step)
        self.state["step"] = self.step + 1
        return tree_map(self.apply_single, gradients, parameters, self.state)

    def apply_single(self, gradient: mx.array, parameter: mx.array, state: dict) -> mx.array:
        """Returns one new parameter and updates its ``state``; for subclasses."""
        raise NotImplementedError(f"{type(self).__name__} does not define apply_single")

    @property
    def state(self) -> dict:
        """The live state; assigning another makes the next update complete it."""
        return self._state

    @state.setter
    def state(self, state: dict) -> None:
        self._initialized = False
        self._state = state

    @property
    def step(self) -> mx.array:
        """The number of updates done, a uint64 scalar."""
        return self.state["step"]

    @step.setter
    def step(self, step: int | mx.array) -> None:
        self.state["step"] = mx.array(step, mx.uint64)

    @property
    def learning_rate(self) -> mx.array:
        """The learning rate of the next update, or with a schedule of the last one."""
        return self.state["learning_rate"]

    @learning_rate.setter
    def learning_rate(self, learning_rate: float | mx.array) -> None:
        self.state["learning_rate"] = mx.array(learning_rate)

    def _maybe_schedule(self, name: str, param: float | mx.array | Schedule) -> None:
        """Puts a hyper-parameter into the state, and remembers it if it is a schedule."""
        if callable(param):
            self._schedulers[name] = param
            self.state[name] = param(self.step)
        else:
            self.state[name] = mx.array(param)

    def _learning_rate_as(self, dtype: mx.Dtype) -> mx.array:
        return self.learning_rate.astype(dtype)


class MultiOptimizer(Optimizer):
    """Several optimizers, each for some of the parameters.

    Args:
        optimizers: The optimizers.
        filters: One fewer; ``filter(path, gradient)`` says whether the optimizer at the same place
            takes the parameter. The first that does has it, the last optimizer takes the rest.

    ``state`` is ``{"states": [...]}``; setting ``learning_rate`` sets that of all.

    Raises:
        ValueError: Another number of filters.

    >>> import mlx.core as mx, mlx.optimizers as optim
    >>> optimizer = optim.MultiOptimizer(
    ...     [optim.Muon(0.1), optim.AdamW(0.1)], [lambda path, gradient: gradient.ndim > 1])
    >>> optimizer.init({"weight": mx.zeros((2, 2)), "bias": mx.zeros((2,))})
    >>> "bias" in optimizer.state["states"][0], "bias" in optimizer.state["states"][1]
    (False, True)
    """

    def __init__(
        self, optimizers: list[Optimizer], filters: list[Callable[[str, mx.array], bool]] = []
    ):
        super().__init__()
        if len(filters) != len(optimizers) - 1:
            raise ValueError(
                "[MultiOptimizer] expected one filter fewer than optimizers: "
                f"got {len(optimizers)} optimizers and {len(filters)} filters"
            )
        self.optimizers = optimizers
        self.filters = [*filters, lambda path, gradient: True]

    def _split(self, tree: dict) -> list[dict]:
        """The part of a tree that each optimizer takes; list positions are kept."""
        parts: list[list[tuple[str, Any]]] = [[] for _ in self.optimizers]
        for path, leaf in tree_flatten(tree):
            chosen = next(i for i, accepts in enumerate(self.filters) if accepts(path, leaf))
            parts[chosen].append((path, leaf))
        return [tree_unflatten(part) if part else {} for part in parts]

    def init(self, parameters: dict) -> None:
        for optimizer, part in zip(self.optimizers, self._split(parameters)):
            optimizer.init(part)
        self._initialized = True

    def apply_gradients(self, gradients: dict, parameters: dict) -> dict:
        merged: dict = {}
        for optimizer, part in zip(self.optimizers, self._split(gradients)):
            merged = tree_merge(merged, optimizer.apply_gradients(part, parameters))
        return merged

    @property
    def state(self) -> dict:
        return {"states": [optimizer.state for optimizer in self.optimizers]}

    @state.setter
    def state(self, state: dict) -> None:
        if "states" not in state or len(state["states"]) != len(self.optimizers):
            raise ValueError(
                "[MultiOptimizer] state must be {'states': [...]} with "
                f"{len(self.optimizers)} entries"
            )
        for optimizer, part in zip(self.optimizers, state["states"]):
            optimizer.state = part

    @property
    def learning_rate(self) -> mx.array:
        return self.optimizers[0].learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: float | mx.array) -> None:
        for optimizer in self.optimizers:
            optimizer.learning_rate = learning_rate
