"""BC-076: Works with no g++ at run time, for float16 and bfloat16 too, and writes nothing executable
to a shared /tmp.

Why: Upstream shells out to g++ for CPU fusion; it breaks with new compilers, on arm64 float16, and
in slim containers.
Source: exo-explore/exo#1086, ml-explore/mlx#3080, #3430 (open)
"""

f = mx.compile(lambda x, y: mx.sigmoid(x) * x * y)
for dt in (mx.float32, mx.float16, mx.bfloat16):
    x = mx.array([0.0, 1.0], dtype=dt)
    assert mx.allclose(f(x, x), mx.sigmoid(x) * x * x, atol=1e-2).item()
