"""BC-041: Only cell (5, 9) changes, to 0.75; `t` is not modified.

Why: Scatter-add through a slice adds elementwise; sparsity of the update must not matter.
Source: ml-explore/mlx#3477
"""

t = mx.ones((20, 20)); d = mx.zeros((8, 8)); d[3, 5] = -0.25
u = t.at[2:10, 4:12].add(d)
assert u[5, 9].item() == 0.75 and abs(mx.sum(u).item() - 399.75) < 1e-3
assert mx.sum(t).item() == 400.0
