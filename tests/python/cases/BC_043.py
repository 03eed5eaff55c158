"""BC-043: ValueError for every out-of-range axis, positive or negative.

Why: `axis + ndim < 0` computed in unsigned arithmetic is never true, so a wild axis reached the
kernels.
Source: ml-explore/mlx#4115
"""

x = mx.zeros((2, 3, 4)); i = mx.zeros((2, 3, 4), dtype=mx.int32)
for ax in (3, 50, -4, -50):
    assert raises(ValueError, lambda: mx.eval(mx.take_along_axis(x, i, axis=ax)))
    assert raises(ValueError, lambda: mx.eval(mx.put_along_axis(x, i, x, axis=ax)))
assert raises(ValueError, lambda: mx.linalg.cross(mx.zeros((2, 3)), mx.zeros((2, 3)), axis=-9))
