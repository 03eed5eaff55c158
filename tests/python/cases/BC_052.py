"""BC-052: [[3],[1],[2],[0]] and 0..3.

Why: The split output is a strided view; the iterator must use its strides.
Source: ml-explore/mlx-swift#105
"""

s = mx.split(mx.array([[3, 0], [1, 0], [2, 0], [0, 0]]), 2, axis=-1)[0]
assert mx.argsort(s, axis=0).tolist() == [[3], [1], [2], [0]]
assert mx.sort(s, axis=0).tolist() == [[0], [1], [2], [3]]
