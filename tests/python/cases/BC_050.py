"""BC-050: Exact int64 values.

Why: Arguments were parsed as C int.
Source: data-apis/array-api-compat#452, ml-explore/mlx PR #4255
"""

n = 2**31 - 1
assert mx.arange(n - 1, n + 2, dtype=mx.int64).tolist() == [n - 1, n, n + 1]
assert mx.arange(0, 2**33, 2**32, dtype=mx.int64).tolist() == [0, 2**32]
