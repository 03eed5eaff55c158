"""BC-133: Diagonals as numpy gives them: [[0,1,2],[9,10,11]], [3,30], 5.

Why: A repeated label selects the diagonal, wherever it stands.
Source: tinygrad/tinygrad#18207 (peer)
"""

A = mx.arange(12).reshape(2, 2, 3)
assert mx.einsum("iij->ij", A).tolist() == [[0, 1, 2], [9, 10, 11]]
assert mx.einsum("iij->i", A).tolist() == [3, 30]
assert mx.einsum("ii->", mx.array([[1, 2], [3, 4]])).item() == 5
