"""BC-022: 4, -4, 4.

Why: Remainder takes the divisor's sign (Python/numpy), unlike C fmod.
Source: ml-explore/mlx#640
"""

assert (mx.array([-3.0]) % 7.0).item() == 4.0
assert (mx.array([3.0]) % -7.0).item() == -4.0
assert mx.remainder(mx.array([-3]), mx.array([7])).item() == 4
