"""BC-124: Always finite; uniform stays below 1 in 16-bit types.

Why: Rounding a float32 uniform to float16 can give exactly 1 or -1, and erfinv(+-1) is infinite.
Source: ml-explore/mlx#779
"""

for dt in (mx.float16, mx.bfloat16, mx.float32):
    x = mx.random.normal((1 << 20,), dtype=dt, key=mx.random.key(7))
    assert mx.all(mx.isfinite(x)).item() and abs(mx.mean(x.astype(mx.float32)).item()) < 0.01
    u = mx.random.uniform(shape=(1 << 20,), dtype=dt, key=mx.random.key(8))
    assert mx.min(u).item() >= 0.0 and mx.max(u).item() < 1.0
