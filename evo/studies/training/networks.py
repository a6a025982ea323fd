"""Many networks trained side by side, and what they win against fixed players."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cluster.evaluator import Evaluator, all_outcomes
from evo.studies.training.backpropagation import Examples, Rule, trained
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.outcomes import results_of_a
from tournaments.game import Game
from tournaments.player import Player
from tournaments.players.network import Encoding, RealEncoding
from tournaments.schedules.base import Matches
from tournaments.schedules.pairs import AgainstPanel

GREATEST = 4096.0
"""Trained weights beyond it, of either sign, are cut off; few come near."""


class Task(NamedTuple):
    """One network to be trained: from which examples, by which rule, and its number."""

    examples: Examples
    rule: Rule
    number: int


def train_all(
    layers: Sequence[int], tasks: Sequence[Task], stops: Sequence[int], seed: int, threads: int
) -> tuple[np.ndarray, float]:
    """Train networks, each in a thread of its own; how many threads there are changes nothing.

    Returns:
        Weights float32 ``[tasks, stops, W]``, as they can be written down, and seconds of CPU.
    """
    for weights in trained(layers, *tasks[0][:2], [0], seed):  # compiled before time is taken
        assert np.isfinite(weights).all()
    encoding = RealEncoding(tuple(layers), GREATEST)

    def train_one(task: Task) -> tuple[np.ndarray, float]:
        begun = time.thread_time()
        weights = list(trained(layers, task.examples, task.rule, stops, seed, task.number))
        return encoding.nearest(np.array(weights)), time.thread_time() - begun

    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(train_one, tasks))
    return np.array([weights for weights, _ in results]), sum(seconds for _, seconds in results)


@dataclass(frozen=True, eq=False)
class FixedOpponents:
    """Fixed players, and how networks meet them.

    Attributes:
        game: what they play.
        layers: of the networks.
        players: whom they meet, K.
        evaluator: plays the games.
        seed: the games depend on it, on what they are for, and on the row of a network.
    """

    game: Game
    layers: tuple[int, ...]
    players: tuple[Player, ...]
    evaluator: Evaluator
    seed: int

    def wins(
        self, weights: np.ndarray, games: int, purpose: str, rows: np.ndarray | None = None
    ) -> np.ndarray:
        """Games that networks win of ``games`` against each opponent, seats swapped after each.

        Args:
            weights: float32 ``[N, W]``.
            games: even.
            purpose: what they are for: two calls of one purpose play the same games.
            rows: who plays, ``[R]``; None: all.

        Returns:
            int64 ``[R, K]``.
        """
        encoding = RealEncoding(self.layers, GREATEST)
        return self._wins(Genomes(encoding, encoding.encode(weights)), games, purpose, rows)

    def wins_on_grid(self, weights: np.ndarray, games: int, purpose: str) -> np.ndarray:
        """The same of networks whose weights have gone to the nearest ones of a genome."""
        encoding = Encoding(self.layers)
        genomes = Genomes(encoding, encoding.encode(weights))
        return self._wins(genomes, games, purpose, None)

    def _wins(
        self, genomes: Genomes, games: int, purpose: str, rows: np.ndarray | None
    ) -> np.ndarray:
        rows = np.arange(len(genomes.packed)) if rows is None else rows
        schedule = AgainstPanel(rows, games // 2, len(self.players))
        entrants = Entrants(self.game, self.players, (genomes,))
        outcomes = all_outcomes(self.evaluator, entrants, Matches(schedule, self.seed, purpose))
        results = results_of_a(outcomes).reshape(len(rows), len(self.players), -1)
        return np.count_nonzero(results == 1, axis=2)
