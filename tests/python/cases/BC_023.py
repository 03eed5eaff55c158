"""BC-023: inf for ddof >= N.

Why: numpy divides by max(N - ddof, 0); dividing by a negative number gives a negative 'variance'.
Source: ml-explore/mlx#597
"""

x = mx.array([1.0, 2.0, 4.0])
assert mx.var(x, ddof=3).item() == inf
assert mx.var(x, ddof=4).item() == inf
