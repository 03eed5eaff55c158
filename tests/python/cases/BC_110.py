"""BC-110: Same numbers as in one thread, no crash.

Why: Pure functions of explicit keys and shared read-only weights.
Source: ml-explore/mlx#2067, #2133
"""

w = mx.random.normal((16, 16)); mx.eval(w)
def run(seed):
    k = mx.random.key(seed); x = mx.random.normal((8, 16), key=k)
    for _ in range(20): x = mx.tanh(x @ w)
    return mx.sum(x).item()
one = [run(i) for i in range(8)]
with concurrent.futures.ThreadPoolExecutor(8) as ex: many = list(ex.map(run, range(8)))
assert one == many
