"""A scheme's matches decided by a rule instead of a game."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tournaments.contract.schemes import decide
from tournaments.schemes import Archives, Kept, Scheme


class Refereed(NamedTuple):
    """The matches of each round of a generation, raw fitness, and who is kept."""

    rounds: list[list[tuple[int, int]]]
    points: np.ndarray
    kept: Kept

    @property
    def matches(self) -> list[tuple[int, int]]:
        return [*itertools.chain(*self.rounds)]


def referee(
    scheme: Scheme,
    sizes: tuple[int, ...],
    beats: Callable[[int, int], int],
    moment: tuple[int, int, Archives] = (0, 0, ()),
) -> Refereed:
    """Play all rounds of a generation.

    Args:
        scheme: the scheme that arranges the matches.
        sizes: the number of individuals of each population.
        beats: a function that returns the first entrant's result in each game: +1, 0 or -1.
        moment: the seed, the generation and the archives.
    """
    total = sum(sizes) + sum(1 + max(itertools.chain(*parts), default=-1) for parts in moment[2])
    contest = scheme.contest(sizes, *moment)

    def results(pairs):
        return np.array([[beats(*pair)] * contest.games for pair in pairs.tolist()])

    played = decide(contest, results, total)
    rounds = [[(a, b) for a, b in pairs.tolist()] for pairs in played.rounds]
    return Refereed(rounds, played.points, played.kept)


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
