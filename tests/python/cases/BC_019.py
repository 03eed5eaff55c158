"""BC-019: No SIGFPE; quotient 0 and remainder a (numpy says 0 and 0).

Why: x86 `idiv` traps on a zero divisor, so an unguarded kernel kills the process. Keeping remainder = a
preserves a == q*b + r.
Source: ml-explore/mlx#4442
"""

z = mx.array([0, 0], dtype=mx.int32); n = mx.array([5, -5], dtype=mx.int32)
q = (n // z).tolist(); r = (n % z).tolist()
assert q == [0, 0] and r == [5, -5]
for dt in (mx.int8, mx.uint8, mx.int64, mx.uint64):
    mx.eval(mx.array([1], dtype=dt) // mx.array([0], dtype=dt))
