"""BC-016: Exact values, no bad_cast and no wrap.

Why: All three are representable in the stated dtype.
Source: ml-explore/mlx PR #1860, #496
"""

assert mx.array(2**33).dtype == mx.int64 and mx.array(2**33).item() == 2**33
assert mx.array([0, 2**32 - 1], dtype=mx.uint32).tolist() == [0, 4294967295]
assert mx.array(2**64 - 1, dtype=mx.uint64).item() == 2**64 - 1
