"""BC-083: 0, -1, 4; never NaN for 0**2.

Why: exp(2*log 0) must be special-cased.
Source: ml-explore/mlx#2278
"""

z = mx.array([0j, 1j, 2 + 0j])
assert (z ** 2).tolist() == [0j, -1 + 0j, 4 + 0j] or mx.allclose(mx.real(z ** 2), mx.array([0.0, -1.0, 4.0]), atol=1e-6).item()
assert (mx.array(0j) ** 2).item() == 0j
