"""BC-150: No rows give no rows; no channels give zeros.

Why: Sums over an empty set are zero.
"""

q = mx.quantize(mx.ones((2, 64)))
r = mx.quantized_matmul(mx.zeros((0, 64)), *q); mx.eval(r); assert r.shape == (0, 2)
r = mx.conv1d(mx.ones((1, 8, 0)), mx.ones((3, 3, 0))); mx.eval(r); assert r.shape == (1, 6, 3) and not r.any().item()
