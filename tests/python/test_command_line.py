# `python -m mlx`: what its options print. The settings themselves are tested with the core.
import subprocess
import sys
from pathlib import Path

import mlx.core as mx
import pytest
from mlx.__main__ import main

ROWS = [
    ("MLX_NUM_THREADS", "2", "default", "works", "Threads of the pool"),
    ("MLX_RANK", "", "", "declared, no effect yet", "Rank of this process"),
]


@pytest.fixture
def settings(monkeypatch):
    def set_unknown(*unknown):
        monkeypatch.setattr(mx, "_settings", lambda: (ROWS, list(unknown)), raising=False)

    return set_unknown


def test_version_and_cmake_dir(capsys):
    assert main(["--version"]) == 0 and capsys.readouterr().out.strip() == mx.__version__
    assert main(["--cmake-dir"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert folder.is_absolute() and (folder / "__main__.py").is_file()


def test_as_a_module():
    command = [sys.executable, "-P", "-m", "mlx", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == mx.__version__


def test_env_prints_a_table(settings, capsys):
    settings()
    assert main(["env"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["NAME", "----", "MLX_NUM_THREADS", "MLX_RANK"]
    column = lines[0].index("DESCRIPTION")
    assert lines[2][column:] == "Threads of the pool" and lines[3][column:] == ROWS[1][4]


def test_env_warns_of_unknown_names(settings, capsys):
    settings(("MLX_BFS_MAX_WIDHT", "MLX_BFS_MAX_WIDTH"), ("MLX_FOO", None))
    main(["env"])
    error = capsys.readouterr().err
    assert "MLX_BFS_MAX_WIDHT" in error and "did you mean MLX_BFS_MAX_WIDTH?" in error
    assert "MLX_FOO is set but is not a setting of mlx\n" in error


def test_no_argument_prints_the_help_and_others_are_refused(capsys):
    assert main([]) == 0 and "--cmake-dir" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--nope"])
