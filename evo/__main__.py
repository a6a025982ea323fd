"""``python -m evo`` is the command ``evo``."""

import os
import sys

# ``-m`` puts the current folder first on the path: a numpy.py there would be imported in place of
# the installed one. A checkout that is not installed needs the folder, so it comes last.
if not sys.flags.safe_path and sys.path[0] == os.getcwd():
    here = sys.path.pop(0)
    if here == os.path.dirname(os.path.dirname(os.path.abspath(__file__))):
        sys.path.append(here)

from evo.cli.main import main

sys.exit(main())
