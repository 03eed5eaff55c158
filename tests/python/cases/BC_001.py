"""BC-001: Index of the first NaN, for argmax and for argmin, at any length.

Why: numpy returns the first NaN's position; max/min already propagate NaN, so `a[argmax(a)]` must
equal `max(a)` in the NaN sense.
Source: ml-explore/mlx#4274 (also #535)
"""

a = mx.array([2.0, nan, 7.0, -1.0])
assert mx.argmax(a).item() == 1 and mx.argmin(a).item() == 1
m = mx.array([[4.0, nan], [9.0, 1.0]])
assert mx.argmax(m, axis=0).tolist() == [1, 0]
assert mx.argmax(m, axis=1).tolist() == [1, 0]
for n in (3, 8, 33, 1000):                    # tail and SIMD lanes must agree
    v = mx.zeros((n,)); v[n - 1] = nan
    assert mx.argmax(v).item() == n - 1
