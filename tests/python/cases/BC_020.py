"""BC-020: Wraps to INT_MIN, remainder 0; no trap.

Why: INT_MIN / -1 overflows and also raises SIGFPE on x86. numpy wraps.
Source: ml-explore/mlx PR #4346 (discussion)
"""

lo = mx.array([-2**31], dtype=mx.int32); m1 = mx.array([-1], dtype=mx.int32)
assert (lo // m1).item() == -2**31
assert (lo % m1).item() == 0
assert mx.abs(lo).item() == -2**31
