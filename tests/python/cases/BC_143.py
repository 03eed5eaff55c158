"""BC-143: 0.33 inside the block, full precision outside.

Why: Scoped setting is restored.
Source: ml-explore/mlx#471, PR #3333
"""

a = mx.array([1.0 / 3.0])
with mx.printoptions(precision=2): s = str(a)
assert "0.33" in s and "0.333" not in s and "0.333" in str(a)
assert "True" in str(mx.array([True])) and "array(" in repr(mx.array([1, 2]))
