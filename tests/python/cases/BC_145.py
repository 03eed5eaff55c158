"""BC-145: Report which exist. Target: lst[mx.array(1)] == 20, +x works, x.mT swaps the last two axes.

Why: Array API standard; additive, so it cannot break a drop-in.
Source: data-apis/array-api-compat#450
"""

x = mx.ones((2, 3))
have = {n: hasattr(x, n) for n in ("__index__", "__pos__", "mT", "device", "__array_namespace__")}
lst = [10, 20, 30]
try: assert lst[mx.array(1)] == 20
except TypeError: pass
print(have)
