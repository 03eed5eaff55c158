"""BC-082: Active memory returns to the base line after each compiled closure dies.

Why: Sibling outputs kept each other alive. `get_active_memory` must also be meaningful on CPU.
Source: ml-explore/mlx#3932 (open), #4464
"""

def once():
    def f(x):
        p, q = mx.split(x, 2); return mx.concatenate([q, p]) * 2
    mx.eval(mx.compile(f)(mx.ones((1 << 20,))))
once(); mx.clear_cache(); base = mx.get_active_memory()
for _ in range(20): once()
gc.collect(); mx.clear_cache()
assert mx.get_active_memory() <= base + (1 << 20)
