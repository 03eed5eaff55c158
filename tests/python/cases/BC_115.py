"""BC-115: NaN whichever rank holds it.

Why: The reduction must be commutative and associative for NaN too; today the answer depends on
which rank has it.
Source: ml-explore/mlx#4072
"""

g = mx.distributed.init(backend="ring", strict=True)
for who in range(g.size()):
    x = mx.array([nan if g.rank() == who else float(g.rank() + 1)])
    for f in (mx.distributed.all_max, mx.distributed.all_min):
        y = f(x, group=g); mx.eval(y); assert math.isnan(y.item())
