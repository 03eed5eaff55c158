"""Tables of errors: rows of (call, exception type, part of the message)."""

from __future__ import annotations

import inspect
import re

import mlx.core as mx
import pytest


def ids(rows) -> list[str]:
    """The text of each call as pytest id."""
    names = []
    for i, row in enumerate(rows):
        source = " ".join(inspect.getsource(row[0]).split())
        found = re.search(
            r"lambda(?: \w+=\w+)?: (.*?),? ?(?:\(?\w+(?:, \w+\))?), (?:\"|')[^\"']*(?:\"|')\)?,?$",
            source,
        )
        names.append(f"{i}:{found.group(1) if found else source[:60]}")
    return names


def check(call, kind, text: str) -> None:
    """`call` raises `kind` (at the call or at evaluation), and the message contains `text`."""
    with pytest.raises(kind) as info:
        mx.eval(call())
    assert not isinstance(info.value, SystemError)
    assert text.lower() in str(info.value).lower(), f"message: {info.value}"
