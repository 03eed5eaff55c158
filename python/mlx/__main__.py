# The command line of the package: `python -m mlx`. Prints the version, where CMake finds the C++
# package, and the settings that are read from the environment.
"""``python -m mlx --version | --cmake-dir | env``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Aligns columns; the last one is not padded."""
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header) - 1)]
    lines.insert(1, tuple("-" * len(title) for title in header))
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[-1]]).rstrip()
        for line in lines
    )


def _print_settings() -> int:
    """Prints every setting with its value, where the value comes from and what it does.

    ``mlx.core._settings()`` returns ``(rows, unknown)``: rows are ``(name, value, source, effect,
    description)``, unknown ones ``(name, suggestion or None)``.
    """
    import mlx.core as mx

    rows, unknown = mx._settings()
    header = ("NAME", "VALUE", "SOURCE", "EFFECT", "DESCRIPTION")
    print(_table(header, ([str(cell) for cell in row] for row in rows)))
    for name, suggestion in unknown:
        hint = f"; did you mean {suggestion}?" if suggestion else ""
        print(f"warning: {name} is set but is not a setting of mlx{hint}", file=sys.stderr)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mlx", description=__doc__)
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument(
        "--cmake-dir",
        action="store_true",
        help="print the installed package directory, in which CMake finds the C++ package",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser(
        "env", help="list the environment variables that mlx reads, and what they are set to"
    )
    options = parser.parse_args(arguments)

    if options.command == "env":
        return _print_settings()
    if options.version:
        import mlx.core as mx

        print(mx.__version__)
    elif options.cmake_dir:
        print(Path(__file__).resolve().parent)
    else:
        parser.print_help()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
