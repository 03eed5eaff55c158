"""BC-130: One output equal to the first input.

Why: scale (N-1)/(M-1) with M = 1 divides by zero.
Source: ml-explore/mlx PR #3769
"""

u = nn.Upsample(scale_factor=0.5, mode="linear", align_corners=True)
y = u(mx.array([[[3.0], [5.0]]])); assert y.shape == (1, 1, 1) and y.item() == 3.0
