"""Matches of two players by the seeds of a study, and its runs of evolution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from evo.config.config import merge
from evo.evolution.runs import run
from evo.studies.claims import read_toml
from evo.studies.settings import Announce
from evo.sweeps.experiment import Experiment
from evo.sweeps.sweep import DONE, SweepProgress, sweep
from results import Run
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.player import Player


def play_two(
    game: Game, players: tuple[Player, Player], seeds: np.ndarray, games_a_match: int
) -> np.ndarray:
    """Play a match for each seed, and return the scores, float64 ``[matches, games, players]``.

    The first player has the first seat in the first game of a match, and the seats are swapped
    after each game.
    """
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (len(seeds), 1))
    scores = play_pairs(Entrants(game, players), pairs, seeds, games_a_match).astype(np.float64)
    scores[:, 1::2] = scores[:, 1::2, ::-1]
    return scores


def share_won(scores: np.ndarray) -> float:
    """Return the share of games that the first player wins, a draw half, from their scores.

    The scores are those of :func:`play_two`.
    """
    return float((1 + np.sign(scores[..., 0] - scores[..., 1])).mean() / 2)


def complete(experiment: Experiment, folder: Path, threads: int, announce: Announce) -> None:
    """Run an experiment of a study to its end. Unfinished runs in the folder are continued.

    Args:
        experiment: the runs.
        folder: folder of the runs.
        threads: runs side by side; 0: one a processor.
        announce: called with a line of progress for each tenth of the games.

    Raises:
        ConfigError: a run failed.
    """
    tenth = 0

    def report(progress: SweepProgress) -> None:
        nonlocal tenth
        if progress.total and (reached := min(10, 10 * progress.games // progress.total)) > tenth:
            tenth = reached
            announce(
                f"{progress.over} of {progress.runs} runs, {progress.games:,} games of about "
                f"{progress.total:,}"
            )

    for ended in sweep(experiment, folder, threads=threads or None, report=report):
        if ended.state != DONE:
            reason = ended.error or ended.state
            raise ConfigError(f"{ended.folder}: {reason}; the same command continues it")


def evolve(package: str, settings: Any, name: str, *, threads: int = 1, **changes: Any) -> Run:
    """Run the evolution of a study to its end, or continue a run that was stopped.

    Args:
        package: dotted name of the study, whose ``evolution.toml`` is the configuration.
        settings: settings of the study: ``population``, ``generations``, and the folder ``runs``.
        name: name of the run in the folder of the runs.
        threads: number of threads.
        changes: further fields of the configuration.
    """
    sizes = {"population": settings.population, "generations": settings.generations}
    config = merge(read_toml(package, "evolution.toml"), {**sizes, **changes})
    return run(Path(settings.runs) / name, config, threads=threads, or_resume=True)
