"""BC-136: s without axes applies to the last len(s) axes.

Why: numpy definition.
Source: ml-explore/mlx#1592
"""

a = mx.ones((3, 4, 5), dtype=mx.complex64)
y = mx.fft.irfftn(a, s=(4, 8)); assert y.shape == (3, 4, 8)
assert mx.allclose(y, mx.fft.irfftn(a, s=(4, 8), axes=(-2, -1)), atol=1e-6).item()
