"""BC-176: Empty results (or a clear error for 0 x 0).

Why: numpy.linalg returns empty.
"""

for f in (mx.linalg.inv, mx.linalg.cholesky_inv, mx.linalg.lu, mx.linalg.lu_factor, lambda a, stream: mx.linalg.tri_inv(a, stream=stream)):
    for shape in ((0, 0), (3, 0, 0), (0, 2, 2)):
        r = f(mx.zeros(shape), stream=mx.cpu)
        try: mx.eval(r)
        except (RuntimeError, ValueError): assert shape == (3, 0, 0) or shape == (0, 0)
assert mx.random.permutation(0).shape == (0,)
