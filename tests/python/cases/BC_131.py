"""BC-131: ValueError for both.

Why: No spatial axis means zero variance and an all-zero output; 4 does not divide 6.
Source: ml-explore/mlx PR #3653
"""

assert raises(ValueError, lambda: nn.InstanceNorm(dims=8)(mx.ones((4, 8))))
assert raises(ValueError, lambda: nn.GroupNorm(num_groups=4, dims=6)(mx.ones((1, 5, 6))))
