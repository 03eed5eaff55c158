"""BC-011: Double-precision results (about 1 ulp), including near the zero of cos.

Why: The output dtype promises float64; a float32 polynomial gives relative error up to 1e-4 near
pi/2.
Source: ml-explore/mlx#4158 and #3047 (the latter still open)
"""

with mx.stream(mx.cpu):
    for x in (1.57, 0.7, -2.3, 12.5):
        a = mx.array([x], dtype=mx.float64)
        for f, g in ((mx.sin, math.sin), (mx.cos, math.cos), (mx.exp, math.exp), (mx.erf, math.erf)):
            got, want = f(a).item(), g(x)
            assert abs(got - want) <= 4e-16 * max(1.0, abs(want)), (f, x, got, want)
    c = mx.cos(mx.array([1.57], dtype=mx.float64)).item()
    assert abs(c - 0.0007963267107332633) < 1e-15
