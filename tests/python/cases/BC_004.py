"""BC-004: NaN, whichever operand holds it.

Why: numpy `minimum`/`maximum`/`clip` propagate NaN from either side; `x < y ? x : y` does not.
Source: ml-explore/mlx#468
"""

assert math.isnan(mx.clip(mx.array([nan]), -2.0, 2.0).item())
assert math.isnan(mx.minimum(mx.array([nan]), mx.array([1.0])).item())
assert math.isnan(mx.minimum(mx.array([1.0]), mx.array([nan])).item())
assert math.isnan(mx.maximum(mx.array([nan]), 0.0).item())
