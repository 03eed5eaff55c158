"""BC-067: [8, 8, 8]

Why: 2*(1+1) summed over two rows; forcing a value inside the traced function must not detach the
graph.
Source: ml-explore/mlx#610
"""

def f(x):
    y = x + mx.ones((2, 3)); (y < 1).tolist(); return y ** 2
_, g = mx.vjp(f, [mx.ones((3,))], [mx.ones((2, 3))])
assert g[0].tolist() == [8.0, 8.0, 8.0]
