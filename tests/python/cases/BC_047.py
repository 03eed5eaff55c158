"""BC-047: ValueError: inhomogeneous shape.

Why: Otherwise the array is filled from unwritten memory and differs on each print.
Source: ml-explore/mlx#939
"""

for bad in ([[0, 1], 0], [[1, 2, 3], [4, 5]], [[], [1]]):
    assert raises(ValueError, lambda: mx.eval(mx.array(bad)))
