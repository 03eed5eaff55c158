"""run_suite.py SUITE ARGUMENTS: runs a suite beside this file under `python -P`.

-P keeps the current folder off the import path, so that `mlx` is the installed
package; the suites still need the modules beside them.
"""

import runpy
import sys
from pathlib import Path

here = Path(__file__).parent
sys.path.append(str(here))
sys.argv = sys.argv[1:]
runpy.run_path(str(here / sys.argv[0]), run_name="__main__")
