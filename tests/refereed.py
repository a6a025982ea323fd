"""A scheme's matches decided by a rule instead of a game."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tournaments.arena.outcomes import GameCounter, Played
from tournaments.schemes import Archives, Kept, Scheme


@dataclass
class Refereed:
    """What came of a generation: the matches of each round, raw fitness, and who is kept."""

    rounds: list[list[tuple[int, int]]]
    points: np.ndarray
    kept: Kept

    @property
    def matches(self) -> list[tuple[int, int]]:
        return [pair for one in self.rounds for pair in one]


def referee(
    scheme: Scheme,
    sizes: tuple[int, ...],
    beats: Callable[[int, int], int],
    moment: tuple[int, int, Archives] = (0, 0, ()),
    cuts: Any = None,
) -> Refereed:
    """Play all rounds of a generation.

    Args:
        scheme, sizes: as anywhere.
        beats: of two entrants, +1, 0 or -1: what the first makes of both games.
        moment: the seed, the generation and the archives.
        cuts: a numpy generator by which each round comes in parts in any order; None: as a whole.
    """
    total = sum(sizes) + sum(1 + max(itertools.chain(*parts), default=-1) for parts in moment[2])
    schedule, counter = scheme.schedule(sizes, *moment), GameCounter(total)
    scoring, rounds = scheme.scoring(schedule, sizes, *moment), []
    games = 2 if len(sizes) == 1 else 1
    while schedule is not None:
        bounds = [0, *(np.sort(cuts.integers(0, len(schedule) + 1, 3)) if cuts else []), None]
        bounds[-1] = len(schedule)
        parts = list(itertools.pairwise(map(int, bounds)))
        for number in cuts.permutation(len(parts)) if cuts else range(len(parts)):
            first, last = parts[number]
            pairs = schedule.pairs(first, last)
            results = [beats(int(a), int(b)) for a, b in pairs]
            outcomes = np.full((len(pairs), games, 2), 3, dtype=np.int16)
            for game in range(games):
                outcomes[:, game, game] += np.array(results, dtype=np.int16)
            played = Played(first, pairs, outcomes)
            scoring.take(played, counter.take(played))
        whole = schedule.pairs(0, len(schedule))
        rounds.append([(int(a), int(b)) for a, b in whole])
        schedule = scoring.next_round()
    return Refereed(rounds, scoring.points(), scoring.kept())


def chance(seed, draws=0.2):
    """A rule by which who beats whom is drawn once for each two entrants."""
    results: dict[tuple[int, int], int] = {}
    rng = np.random.default_rng(seed)

    def beats(one, other):
        if one == other:
            return 0
        pair = (min(one, other), max(one, other))
        if pair not in results:
            drawn = rng.random()
            results[pair] = 0 if drawn < draws else 1 if drawn < 0.5 + draws / 2 else -1
        return results[pair] if one == pair[0] else -results[pair]

    return beats


def stronger(one, other):
    """A rule by which the greater number wins."""
    return int(np.sign(one - other))


def lead(strengths, one, other):
    """A rule by which the greater strength wins."""
    return int(np.sign(strengths[one] - strengths[other]))
