"""BC-172: 100000; 1; 1.

Why: Transforms walk without recursion.
"""

def chain(x):
    for _ in range(100_000): x = x + 1.0
    return x
v = mx.vmap(chain)(mx.zeros((3,))); mx.eval(v); assert v.tolist() == [100000.0] * 3
_, t = mx.jvp(chain, [mx.array(0.0)], [mx.array(1.0)]); assert t[0].item() == 1
assert mx.grad(chain)(mx.array(0.0)).item() == 1
