"""The versions of code that results depend on, as runs and tournaments save them.

Packages have their versions. The *laws*, by which generations are made and matches arranged, have
numbers that their authors raise when the same seed gives another result. The *kernels* of game and
players have the digest of all code that they are linked from. The location of files does not count.
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
    """Return the versions of packages for ``run.json``, or for a tournament's folder.

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
    """Return a line if results in a folder were made under other rules than today's, else "".

    ``made_with`` are the versions that the folder states.
    """
    rules = made_with.get("rules", "1")
    if rules == RULES:
        return ""
    return f"{path} was made under rules {rules}, and this release plays by rules {RULES}"


def differing(made_with: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Return the changed versions that results depend on, in words; empty if there are none.

    A version that was not saved, for instance by an older release, is not compared.
    """
    return "; ".join(
        f"{name} {made_with[name]} then, {now[name]} now"
        for name in DECIDING
        if name in made_with and name in now and made_with[name] != now[name]
    )


def code_of(names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of the Python files with these names and of all files that they import."""
    return {part.name: f"{SHA}{part.digest}" for name in names for part in read(name).parts}


def other_files(path: str, made_with: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each Python file that has changed since the run in ``path`` was made.

    Args:
        path: folder of the run.
        made_with: versions that the run states, by name.
        now: versions today.
    """
    for name, was in made_with.items():
        if str(was).startswith(SHA) and now.get(name, was) != was:
            of, is_of = f"{was[:19]}...", f"{now[name][:19]}..."
            yield f"{path} was made with {name} of {of}, which is now of {is_of}"
