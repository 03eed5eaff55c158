"""BC-008: [inf, 0, -inf]

Why: IEEE/C `log1p` special values; naive `log(u)*x/(u-1)` style formulas give NaN at infinity.
Source: ml-explore/mlx#574
"""

y = mx.log1p(mx.array([inf, 0.0, -1.0]))
assert y.tolist()[0] == inf and y.tolist()[1] == 0.0 and y.tolist()[2] == -inf
