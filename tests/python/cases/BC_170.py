"""BC-170: 3; the added entry is no part of the gradient.

Why: A function may change the container that it is given; never a dead process.
"""

def f(p): p["z"] = p["w"] * 2; return p["w"] * 3
p = {"w": mx.array(1.0)}
g = mx.grad(f)(p); mx.eval(g); assert g["w"].item() == 3
