"""Settings by environment variable, each in a process of its own; and the suite's forward checks once per
instruction tier that this CPU has. The command `python -m mlx env` has its own tests (test_command_line.py).
"""

import pytest
from harness import runtime

COMPUTE = """
import hashlib, numpy as np, mlx.core as mx
from harness import expressions, dtypes
digest = hashlib.sha256()
for seed in range(12):
    program = expressions.random_program(seed, 20, (3, 33, 65))
    for a in program.run(program.arrays()):
        digest.update(dtypes.bits(a))
x = mx.arange(300000, dtype=mx.float32) / 7
for a in (mx.sum(x), mx.logsumexp(x / 1e4), mx.exp(-x).reshape(300, 1000).T.sum(0), x[:250000].reshape(500, 500) @ mx.eye(500)):
    digest.update(dtypes.bits(a))
print(digest.hexdigest())
"""


def _digest(**env):
    result = runtime.child(COMPUTE, timeout=200, **env)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def default_digest():
    return _digest()


@pytest.mark.parametrize(
    "env",
    [
        {"MLX_CPU_FUSION": "0"},
        {"MLX_NUM_THREADS": "1"},
        {"MLX_NUM_THREADS": "3"},
        {"MLX_BFS_MAX_WIDTH": "1"},
        {"MLX_BFS_MAX_WIDTH": "-1"},
        {"MLX_DISABLE_COMPILE": "0"},
        {"MLX_CACHE_LIMIT": "0"},
        {"MLX_BFS_MAX_WIDTH": "", "MLX_CPU_FUSION": ""},
    ],
    ids=lambda e: ",".join(f"{k}={v}" for k, v in e.items()),
)
def test_settings_do_not_change_a_bit(env, default_digest):
    assert _digest(**env) == default_digest


MALFORMED = [
    ("MLX_BFS_MAX_WIDTH", "abc", "mx.eval(mx.ones(2) + mx.ones(2) * 3)"),
    ("MLX_CPU_FUSION", "maybe", "mx.eval(mx.ones(2) + mx.ones(2) * 3)"),
    ("MLX_NUM_THREADS", "many", "mx.eval(mx.exp(mx.ones(1 << 22)))"),
    ("MLX_CPU_TIER", "v9", "mx.eval(mx.exp(mx.ones(100)) + 1)"),
    ("MLX_ENABLE_TF32", "maybe", "mx.eval(mx.ones((8, 8)) @ mx.ones((8, 8)))"),
    ("MLX_CACHE_LIMIT", "1GB?", "mx.eval(mx.ones(1 << 20) + 1)"),
]


@pytest.mark.parametrize("name, value, use", MALFORMED, ids=[m[0] for m in MALFORMED])
def test_malformed_values_raise_at_first_use(name, value, use):
    code = f"import mlx.core as mx\nprint('imported', flush=True)\n{use}"
    result = runtime.child(code, **{name: value})
    assert result.stdout.startswith("imported"), result.stderr
    assert result.returncode == 1, f"no error: {result.stderr}"
    assert name in result.stderr and value in result.stderr, result.stderr


@pytest.mark.parametrize("value", ["true", "on", "yes", "1"])
def test_booleans_have_many_forms(value, default_digest):
    assert _digest(MLX_CPU_FUSION=value) == default_digest


TIERS = runtime.cpu_tiers()
FAMILIES = ["elementwise", "reduce", "matmul"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("tier", TIERS)
def test_tier(tier, family):
    """The whole forward table (and casts) under each tier; the best one is what all other tests run with."""
    if TIERS[tier]:
        print(f"tier {tier} is skipped: {TIERS[tier]}")
        pytest.skip(f"tier {tier}: {TIERS[tier]}")
    result = runtime.pytest_child(
        f"test_{family}.py", "-k", "forward or cast or special", MLX_CPU_TIER=tier
    )
    assert result.returncode == 0, result.stdout[-4000:]
