"""``python -m evo`` is the command ``evo``."""

import sys

from evo.cli import main

sys.exit(main())
