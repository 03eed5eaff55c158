"""BC-092: [[2,2],[3,3]]/26.

Why: Rank-one matrix: pinv = A^T / ||A||_F^2. Tiny singular values must be cut off.
Source: ml-explore/mlx#2107
"""

p = mx.linalg.pinv(mx.array([[2.0, 3.0], [2.0, 3.0]]), stream=mx.cpu)
assert mx.allclose(p, mx.array([[2.0, 2.0], [3.0, 3.0]]) / 26.0, atol=1e-5).item()
