"""BC-065: loss 4, gradient [0, -4].

Why: x**2 at 0 has derivative 0; a rule through log(x) gives NaN.
Source: ml-explore/mlx#504
"""

l, g = mx.value_and_grad(lambda p, y: mx.sum((p - y) ** 2))(mx.array([2.0, 1.0]), mx.array([2.0, 3.0]))
assert l.item() == 4.0 and g.tolist() == [0.0, -4.0]
