"""Random numbers: the bit generator's worked values, keys and the global state, samplers, errors."""

import mlx.core as mx
import numpy as np
import pytest
from harness import dtypes, errors, runtime
from harness.case import has


def need(name):
    if not has(f"random.{name}"):
        pytest.skip(f"mlx.core.random has no {name} yet")
    return getattr(mx.random, name)


def key(*words):
    return mx.random.key(words[0]) if len(words) == 1 else mx.array(words, dtype=mx.uint32)


def test_key_values():
    table = {0: [0, 0], 1: [0, 1], 2**32: [1, 0], 2**32 + 1: [1, 1], 2**64 - 1: [2**32 - 1] * 2}
    for seed, expected in table.items():
        k = mx.random.key(seed)
        assert k.tolist() == expected and k.dtype == mx.uint32 and k.shape == (2,)


def test_split_values():
    split = need("split")
    assert split(key(0)).tolist() == [[4146024105, 967050713], [2718843009, 1272950319]]
    three = [[2467461003, 428148500], [3186719485, 3840466878], [2562233961, 1946702221]]
    assert split(key(0), 3).tolist() == three
    assert split(key(0), num=0).shape == (0, 2)


def threefry(k, counter):
    """Threefry 2x32, 20 rounds, in plain Python: the reference for every draw below."""
    mask = 2**32 - 1
    schedule = [k[0], k[1], k[0] ^ k[1] ^ 0x1BD11BDA]
    x, y = (counter[0] + schedule[0]) & mask, (counter[1] + schedule[1]) & mask
    for group in range(5):
        for r in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = (x + y) & mask
            y = ((y << r | y >> (32 - r)) & mask) ^ x
        x = (x + schedule[(group + 1) % 3]) & mask
        y = (y + schedule[(group + 2) % 3] + group + 1) & mask
    return x, y


def words(k, count):
    half, odd = divmod(count, 2)
    out = [0] * count
    for i in range(half):
        out[i], out[i + half + odd] = threefry(k, (i, i + half + odd))
    if odd:
        out[half] = threefry(k, (half, 0))[0]
    return np.array(out, np.uint64)


def unit(k, count):
    """uniform(0, 1) in float32."""
    return np.minimum(
        words(k, count).astype(np.float32) / np.float32(2**32), np.float32(0.99999994)
    )


def test_reference_generator():
    assert words((0, 0), 1)[0] == 1797259609 and words((0, 1), 1)[0] == 507451445
    assert words((0, 0), 3).tolist() == [4146024105, 1351547692, 2718843009]
    assert words((1, 1), 3).tolist() == [3725146706, 1802982961, 1349634643]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 31, 64, 129, 1000, 5001])
def test_uniform_bits(count):
    for k in ((0, 0), (1, 1), (12345, 678)):
        got = mx.random.uniform(shape=(count,), key=key(*k))
        assert got.dtype == mx.float32 and np.array(got).tolist() == unit(k, count).tolist(), (
            k,
            count,
        )


def test_uniform_values():
    assert np.allclose(mx.random.uniform(key=key(0)).item(), 0.41845712)
    assert np.allclose(
        mx.random.uniform(-1, 1, (4,), key=key(0)), [0.93064296, -0.5496819, 0.26606, -0.40723634]
    )
    half = mx.random.uniform(shape=(4,), dtype=mx.float16, key=key(0))
    assert half.dtype == mx.float16 and np.allclose(
        half, [0.9653, 0.2252, 0.633, 0.2964], atol=5e-4
    )
    low, high = mx.array([0.0, 10.0]), mx.array([[1.0], [20.0]])
    r = np.array(mx.random.uniform(low, high, (2, 2), key=key(3)))
    assert r.shape == (2, 2) and (r[:, 0] >= 0).all() and r[0, 1] <= 10


def test_uniform_bounds():
    for d in ("float16", "bfloat16", "float32"):
        u = mx.random.uniform(shape=(1 << 18,), dtype=getattr(mx, d), key=key(8)).astype(mx.float32)
        assert (
            mx.min(u).item() >= 0.0
            and mx.max(u).item() < 1.0
            and abs(mx.mean(u).item() - 0.5) < 5e-3
        )


def test_normal_values():
    expected = [1.8160871, -0.7548848, 0.33988926, -0.53483534]
    assert np.allclose(mx.random.normal((4,), key=key(0)), expected, rtol=1e-6)
    assert np.allclose(mx.random.normal(key=key(0)).item(), -0.20584205, rtol=1e-6)
    assert np.allclose(mx.random.normal(key=key(1)).item(), -1.1842842, rtol=1e-6)
    scaled = mx.random.normal((4,), loc=2.0, scale=3.0, key=key(0))
    assert np.allclose(scaled, 2 + 3 * np.array(expected), rtol=1e-5)
    z = mx.random.normal((2,), dtype=mx.complex64, key=key(0))
    assert np.allclose(np.array(z), [1.2841675 - 0.53378415j, 0.240338 - 0.37818572j], rtol=1e-5)


def test_normal_statistics():
    for d in ("float32", "float16", "bfloat16"):
        x = mx.random.normal((1 << 18,), dtype=getattr(mx, d), key=key(7))
        assert x.dtype == getattr(mx, d) and mx.all(mx.isfinite(x)).item()
        y = np.array(x.astype(mx.float32)).astype(np.float64)
        assert abs(y.mean()) < 0.01 and abs(y.var() - 1) < 0.02 and abs((y**3).mean()) < 0.05


