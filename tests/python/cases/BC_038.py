"""BC-038: A (3,3) block lands on the selected plane.

Why: Integer indices drop their axes, so the target region is (3,3); numpy accepts this.
Source: ml-explore/mlx#1050
"""

src = mx.arange(5 * 5 * 5).reshape(5, 5, 5); dst = mx.zeros((2, 3, 3, 3), dtype=mx.int32)
dst[1, 0:3, 2, 0:3] = src[1:4, 4, 1:4]
assert mx.array_equal(dst[1, :, 2, :], src[1:4, 4, 1:4]).item()
assert mx.sum(dst != 0).item() == 9
