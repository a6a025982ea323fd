"""``python -m evo`` is the command ``evo``."""

import sys

from evo.cli.main import main

sys.exit(main())
