"""BC-010: Round-trips bit for bit.

Why: The list was built as float32 then widened. Every constructor (array, full, arange, linspace,
scalar) must build in the requested dtype.
Source: ml-explore/mlx#2856
"""

xs = [12.34567890123456, -0.1, 1e-300]
assert mx.array(xs, dtype=mx.float64).tolist() == xs
assert mx.array(0.1, dtype=mx.float64).item() == 0.1
assert mx.full((1,), 0.1, dtype=mx.float64).item() == 0.1
