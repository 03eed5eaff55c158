"""BC-080: Either it works, or the message says a value was needed inside a compiled function.

Why: 'Array without a primitive' tells a user nothing.
Source: ml-explore/mlx#1083
"""

f = mx.compile(lambda x: mx.full((2,), x.sum().item()))
try: f(mx.ones((3,))); ok = True
except Exception as e: ok = "compile" in str(e).lower() or "trac" in str(e).lower()
assert ok
