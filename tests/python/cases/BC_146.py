"""BC-146: Type-checks.

Why: Protocol members declared as attributes are invariant and reject numpy's methods; declare them
as methods.
Source: ml-explore/mlx#4371
"""

import numpy as np
v: mx.array = mx.array(np.zeros(3, dtype=np.float32))
