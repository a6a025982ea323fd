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
VOID = 2
"""Result of a game that the simulator of a contest did not finish."""
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
            ``g``. Of matches that are measured, ``[m, games, 4]``. Of a contest float64
            ``[m, games, S]``, NaN for void games.
        forfeits: the games that were lost by a fault, each a
            :class:`tournaments.arena.forfeits.Forfeit`.
    """

    first: int
    pairs: np.ndarray
    outcomes: np.ndarray
    forfeits: Sequence[Any] = ()


class Results(NamedTuple):
    """Placings of the entrants of each match against one another.

    Attributes:
        ahead: int32 ``[S, S, m]``. ``ahead[i, j]`` counts the games of the match in which its
            entrant ``i`` scored more than its entrant ``j``.
        counted: bool ``[m]``, whether a game of the match was finished. None: all were.
    """

    ahead: np.ndarray
    counted: np.ndarray | None = None

    @property
    def won(self) -> np.ndarray:
        """The number of games of each match that entrant a won against entrant b, ``[m]``."""
        return self.ahead[0, 1]

    @property
    def lost(self) -> np.ndarray:
        """The number of games of each match that entrant a lost against entrant b, ``[m]``."""
        return self.ahead[1, 0]

    @property
    def verdicts(self) -> np.ndarray:
        """Result of each match for entrant a: +1 more games won than lost, 0 as many, -1 fewer."""
        return self.verdicts_of(0, 1)

    def verdicts_of(self, side: int, other: int) -> np.ndarray:
        """Return the result of each match for an entrant against another one of it, int ``[m]``."""
        return np.sign(self.ahead[side, other] - self.ahead[other, side])

    def won_by(self, side: int) -> np.ndarray:
        """Return how often an entrant of each match was ahead of another one, int ``[m]``."""
        return self.ahead[side].sum(axis=0, dtype=np.int32)

    def part(self, matches: slice) -> Results:
        """Return the placings of some matches."""
        counted = None if self.counted is None else self.counted[matches]
        return Results(self.ahead[:, :, matches], counted)


def results_of_a(
    outcomes: np.ndarray, sides: tuple[int, int] = (0, 1), seats: int = 2
) -> np.ndarray:
    """Return the result of each game for entrant a: +1 won, 0 drawn, -1 lost, int8 ``[M, games]``.

    The result of a void game is ``VOID``.

    Args:
        outcomes: ``[M, games, S]``, the score of each seat; the entrant at place ``k`` of a match
            holds seat ``(k + g) % S`` in game ``g``.
        sides: the places in the match of entrant a and of the entrant that it is compared with.
        seats: S.
    """
    games = np.arange(outcomes.shape[1])
    own, other = (outcomes[:, games, (games + side) % seats] for side in sides)
    results = (own > other).astype(np.int8) - (own < other)
    results[np.isnan(own)] = VOID
    return results


def counted_scores(outcomes: np.ndarray, side: int, seats: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the score of the entrant at a place of each match, summed over its games, ``[m]``.

    Returns:
        The sums, int64 for games and float64 for contests, and the number of games that were not
        void, int64 ``[m]``.
    """
    turns = np.arange(outcomes.shape[1])
    own = outcomes[:, turns, (turns + side) % seats]  # k holds seat (k + g) % S in game g
    if own.dtype.kind == "f":
        return np.nansum(own, axis=1), (~np.isnan(own)).sum(axis=1)
    return own.sum(axis=1, dtype=np.int64), np.full(len(own), len(turns))


@kernel
def count_games(pairs, outcomes, counts, ahead):
    """Count how often each entrant of a match was ahead of another one, and add to ``counts``.

    In game ``g`` entrant ``k`` of a match holds seat ``(k + g) % S``. Void games are left out.

    Args:
        pairs: entrants of each match, ``[M, S]``.
        outcomes: the score of each seat in each game, ``[M, games, S]``.
        counts: int64 ``[N, 3]``: wins, draws and losses of each individual, changed.
        ahead: games in which an entrant scored more than another one, ``[S, S, M]``, filled.
    """
    seats = pairs.shape[1]
    for match in range(pairs.shape[0]):
        for side in range(seats):
            entrant = pairs[match, side]
            for other in range(seats):
                wins = 0
                losses = 0
                draws = 0
                for game in range(outcomes.shape[1] * (other != side)):
                    own = outcomes[match, game, (side + game) % seats]
                    score = outcomes[match, game, (other + game) % seats]
                    wins += own > score
                    losses += own < score
                    draws += own == score
                ahead[side, other, match] = wins
                if entrant >= 0:
                    counts[entrant, 0] += wins
                    counts[entrant, 1] += draws
                    counts[entrant, 2] += losses


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


def count_by_seats(parts: Iterable[Played], ends: np.ndarray, seats: int = 2) -> np.ndarray:
    """Count the placings of entrant a in each stretch of a schedule, by the seats of both.

    A game is a placing of entrant a against each other entrant of the match. Void games are left
    out.

    Args:
        parts: all parts of the matches.
        ends: int ``[E]``, the place after the last match of each stretch.
        seats: number of entrants of a match, S.

    Returns:
        int64 ``[E, S, S, 3]``: placings won, drawn and lost, by the seat of entrant a, then by the
        seat of the other entrant.
    """
    counts = np.zeros((len(ends), seats, seats, 3), dtype=np.int64)
    for played in parts:
        places = np.arange(played.first, played.first + len(played.outcomes))
        stretches = np.searchsorted(ends, places, side="right")[:, None]
        games = np.arange(played.outcomes.shape[1])
        for other in range(1, seats):
            results = results_of_a(played.outcomes, (0, other), seats).astype(np.int64)
            met = games % seats * seats + (games + other) % seats
            cells = ((stretches * seats**2 + met) * 3 + 1 - results)[results != VOID]
            counts += np.bincount(cells, minlength=counts.size).reshape(counts.shape)
    return counts


def count_by_seat(parts: Iterable[Played], ends: np.ndarray, seats: int = 2) -> np.ndarray:
    """Count the placings of entrant a in each stretch of a schedule, by the seat that it held.

    See :func:`count_by_seats`. With two seats, placings are games.

    Returns:
        int64 ``[E, S, 3]``: placings won, drawn and lost in each seat.
    """
    return count_by_seats(parts, ends, seats).sum(axis=2)


class GameCounter:
    """Counts what each individual won, drew and lost, as entrant a and as entrant b."""

    def __init__(self, individuals: int) -> None:
        self._counts = np.zeros((individuals, 3), dtype=np.int64)
        self.games = 0

    def take(self, played: Played) -> Results:
        """Count the games of a part of the matches, and return the placings in each match."""
        pairs = np.array(played.pairs, dtype=np.int32)  # a copy: never read-only, nor a view
        is_real = played.outcomes.dtype.kind == "f"
        outcomes = np.array(played.outcomes, dtype=np.float64 if is_real else np.int16)
        seats = pairs.shape[1]
        ahead = np.empty((seats, seats, len(pairs)), dtype=np.int32)
        build(count_games)(pairs, outcomes, self._counts, ahead)
        self.games += len(pairs) * outcomes.shape[1]
        if not is_real:
            return Results(ahead)
        return Results(ahead, ~np.isnan(outcomes[:, :, 0]).all(axis=1))

    @property
    def tally(self) -> Tally:
        """Numbers of games, wins, draws and losses of each individual so far."""
        wins, draws, losses = self._counts.T.astype(np.int32)
        return Tally(wins + draws + losses, wins, draws, losses)
