"""BC-068: [0, 0.25, 0] and [0, 1].

Why: s(1-s) underflows to 0; formulas through exp(200) give NaN.
Source: jax-ml/jax#777 (peer)
"""

g = mx.grad(lambda x: mx.sum(mx.sigmoid(x)))(mx.array([-200.0, 0.0, 200.0]))
assert g.tolist() == [0.0, 0.25, 0.0]
h = mx.grad(lambda x: mx.sum(mx.tanh(x)))(mx.array([-90.0, 0.0])); assert h.tolist() == [0.0, 1.0]
