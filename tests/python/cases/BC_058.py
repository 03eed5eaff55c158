"""BC-058: Two diagonal matrices.

Why: Stacking traced and constant scalars must broadcast the constants over the batch.
Source: ml-explore/mlx#1599
"""

f = lambda s: mx.array([s[0], 0.0, 0.0, s[1]]).reshape(2, 2)
out = mx.vmap(f)(mx.array([[1.0, 2.0], [3.0, 4.0]]))
assert out.tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
