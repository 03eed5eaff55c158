"""BC-118: Even ranks sum to 2, odd ranks to 4 (MPI_Comm_split meaning).

Why: 0+2 and 1+3.
Source: ml-explore/mlx#3205
"""

g = mx.distributed.init(backend="ring", strict=True)
try:
    h = g.split(g.rank() % 2); assert h.size() == 2
    y = mx.distributed.all_sum(mx.array([float(g.rank())]), group=h); mx.eval(y)
    assert y.item() == (2.0 if g.rank() % 2 == 0 else 4.0)
except RuntimeError: pass
