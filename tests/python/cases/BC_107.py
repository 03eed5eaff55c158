"""BC-107: Bit-exact bfloat16 and the metadata.

Why: BF16 is a native safetensors type.
Source: safetensors/safetensors#436
"""

v = mx.array([1.0, -2.5, 3.0e38], dtype=mx.bfloat16)
mx.save_safetensors(f"{d}/b.safetensors", {"v": v}, {"k": "x"})
w, meta = mx.load(f"{d}/b.safetensors", return_metadata=True)
assert w["v"].dtype == mx.bfloat16 and mx.array_equal(w["v"], v).item() and meta["k"] == "x"
