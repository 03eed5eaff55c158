"""BC-055: vmap equals the stacked loop for every batch axis.

Why: Definition of vmap. Distinct update values are needed or a transposed write goes unseen.
Source: ml-explore/mlx#4321
"""

a = mx.arange(24).reshape(2, 3, 4).astype(mx.float32)
for ax in (0, 1, 2):
    sh = [2, 3, 4]; n = sh.pop(ax)
    g = (lambda s: s.at[mx.array([1])].add(mx.arange(sh[1]).astype(mx.float32)[None]))
    out = mx.vmap(g, in_axes=ax)(a)
    ref = mx.stack([g(mx.take(a, i, axis=ax)) for i in range(n)])
    assert mx.array_equal(out, ref).item(), ax
