"""The tour of README.md runs as it stands. Its C++ half is built by scripts/check-install."""

import re
from pathlib import Path

import mlx.core as mx
import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.skipif(
    not (hasattr(mx, "random") and hasattr(mx, "save_safetensors")),
    reason="the tour needs mlx.core.random and safetensors",
)
def test_python_tour_learns_and_saves(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tour,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names = {}
    mx.random.seed(0)
    exec(compile(tour, str(README), "exec"), names)
    assert names["accuracy"].item() > 0.9
    assert (tmp_path / "model.safetensors").stat().st_size > 0
