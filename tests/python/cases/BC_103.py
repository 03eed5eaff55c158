"""BC-103: An error before any tensor is made.

Why: Shape x itemsize must equal the offset span, offsets ordered, products checked for overflow
(safetensors format rules).
Source: ml-explore/mlx#3363
"""

load = lambda: mx.eval(list(mx.load(f"{d}/x.safetensors").values()))
st({"t": {"dtype": "F32", "shape": [1000, 1000], "data_offsets": [0, 4]}}, b"\0" * 4); assert raises(Exception, load)
st({"t": {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]}}, b"\0" * 8); assert raises(Exception, load)
st({"t": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}}, b"\0" * 4); assert raises(Exception, load)
st({"t": {"dtype": "F32", "shape": [2**33, 2**31], "data_offsets": [0, 4]}}, b"\0" * 4); assert raises(Exception, load)
