"""Slow and obvious measures on a table of scores: loops over lists, nothing of the project."""

from __future__ import annotations

import math
from itertools import combinations, permutations

Table = list[list[float]]


def wins_beyond_chance(scores: Table, games: int, false_share: float = 0.05) -> set:
    """The pairs (winner, loser) that Benjamini and Hochberg call decided.

    A pair's probability is that of a normal variable as far from its mean as the score is from one
    half, in standard errors of so many tosses of a coin.
    """
    chances = []
    for g in range(len(scores)):
        for h in range(g):
            errors = abs(scores[g][h] - 0.5) / math.sqrt(0.25 / games)
            probability = 2 * (1 - 0.5 * (1 + math.erf(errors / math.sqrt(2))))
            chances.append((probability, g, h))
    chances.sort()
    taken = 0
    for rank, (probability, _, _) in enumerate(chances, 1):
        if probability <= false_share * rank / len(chances):
            taken = rank
    return {(g, h) if scores[g][h] > 0.5 else (h, g) for _, g, h in chances[:taken]}


def dominant(beats: set, size: int) -> list[int]:
    found: list[int] = []
    for g in range(size):
        if all((g, h) in beats for h in found):
            found.append(g)
    return found


def triples(beats: set, size: int) -> tuple[int, int, int]:
    """Decided triples, the cyclic ones, and those in which each beats the one before it."""
    decided = cyclic = returning = 0
    for trio in combinations(range(size), 3):
        pairs = list(combinations(trio, 2))
        if not all((a, b) in beats or (b, a) in beats for a, b in pairs):
            continue
        decided += 1
        # A circle can be read from each of its three members.
        circles = [c for c in permutations(trio) if is_circle(c, beats)]
        cyclic += len(circles) // 3
        old, middle, new = trio
        returning += {(middle, old), (new, middle), (old, new)} <= beats
    return decided, cyclic, returning


def is_circle(trio: tuple, beats: set) -> bool:
    a, b, c = trio
    return {(a, b), (b, c), (c, a)} <= beats


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def against_past(scores: Table) -> list[float]:
    return [mean(scores[g][:g]) for g in range(1, len(scores))]


def master(scores: Table) -> list[float]:
    return [mean(row[:g] + row[g + 1 :]) for g, row in enumerate(scores)]


def later_against_earlier(scores: Table, games: int) -> tuple[float, float]:
    """The mean over pairs, and its standard error: each champion left out in turn, or the games."""
    everybody = list(range(len(scores)))

    def value(who: list[int]) -> float:
        return mean([scores[g][h] for h, g in combinations(who, 2)])

    pairs = len(everybody) * (len(everybody) - 1) / 2
    by_games = 0.5 / math.sqrt(games * pairs)
    without = [value([one for one in everybody if one != out]) for out in everybody]
    centre = mean(without)
    jackknife = sum((one - centre) ** 2 for one in without) * (len(without) - 1) / len(without)
    return value(everybody), max(by_games, math.sqrt(jackknife))


def lost_again(beats: set, first: int, size: int) -> tuple[float, int]:
    once = [
        old
        for old in range(first)
        if any((middle, old) in beats for middle in range(old + 1, first))
    ]
    if not once:
        return 0.0, 0
    lost = [(old, new) in beats for new in range(first, size) for old in once]
    return sum(lost) / len(lost), len(once)
