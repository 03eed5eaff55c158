"""BC-180: IndexError or ValueError.

Why: A class out of range reads foreign memory.
"""

L = mx.zeros((2, 3, 5))
assert raises((IndexError, ValueError), lambda: mx.eval(mx.fast.cross_entropy(L, mx.full((2, 3), 7, mx.int32))))
