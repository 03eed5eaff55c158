"""BC-061: [[1,3,5,3],[0,1,1,0]]

Why: Definition of full convolution per row.
Source: ml-explore/mlx#2085
"""

X = mx.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]); w = mx.array([1.0, 1.0])
assert mx.vmap(lambda x: mx.convolve(x, w, mode="full"))(X).tolist() == [[1, 3, 5, 3], [0, 1, 1, 0]]
