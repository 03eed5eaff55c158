"""BC-154: Nothing depends on anything: an empty list; missing scales: ValueError.

Why: Never a dead process.
"""

assert mx.depends([], [mx.ones(1)]) == []
assert raises(ValueError, lambda: mx.eval(mx.gather_qqmm(mx.ones((1, 64)), mx.quantize(mx.ones((4, 64)), mode="nvfp4")[0])))
