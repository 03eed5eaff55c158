"""BC-091: inf/NaN in the affected entries (JAX, scipy-free LAPACK semantics) or a catchable error;
never abort.

Why: Division by the zero pivot.
Source: ml-explore/mlx#4407
"""

L = mx.array([[1.0, 0.0], [3.0, 0.0]])
for f in (lambda: mx.linalg.tri_inv(L, upper=False, stream=mx.cpu),
          lambda: mx.linalg.solve_triangular(L, mx.ones((2, 1)), upper=False, stream=mx.cpu)):
    try:
        r = f(); mx.eval(r); assert not math.isfinite(r.tolist()[1][-1])
    except (ValueError, RuntimeError): pass
