"""BC-059: Mismatched batch sizes (6 vs 1) raise; with in_axes=(0, None) the shape is (6,1,1,5).

Why: Per-example shapes are (1,) and (1,1,5); batch sizes must match, they do not broadcast.
Source: ml-explore/mlx#600
"""

a, b = mx.ones((6, 1)), mx.ones((1, 1, 5))
assert raises(ValueError, lambda: mx.eval(mx.vmap(lambda x, y: x + y)(a, b)))
assert mx.vmap(lambda x, y: x + y, in_axes=(0, None))(a, b).shape == (6, 1, 1, 5)
