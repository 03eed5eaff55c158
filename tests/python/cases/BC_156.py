"""BC-156: IndexError.

Why: Foreign memory is never read.
"""

for f in (lambda: mx.arange(5)[-6], lambda: mx.array([1, 2, 3])[2**31 - 1], lambda: mx.arange(5)[5], lambda: mx.zeros((2, 3))[0, 3], lambda: mx.zeros((2, 3))[-3, 0]):
    assert raises(IndexError, lambda: mx.eval(f()))
