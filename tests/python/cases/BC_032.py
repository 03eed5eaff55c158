"""BC-032: Row r has maximum r % 251 for every row, also past element 2**31.

Why: Element offsets in strided views exceed int32.
Source: ml-explore/mlx#4539
"""

R, K = 32775, 7
row = (mx.arange(R) % 251).astype(mx.uint8)
x = mx.contiguous(mx.broadcast_to(row[:, None], (R, 65536)))
assert mx.array_equal(mx.max(x[:, K:], axis=-1), row).item()
