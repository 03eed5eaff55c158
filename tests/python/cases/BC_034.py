"""BC-034: A Python exception that says `.at` needs an index first.

Why: The index object is uninitialised; dereferencing it crashes the interpreter.
Source: ml-explore/mlx#2503
"""

assert raises(Exception, lambda: mx.eval(mx.array([1, 2, 3]).at.add(4)))
