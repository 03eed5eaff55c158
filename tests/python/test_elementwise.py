"""Elementwise ops: the case table's checks, promotion, weak scalars, casts, and errors."""

import pytest
from harness import checks
from harness.case import ids
from tables.elementwise import BINARY, CASES, DIFFERENTIABLE, HOLOMORPHIC


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_forward(case):
    checks.forward(case)


@pytest.mark.parametrize("case", BINARY, ids=ids(BINARY))
def test_promotion(case):
    checks.promotion(case)


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=ids(DIFFERENTIABLE))
def test_derivatives(case):
    checks.derivatives(case)


@pytest.mark.parametrize("case", HOLOMORPHIC, ids=ids(HOLOMORPHIC))
def test_complex_derivatives(case):
    checks.complex_derivatives(case)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_vmap(case):
    checks.batching(case)


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_lazy(case):
    checks.lazy(case)
