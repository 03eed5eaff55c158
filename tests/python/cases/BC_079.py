"""BC-079: NaN everywhere.

Why: Vector exp polynomials built on integer exponent tricks turn NaN into a denormal unless NaN is
handled; fast-math flags do the same.
Source: jax-ml/jax#29537 (peer)
"""

for dt in (mx.float32, mx.float64):
    with mx.stream(mx.cpu):
        x = mx.array([0.123] * 9, dtype=dt)
        f = lambda x: mx.exp(x * nan) + 0 * mx.log(x)
        assert all(math.isnan(v) for v in f(x).tolist())
        assert all(math.isnan(v) for v in mx.compile(f)(x).tolist())
