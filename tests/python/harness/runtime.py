"""How the tests steer the library: the private switches of mlx.core, instruction-set tiers, child processes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mlx.core as mx
import pytest

TESTS = Path(__file__).resolve().parents[1]


@contextlib.contextmanager
def fusion(enabled: bool) -> Iterator[None]:
    """Elementwise fusion on or off within the block."""
    switch = _switch("_set_cpu_fusion")
    before = switch(enabled)
    try:
        yield
    finally:
        switch(before)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Size of the thread pool within the block."""
    switch = _switch("_set_num_threads")
    before = switch(count)
    try:
        yield
    finally:
        switch(before)


def _switch(name: str):
    switch = getattr(mx, name, None)
    if switch is None:
        pytest.skip(f"mlx.core has no private switch {name}")
    return switch


# Flags in /proc/cpuinfo that a tier needs, in rising order.
_TIER_FLAGS = {
    "v2": {"sse4_2", "popcnt", "ssse3"},
    "v3": {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"},
    "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "v4bf16": {"avx512_bf16", "avx512_vnni"},
}


def cpu_tiers() -> dict[str, str]:
    """Every tier by name, with the reason why this machine cannot run it ("" when it can)."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    lines = [line for line in text.splitlines() if line.startswith("flags")]
    flags = set(lines[0].split(":", 1)[1].split()) if lines else set()
    result, lacking = {}, ""
    for tier, needed in _TIER_FLAGS.items():
        missing = sorted(needed - flags)
        if missing and not lacking:
            lacking = f"this CPU lacks {' '.join(missing)}"
        result[tier] = lacking
    return result


def child(
    code: str, *, timeout: float = 120, cwd=None, **env: str | None
) -> subprocess.CompletedProcess[str]:
    """Runs Python code in a process of its own. `env` adds variables; None removes one."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("MLX_")}
    variables["PYTHONPATH"] = os.pathsep.join(
        [str(TESTS), *filter(None, [variables.get("PYTHONPATH")])]
    )
    for key, value in env.items():
        variables.pop(key, None)
        if value is not None:
            variables[key] = value
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=variables,
        cwd=cwd,
        timeout=timeout,
        capture_output=True,
        text=True,
    )


def pytest_child(
    *arguments: str, timeout: float = 600, **env: str
) -> subprocess.CompletedProcess[str]:
    """Runs part of this suite in a process of its own, under other environment variables."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("MLX_", "PYTEST_"))} | env
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "--tb=short",
    ]
    return subprocess.run(
        [*command, "-x", "--no-header", *arguments],
        cwd=TESTS,
        env=variables,
        timeout=timeout,
        capture_output=True,
        text=True,
    )
