"""BC-029: [10638, 12582] and 23220.

Why: Integer sums are exact, so any axis subset must add up to the total.
Source: ml-explore/mlx#855
"""

x = mx.arange(2*3*2*3*2*3).reshape(2, 3, 2, 3, 2, 3)
assert mx.sum(x, axis=[0, 1, 3, 4, 5]).tolist() == [10638, 12582]
assert mx.sum(x, axis=(1, 3, 5)).sum().item() == 23220
