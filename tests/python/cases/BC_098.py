"""BC-098: Constant groups come back as the constant, no NaN.

Why: scale = (max-min)/levels is 0 and must be guarded.
Source: dropbox/hqq#159 (peer)
"""

for v in (0.0, 9.0, -9.0, 1e-8):
    w = mx.full((2, 64), v); q = mx.quantize(w, group_size=64, bits=4)
    d = mx.dequantize(*q, group_size=64, bits=4)
    assert not mx.any(mx.isnan(d)).item() and mx.allclose(d, w, atol=1e-6, rtol=1e-3).item()
