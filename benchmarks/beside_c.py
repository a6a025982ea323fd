"""What benchmarks share that play the same games in our arena and in a C loop."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks import Results
from benchmarks.timing import Plan, Play
from cluster import Entrants
from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.game import Game

PLAN, QUICK_PLAN = Plan(0.1, 9, time.thread_time), Plan(0.02, 3, time.thread_time)

Outcomes = Callable[[NDArray[np.uint64]], NDArray[np.int16]]
"""Plays a game a seed; int16 [M, 1, 2] or [M, 1, 4]: the score of each seat; plies, a measure."""


def our_arena(names: Sequence[str], game: Game, measured: bool = True) -> Outcomes:
    """Two players, by name and seat, in our arena."""
    entrants = Entrants(game, [players.make(name, game) for name in names])

    def play(seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (len(seeds), 1))
        return play_pairs(entrants, pairs, seeds, 1, ((-1, -2),), measured=measured)

    return play


def as_play(outcomes: Outcomes, seeds: NDArray[np.uint64]) -> Play:
    """The same as a number of matches: the first so many of these games, over and over."""

    def play(matches: int) -> Results:
        won = 0
        for first in range(0, matches, len(seeds)):
            scores = outcomes(seeds[: min(matches - first, len(seeds))])[:, 0]
            won += int((scores[:, 0] > scores[:, 1]).sum())
        return won, 0, matches - won

    return play


def refuse_difference(what: str, ours: NDArray[np.int16], theirs: NDArray[np.int16]) -> None:
    """Raise RuntimeError where an outcome differs; the message says of what."""
    differing = np.flatnonzero((ours != theirs).any(axis=(1, 2)))
    if len(differing):
        number = differing[0]
        raise RuntimeError(
            f"{what}: {len(differing)} of {len(ours)} games differ, the first {number}: ours "
            f"{ours[number, 0].tolist()}, C's {theirs[number, 0].tolist()}"
        )
