"""How far the runs below a folder are: what ``evo status`` prints."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from results.errors import ResultsError
from results.folder.files import Place, is_folder, names_in, place_of
from results.folder.runfile import holds_run
from results.read.below import DEEPEST
from results.read.state import status_of
from results.read.sweep import is_sweep, open_sweep


def survey(
    folder: str | os.PathLike[str] | Place, clock: Callable[[], float] = time.time
) -> list[dict[str, Any]]:
    """One row a run in a folder or below it, in the order of their paths.

    ``run`` is its path, ``state`` one of the words of :mod:`results.read.state`; ``game``,
    ``scheme``, ``learner`` and ``seed`` say what it is; ``generation`` is the last one that is done
    and ``generations`` the end; ``best`` the highest raw fitness of the newest snapshot's
    generation, by population; ``snapshot`` is the newest one's generation, ``snapshot_seconds`` its
    age, ``sign_seconds`` that of the last sign of life, ``age_seconds`` that of the run; ``whole``
    says whether nothing is missing, as far as names of files tell. What is not known is None.
    ``error`` says what is damaged. Runs of a sweep that have not begun are ``waiting``; where a
    storage does not tell whether somebody writes, runs that are not done are ``unknown``.

    Raises:
        ResultsError: the folder cannot be read.
    """
    place = place_of(folder)
    if not is_folder(place):
        raise ResultsError(f"{place} is no folder; give one of a run, of a sweep, or of several")
    return [status_of(run, clock) for run in _runs_below(place, DEEPEST)]


def _runs_below(folder: Place, depth: int) -> Iterator[Place]:
    """The runs that there are, and those that a sweep is to have."""
    if holds_run(folder):
        yield folder
        return
    planned = {str(member): member for member in _planned(folder)}
    for name in names_in(folder) if depth else ():
        if not name.startswith(".") and is_folder(folder / name):
            for run in _runs_below(folder / name, depth - 1):
                planned.pop(str(run), None)
                yield run
    yield from planned.values()


def _planned(folder: Place) -> Iterator[Place]:
    """The runs that a sweep is to have, where the folder is that of one."""
    if is_sweep(folder):
        try:
            yield from (member.path for member in open_sweep(folder, begun=False).planned)
        except (ResultsError, KeyError, TypeError):  # a description of another program
            return
