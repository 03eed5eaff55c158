"""BC-007: Unmasked rows are untouched; the fully masked row is all 0 (torch's choice) or all NaN
(plain softmax), never leftover memory, and the same for fused and composed paths and for float
masks.

Why: No value is mathematically right for an empty distribution; torch documents 0. What is
certainly wrong is uninitialised or batch-dependent data.
Source: ml-explore/mlx#2395
"""

q = mx.random.normal((1, 1, 4, 8)); k = mx.random.normal((1, 1, 4, 8)); v = mx.random.normal((1, 1, 4, 8))
mask = mx.ones((1, 1, 4, 4), dtype=mx.bool_); mask[0, 0, 2] = False
o = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.3, mask=mask)
full = mx.fast.scaled_dot_product_attention(q, k, v, scale=0.3, mask=mx.ones((1,1,4,4), dtype=mx.bool_))
rows = [0, 1, 3]
assert mx.allclose(o[0, 0][mx.array(rows)], full[0, 0][mx.array(rows)], atol=1e-5).item()
r = o[0, 0, 2].tolist()
assert all(x == 0.0 for x in r) or all(math.isnan(x) for x in r)