def test_seed_and_state():
    mx.random.seed(0)
    draws = [mx.random.uniform().item() for _ in range(3)]
    assert np.allclose(draws, [0.10536904, 0.27871919, 0.68668771])
    mx.random.seed(7)
    a = mx.random.normal((3, 6))
    assert np.allclose(a.reshape(-1)[:2], [0.7958915, -0.3218775], rtol=1e-5)
    c = mx.random.normal((2, 2)).astype(mx.bfloat16).astype(mx.float32)
    assert np.allclose(c.reshape(-1), [0.21398, -0.01506, 0.54313, -0.93094], atol=4e-3)
    assert len(mx.random.state) == 1 and mx.random.state[0].shape == (2,)


def test_unseeded_processes_differ():
    code = "import mlx.core as mx; print(mx.random.uniform(shape=(4,)).tolist())"
    outputs = set()
    for _ in range(3):
        result = runtime.child(code)
        assert result.returncode == 0, result.stderr
        outputs.add(result.stdout)
    assert len(outputs) > 1


def test_randint():
    assert mx.random.randint(0, 10, (8,), key=key(0)).dtype == mx.int32
    for d in (*dtypes.INTS, dtypes.BOOL):
        high = 2 if d.kind == "b" else 100
        x = np.array(mx.random.randint(0, high, (5000,), dtype=d.mx, key=key(1)))
        assert x.min() >= 0 and x.max() < high and len(np.unique(x)) == min(high, 100), d
    assert set(mx.random.randint(-3, 3, (500,), key=key(2)).tolist()) == {-3, -2, -1, 0, 1, 2}
    assert mx.random.randint(5, 5, (3,), key=key(2)).tolist() == [5, 5, 5]
    x = mx.random.randint(mx.array([0, 100]), mx.array([10, 110]), (50, 2), key=key(3))
    assert mx.all(x[:, 0] < 10).item() and mx.all(x[:, 1] >= 100).item()


def test_bernoulli():
    bernoulli = need("bernoulli")
    expected = [False, True, True, False, True, False, True, False]
    assert bernoulli(0.5, (8,), key=key(0)).tolist() == expected
    assert (
        bernoulli(1.0, (100,), key=key(0)).all().item()
        and not bernoulli(0.0, (100,), key=key(0)).any().item()
    )
    assert bernoulli(mx.array([0.0, 1.0]), key=key(1)).tolist() == [False, True]


def test_other_samplers():
    for name, call, expected in [
        ("laplace", lambda f: f((4,), key=key(0)), [-2.6684885, 0.7978011, -0.30932805, 0.5229594]),
        (
            "gumbel",
            lambda f: f((6,), key=key(0)),
            [0.5901319, -0.835397, 1.2091464, 2.1905968, 0.6605551, 0.234069],
        ),
        ("permutation", lambda f: f(8, key=key(0)), [4, 6, 1, 2, 0, 7, 3, 5]),
        ("categorical", lambda f: f(mx.zeros((2, 3)), key=key(0)), [2, 0]),
        (
            "categorical",
            lambda f: f(mx.array([0.0, 1.0, 2.0]), num_samples=6, key=key(0)),
            [2, 1, 2, 2, 2, 2],
        ),
    ]:
        if has(f"random.{name}"):
            assert np.allclose(call(getattr(mx.random, name)), expected, rtol=2e-6), name


def test_truncated_normal():
    f = need("truncated_normal")
    x = f(-1.0, 2.0, (10_000,), key=key(0))
    assert mx.min(x).item() >= -1 and mx.max(x).item() <= 2


def test_vmap_over_keys():
    keys = mx.random.split(key(0), 4)
    for draw in (
        lambda k: mx.random.uniform(shape=(3,), key=k),
        lambda k: mx.random.normal((5,), key=k),
        lambda k: mx.random.randint(0, 9, (2, 3), key=k),
    ):
        got = mx.vmap(draw)(keys)
        assert np.array_equal(got, np.stack([np.array(draw(k)) for k in keys]))
        assert np.array_equal(
            mx.vmap(draw, out_axes=-1)(keys), np.stack([np.array(draw(k)) for k in keys], -1)
        )
    same = mx.vmap(lambda x: x + mx.random.uniform(key=key(1)))(mx.zeros((3,))).tolist()
    assert same[0] == same[1] == same[2]


def test_keys_do_not_depend_on_evaluation_order():
    mx.random.seed(3)
    a, b = mx.random.uniform(shape=(2,)), mx.random.uniform(shape=(2,))
    mx.eval(b)
    first = (a.tolist(), b.tolist())
    mx.random.seed(3)
    assert (mx.random.uniform(shape=(2,)).tolist(), mx.random.uniform(shape=(2,)).tolist()) == first


ERRORS = [
    (lambda: mx.random.key(-1), (TypeError, OverflowError), ""),
    (lambda: mx.random.uniform(shape=(-1,)), ValueError, ""),
    (lambda: mx.random.uniform(shape=(2,), dtype=mx.int32), ValueError, ""),
    (lambda: mx.random.uniform(mx.zeros((3,)), 1, (2,)), ValueError, ""),
    (lambda: mx.random.uniform(shape=(2,), key=mx.zeros((2,))), ValueError, ""),
    (lambda: mx.random.uniform(shape=(2,), key=mx.zeros((3,), mx.uint32)), ValueError, ""),
    (lambda: mx.random.normal((2,), dtype=mx.int32), ValueError, ""),
    (lambda: mx.random.normal((2,), loc=mx.zeros((3,))), ValueError, ""),
    (lambda: mx.random.randint(0, 2, (2,), dtype=mx.float32), ValueError, ""),
    (lambda: mx.random.no_such_thing, AttributeError, ""),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=errors.ids(ERRORS))
def test_errors(call, kind, text):
    errors.check(call, kind, text)
