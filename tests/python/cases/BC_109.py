"""BC-109: 20 and 12, with no 'no stream in current thread' error.

Why: Lazy arrays made on one thread are naturally finished on another (servers do this).
Source: ml-explore/mlx#3727
"""

s = mx.new_stream(mx.cpu); box = []
def work():
    with mx.stream(s):
        box.append((mx.arange(5) * 2).sum().item())
t = threading.Thread(target=work); t.start(); t.join()
assert box == [20]
x = mx.ones((4,)) * 3
with concurrent.futures.ThreadPoolExecutor(1) as ex:
    assert ex.submit(lambda: x.sum().item()).result() == 12.0
