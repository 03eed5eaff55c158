"""Threads, streams and processes: any thread evaluates any array; a forked child computes; errors stay with their
stream. Bit-identity over thread counts is tested with the families.
"""

import concurrent.futures
import gc
import os
import threading

import mlx.core as mx
import numpy as np
import pytest
from harness import runtime


def _run(threads, work):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, range(threads)))


def test_an_array_made_in_one_thread_evaluates_in_another():
    x = mx.ones((100,)) * 3
    assert _run(1, lambda _: x.sum().item()) == [300.0]
    made = _run(1, lambda _: mx.arange(5) * 2)[0]
    assert made.tolist() == [0, 2, 4, 6, 8]


def test_many_threads_evaluate_one_graph():
    for _ in range(200):
        base = mx.arange(1000, dtype=mx.float32)
        shared = mx.exp(-base) + base * 2
        start = threading.Barrier(4)

        def work(i, shared=shared, start=start):
            own = shared * (i + 1) + shared
            start.wait()
            return own[3].item(), shared[5].item()

        expected = np.exp(-np.arange(1000, dtype=np.float32)) + np.arange(1000) * 2
        for i, (own, common) in enumerate(_run(4, work)):
            assert abs(own - expected[3] * (i + 2)) < 1e-4 and abs(common - expected[5]) < 1e-5


def test_independent_work_gives_the_same_as_one_thread():
    w = mx.random.normal((16, 16), key=mx.random.key(0)) if hasattr(mx, "random") else mx.eye(16)
    mx.eval(w)

    def work(i):
        x = mx.arange(128.0).reshape(8, 16) * (i + 1) / 128
        for _ in range(20):
            x = mx.tanh(x @ w)
        return mx.sum(x).item()

    assert _run(8, work) == [work(i) for i in range(8)]


def test_gradients_in_threads():
    def work(i):
        return mx.grad(lambda x: (x * x * (i + 1)).sum())(mx.array([1.0, 2.0])).tolist()

    assert _run(4, work) == [[2.0 * (i + 1), 4.0 * (i + 1)] for i in range(4)]


def test_streams():
    s = mx.new_stream(mx.cpu)
    with mx.stream(s):
        a = mx.arange(10) + 1
    b = mx.add(a, 1, stream=s)
    assert (a + b).sum().item() == 55 + 65
    mx.synchronize(s)
    assert s == s and s != mx.default_stream(mx.cpu) and (s == None) is False  # noqa: E711
    with mx.stream(mx.cpu):
        assert mx.default_device() == mx.cpu
    done = _run(1, lambda _: (mx.ones((3,)) * 2).sum().item())
    assert done == [6.0]


def test_cross_stream_dependencies():
    s1, s2 = mx.new_stream(mx.cpu), mx.new_stream(mx.cpu)
    x = mx.zeros((1000,))
    for i in range(50):
        x = mx.add(x, 1, stream=(s1, s2)[i % 2])
    assert x.tolist() == [50.0] * 1000


def test_async_eval():
    x = mx.ones((1 << 18,))
    ys = []
    for _ in range(20):
        x = x * 1.5
        x = x / 1.5
        mx.async_eval(x)
        ys.append(x)
    assert all(y[0].item() == 1.0 for y in ys)
    mx.synchronize()


def test_an_error_leaves_stream_and_other_arrays_usable():
    good = mx.ones((3,)) * 2
    with pytest.raises(MemoryError):
        mx.eval(mx.contiguous(mx.broadcast_to(mx.array(1.0), (1 << 30, 1 << 12))))
    assert good.tolist() == [2, 2, 2] and mx.ones(3).sum().item() == 3


FORK = """
import os, sys
import mlx.core as mx
x = mx.ones((1 << 20,)) * 2
mx.eval(x)
pid = os.fork()
if pid == 0:
    ok = (x + 1).sum().item() == 3 * (1 << 20) and mx.exp(mx.zeros((1 << 20,))).sum().item() == 1 << 20
    os._exit(0 if ok else 1)
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert (x * 2).sum().item() == 4 * (1 << 20)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_computes():
    result = runtime.child(FORK, timeout=60)
    assert result.returncode == 0, result.stderr


def test_exit_with_work_in_flight():
    code = "import mlx.core as mx; x = mx.ones((1 << 22,)); [mx.async_eval(x * i + 1) for i in range(20)]"
    result = runtime.child(code, timeout=60)
    assert result.returncode == 0 and not result.stderr, result.stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="no /proc on this system")
def test_threads_that_end_leave_nothing_behind():
    def work():
        mx.eval(mx.ones((1000,)) + 1)

    before = len(os.listdir("/proc/self/task"))
    for _ in range(10):
        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert len(os.listdir("/proc/self/task")) <= before + 2


def test_memory_returns_to_where_it_was():
    if not hasattr(mx, "get_active_memory"):
        pytest.skip("mlx.core has no memory counters yet")
    gc.collect()
    before = mx.get_active_memory()
    for _ in range(50):
        x = mx.ones((1 << 16,))
        mx.eval(mx.exp(x) * 2 + x)
    del x
    gc.collect()
    assert mx.get_active_memory() <= before + (1 << 16)
    mx.clear_cache()
    assert mx.get_cache_memory() == 0
    assert mx.get_peak_memory() >= 1 << 18
