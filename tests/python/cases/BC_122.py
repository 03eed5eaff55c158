"""BC-122: All four values occur, high never does; hundreds of distinct int64 values; both booleans.

Why: float32 has 24 bits, so going through it skips or repeats integers. Note: a correct method
changes the stream for a given key, so decide how far to stay bit-compatible.
Source: ml-explore/mlx#3926
"""

k = mx.random.key(3); lo = 2**25
v = set(mx.random.randint(lo, lo + 4, (4000,), key=k).tolist()); assert v == {lo, lo + 1, lo + 2, lo + 3}
u = mx.random.randint(2**41, 2**41 + 512, (4000,), dtype=mx.int64, key=k)
assert len(set(u.tolist())) > 400 and mx.min(u).item() >= 2**41 and mx.max(u).item() < 2**41 + 512
b = mx.random.randint(0, 2, (200,), dtype=mx.bool_, key=k); assert 0 < mx.sum(b).item() < 200
