"""The state and progress of a run, from its files, its lock and its ``status.json``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import numpy as np

from results.errors import ResultsError
from results.folder import generations, snapshots
from results.folder.files import LOCK_NAME, Place, age_of, is_locked
from results.folder.inventory import missing_rows, warn_of
from results.folder.parquet import again, read_part
from results.folder.runfile import holds_run
from results.folder.status import read_status
from results.format import tables
from results.format.islands import role_and_island
from results.format.metadata import UNLIMITED
from results.read.run import Run, open_run
from results.read.settings import game_of, name_of

RUNNING, STALLED, STOPPED = "running", "stalled", "stopped"
DONE, WAITING, DAMAGED = "done", "waiting", "damaged"
STALL_SECONDS = 60.0
STALL_TIMES = 20
"""A run is stalled after this silence, and this multiple of its usual interval."""
OF_STATUS = ("games_played", "games_per_second", "host", "pid", "faults")
"""The fields that a row copies from ``status.json``."""
_UNKNOWN = (
    *("game", "scheme", "learner", "seed", "generation", "generations", "games_played", "games"),
    *("best", "games_per_second", "snapshot", "snapshot_seconds", "sign_seconds", "age_seconds"),
    *("whole", "host", "pid", "faults", "error"),
)


def status_of(
    run: Place, clock: Callable[[], float] = time.time, trust: bool = False, quick: bool = False
) -> dict[str, Any]:
    """Return the state, settings and progress of a run; see :func:`results.read.below.survey`.

    With ``quick``, only ``run.json``, ``status.json`` and the names of files are read: ``best`` is
    None, and damage of a table is not noticed.
    """
    row: dict[str, Any] = {"run": str(run), "state": WAITING, **dict.fromkeys(_UNKNOWN)}
    try:
        if holds_run(run):
            _fill(row, Run(run, trust) if quick else open_run(run, trust), clock(), quick)
    except (ResultsError, OSError) as error:
        row |= {"state": DAMAGED, "whole": False, "error": str(error).partition("\n")[0]}
    return row


def is_over(run: Run) -> bool:
    """Return whether a run has reached the end of its configuration, or its learner ended it."""
    there = run.snapshots
    if not there:
        return False
    ended = run.info.get("ended", {}).get("generation") == there[-1]
    games = run.config.get("games", 0)
    return ended or there[-1] >= run.config["generations"] or 0 < games <= run.games_played


def _fill(row: dict[str, Any], there: Run, now: float, quick: bool) -> None:
    run, status = there.path, read_status(there.path)
    row |= _identity(there, now)
    row |= {name: status[name] for name in OF_STATUS if name in status}
    found = there.inventory()
    findings = found.findings()
    row["whole"] = not findings
    if found.there:
        newest = row["generation"] = row["snapshot"] = found.there[-1]
        row["snapshot_seconds"] = age_of(run / snapshots.snapshot_name(newest))
    if found.there and not quick:
        try:
            numbers, row["best"] = again(lambda: _named_and_best(run, newest))
            missing = missing_rows(run, generations.FOLDER, numbers, newest)
            findings, row["whole"] = [*findings, *missing], row["whole"] and not missing
        except ResultsError as error:
            row |= {"whole": False, "error": str(error)}
    warn_of(run, findings)
    signs = [row["snapshot_seconds"], age_of(run / LOCK_NAME)]  # a lease is renewed
    row["sign_seconds"] = min((age for age in signs if age is not None), default=None)
    if "time" in status:
        row["sign_seconds"] = max(0.0, now - status["time"])
    if is_locked(run):
        row["state"] = STALLED if _is_silent(status, row["sign_seconds"]) else RUNNING
        row["generation"] = status.get("generation", row["generation"])
    else:
        row["state"] = DONE if is_over(there) else STOPPED
        row["games_per_second"] = None


def _identity(run: Run, now: float) -> dict[str, Any]:
    """Return the settings of a run according to its ``run.json``."""
    config, end = run.config, run.config.get("generations")
    try:
        age = max(0.0, now - datetime.fromisoformat(run.info["created"]).timestamp())
    except (KeyError, TypeError, ValueError, OverflowError):  # a file of another program
        age = None
    return {
        "game": game_of(config),
        **{table: name_of(config, table) for table in ("scheme", "learner")},
        "seed": run.info["seed"],
        "generations": None if end == UNLIMITED else end,
        "games": config.get("games") or None,
        "age_seconds": age,
    }


def _named_and_best(run: Place, newest: int) -> tuple[np.ndarray, dict[str, float]]:
    """Return the generations of a run with rows, and the best raw fitness of its newest snapshot.

    The generations are those in the names of the files. The fitness is by population, with islands
    combined. ``newest`` is the generation of the newest snapshot.
    """
    parts = generations.stretches(run)
    numbers = [np.arange(part.first, min(part.last, newest) + 1) for part in parts]
    best: dict[str, float] = {}
    for part in [part for part in parts if part.first <= newest <= part.last][-1:]:
        rows = tables.columns_of(read_part(generations.FOLDER, part.path).table)
        here = rows["generation"] == newest
        for population, value in zip(rows["population"][here], rows["best"][here], strict=True):
            role = role_and_island(str(population))[0]
            best[role] = max(best.get(role, float(value)), float(value))
    return np.concatenate([*numbers, np.zeros(0, int)]), best


def _is_silent(status: Mapping[str, Any], seconds: float | None) -> bool:
    """Whether a run in progress has been silent for far longer than its usual interval.

    Args:
        status: the content of the run's ``status.json``.
        seconds: age of the last sign of life; None: unknown.
    """
    limit = max(STALL_SECONDS, STALL_TIMES * status.get("interval", 0.0))
    return "time" in status and seconds is not None and seconds > limit
