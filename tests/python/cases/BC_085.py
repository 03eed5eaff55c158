"""BC-085: As asserted.

Why: A complex value is infinite or NaN if either part is (numpy).
Source: ml-explore/mlx#4091
"""

z = mx.array([complex(1, inf), complex(-inf, 0), complex(nan, 2), 3 + 4j])
assert mx.isinf(z).tolist() == [True, True, False, False]
assert mx.isnan(z).tolist() == [False, False, True, False]
assert mx.isfinite(z).tolist() == [False, False, False, True]
