"""BC-044: [[8,2],[3,9]]; rows 1 and 4 filled; the empty call returns an empty array.

Why: numpy `put_along_axis`: axis=None works on the flattened array, size-1 index dims broadcast.
Source: ml-explore/mlx#2167, #1807
"""

a = mx.array([[1.0, 2.0], [3.0, 4.0]])
r = mx.put_along_axis(a, mx.array([3, 0]), mx.array([9.0, 8.0]), axis=None)
assert r.tolist() == [[8.0, 2.0], [3.0, 9.0]]
s = mx.put_along_axis(mx.zeros((2, 6, 3)), mx.array([1, 4]).reshape(1, 2, 1), mx.array(2.0), axis=1)
assert mx.sum(s).item() == 24.0 and mx.sum(s[:, 1]).item() == 12.0
e = mx.zeros((0,)); mx.eval(mx.put_along_axis(e, mx.zeros((0,), dtype=mx.int32), e, axis=None))
