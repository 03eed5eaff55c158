"""BC-178: An error naming the file.

Why: A short or hostile file is never half read.
"""

def npy(shape, n):
    h = repr({"descr": "<f4", "fortran_order": False, "shape": shape}).encode(); h += b" " * (-(len(h) + 11) % 64) + b"\n"
    open(f"{d}/x.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(h)) + h + b"\0" * n)
for shape, n in (((-5,), 20), ((4,), 12), ((4,), 15), ((1 << 62,), 16), ((1 << 31, 1 << 31, 1 << 31), 16), ((4,), 0)):
    npy(shape, n); assert raises((RuntimeError, ValueError, OverflowError, MemoryError), lambda: mx.eval(mx.load(f"{d}/x.npy"))), (shape, n)
