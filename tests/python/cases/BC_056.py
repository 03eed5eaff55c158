"""BC-056: Shape kept; 2nd smallest is 2 and 7; top-2 is {3,4}.

Why: The rule dropped kth and flattened.
Source: ml-explore/mlx#4113
"""

a = mx.array([[[4, 1, 3, 2], [9, 7, 8, 6]]] * 2)
out = mx.vmap(lambda x: mx.partition(x, 1, axis=-1))(a)
assert out.shape == (2, 2, 4) and out[..., 1].tolist() == [[2, 7], [2, 7]]
t = mx.vmap(lambda x: mx.topk(x, 2, axis=-1))(a)
assert t.shape == (2, 2, 2) and sorted(t[0, 0].tolist()) == [3, 4]
