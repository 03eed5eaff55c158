"""BC-158: 1j is true.

Why: numpy: nonzero is True.
"""

z = mx.array([1j, 0j])
assert mx.any(z).item() is True and mx.all(z).item() is False
assert z.astype(mx.bool_).tolist() == [True, False] and mx.logical_not(z).tolist() == [False, True]
assert mx.where(z, 1, 2).tolist() == [1, 2]
