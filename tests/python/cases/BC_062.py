"""BC-062: Tangents 6 and 6.

Why: d(x^2) = 2x dx; a constant in the taken-when-true branch must not zero the other branch's
tangent.
Source: ml-explore/mlx#3627
"""

f = lambda x: mx.where(x > 10.0, 0.0, x * x)
g = lambda x: mx.where(x > 10.0, mx.array(5.0), 3.0 * x)
_, t = mx.jvp(f, [mx.array(3.0)], [mx.array(1.0)]); assert t[0].item() == 6.0
_, t = mx.jvp(g, [mx.array(3.0)], [mx.array(2.0)]); assert t[0].item() == 6.0
