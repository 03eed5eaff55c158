"""BC-142: No stack overflow when building, dropping or evaluating; value 60000.

Why: Destruction and traversal must be iterative.
Source: ml-explore/mlx PR #1462, #810, pytorch/pytorch#5534
"""

x = mx.array([1.0, 2.0])
for _ in range(200_000): x = x + 1.0
del x
y = mx.array([1.0, 2.0])
for _ in range(50_000): y = mx.concatenate(mx.split(y, 2))
del y
z = mx.array(0.0)
for _ in range(60_000): z = z + 1.0
assert z.item() == 60_000.0
