"""Error messages for imports of modules that moved, as listed in ``moved.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

PACKAGES = ("evo", "tournaments", "cluster", "results")


class MovedModules:
    """An import finder for the end of ``sys.meta_path``, called if no other finder succeeds."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise if an imported module of this project has moved.

        Raises:
            ModuleNotFoundError: the message names the module that has the content now.
        """
        if name.partition(".")[0] not in PACKAGES:
            return
        moved = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
        if name in moved:
            raise ModuleNotFoundError(f"{name} moved: see {moved[name]}", name=name)
