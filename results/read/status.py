"""How far the runs below a folder are: what ``evo status`` prints.

A run that is being written is asked nothing: its files, its lock and its ``status.json`` say it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from results.errors import ResultsError
from results.folder.files import (
    LOCK_NAME,
    Place,
    age_of,
    is_folder,
    is_locked,
    names_in,
    place_of,
)
from results.folder.runfile import holds_run
from results.folder.snapshots import snapshot_name
from results.folder.status import read_status
from results.read.run import open_run
from results.read.sweep import is_over, is_sweep, open_runs

RUNNING, STALLED, STOPPED = "running", "stalled", "stopped"
DONE, WAITING, DAMAGED, UNKNOWN = "done", "waiting", "damaged", "unknown"
DEEPEST = 6
"""Folders below the one that was given: a sweep's runs stand three below ``runs``."""
STALL_SECONDS = 60.0
STALL_TIMES = 20
"""A run is stalled once it has been silent for so long, and so many times as long as before."""
OF_STATUS = ("generations", "games_played", "games_per_second", "host", "pid", "faults")
"""What a row takes from ``status.json`` as it stands there."""


def survey(
    folder: str | os.PathLike[str] | Place, clock: Callable[[], float] = time.time
) -> list[dict[str, Any]]:
    """One row a run in a folder or below it, in the order of their paths.

    ``run`` is its path, ``state`` one of the words above, ``generation`` the last one that is done
    and ``generations`` the end; ``snapshot`` the newest one's, ``snapshot_seconds`` its age,
    ``sign_seconds`` that of the last sign of life; what is not known is None. ``error`` says what
    is damaged. Runs of a sweep that have not begun are ``waiting``; where a storage does not tell
    whether somebody writes, runs that are not done are ``unknown``.

    Raises:
        ResultsError: the folder cannot be read.
    """
    place = place_of(folder)
    if not is_folder(place):
        raise ResultsError(f"{place} is no folder; give one of a run, of a sweep, or of several")
    return [status_of(run, clock) for run in _runs_below(place, DEEPEST)]


def _runs_below(folder: Place, depth: int) -> Iterator[Place]:
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
            yield from (member.path for member in open_runs(folder, begun=False).planned)
        except (ResultsError, KeyError, TypeError):  # a description of another program
            return


def status_of(run: Place, clock: Callable[[], float] = time.time) -> dict[str, Any]:
    """How far a run is, see :func:`survey`."""
    row: dict[str, Any] = {"run": str(run), "state": WAITING, "generation": None}
    row |= dict.fromkeys(("generations", "games_played", "games_per_second", "snapshot"))
    row |= dict.fromkeys(("snapshot_seconds", "sign_seconds", "host", "pid", "faults", "error"))
    try:
        if holds_run(run):
            _fill(row, run, clock())
    except (ResultsError, OSError) as error:
        row |= {"state": DAMAGED, "error": str(error).partition("\n")[0]}
    return row


def _fill(row: dict[str, Any], run: Place, now: float) -> None:
    there, status = open_run(run), read_status(run)
    snapshots = there.snapshots
    row["generations"] = there.config.get("generations")
    row |= {name: status[name] for name in OF_STATUS if name in status}
    if snapshots:
        row["generation"] = row["snapshot"] = snapshots[-1]
        row["snapshot_seconds"] = age_of(run / snapshot_name(snapshots[-1]))
    signs = [row["snapshot_seconds"], age_of(run / LOCK_NAME)]  # a lease is renewed
    row["sign_seconds"] = min((age for age in signs if age is not None), default=None)
    if "time" in status:
        row["sign_seconds"] = max(0.0, now - status["time"])
    locked = is_locked(run)
    if locked:
        row["state"] = STALLED if _is_silent(status, row["sign_seconds"]) else RUNNING
        row["generation"] = status.get("generation", row["generation"])
    else:
        row["state"] = DONE if is_over(there) else UNKNOWN if locked is None else STOPPED
        row["games_per_second"] = None


def _is_silent(status: dict[str, Any], seconds: float | None) -> bool:
    """Whether a run that is being written has said nothing for far longer than before."""
    limit = max(STALL_SECONDS, STALL_TIMES * status.get("interval", 0.0))
    return "time" in status and seconds is not None and seconds > limit
