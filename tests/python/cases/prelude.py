"""What every case file finds defined: imports, shorthands, and writers of hostile files. `d` is a fresh folder."""

import cmath, concurrent.futures, gc, json, math, os, signal, struct, subprocess, sys, threading, time
import mlx.core as mx, mlx.nn as nn

d = sys.argv[1]
nan, inf = float("nan"), float("inf")


def raises(kind, fn):
    try:
        fn()
    except kind:
        return True
    return False


def s(b):
    return struct.pack("<Q", len(b)) + b


def st(header, data=b""):
    """Writes x.safetensors."""
    h = json.dumps(header).encode()
    open(f"{d}/x.safetensors", "wb").write(struct.pack("<Q", len(h)) + h + data)


def gguf(off, dims=(4,), typ=0, data=b"\0" * 16, kv=b"", nkv=0):
    """Writes x.gguf, version 3, with one tensor."""
    h = b"GGUF" + struct.pack("<IQQ", 3, 1, nkv) + kv + s(b"t") + struct.pack("<I", len(dims))
    h += b"".join(struct.pack("<Q", x) for x in dims) + struct.pack("<IQ", typ, off)
    h += b"\0" * (-len(h) % 32)
    open(f"{d}/x.gguf", "wb").write(h + data)
