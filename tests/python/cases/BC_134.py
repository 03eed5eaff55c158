"""BC-134: Equals the factored contraction.

Why: A label appearing in one operand only is summed out.
Source: ml-explore/mlx PR #1269 (review)
"""

a = mx.arange(24).reshape(2, 3, 4).astype(mx.float32)
y = mx.einsum("ijk,lmk,ijf->lf", a, a, a)
r = mx.sum(a, axis=1)                                    # sum over m -> (l, k)
want = mx.einsum("lk,kf->lf", r, mx.einsum("ijk,ijf->kf", a, a))
assert y.shape == (2, 4) and mx.allclose(y, want, rtol=1e-5).item()
