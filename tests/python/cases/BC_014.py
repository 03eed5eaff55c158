"""BC-014: Python scalars are weak: float16 stays float16 in every op; int array with a float literal
becomes float32; uint8 + 10 wraps to 4.

Why: Consistent weak-scalar rule (NEP 50 style as MLX documents it); one op that differs causes
silent float32 upcasts in models.
Source: triton-lang/triton#10740 (peer)
"""

x = mx.array([1.5, -2.0], dtype=mx.float16)
for y in (mx.maximum(x, 0.0), mx.minimum(x, 1), x * 2.0, x + 1, mx.where(x > 0, x, 0.0), mx.clip(x, -1.0, 1.0)):
    assert y.dtype == mx.float16
assert (mx.array([3], dtype=mx.int32) * 0.5).dtype == mx.float32
assert (mx.array([250], dtype=mx.uint8) + 10).tolist() == [4]
