"""BC-095: Equals x @ dequantize(w).T for any output count, last row included.

Why: Row-block tails.
Source: ml-explore/mlx#665
"""

for n in (1, 3, 7, 8, 33):
    w = mx.random.normal((n, 128)); x = mx.random.normal((2, 128)); q = mx.quantize(w, group_size=64, bits=4)
    ref = x @ mx.dequantize(*q, group_size=64, bits=4).T
    y = mx.quantized_matmul(x, *q, transpose=True, group_size=64, bits=4)
    assert y.shape == (2, n) and mx.allclose(y, ref, atol=1e-3, rtol=1e-3).item(), n
