"""BC-168: Double precision.

Why: float64 functions are computed in double precision.
"""

x = mx.array([0.1, 1.0, 2.5], dtype=mx.float64)
for f, g in ((mx.exp, math.exp), (mx.log, math.log), (mx.sin, math.sin), (mx.tanh, math.tanh), (mx.sqrt, math.sqrt), (mx.erf, math.erf), (mx.sigmoid, lambda v: 1 / (1 + math.exp(-v)))):
    for a, b in zip(f(x).tolist(), [0.1, 1.0, 2.5]): assert abs(a - g(b)) <= 4e-16 * max(1, abs(g(b))), (f, a, g(b))
