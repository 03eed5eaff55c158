# Sphinx settings. `make docs` builds docs/_build/html.
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
import accuracy_page  # noqa: E402
import mlx.core as mx  # noqa: E402
import settings_page  # noqa: E402

project = "MLX"
version = release = mx.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"MLX {version}"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_member_order = "groupwise"
suppress_warnings = ["autosummary.import_cycle"]


def keep_trailing_underscores(app, what, name, obj, options, lines):
    """`bool_` in a docstring is a dtype, not a link."""
    lines[:] = [re.sub(r"(?<![`\w])(\w+)_(?![`\w])", r"\1\\_", line) for line in lines]


def setup(app):
    app.connect("autodoc-process-docstring", keep_trailing_underscores)
    app.connect("builder-inited", settings_page.write)
    app.connect("builder-inited", accuracy_page.write)
