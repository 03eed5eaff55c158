"""BC-097: ValueError that gives both the dimension and the group size.

Why: 100 is not a multiple of 64.
Source: ml-explore/mlx#1033
"""

try: mx.quantize(mx.zeros((4, 100)), group_size=64, bits=4); msg = ""
except ValueError as e: msg = str(e)
assert "64" in msg and ("100" in msg or "divisible" in msg)
