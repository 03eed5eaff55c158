"""BC-088: The exclusive scan is the inclusive one shifted by one.

Why: The identity for complex max is not 0; it must lose to every element.
Source: ml-explore/mlx PR #4272
"""

z = mx.array([-3 + 1j, -1 + 2j, -4 + 0j])
inc = mx.cummax(z, axis=0).tolist(); exc = mx.cummax(z, axis=0, inclusive=False).tolist()
assert exc[1:] == inc[:-1]
