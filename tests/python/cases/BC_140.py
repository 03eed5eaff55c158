"""BC-140: View equals copy; dims beyond 16 pass through.

Why: Layout is not part of the value.
Source: ml-explore/mlx-lm PR #1896 (CUDA finding)
"""

x = mx.random.normal((2, 6, 4, 32)); v = x.transpose(0, 2, 1, 3)
f = lambda a: mx.fast.rope(a, 16, traditional=True, base=10000.0, scale=1.0, offset=3)
assert mx.allclose(f(v), f(mx.contiguous(v)), atol=1e-6).item()
assert mx.array_equal(f(v)[..., 16:], v[..., 16:]).item()
