"""BC-037: A scalar bool is a mask (True writes all, False none); a list of bools is a mask, or a clear
Python error.

Why: numpy boolean indexing. 'exception could not be translated' is not an acceptable message.
Source: ml-explore/mlx#2803
"""

a = mx.array([5, 6, 7]); a[True] = 1
b = mx.array([5, 6, 7]); b[False] = 1
assert a.tolist() == [1, 1, 1] and b.tolist() == [5, 6, 7]
m = mx.array([5, 6, 7])
try:
    m[[True, False, True]] = 1
    assert m.tolist() == [1, 6, 1]
except (ValueError, TypeError, IndexError): pass
