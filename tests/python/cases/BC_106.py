"""BC-106: Every file raises; nothing is read or written outside the mapping (run under ASan).

Why: All counts come from the file; 32-bit products truncate.
Source: ml-explore/mlx#4244, #4213
"""

load = lambda: mx.eval(list(mx.load(f"{d}/x.gguf").values()))
gguf(0, dims=(2**31, 2**31), typ=0); assert raises(Exception, load)
gguf(0, dims=(2**17, 2**17), typ=2, data=b"\0" * 64); assert raises(Exception, load)      # Q4_0
gguf(0, dims=(4,) * 9); assert raises(Exception, load)
gguf(0, kv=s(b"k") + struct.pack("<IQ", 8, 4 << 20), nkv=1); assert raises(Exception, load)   # string length past the end
gguf(0, kv=s(b"k") + struct.pack("<IIQ", 9, 4, 1 << 30), nkv=1); assert raises(Exception, load) # array length past the end
gguf(0, kv=b"", nkv=2**60); assert raises(Exception, load)
