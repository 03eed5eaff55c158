"""BC-005: NaN appears in every column/row that contains one, wherever it sits in the vector.

Why: IEEE max via SIMD instructions drops NaN on x86 (`maxps` returns the second operand), so
first/middle/last positions must all be tried.
Source: ml-explore/mlx#577
"""

m = mx.array([[4.0, nan], [1.0, 2.0]])
assert mx.max(m, axis=0).tolist()[0] == 4.0 and math.isnan(mx.max(m, axis=0).tolist()[1])
for n in (5, 64, 1001):
    for pos in (0, n // 2, n - 1):
        v = mx.ones((n,)); v[pos] = nan
        assert math.isnan(mx.max(v).item()) and math.isnan(mx.min(v).item())
