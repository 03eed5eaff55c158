"""BC-064: 7 and -7.

Why: At a=b=1: d/da = b*0^(b-1) = 1; the exponent path contributes 0^1*log 0, taken as 0 (torch and
JAX agree).
Source: ml-explore/mlx#628
"""

f = lambda a, b: (a - b) ** b
_, (da, db) = mx.vjp(f, [mx.ones((2,)), mx.ones((2,))], [mx.full((2,), 7.0)])
assert da.tolist() == [7.0, 7.0] and db.tolist() == [-7.0, -7.0]
