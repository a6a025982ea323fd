"""What results depend on beside configuration and seed, as a run and a tournament write it down.

Packages by their versions; the *laws*, by which generations are made and matches arranged, each by
a number that its author raises when the same seed gives another result; and the *kernels* of game
and players, by the digest of what they are linked of. Where files stand is no part of it.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from tournaments.code_files import read

RECORDED = ("evo-tournaments", "numpy", "numba", "pyarrow", "deap", "cmaes", "pandas", "ray")
RULES = "2"
"""The version of what all games and runs share, such as the law of random streams. It is raised
when the same seed gives another result everywhere."""
SHA = "sha256:"
"""Before the digest of a file, in place of a version."""
DECIDING = ("laws", "kernels", *RECORDED[:6])


def versions(**deciding: str) -> dict[str, str]:
    """The versions for ``run.json``, or for a tournament's folder.

    Args:
        deciding: ``laws`` and ``kernels``, as far as they decide.
    """
    packages = {name: _version_of(name) for name in RECORDED}
    return {"rules": RULES, "python": platform.python_version(), **deciding, **packages}


@cache
def _version_of(package: str) -> str:
    """Return the version of an installed package, or ``unknown``."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def other_rules(path: str, made_with: Mapping[str, str]) -> str:
    """Return a line if results were made under other rules than today's; empty if not."""
    rules = made_with.get("rules", "1")
    if rules == RULES:
        return ""
    return f"{path} was made under rules {rules}, and this release plays by rules {RULES}"


def differing(made_with: Mapping[str, str], now: Mapping[str, str]) -> str:
    """What decides results and is not what it was, in words; empty: nothing.

    What was not written down then, as by an older version, is not compared.
    """
    return "; ".join(
        f"{name} {made_with[name]} then, {now[name]} now"
        for name in DECIDING
        if name in made_with and name in now and made_with[name] != now[name]
    )


def code_of(names: Iterable[str]) -> dict[str, str]:
    """The Python files by path that go by these names, with all that they import, by SHA-256."""
    return {part.name: f"{SHA}{part.digest}" for name in names for part in read(name).parts}


def other_files(path: str, made_with: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """A line for each file of a run in ``path`` that is not what the run was made with."""
    for name, was in made_with.items():
        if str(was).startswith(SHA) and now.get(name, was) != was:
            of, is_of = f"{was[:19]}...", f"{now[name][:19]}..."
            yield f"{path} was made with {name} of {of}, which is now of {is_of}"
