"""BC-104: Truncated data, an absurd header length and a 2-byte file all raise.

Why: End offset must lie inside the file; the header length must too.
Source: ml-explore/mlx#3409
"""

h = json.dumps({"t": {"dtype": "F32", "shape": [1024], "data_offsets": [0, 4096]}}).encode()
p = f"{d}/short.safetensors"; open(p, "wb").write(struct.pack("<Q", len(h)) + h + b"\0" * 8)
assert raises(Exception, lambda: mx.eval(list(mx.load(p).values())))
open(p, "wb").write(struct.pack("<Q", 2**62) + b"{}"); assert raises(Exception, lambda: mx.load(p))
open(p, "wb").write(b"\1\2"); assert raises(Exception, lambda: mx.load(p))
