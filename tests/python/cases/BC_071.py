"""BC-071: Kernel-shaped gradient that matches the central difference.

Why: Quadratic loss, so the central difference is exact up to rounding.
Source: ml-explore/mlx#2184, #1826
"""

x = mx.random.normal((2, 6, 4)); w = mx.random.normal((6, 2, 2))
for flip in (False, True):
    f = lambda w: mx.sum(mx.conv_general(x, w, stride=(2,), groups=2, flip=flip) ** 2)
    g = mx.grad(f)(w); assert g.shape == w.shape
    d = mx.random.normal(w.shape); e = 1e-2
    num = (f(w + e * d) - f(w - e * d)).item() / (2 * e)
    assert abs(num - mx.sum(g * d).item()) < 2e-2 * max(1.0, abs(num))
