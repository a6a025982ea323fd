"""What results depend on beside configuration and seed, as a run and a tournament write it down.

Packages by their versions; the *laws*, by which generations are made and matches arranged, each by
a number that its author raises when the same seed gives another result; and the *kernels* of game
and players, by the digest of what they are linked of. Where files stand is no part of it.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Mapping

RECORDED = ("evo-tournaments", "numpy", "numba", "pyarrow", "deap", "cmaes", "pandas", "ray")
DECIDING = ("laws", "kernels", *RECORDED[:6])


def versions(**deciding: str) -> dict[str, str]:
    """The versions for ``run.json``, or for a tournament's folder.

    Args:
        deciding: ``laws`` and ``kernels``, as far as they decide.
    """
    recorded = {"python": platform.python_version(), **deciding}
    for name in RECORDED:
        try:
            recorded[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            recorded[name] = "unknown"
    return recorded


def differing(made_with: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What decides results and is not what it was, in words; empty: nothing.

    What was not written down then, as by an older version, is not compared.
    """
    return "; ".join(
        f"{name} {made_with[name]} then, {now[name]} now"
        for name in DECIDING
        if name in made_with and name in now and made_with[name] != now[name]
    )
