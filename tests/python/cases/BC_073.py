"""BC-073: <J^T c, v> = <c, J v>.

Why: Convolution is linear in x, so the adjoint identity must hold for grouped and strided cases.
Source: ml-explore/mlx PR #3800
"""

x = mx.random.normal((1, 7, 7, 4)); w = mx.random.normal((4, 3, 3, 1))
f = lambda a: mx.conv2d(a, w, stride=2, padding=1, groups=4)
y = f(x); ct = mx.random.normal(y.shape); v = mx.random.normal(x.shape)
_, (gx,) = mx.vjp(f, [x], [ct])
assert abs(mx.sum(gx * v).item() - mx.sum(ct * f(v)).item()) < 1e-2
