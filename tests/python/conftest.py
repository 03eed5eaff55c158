# What all Python tests share: this folder on the path (tests run with `python -P`), numpy quiet about
# deliberate NaNs, and a marker for tests whose subject is not in the core yet.
import sys
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).resolve().parent))

# The same examples in every run; no deadline, since a first call may build things.
settings.register_profile(
    "mlx", derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("mlx")


@pytest.fixture(autouse=True)
def _quiet_numpy():
    with np.errstate(all="ignore"):
        yield


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "needs(*names): skip, naming what is missing, when mlx.core lacks one of them"
    )


def core_has(name: str) -> bool:
    """Whether a dotted name ("fast.rope") exists in mlx.core."""
    place = mx
    for part in name.split("."):
        place = getattr(place, part, None)
        if place is None:
            return False
    return True


# mlx.nn and mlx.optimizers cannot be imported without these.
_LAYERS_NEED = ("array", "compile", "value_and_grad", "random.uniform")
_LAYERS_MISS = [name for name in _LAYERS_NEED if not core_has(name)]
collect_ignore_glob = ["test_nn_*.py", "test_optimizers.py"] if _LAYERS_MISS else []


def pytest_report_header():
    if _LAYERS_MISS:
        return "mlx.nn and mlx.optimizers not tested: mlx.core has no " + ", ".join(_LAYERS_MISS)


def pytest_runtest_setup(item):
    for marker in item.iter_markers("needs"):
        missing = [name for name in marker.args if not core_has(name)]
        if missing:
            pytest.skip("mlx.core has no " + ", ".join(missing))
