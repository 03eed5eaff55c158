"""BC-089: A catchable Python exception; the process and the stream survive.

Why: Throwing on a worker thread with no handler calls std::terminate.
Source: ml-explore/mlx#2888, #4386, #2670
"""

A = mx.array([[1.0, 2.0], [2.0, 4.0]])
assert raises(Exception, lambda: mx.eval(mx.linalg.inv(A, stream=mx.cpu)))
assert raises(Exception, lambda: mx.eval(mx.linalg.solve(A, mx.ones((2,)), stream=mx.cpu)))
assert mx.sum(mx.ones((3,))).item() == 3.0        # the stream still works
