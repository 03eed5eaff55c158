# What is installed: the package, its version, and the C++ package inside it.
# What the package computes is tested elsewhere.
from importlib import metadata
from pathlib import Path

import mlx
import mlx.core as mx


def test_version_of_module_and_distribution_agree():
    assert mx.__version__ == metadata.version("mlx") == "0.32.2"


def test_tests_run_against_the_installed_package():
    assert "site-packages" in mlx.__file__


def test_package_holds_library_headers_and_cmake_files():
    root = Path(mlx.__file__).parent
    for path in ["lib/libmlx.so", "include/mlx/version.h", "share/cmake/MLX/MLXConfig.cmake"]:
        assert (root / path).is_file(), path
