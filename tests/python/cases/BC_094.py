"""BC-094: ValueError naming the supported values.

Why: Zero bits made an endless loop.
Source: ml-explore/mlx#550
"""

w = mx.zeros((2, 8), dtype=mx.uint32); s = mx.ones((2, 1)); b = mx.zeros((2, 1))
for gs, bits in ((0, 0), (64, 0), (0, 4), (-64, 4), (64, 7)):
    assert raises(ValueError, lambda: mx.eval(mx.dequantize(w, s, b, group_size=gs, bits=bits)))
