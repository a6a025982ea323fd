"""Slow and obvious schemes of two populations, written apart: whole lists, dictionaries, fractions.

Nothing here imports the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

Match = tuple[int, int, int]
"""(entrant a, entrant b, result of a): a holds the first seat, b the second; result +1, 0 or -1.

The first population has the entrants 0, 1..., the second those after them, and -1 is the fixed
opponent.
"""
Points = dict[int, Fraction]


def direct_points(matches: Iterable[Match], win: str = "1", no_win: str = "0") -> Points:
    """A point a game won, for whichever side is not the fixed opponent."""
    points: Points = {}
    for a, b, result in matches:
        who, won = (a, result == 1) if b < 0 else (b, result == -1)
        points[who] = points.get(who, Fraction(0)) + Fraction(win if won else no_win)
    return points


def round_robin_points(matches: Iterable[Match]) -> Points:
    """A point a game won, half a point a game drawn, for both sides."""
    points: Points = {}
    for a, b, result in matches:
        for who, lead in ((a, result), (b, -result)):
            points[who] = points.get(who, Fraction(0)) + Fraction(lead + 1, 2)
    return points


def antibody_points(
    matches: list[Match], of_first: int, points_of_antigen: str = "33", share: str = "4"
) -> Points:
    """The first so many matches have antibodies of the first population, the rest of the second.

    Each antigen's points go to its victors in equal parts, since a match is won or it is not.
    """
    victors: dict[tuple[int, int], list[int]] = {}
    for number, (a, b, result) in enumerate(matches):
        side = 0 if number < of_first else 1
        antibody, antigen = (a, b) if side == 0 else (b, a)
        if result == (1 if side == 0 else -1):
            victors.setdefault((side, antigen), []).append(antibody)
    points: Points = {}
    for group in victors.values():
        for antibody in group:
            part = Fraction(points_of_antigen) * Fraction(share) / (Fraction(share) * len(group))
            points[antibody] = points.get(antibody, Fraction(0)) + part
    return points
