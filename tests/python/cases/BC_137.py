"""BC-137: Round trip restores the signal for odd, composite and long lengths.

Why: irfft(rfft(x), n) = x.
Source: ml-explore/mlx#2034
"""

for n in (7, 45, 1001, 6144):
    x = mx.random.normal((2, n)); y = mx.fft.irfft(mx.fft.rfft(x), n=n)
    assert y.shape == (2, n) and mx.allclose(x, y, atol=1e-4).item(), n
