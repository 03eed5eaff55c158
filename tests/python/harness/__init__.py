"""What every test file of the Python suite stands on.

dtypes      the fourteen dtypes, promotion, ULPs, numpy <-> mlx
accuracy    how far each op may be off, per dtype (the table that the docs show too)
domains     makers of input values, for the forward check and for derivatives
layouts     the same values stored contiguous, transposed, strided, reversed, broadcast
case        one row of a family's case table
checks      what is verified for each row: forward, vjp, jvp, vmap, stepwise, threads
expressions random chains of ops, evaluated fused, unfused, step by step, on 1 and N threads
runtime     the private switches of mlx.core, CPU tiers, child processes

Nothing here names a particular op, except the accuracy table; the ops are in tests/python/tables.
"""
