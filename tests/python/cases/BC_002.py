"""BC-002: cummax = [2, 6, nan, nan, nan]; cummin = [2, 2, nan, nan, nan]; same on every device.

Why: numpy `maximum.accumulate` / `minimum.accumulate`: once a NaN is met every later running value
is NaN.
Source: ml-explore/mlx#4044
"""

x = mx.array([2.0, 6.0, nan, 9.0, 1.0])
assert [math.isnan(v) for v in mx.cummax(x).tolist()] == [False, False, True, True, True]
assert mx.cummax(x).tolist()[:2] == [2.0, 6.0]
assert mx.cummin(x).tolist()[:2] == [2.0, 2.0]
assert all(math.isnan(v) for v in mx.cummin(x).tolist()[2:])
