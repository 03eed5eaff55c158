"""BC-025: 0, (3,0,3,0), 0, a 2x3 of zeros, (0,3).

Why: A sum over an empty index set is 0. BLAS called with zero leading dimensions aborts, so guard
before the call.
Source: ml-explore/mlx#572, #596
"""

e = mx.zeros((0,))
assert mx.inner(e, e).item() == 0.0
a = mx.zeros((3, 0))
assert mx.tensordot(a, a, 0).shape == (3, 0, 3, 0)
assert mx.tensordot(a, a, 2).item() == 0.0
assert mx.matmul(mx.zeros((2, 0)), mx.zeros((0, 3))).tolist() == [[0.0] * 3] * 2
assert mx.matmul(mx.zeros((0, 4)), mx.zeros((4, 3))).shape == (0, 3)
