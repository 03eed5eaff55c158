"""Behaviour cases from public bug reports: each file in cases/ runs in a process of its own, after cases/prelude.py.

A statement that names something the library does not have yet is left out, with what depends on it;
the test is then reported as skipped, saying what is missing, provided that the rest passed.
So a case turns on by itself when its subject arrives.
"""

import ast
import importlib.util
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import pytest

CASES = Path(__file__).resolve().parent / "cases"
FILES = sorted(CASES.glob("BC_*.py"))

# Subjects that are no attribute in the text of the case: case -> (attribute of mlx.core, what it stands for).
SUBJECTS = {
    "BC_034": ("array.at", "functional updates"),
    "BC_035": ("put_along_axis", "array-index assignment"),
    "BC_037": ("put_along_axis", "boolean-mask assignment"),
    "BC_040": ("put_along_axis", "array-index assignment"),
    "BC_041": ("array.at", "functional updates"),
    "BC_055": ("array.at", "functional updates"),
    "BC_130": ("take", "upsampling"),
    "BC_152": ("array.at", "functional updates"),
    "BC_106": ("save_gguf", "GGUF files"),
    "BC_184": ("export_function", "export"),
}
# Ranks of the distributed cases, started over the ring on this machine.
RANKS = {"BC_113": 2, "BC_115": 2, "BC_116": 2, "BC_118": 4}
ENVIRONMENT = {"BC_076": {"PATH": ""}}
# Run before mlx is imported.
SETUP = {"BC_112": "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"}
HEAVY = {"BC_032": "needs 5 GB and a minute: set HEAVY_TESTS=1"}
TIMEOUT = 120


def _resolve(root, parts):
    for i, part in enumerate(parts):
        if not hasattr(root, part):
            return ".".join(parts[: i + 1])
        root = getattr(root, part)
    return None


def _dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, parts[::-1]) if isinstance(node, ast.Name) else (None, [])


def _missing(statement):
    """Names of mlx.core, mlx.nn and mlx.optimizers in the statement that do not exist."""
    import mlx.optimizers as optim

    roots = {"mx": (mx, "mlx.core"), "nn": (nn, "mlx.nn"), "optim": (optim, "mlx.optimizers")}
    found = set()
    for node in ast.walk(statement):
        root, parts = _dotted(node)
        if root in roots and (absent := _resolve(roots[root][0], parts)):
            found.add(f"{roots[root][1]}.{absent}")
    return found


def _assigned(statement):
    names = {
        n.id
        for n in ast.walk(statement)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    return names | {
        n.name for n in ast.walk(statement) if isinstance(n, (ast.FunctionDef, ast.ClassDef))
    }


def runnable(source):
    """The part of a case that this build can run, and the names that the rest lacks."""
    kept, gone, missing = [], set(), set()
    for statement in ast.parse(source).body:
        lacks = _missing(statement)
        uses = {
            n.id
            for n in ast.walk(statement)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
        }
        if lacks or uses & gone:
            missing |= lacks
            gone |= _assigned(statement)
        else:
            kept.append(statement)
            gone -= _assigned(statement)
    if not any(isinstance(n, (ast.Assert, ast.Try)) for s in kept for n in ast.walk(s)):
        kept = []
    return "\n".join(ast.unparse(s) for s in kept), missing


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def _start(script, folder, environment):
    return subprocess.Popen(
        [sys.executable, "-P", str(script), str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.parametrize("path", FILES, ids=[p.stem for p in FILES])
def test_case(path, tmp_path):
    name = path.stem
    if name in HEAVY and not os.environ.get("HEAVY_TESTS"):
        pytest.skip(HEAVY[name])
    if name in SUBJECTS and (absent := _resolve(mx, SUBJECTS[name][0].split("."))):
        pytest.skip(f"{SUBJECTS[name][1]}: mlx.core has no {absent} yet")
    source = path.read_text()
    if name == "BC_146":
        return _check_types(source, tmp_path)
    code, missing = runnable(source)
    reason = f"mlx has no {', '.join(sorted(m.removeprefix('mlx.') for m in missing))} yet"
    if not code:
        pytest.skip(reason)
    script = tmp_path / "case.py"
    prelude = (CASES / "prelude.py").read_text()
    script.write_text(SETUP.get(name, "") + prelude + "\n" + code + "\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MLX_")}
    environment |= ENVIRONMENT.get(name, {})

    count = RANKS.get(name, 1)
    processes = []
    if count > 1:
        hosts = [[f"127.0.0.1:{port}"] for port in _free_ports(count)]
        (tmp_path / "hosts.json").write_text(json.dumps(hosts))
        environment["MLX_HOSTFILE"] = str(tmp_path / "hosts.json")
    for rank in range(count):
        folder = tmp_path / f"rank{rank}"
        folder.mkdir()
        own = environment | ({"MLX_RANK": str(rank)} if count > 1 else {})
        processes.append(_start(script, folder, own))
    try:
        for rank, process in enumerate(processes):
            output, _ = process.communicate(timeout=TIMEOUT)
            assert process.returncode == 0, (
                f"rank {rank} ended with {process.returncode}:\n{output}"
            )
    finally:
        for process in processes:
            process.kill()
    if missing:
        pytest.skip(f"{reason}; the rest passed")


def _check_types(source, tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    (tmp_path / "case.py").write_text("import mlx.core as mx\n" + source)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(tmp_path / "cache"),
        "case.py",
    ]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_runnable_leaves_out_what_is_missing():
    code, missing = runnable("a = mx.array(1)\nb = mx.no_such_op(a)\nassert b\nassert a")
    assert code == "a = mx.array(1)\nassert a" and missing == {"mlx.core.no_such_op"}
    assert runnable("b = mx.no_such_op(1)\nassert b")[0] == ""
