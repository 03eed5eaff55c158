"""BC-074: [0,3,6,9,12] eager and compiled.

Why: Reversing both sides cancels out; fused kernels must honour negative strides.
Source: ml-explore/mlx#3716
"""

def f(x):
    b = mx.zeros_like(x); b[::-1] += 3.0 * x[::-1]; return b
x = mx.arange(5).astype(mx.float32)
assert f(x).tolist() == mx.compile(f)(x).tolist() == [0, 3, 6, 9, 12]
