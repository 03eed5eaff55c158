"""BC-113: Rank 0 gets [1,3], rank 1 gets [5,7]; or a catchable 'not supported' error on every rank.

Why: Reduce-scatter of [0..3] and [1..4].
Source: ml-explore/mlx#4285
"""

g = mx.distributed.init(backend="ring", strict=True)
x = mx.arange(4).astype(mx.float32) + g.rank()
try:
    y = mx.distributed.sum_scatter(x, group=g); mx.eval(y)
    assert y.tolist() == [[1.0, 3.0], [5.0, 7.0]][g.rank()]
except (RuntimeError, ValueError): pass
