"""BC-160: float32 probabilities on every axis.

Why: Integers promote to float32.
"""

x = mx.array([[1, 2], [3, 4]])
for ax in (None, 0, 1, (0, 1)):
    r = mx.softmax(x) if ax is None else mx.softmax(x, axis=ax)
    assert r.dtype == mx.float32 and abs(r.sum().item() - (1 if ax in (None, (0, 1)) else 2)) < 1e-5
