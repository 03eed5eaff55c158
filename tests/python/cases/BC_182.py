"""BC-182: Gradients and parameters of the caller stay as they were.

Why: apply_gradients returns new ones.
"""

import mlx.optimizers as optim
g = mx.array([1.0, 2.0]); w = mx.array([3.0, 4.0]); params = {"w": w}; grads = {"w": g}
for o in (optim.SGD(0.1, weight_decay=0.5), optim.Adafactor(1e-2, relative_step=False, weight_decay=0.5), optim.AdamW(0.1), optim.Lion(0.1, weight_decay=0.1)):
    o.apply_gradients(grads, params); assert g.tolist() == [1.0, 2.0] and w.tolist() == [3.0, 4.0] and grads["w"] is g and params["w"] is w
