"""BC-162: Accumulated in float32, rounded once (5000 rounds to 4992 in bfloat16).

Why: numpy's pairwise float16 sum gives 5000 as well.
"""

assert mx.sum(mx.full((5000,), 1.0, mx.float16)).item() == 5000
assert mx.sum(mx.full((5000,), 1.0, mx.bfloat16)).item() == 4992
assert mx.mean(mx.full((70000,), 1.0, mx.float16)).item() == 1
assert mx.cumsum(mx.full((5000,), 1.0, mx.float16))[-1].item() == 5000
