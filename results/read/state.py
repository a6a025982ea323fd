"""How far a run is: its files, its lock and its ``status.json`` say it, and nothing is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from results.errors import MissingWarning, ResultsError
from results.folder import generations, snapshots
from results.folder.files import LOCK_NAME, Place, age_of, is_locked
from results.folder.generations import Stretch
from results.folder.parquet import again, read_part
from results.folder.retention import Retention
from results.folder.runfile import holds_run
from results.folder.status import read_status
from results.format import tables
from results.format.islands import role_and_island
from results.read import losses
from results.read.run import Run, open_run
from results.read.settings import game_of, name_of

RUNNING, STALLED, STOPPED = "running", "stalled", "stopped"
DONE, WAITING, DAMAGED, UNKNOWN = "done", "waiting", "damaged", "unknown"
STALL_SECONDS = 60.0
STALL_TIMES = 20
"""A run is stalled once it has been silent for so long, and so many times as long as before."""
OF_STATUS = ("generations", "games_played", "games_per_second", "host", "pid", "faults")
"""What a row takes from ``status.json`` as it stands there."""
_UNKNOWN = (
    *("game", "scheme", "learner", "seed", "generation", "generations", "games_played", "best"),
    *("games_per_second", "snapshot", "snapshot_seconds", "sign_seconds", "age_seconds", "whole"),
    *("host", "pid", "faults", "error"),
)


def status_of(
    run: Place, clock: Callable[[], float] = time.time, trust: bool = False
) -> dict[str, Any]:
    """Return how far a run is, and what it is; see :func:`results.read.status.survey`."""
    row: dict[str, Any] = {"run": str(run), "state": WAITING, **dict.fromkeys(_UNKNOWN)}
    try:
        if holds_run(run):
            _fill(row, open_run(run, trust), clock())
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


def _fill(row: dict[str, Any], there: Run, now: float) -> None:
    run, status = there.path, read_status(there.path)
    row |= _identity(there, now)
    row |= {name: status[name] for name in OF_STATUS if name in status}
    newest = _take_snapshots(row, there)
    if newest is not None:
        row["generation"] = row["snapshot"] = newest
        row["snapshot_seconds"] = age_of(run / snapshots.snapshot_name(newest))
        _take_generations(row, run, newest)
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


def _identity(run: Run, now: float) -> dict[str, Any]:
    """What a run is, by its ``run.json``."""
    config = run.config
    try:
        age = max(0.0, now - datetime.fromisoformat(run.info["created"]).timestamp())
    except (KeyError, TypeError, ValueError, OverflowError):  # a file of another program
        age = None
    return {
        "game": game_of(config),
        "scheme": name_of(config, "scheme"),
        "learner": name_of(config, "learner"),
        "seed": run.info["seed"],
        "generations": config.get("generations"),
        "age_seconds": age,
    }


def _take_snapshots(row: dict[str, Any], run: Run) -> int | None:
    """Say of a run whether its snapshots are there; the newest one's generation."""
    listing = snapshots.listing(run.path, Retention.of(run.config))
    lines = losses.of_snapshots(run.path, listing)
    losses.warn_of(lines)
    row["whole"] = not lines
    return listing.there[-1] if listing.there else None


def _take_generations(row: dict[str, Any], run: Place, newest: int) -> None:
    """Say of a run whether it has the rows of its generations, by their files' names, and how good
    the best of the newest are."""

    try:
        parts, row["best"] = again(lambda: _stretches_and_best(run, newest))
    except ResultsError as error:
        row |= {"whole": False, "error": str(error)}
        return
    if gap := next(_gaps(parts, newest), None):
        row["whole"] = False
        losses.warn_of([MissingWarning(f"{run / generations.FOLDER} lacks generation {gap[0]}")])


def _gaps(parts: Sequence[Stretch], newest: int) -> Iterator[tuple[int, int]]:
    """The generations up to the newest that no file is named after, as first and last."""
    reached = -1
    for part in parts:
        if part.first > reached + 1 and reached < newest:
            yield reached + 1, min(part.first - 1, newest)
        reached = max(reached, part.last)
    if reached < newest:
        yield reached + 1, newest


def _stretches_and_best(run: Place, newest: int) -> tuple[list[Stretch], dict[str, float]]:
    parts = generations.stretches(run)
    return parts, _best(parts, newest)


def _best(parts: Sequence[Stretch], newest: int) -> dict[str, float]:
    """The highest raw fitness of the newest snapshot's generation by population, of islands
    together."""
    for part in reversed(parts):
        if part.first <= newest <= part.last:
            rows = tables.columns_of(read_part(generations.FOLDER, part.path).table)
            here = rows["generation"] == newest
            return _highest(zip(rows["population"][here], rows["best"][here], strict=True))
    return {}


def _highest(values: Iterator[tuple[Any, Any]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for population, value in values:
        role = role_and_island(str(population))[0]
        best[role] = max(best.get(role, float(value)), float(value))
    return best


def _is_silent(status: Mapping[str, Any], seconds: float | None) -> bool:
    """Whether a run that is being written has said nothing for far longer than before."""
    limit = max(STALL_SECONDS, STALL_TIMES * status.get("interval", 0.0))
    return "time" in status and seconds is not None and seconds > limit
