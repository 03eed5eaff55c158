"""BC-070: [1,0,0] and [1,0].

Why: softmax weights; masked entries get 0, not NaN.
Source: jax-ml/jax#23842 (peer)
"""

g = mx.grad(lambda x: mx.logsumexp(x))(mx.array([0.0, -inf, -inf])); assert g.tolist() == [1.0, 0.0, 0.0]
g = mx.grad(lambda x: mx.logsumexp(mx.where(mx.array([True, False]), x, -inf)))(mx.array([0.0, 90.0]))
assert g.tolist() == [1.0, 0.0]
