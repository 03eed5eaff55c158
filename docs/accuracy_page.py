"""Makes accuracy.md from the table that the tests read their bounds from."""

import dataclasses
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

INTRODUCTION = """# Accuracy

How far a result may be from the exact one, in units in the last place (ULP) of its dtype: the
bounds that every test uses (`tests/python/harness/accuracy.py`). float64 is computed in double
precision; float16 and bfloat16 compute in float32 and round once per operation, so their bound is
half a unit of their own on top of float32's. Bounds of complex64 count ULPs at the modulus. Where
the last column has an entry, the bound holds at the scale of the sum of magnitudes and is
multiplied by 1 + (entry) / 4 for a reduction over n elements.

| operation | float32 | float64 | complex64 | grows with n |
|---|---|---|---|---|
"""


def page():
    sys.path.append(str(HERE.parent / "tests" / "python"))
    from harness.accuracy import TABLE

    groups = {}
    for name, accuracy in TABLE.items():
        groups.setdefault(dataclasses.astuple(accuracy), []).append(name)
    lines = []
    for (float32, float64, complex64, grows, *_), names in groups.items():
        bounds = " | ".join(
            "exact" if bound == 0 else f"{bound:.3g}" for bound in (float32, float64, complex64)
        )
        lines.append(f"| {', '.join(sorted(names))} | {bounds} | {f'n^{grows}' if grows else ''} |")
    return INTRODUCTION + "\n".join(lines) + "\n"


def write(*_):
    (HERE / "accuracy.md").write_text(page())
