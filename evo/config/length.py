"""Runs whose length, and whose snapshots, are given in games played instead of generations.

Schemes differ in the games that a generation takes (9,900, 2,000 or 1,650 for the hundred
individuals of the 1998 study), so what is compared at equal cost is given in games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evo.config.run_options import RunOptions
from results.format.metadata import ENDS
from tournaments.errors import ConfigError
from tournaments.options import as_options, checked

UNLIMITED = 1_000_000_000
"""The last generation of a run that is to end by its games alone."""
ABSENT = {"games": 0, "snapshot_games": 0, "start": ""}
"""Fields that a configuration holds only where they say something: older runs have none of them."""


def resolved(run: RunOptions, games: int | None, learner: str, has_end: bool) -> RunOptions:
    """The top level with ``snapshot_games`` as a number of generations.

    Args:
        run: the top level.
        games: that a generation takes; None: that differs.
        learner: its name, for messages.
        has_end: whether a number of generations was given; else ``games`` alone ends the run.

    Raises:
        ConfigError: snapshots by games, and a learner whose generations differ in their games.
    """
    if run.games and not has_end:
        run = replace(run, generations=UNLIMITED)
    if not run.snapshot_games:
        return run
    if games is None:
        raise ConfigError(
            f"snapshot_games={run.snapshot_games} and learner={learner!r} given; its rounds differ "
            "in their number of games: give snapshot_interval, in rounds"
        )
    interval = max(1, round(run.snapshot_games / games))
    return replace(run, snapshot_interval=interval, snapshot_games=0)


def with_end(run: RunOptions, ends: Mapping[str, int]) -> RunOptions:
    """The top level with another end: by ``generations``, by ``games``, or by both.

    Raises:
        ConfigError: a number that is out of its range.
    """
    given = {name: value for name, value in as_options(run).items() if name not in ENDS} | dict(
        ends
    )
    ended = checked(RunOptions, "", given, ConfigError)
    return (
        ended if "generations" in ends or not ended.games else replace(ended, generations=UNLIMITED)
    )


def top_level(run: RunOptions) -> dict[str, Any]:
    """The top level of a configuration as it is written into a run."""
    return {name: value for name, value in as_options(run).items() if ABSENT.get(name) != value}


def is_spent(run: RunOptions, games_played: int) -> bool:
    """Whether as many games have been played as the run may take."""
    return 0 < run.games <= games_played


def last_generation(run: RunOptions, generation: int, games_played: int) -> int:
    """Where the run ends, as far as can be told in this generation: for progress alone."""
    if not run.games or not games_played:
        return run.generations
    by_games = -(-run.games * (generation + 1) // games_played) - 1
    return min(run.generations, max(generation, by_games))
