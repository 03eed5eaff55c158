"""BC-127: ValueError each time, kernel longer than the input included.

Why: Negative sizes reached the allocator.
Source: ml-explore/mlx#548
"""

x = mx.ones((1, 4, 2)); w = mx.ones((1, 2, 2))
for kw in (dict(padding=-1), dict(stride=0), dict(dilation=0), dict(groups=0), dict(groups=3)):
    assert raises(ValueError, lambda: mx.eval(mx.conv1d(x, w, **kw)))
assert raises(ValueError, lambda: mx.eval(mx.conv1d(mx.ones((1, 2, 2)), mx.ones((1, 5, 2)))))
