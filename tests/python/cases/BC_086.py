"""BC-086: 5e20 and 5e-21.

Why: hypot scaling; re^2+im^2 overflows or underflows in float32 though the result is representable.
Source: ml-explore/mlx#4344
"""

z = mx.array([3e20 + 4e20j, 3e-21 - 4e-21j])
a = mx.abs(z).tolist()
assert abs(a[0] / 5e20 - 1) < 1e-5 and abs(a[1] / 5e-21 - 1) < 1e-5
assert abs(mx.real(mx.log(z)).tolist()[0] - math.log(5e20)) < 1e-3
