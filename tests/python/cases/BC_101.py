"""BC-101: Equal after a round trip for broadcast, transposed and strided views.

Why: The writer must materialise the logical order.
Source: ml-explore/mlx#369
"""

a = mx.broadcast_to(mx.array([1, 2, 3]), (4, 3)); b = mx.arange(12).reshape(3, 4).T
for name, v in (("a", a), ("b", b), ("s", mx.arange(20)[::3])):
    mx.save(f"{d}/{name}.npy", v); assert mx.array_equal(mx.load(f"{d}/{name}.npy"), v).item()
    mx.save_safetensors(f"{d}/{name}.safetensors", {"v": v}); assert mx.array_equal(mx.load(f"{d}/{name}.safetensors")["v"], v).item()
