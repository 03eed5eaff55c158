"""BC-128: Views and copies give equal results.

Why: Strided weights were read as if dense.
Source: pytorch/pytorch#1246, #192212 (peers)
"""

big = mx.random.normal((3, 6, 6, 2)); w = big[:, ::2, ::2]; x = mx.random.normal((2, 8, 8, 4))[..., ::2]
y = mx.conv2d(x, w); z = mx.conv2d(mx.contiguous(x), mx.contiguous(w))
assert mx.allclose(y, z, atol=1e-5).item()
t = mx.conv2d(mx.contiguous(x).transpose(0, 2, 1, 3), w); assert t.shape == (2, 6, 6, 3)
