# Collects the optimizers and the schedules.
"""Optimizers and learning rate schedules.

>>> import mlx.core as mx, mlx.nn as nn, mlx.optimizers as optim
>>> model = nn.Linear(2, 1)
>>> optimizer = optim.Adam(learning_rate=optim.cosine_decay(1e-2, 100))
>>> loss_and_grad = nn.value_and_grad(model, lambda x: mx.square(model(x)).mean())
>>> loss, grads = loss_and_grad(mx.ones((4, 2)))
>>> optimizer.update(model, grads)
>>> mx.eval(model.parameters(), optimizer.state)
"""

from . import optimizers, schedulers
from .optimizers import (
    SGD,
    AdaDelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Lion,
    MultiOptimizer,
    Muon,
    Optimizer,
    RMSprop,
    clip_grad_norm,
)
from .schedulers import (
    cosine_decay,
    exponential_decay,
    join_schedules,
    linear_schedule,
    step_decay,
)
