"""BC-125: Unseeded processes differ; the same key gives the same Gumbel sample.

Why: Global seed from time or entropy; key is a plain argument everywhere.
Source: ml-explore/mlx#429, #1494
"""

code = "import mlx.core as mx; print(mx.random.randint(0, 2**30, (4,)).tolist())"
outs = {subprocess.check_output([sys.executable, "-c", code]) for _ in range(3)}
assert len(outs) == 3
k = mx.random.key(5)
assert mx.array_equal(mx.random.gumbel((3,), key=k), mx.random.gumbel((3,), key=k)).item()
