"""BC-152: ValueError.

Why: Python: a slice step cannot be zero.
"""

for f in (lambda: mx.arange(4)[::0], lambda: mx.arange(4).at[::0].add(1), lambda: mx.arange(4).__setitem__(slice(None, None, 0), 1)):
    assert raises(ValueError, lambda: mx.eval(f()))
assert raises((ValueError, TypeError), lambda: mx.arange(4).reshape())
