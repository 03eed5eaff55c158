"""BC-017: Floor semantics, and q*b + r == a.

Why: Python and numpy floor; `%` already floors, so a truncating `//` breaks the identity. Needs a
decision because released upstream truncates integers.
Source: ml-explore/mlx#3994, #4450, PR #4346 (open), PR #4515 (open)
"""

a = mx.array([-9, 9, -9, 9, -1], dtype=mx.int32); b = mx.array([4, -4, -4, 4, 5], dtype=mx.int32)
q, r = (a // b), (a % b)
assert q.tolist() == [-3, -3, 2, 2, -1]
assert r.tolist() == [3, -3, -1, 1, 4]
assert mx.array_equal(q * b + r, a).item()
assert [t.tolist() for t in mx.divmod(a, b)] == [q.tolist(), r.tolist()]
