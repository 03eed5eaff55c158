# Collects what users of mlx.nn see: the layers (layers/), losses, initialisers and transforms.
"""Neural network layers, losses and initialisers.

>>> import mlx.core as mx, mlx.nn as nn
>>> model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
>>> model(mx.zeros((4, 2))).shape
(4, 1)
"""

from . import init, layers, losses, utils
from .layers import *  # noqa: F403
from .utils import average_gradients, value_and_grad
