"""BC-112: The pool follows the CPU affinity (and cgroup quota); tiny ops do not wake or spin all
cores.

Why: Oversubscription in containers is the most repeated CPU complaint in PyTorch, JAX and vLLM.
Source: pytorch/pytorch#193859, #80777 (peers); jax-ml/jax#1539 (open)
"""

x = mx.random.normal((256, 256)); mx.eval(x @ x)
n = len(os.listdir("/proc/self/task"))
assert n <= 8, n
a = mx.zeros((4, 96)); t0, c0 = time.perf_counter(), time.process_time()
for _ in range(300): mx.eval(a + 1); time.sleep(0.001)
assert time.process_time() - c0 < 0.5 * (time.perf_counter() - t0)
