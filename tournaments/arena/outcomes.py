"""From games to numbers: what each match and each individual made of them.

Matches come in parts and in any order; what is kept is counted in whole numbers, so the order
leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tournaments.kernels.hooks import measure
from tournaments.kernels.linker import build, kernel

SCORES, MEASURED = 2, 4
"""Columns of outcomes: the score of each seat; where games are measured, plies and a measure too.

Plies are counted up to 32,767. The measure is the game's own (``Rules.measure``).
"""
PLIES, MEASURE = 2, 3
"""The columns of these two."""


class ScoreSheet(NamedTuple):
    """The seeds of matches, and room for their outcomes.

    Attributes:
        seeds: uint64 ``[M]``.
        outcomes: int16 ``[M, games, 2]``, to be filled; of games that are measured there are two
            columns more.
        endless: int64 [2], to be filled: the match and the game that did not end, -1: none.
        most_plies: the most plies of a game.
    """

    seeds: np.ndarray
    outcomes: np.ndarray
    endless: np.ndarray
    most_plies: int


@kernel
def note_endless(matches, index, game):
    """Record the match and the game that did not end. Nothing is played after it."""
    matches.endless[0] = index
    matches.endless[1] = game


@kernel
def note_outcome(board, state, plies, outcome):
    """Write the outcome of a finished game: both scores and, if there is room, more.

    That is the number of plies and the game's measure.
    """
    outcome[0] = state[1]
    outcome[1] = state[2]
    if outcome.size > 2:
        outcome[2] = plies
        outcome[3] = measure(board, state)


class Played(NamedTuple):
    """Matches that have been played: those from place ``first`` of the schedule on.

    Attributes:
        first: their place.
        pairs: int32 ``[m, 2]``.
        outcomes: int16 ``[m, games, 2]``, the score of each seat; a holds seat ``g % 2`` in game
            ``g``. Of matches that are measured, ``[m, games, 4]``.
        forfeits: the games that were lost by a fault, each a
            :class:`tournaments.arena.forfeits.Forfeit`.
    """

    first: int
    pairs: np.ndarray
    outcomes: np.ndarray
    forfeits: Sequence[Any] = ()


class Results(NamedTuple):
    """The numbers of games of each match that entrant a won and lost, int32 ``[m]`` each."""

    won: np.ndarray
    lost: np.ndarray

    @property
    def verdicts(self) -> np.ndarray:
        """Result of each match for entrant a: +1 more games won than lost, 0 as many, -1 fewer."""
        return np.sign(self.won - self.lost)


def results_of_a(outcomes: np.ndarray) -> np.ndarray:
    """Return the result of each game for entrant a: +1 won, 0 drawn, -1 lost, int8 ``[M, games]``.

    Args:
        outcomes: ``[M, games, 2]``, the score of each seat; a holds seat ``g % 2`` in game ``g``.
    """
    lead = outcomes[:, :, 0].astype(np.int32) - outcomes[:, :, 1]
    lead[:, 1::2] *= -1
    return np.sign(lead).astype(np.int8)


@kernel
def count_games(pairs, outcomes, counts, won, lost):
    """Count the games of each match that entrant a won and lost, and add them to ``counts``.

    Args:
        pairs: entrants a and b of each match, ``[M, 2]``.
        outcomes: the score of each seat in each game, ``[M, games, 2]``.
        counts: int64 ``[N, 3]``: wins, draws and losses of each individual, changed.
        won: games won by a in each match, filled.
        lost: games lost by a in each match, filled.
    """
    games = outcomes.shape[1]
    for match in range(pairs.shape[0]):
        wins = 0
        losses = 0
        for game in range(games):
            lead = outcomes[match, game, 0] - outcomes[match, game, 1]
            lead = lead if game % 2 == 0 else -lead
            wins += lead > 0
            losses += lead < 0
        won[match] = wins
        lost[match] = losses
        for side in range(2):
            entrant = pairs[match, side]
            if entrant >= 0:
                counts[entrant, 0] += wins if side == 0 else losses
                counts[entrant, 1] += games - wins - losses
                counts[entrant, 2] += losses if side == 0 else wins


@dataclass(frozen=True)
class Tally:
    """Games of each individual of a population, int32 ``[N]`` each."""

    games: np.ndarray
    wins: np.ndarray
    draws: np.ndarray
    losses: np.ndarray

    def __getitem__(self, rows: slice) -> Tally:
        """Return the counts of games of some individuals."""
        return Tally(self.games[rows], self.wins[rows], self.draws[rows], self.losses[rows])


def count_by_seat(parts: Iterable[Played], ends: np.ndarray) -> np.ndarray:
    """Count the games of entrant a in each stretch of a schedule, by the seat that it held.

    Args:
        parts: all parts of the matches.
        ends: int ``[S]``, the place after the last match of each stretch.

    Returns:
        int64 ``[S, 2, 3]``: games won, drawn and lost in the first seat and in the second.
    """
    counts = np.zeros((len(ends), 2, 3), dtype=np.int64)
    for played in parts:
        results = results_of_a(played.outcomes).astype(np.int64)
        places = np.arange(played.first, played.first + len(results))
        stretches = np.searchsorted(ends, places, side="right")
        seats = np.arange(results.shape[1]) % 2
        cells = (2 * stretches[:, None] + seats) * 3 + 1 - results
        counts += np.bincount(cells.reshape(-1), minlength=counts.size).reshape(counts.shape)
    return counts


class GameCounter:
    """Counts what each individual won, drew and lost, as entrant a and as entrant b."""

    def __init__(self, individuals: int) -> None:
        self._counts = np.zeros((individuals, 3), dtype=np.int64)
        self.games = 0

    def take(self, played: Played) -> Results:
        """Count the games of a part of the matches.

        Returns:
            The games of each match that entrant a won and lost.
        """
        won, lost = np.empty((2, len(played.pairs)), dtype=np.int32)
        pairs = np.array(played.pairs, dtype=np.int32)  # a copy: never read-only, nor a view
        outcomes = np.array(played.outcomes, dtype=np.int16)
        build(count_games)(pairs, outcomes, self._counts, won, lost)
        self.games += won.size * outcomes.shape[1]
        return Results(won, lost)

    @property
    def tally(self) -> Tally:
        """Numbers of games, wins, draws and losses of each individual so far."""
        wins, draws, losses = self._counts.T.astype(np.int32)
        return Tally(wins + draws + losses, wins, draws, losses)
