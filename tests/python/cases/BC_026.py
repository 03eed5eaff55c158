"""BC-026: Shape (0, 0).

Why: numpy returns empty matrices; LAPACK reports an illegal argument if it is called.
Source: ml-explore/mlx#4032
"""

r = mx.linalg.cholesky(mx.zeros((0, 0)), stream=mx.cpu)
mx.eval(r); assert r.shape == (0, 0)
mx.eval(mx.linalg.inv(mx.zeros((0, 0)), stream=mx.cpu))
