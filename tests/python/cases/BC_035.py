"""BC-035: Slice bounds clamp to [0, n] when mixed with an index array, for reading and writing.

Why: Python slice semantics (numpy gives exactly these values).
Source: ml-explore/mlx#4399
"""

a = mx.arange(24).reshape(4, 6)
assert a[-50:3, mx.array([1, 4])].tolist() == [[1, 4], [7, 10], [13, 16]]
assert a[1:99, mx.array([0])].shape == (3, 1)
assert a[5:2, mx.array([0])].shape == (0, 1)
b = mx.zeros((4, 6)); b[-50:2, mx.array([0])] = 1.0
assert mx.sum(b).item() == 2.0
