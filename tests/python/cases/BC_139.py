"""BC-139: Within bfloat16 rounding of the float32 answer at every position.

Why: Angles up to 1024 rad must be formed in float32; a bfloat16 angle is off by several radians.
Source: ml-explore/mlx#2791
"""

x = mx.random.normal((1, 1, 1024, 32), key=mx.random.key(0))
r = mx.fast.rope(x, 32, traditional=False, base=10000.0, scale=1.0, offset=0)
y = mx.fast.rope(x.astype(mx.bfloat16), 32, traditional=False, base=10000.0, scale=1.0, offset=0).astype(mx.float32)
assert mx.max(mx.abs(y - r)).item() < 0.06
