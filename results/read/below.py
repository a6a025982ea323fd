"""Search for runs in folders, below them and by patterns; the state of each run."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from results.errors import ResultsError
from results.folder.files import Place, exists, is_folder, names_in, place_of
from results.folder.runfile import holds_run
from results.read.runs import Runs
from results.read.status import status_of
from results.read.sweep import is_sweep, open_sweep

Where = str | os.PathLike[str] | Place
DEEPEST = 6
"""Maximum depth below the given folder. The runs of a sweep are three folders below ``runs``."""
_PATTERN = re.compile(r"[*?\[]")


def open_runs(where: Where | Iterable[Where], trust: bool = False) -> Runs:
    """Return the runs in a folder, or below it, as a single object.

    Args:
        where: a folder of runs, of one run or of a sweep, an address, a pattern such as
            ``runs/rr-*``, or a list of these. The folder of a sweep gives a
            :class:`results.read.sweep.Sweep`, whose columns are those of its experiment.
        trust: accept each ``run.json`` even if it was changed, see :func:`results.open_run`.

    Raises:
        ResultsError: there is no run, or a run is damaged.
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


def survey(folder: Where, clock: Callable[[], float] = time.time) -> list[dict[str, Any]]:
    """Return the state and progress of each run in a folder or below it, a row per run.

    The rows are ordered by path. ``clock`` returns the time in seconds since 1970.

    The fields of a row; a field is None if its value is unknown:

    - ``run``: the path;
    - ``state``: a state of :mod:`results.read.status`, ``waiting`` for runs of a sweep that have
      not begun;
    - ``game``, ``scheme``, ``learner``, ``seed``: the settings of the run;
    - ``generation`` and ``generations``: the last finished generation, and the last generation of
      the completed run;
    - ``games_played`` and ``games``: the games played, and the number of games that ends the run;
    - ``best``: the highest raw fitness of the newest snapshot's generation, by population;
    - ``snapshot`` and ``snapshot_seconds``: the generation and the age of the newest snapshot;
    - ``sign_seconds`` and ``age_seconds``: the age of the last sign of life, and of the run;
    - ``whole``: whether all files are present, judged by their names alone;
    - ``error``: a description of the damage.

    Raises:
        ResultsError: the folder cannot be read.
    """
    place = place_of(folder)
    if not is_folder(place):
        raise ResultsError(f"{place} is no folder; give one of a run, of a sweep, or of several")
    return [status_of(run, clock) for run in runs_below(place, planned=True)]


def runs_below(folder: Place, depth: int = DEEPEST, planned: bool = False) -> Iterator[Place]:
    """Yield the folders of the runs in a folder or below it, ordered by path.

    Args:
        folder: where the search begins.
        depth: number of levels of folders below it that are searched.
        planned: whether runs of a sweep that have not begun are included.
    """
    if holds_run(folder):
        yield folder
        return
    to_come = {str(run): run for run in _planned(folder)} if planned else {}
    for name in names_in(folder) if depth else ():
        if not name.startswith(".") and is_folder(folder / name):
            for run in runs_below(folder / name, depth - 1, planned):
                to_come.pop(str(run), None)
                yield run
    yield from to_come.values()


def _planned(folder: Place) -> Iterator[Place]:
    """Yield the folders of all runs of a sweep, begun or not; nothing for any other folder."""
    if is_sweep(folder):
        with suppress(ResultsError, KeyError, TypeError):  # a description of another program
            yield from (member.path for member in open_sweep(folder, begun=False).planned)


def expanded(where: Where) -> list[Place]:
    """Return the folders that match a path or a pattern.

    The path of an existing folder is never taken as a pattern.

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
    """Yield the folders whose paths match a pattern such as ``runs/rr-*``.

    Each part of the pattern matches names in one folder.
    """
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
