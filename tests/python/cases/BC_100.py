"""BC-100: Equals the dequantized product for K that is a multiple of the group but not of 64.

Why: Tail of the contraction axis.
Source: ml-explore/mlx#3444
"""

for mode, K in (("mxfp4", 544), ("mxfp8", 608), ("nvfp4", 528)):
    x = mx.random.normal((4, K))
    for tr in (False, True):
        q = mx.quantize(mx.random.normal((64, K) if tr else (K, 64)), mode=mode)
        full = mx.dequantize(*q, mode=mode).astype(mx.float32)
        y = mx.quantized_matmul(x, *q, transpose=tr, mode=mode)
        assert mx.allclose(y, x @ (full.T if tr else full), atol=5e-2, rtol=1e-2).item(), (mode, tr)
