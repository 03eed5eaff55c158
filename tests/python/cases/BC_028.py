"""BC-028: About 2.0027e-5 (the float16 nearest to 2e-5).

Why: The mean of equal numbers is that number; float16 accumulation underflows or loses it.
Source: jax-ml/jax#17792 (peer)
"""

x = mx.full((1 << 18,), 2e-5, dtype=mx.float16)
assert abs(mx.mean(x).item() - 2.0027e-05) < 1e-7
