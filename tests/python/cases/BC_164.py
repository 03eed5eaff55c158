"""BC-164: Broadcast over the batch of w.

Why: As matmul does.
"""

w = mx.quantize(mx.ones((4, 2, 64)))
r = mx.quantized_matmul(mx.ones((5, 64)), *w); mx.eval(r)
assert r.shape == (4, 5, 2) and (r == 64).all().item()
