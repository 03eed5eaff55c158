"""BC-148: Empty result of the same shape.

Why: numpy; a scan over nothing is nothing.
"""

for f in (mx.cumsum, mx.cumprod, mx.cummax, mx.cummin, mx.logcumsumexp):
    for shape in ((0,), (3, 0), (0, 4)):
        for ax in range(len(shape)):
            r = f(mx.zeros(shape), axis=ax); mx.eval(r); assert r.shape == shape
