"""BC-049: ValueError for NaN/inf; empty for an empty range.

Why: The length would be NaN or infinite.
Source: ml-explore/mlx#529
"""

for args in ((0.0, 1.0, nan), (nan, 1.0, 0.1), (0.0, inf, 1.0)):
    assert raises(ValueError, lambda: mx.eval(mx.arange(*args)))
assert mx.arange(5, 5).shape == (0,) and mx.arange(3, 0).shape == (0,)
