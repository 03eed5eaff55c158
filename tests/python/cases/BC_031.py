"""BC-031: Either 64-bit dimensions work, or a clear error names the limit. Never a negative shape and
never a 'wrong argument types' TypeError.

Why: 2**32 does not fit in int32; silent wrap gives shape (-2147483648,) and later wild allocations.
Source: ml-explore/mlx#2681
"""

big = mx.zeros((2**16, 2**16), dtype=mx.uint8)          # lazy, nothing allocated
def flat():
    s = big.flatten().shape
    assert s == (2**32,)
try: flat()
except (ValueError, OverflowError): pass
def wide():
    assert mx.zeros(2**31, dtype=mx.uint8).shape == (2**31,)
try: wide()
except (ValueError, OverflowError) as e: assert "2147483647" in str(e) or "int32" in str(e).lower()
