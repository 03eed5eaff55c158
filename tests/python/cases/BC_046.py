"""BC-046: Either an IndexError, or a defined clamp/fill. Under AddressSanitizer no read outside the
buffer.

Why: Upstream leaves out-of-bounds undefined and prints foreign memory; a checked CPU mode is a
cheap advantage.
Source: ml-explore/mlx#594
"""

a = mx.array([[1.0, 2.0], [3.0, 4.0]])
try:
    r = mx.take(a, mx.array([0, 5]), axis=0); mx.eval(r)
    assert r[0].tolist() == [1.0, 2.0]
except (IndexError, ValueError): pass
