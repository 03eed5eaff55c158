# Modules that hold other modules.
"""Containers."""

from __future__ import annotations

from collections.abc import Callable

import mlx.core as mx

from .base import Module


class Sequential(Module):
    """Calls its entries one after the other, each with the result of the one before.

    Args:
        modules: Modules or any other callables; they are the list ``layers``.

    >>> import mlx.core as mx, mlx.nn as nn
    >>> model = nn.Sequential(nn.Linear(4, 8), nn.relu, nn.Linear(8, 2))
    >>> model(mx.ones((3, 4))).shape
    (3, 2)
    """

    def __init__(self, *modules: Module | Callable[[mx.array], mx.array]):
        super().__init__()
        self.layers = list(modules)

    def __call__(self, x: mx.array) -> mx.array:
        for layer in self.layers:
            x = layer(x)
        return x
