"""BC-013: bfloat16, 256 and 260 (ties to even); float16 keeps 257.

Why: Surprising but it is the documented promotion; the check is that the integer is rounded once,
to nearest even, and not truncated. Worth a note in our docs.
Source: pytorch/pytorch#179845 (peer)
"""

r = mx.array(257, dtype=mx.int32) + mx.array(0.0, dtype=mx.bfloat16)
assert r.dtype == mx.bfloat16 and r.item() == 256.0
r = mx.array(259, dtype=mx.int32) + mx.array(0.0, dtype=mx.bfloat16)
assert r.item() == 260.0
assert (mx.array(257, dtype=mx.int32) + mx.array(0.0, dtype=mx.float16)).item() == 257.0
