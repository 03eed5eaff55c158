"""The benchmark scripts' own arithmetic, and that the suites name the same cases. They are run by `make bench`."""

import ast
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench" / "python"


@pytest.fixture(autouse=True)
def bench_modules(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCH))
    yield
    for name in ("cases", "compare"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "ours, other, text",
    [(1.0, 3.0, "3.00x"), (1.0, 1.04, "1.04x="), (1.04, 1.0, "0.96x="), (2.0, 1.0, "0.50x!")],
)
def test_ratio_marks_ties_and_defeats(ours, other, text):
    import compare

    assert compare.ratio(ours, other) == text


def test_limit_is_the_slowest_bound_or_the_peak():
    import compare
    from cases import Case

    limits, flops = {"copy": 2.0, "exp": 3.0}, {"fma_f32": 10.0}
    assert compare.limit_of(Case("a", bounds=("copy", "exp")), limits, flops) == 3.0
    assert compare.limit_of(Case("b", flops=50.0), limits, flops) == 5.0
    assert compare.limit_of(Case("c", flops=50.0, unit="bf16_dot"), limits, flops) == 5.0
    assert compare.limit_of(Case("d", goal=7.0), limits, flops) == 7.0
    assert compare.limit_of(Case("e"), limits, flops) is None


def suite_names(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "SUITE":
            return {key.value for key in node.value.keys}
    raise AssertionError(f"{path} has no SUITE")


@pytest.mark.parametrize("suite", ["suite_mlx.py", "suite_torch.py", "suite_jax.py"])
def test_suites_write_every_case(suite):
    from cases import CASES

    assert suite_names(BENCH / suite) - {"numpy_list_100k"} == {case.name for case in CASES}
