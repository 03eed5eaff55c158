"""BC-119: Output length follows the input length.

Why: A flatten in the batched matmul froze the traced middle dimension.
Source: ml-explore/mlx#2607
"""

w = mx.arange(6).reshape(3, 2).astype(mx.float32)
mx.export_function(f"{d}/f.mlxfn", lambda x: x @ w, mx.zeros((1, 4, 3)), shapeless=True)
f = mx.import_function(f"{d}/f.mlxfn")
for n in (4, 1, 9):
    x = mx.random.normal((1, n, 3)); (y,) = f(x)
    assert y.shape == (1, n, 2) and mx.allclose(y, x @ w, atol=1e-5).item()
