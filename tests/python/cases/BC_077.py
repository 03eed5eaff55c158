"""BC-077: Same as eager; long fused chains of min/max/broadcast compile.

Why: The generated symbol name grew past limits and the source did not build.
Source: exo-explore/exo#2156
"""

f = lambda x: mx.clip(mx.clip(x, -3.0, 3.0) * mx.sigmoid(1.7 * mx.clip(x, -3.0, 3.0)) + 1.0, 0.1, 2.5)
x = mx.random.normal((33, 7)) * 4
assert mx.allclose(mx.compile(f)(x), f(x), atol=1e-6).item()
h = lambda x, s: mx.minimum(mx.maximum(x * s, -s), s) + s
assert mx.allclose(mx.compile(h)(x, mx.ones((7,))), h(x, mx.ones((7,))), atol=1e-6).item()
