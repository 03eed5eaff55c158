"""BC-166: False, True.

Why: Equality with a foreign object is never an error.
"""

for o in (None, 3, "float32", object(), [1]):
    assert (mx.float32 == o) is False and (mx.float32 != o) is True
    assert (mx.cpu == o) is False and (mx.default_stream(mx.cpu) == o) is False
assert mx.float32 in [None, mx.float32] and {mx.float32: 1}[mx.float32] == 1
