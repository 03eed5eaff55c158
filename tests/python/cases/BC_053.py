"""BC-053: 0..n-1 for all lengths.

Why: Multi-block merge sort boundary at 2**15.
Source: ml-explore/mlx#882
"""

for n in (32768, 32769, 100003):
    x = (mx.arange(n) * 7919) % n
    if math.gcd(7919, n) == 1:
        assert mx.array_equal(mx.sort(x), mx.arange(n)).item()
        assert mx.array_equal(x[mx.argsort(x)], mx.arange(n)).item()
