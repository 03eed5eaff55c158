# The Python package of MLX. The arrays and their functions are in mlx.core.
