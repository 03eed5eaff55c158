"""BC-121: 6; a different number of dimensions raises; a garbage file raises.

Why: Shapeless means sizes may change, not ranks.
Source: ml-explore/mlx#2124
"""

mx.export_function(f"{d}/s.mlxfn", lambda a, b: a + b, mx.array(1.0), mx.array(2.0), shapeless=True)
f = mx.import_function(f"{d}/s.mlxfn")
assert f(mx.array(1.0), mx.array(5.0))[0].item() == 6.0
assert raises(ValueError, lambda: f(mx.array(1.0), mx.array([1.0, 2.0])))
open(f"{d}/bad.mlxfn", "wb").write(b"\x07" * 40); assert raises(Exception, lambda: mx.import_function(f"{d}/bad.mlxfn"))
