"""BC-184: The transposed constant.

Why: A constant is written in its logical order.
"""

c = mx.arange(6.0).reshape(2, 3).T
mx.export_function(f"{d}/f.mlxfn", lambda x: x + c, mx.zeros((3, 2)))
assert mx.import_function(f"{d}/f.mlxfn")(mx.zeros((3, 2)))[0].tolist() == c.tolist()
