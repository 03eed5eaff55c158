"""The reduce family: the case table's checks; tests of single ops and errors below."""

import pytest
from harness import checks
from harness.case import ids
from tables.reduce import BATCHED, CASES, DIFFERENTIABLE


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_forward(case):
    checks.forward(case)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=ids(DIFFERENTIABLE))
def test_derivatives(case):
    checks.derivatives(case)


@pytest.mark.parametrize("case", BATCHED, ids=ids(BATCHED))
def test_vmap(case):
    checks.batching(case)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_lazy(case):
    checks.lazy(case)
