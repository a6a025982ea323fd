"""Slow and obvious schemes of the field, written apart: lists, sets, dictionaries, fractions.

Nothing here imports the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

Beats = Callable[[int, int], int]
"""Of two entrants: +1 where the first beats the second, 0 for a draw, -1 where it loses."""


def judged_points(judged: Iterable[tuple[int, int]], beats: Beats) -> dict[int, Fraction]:
    """(individual, opponent) pairs: a point a match won, half a point a match drawn."""
    points: dict[int, Fraction] = {}
    for one, other in judged:
        points[one] = points.get(one, Fraction(0)) + Fraction(1 + beats(one, other), 2)
    return points


def shared_points(individuals: list[int], opponents: list[int], beats: Beats) -> list[Fraction]:
    """Beating an opponent is worth 1 over how many beat it; nobody meets itself."""
    points = []
    for one in individuals:
        total = Fraction(0)
        for other in opponents:
            victors = [who for who in individuals if who != other and beats(who, other) > 0]
            if one in victors:
                total += Fraction(1, len(victors))
        points.append(total)
    return points


def shared_sample(opponents: list[int], beaten: list[set[int]], count: int) -> list[int]:
    """Rosin and Belew, 3.2: one after another, the one that beats most whom few of them beat."""
    sample: list[int] = []
    while len(sample) < count:
        worth = {}
        for one in range(len(beaten)):
            total = 0.0  # not a fraction: sums that differ in the last place decide, too
            for other in opponents:
                if other in beaten[one]:
                    total += 1.0 / (1.0 + sum(other in beaten[who] for who in sample))
            worth[one] = total
        left = [one for one in worth if one not in sample]
        best = max(worth[one] for one in left)
        sample.append(next(one for one in left if worth[one] == best))
    return sorted(sample)


def solvers(solved: list[set[int]], old: list[bool], most: int) -> list[int]:
    """Candidates by the number of tests they solve, none that solves the same or nothing."""
    ranked = sorted(range(len(solved)), key=lambda one: (-len(solved[one]), not old[one], one))
    chosen: list[int] = []
    for one in ranked:
        if solved[one] and all(solved[one] != solved[other] for other in chosen):
            chosen.append(one)
    return sorted(chosen[:most])


def dominates(one: list[int], other: list[int]) -> bool:
    """At least as good everywhere, better somewhere."""
    return all(a >= b for a, b in zip(one, other, strict=True)) and one != other


def layers(results: list[list[int]]) -> list[int]:
    """How often the undominated must be taken away until each is among them."""
    found: dict[int, int] = {}
    layer = 0
    while len(found) < len(results):
        left = [one for one in range(len(results)) if one not in found]
        free = [
            one
            for one in left
            if not any(dominates(results[other], results[one]) for other in left)
        ]
        found |= dict.fromkeys(free, layer)
        layer += 1
    return [found[one] for one in range(len(results))]


def varied_best(results: list[list[int]], most: int) -> list[int]:
    """One after another, the candidate of the greatest strength times distance from the chosen.

    Args:
        results: the results of each candidate against each opponent: +1, 0 or -1.
        most: the maximum number of candidates.
    """
    strengths = [sum(Fraction(1 + result, 2) for result in row) for row in results]
    chosen: list[int] = []
    while len(chosen) < min(most, len(results)):
        ranks = {}
        for one, row in enumerate(results):
            apart = [
                sum(abs(a - b) for a, b in zip(row, results[other], strict=True))
                for other in chosen
            ]
            ranks[one] = (strengths[one] * min(apart, default=1), strengths[one], -one)
        chosen.append(max((one for one in ranks if one not in chosen), key=lambda one: ranks[one]))
    return sorted(chosen)
