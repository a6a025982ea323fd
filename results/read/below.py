"""The runs in a folder and below it, in several, or by a pattern."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

from results.errors import ResultsError
from results.folder.files import Place, exists, is_folder, names_in, place_of
from results.folder.runfile import holds_run
from results.read.runs import Runs
from results.read.sweep import is_sweep, open_sweep

Where = str | os.PathLike[str] | Place
DEEPEST = 6
"""Folders below the one that was given: a sweep's runs stand three below ``runs``."""
_PATTERN = re.compile(r"[*?\[]")


def open_runs(where: Where | Iterable[Where], trust: bool = False) -> Runs:
    """Return the runs in a folder, or below it, as one.

    Args:
        where: a folder of runs, of one run or of a sweep, an address, a pattern such as
            ``runs/rr-*``, or a list of these. What a sweep's folder holds is a
            :class:`results.read.sweep.Sweep`, whose columns are those of its experiment.
        trust: go by each ``run.json`` as it is, see :func:`results.open_run`.

    Raises:
        ResultsError: no run is there, or what is there is damaged.
    """
    asked = [where] if isinstance(where, str) or hasattr(where, "name") else list(where)  # type: ignore[arg-type]
    places = [place for each in asked for place in expanded(each)]
    if len(places) == 1 and is_sweep(places[0]):
        return replace(open_sweep(places[0]), trust=trust)
    paths = {str(run): run for place in places for run in runs_below(place)}
    if not paths:
        names = ", ".join(map(str, asked)) or "an empty list"
        raise ResultsError(f"no run is in {names}, nor below; evo run and evo sweep make them")
    return Runs(list(paths.values()), trust)


def runs_below(folder: Place, depth: int = DEEPEST) -> Iterator[Place]:
    """Yield the folders of the runs in a folder or below it, in the order of their paths."""
    if holds_run(folder):
        yield folder
        return
    for name in names_in(folder) if depth else ():
        if not name.startswith(".") and is_folder(folder / name):
            yield from runs_below(folder / name, depth - 1)


def expanded(where: Where) -> list[Place]:
    """Return the folders that a path stands for: itself, or those that a pattern fits.

    A path that is there is no pattern, whatever letters it has.

    Raises:
        ResultsError: there is no such folder.
    """
    place = place_of(where)
    if is_folder(place):
        return [place]
    text = os.fspath(where) if isinstance(where, str | os.PathLike) else str(where)
    fitting = list(_fitting(text)) if _PATTERN.search(text) else []
    if not fitting:
        what = "is a file, not a folder" if exists(place) else "does not exist"
        raise ResultsError(
            f"{text} {what}; give the folder of a run, of a sweep or of several, or a pattern that "
            "fits some"
        )
    return fitting


def _fitting(text: str) -> Iterator[Place]:
    """The folders that a pattern fits; each of its parts stands for names in one folder."""
    before = text[: _PATTERN.search(text).start()]  # type: ignore[union-attr]
    head, _, _ = before.rpartition("/")
    parts = [part for part in text[len(head) :].split("/") if part]
    found = [place_of(head or ("/" if text.startswith("/") else "."))]
    for part in parts:
        found = [
            folder / name
            for folder in found
            for name in names_in(folder)
            if fnmatchcase(name, part) and is_folder(folder / name)
        ]
    yield from found
