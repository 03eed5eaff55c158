"""BC-040: Columns 1 and 4 replaced; a (2,) update broadcasts over rows.

Why: numpy broadcasting of the right-hand side.
Source: ml-explore/mlx#873
"""

x = mx.ones((1, 6)); i = mx.array([1, 4])
x[:, i] = mx.zeros((1, 2))
assert x.tolist() == [[1, 0, 1, 1, 0, 1]]
y = mx.ones((3, 6)); y[:, i] = mx.array([5.0, 6.0]); assert y[2].tolist() == [1, 5, 1, 1, 6, 1]
