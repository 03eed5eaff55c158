"""Makes settings.md from the settings table, so that the page cannot fall behind the code."""

import ast
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent

# The C preprocessor turns each row of the table into a Python tuple.
PROGRAM = """
#define MLX_SETTING(id, name, names, kind, when, initial, minimum, choices, reader, in_use, text) \\
  (name, names, #kind, #when, initial, choices, reader, #in_use, text),
#include "mlx/core/settings_table.inc"
"""

KINDS = {
    "presence": "on when set, whatever the value",
    "boolean": "0, 1, true, false, on, off, yes, no",
    "integer": "integer",
    "string": "text",
    "path": "path",
}
WHEN = {
    "once": "at first use, then kept",
    "init": "whenever its subsystem starts",
    "each": "at every use",
    "external": "by the library or tool it belongs to",
}


def rows():
    command = ["g++", "-E", "-P", "-x", "c++", "-I", str(TOP), "-"]
    done = subprocess.run(command, input=PROGRAM, capture_output=True, text=True, check=True)
    return ast.literal_eval("[" + done.stdout.replace("\n", " ") + "]")


def page():
    lines = [
        "# Settings",
        "",
        "Every environment variable the library knows, made from the table in",
        "`mlx/core/settings_table.inc`. Set them before the process starts. `python -m mlx env`",
        "prints the values in effect and warns of misspelt names. A malformed value raises an",
        "error at first use, never at import.",
        "",
    ]
    for name, names, kind, when, default, choices, reader, in_use, description in rows():
        accepted = f"one of `{'`, `'.join(choices.split())}`" if choices else KINDS[kind]
        lines += [f"## `{name}`", "", description, ""]
        if names and names != name:
            order = ", ".join(f"`{n}`" for n in names.split())
            lines.append(f"- Set by, in order of priority: {order}")
        lines += [
            f"- Accepts: {accepted}",
            f"- Default: {f'`{default}`' if default else 'none'}",
            f"- Read: {WHEN[when]} ({reader})",
        ]
        if in_use == "false":
            lines.append(
                "- Without effect in this version: the part that reads it is not built yet."
            )
        lines.append("")
    return "\n".join(lines)


def write(*_):
    (Path(__file__).parent / "settings.md").write_text(page())
