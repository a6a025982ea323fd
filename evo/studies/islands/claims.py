"""What is claimed of islands, and how each claim is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evo.studies.intervals import Interval, median_interval
from evo.studies.islands.study import (
    APART,
    COMPLETE_10,
    COMPLETE_50,
    GAMES,
    ONE,
    RING_10,
    RING_50,
    differences,
)
from evo.studies.verdicts import Judged, above

CLAIMS: tuple[tuple[str, str, str, str], ...] = (
    ("Islands in a ring beat one population at equal games", RING_10, ONE, "strength"),
    ("Islands in a ring beat islands that never meet", RING_10, APART, "strength"),
    ("Islands that never meet do worse than one population", ONE, APART, "strength"),
    ("Migrants along all ways are better than along a ring", COMPLETE_10, RING_10, "strength"),
    ("Frequent migration beats rare migration in a ring", RING_10, RING_50, "strength"),
    ("So it does along all ways", COMPLETE_10, COMPLETE_50, "strength"),
    ("Islands together keep more diversity than one population", RING_10, ONE, "together"),
    ("Rare migration keeps more diversity than frequent", RING_50, RING_10, "together"),
)
"""A claim, the cell that is to have more, the one that is to have less, and of what."""
WORDS = {"strength": "share of games won", "together": "diversity of all islands together"}


def judge(rows: Sequence[Mapping[str, Any]]) -> list[Judged]:
    """The verdict on each claim for each game, by the median difference over seeds."""
    return [_judged(rows, game, *claim) for claim in CLAIMS for game in GAMES]


def _judged(
    rows: Sequence[Mapping[str, Any]], game: str, claim: str, more: str, less: str, field: str
) -> Judged:
    difference = median_interval(differences(rows, game, more, less, field))
    return Judged(
        f"{claim} ({game})",
        f"{WORDS[field]}: '{more}' above '{less}', median over seeds",
        in_words(difference),
        above(difference),
    )


def in_words(interval: Interval) -> str:
    """A difference of shares with its interval."""
    middle, low, high = (f"{100 * end:+.1f}" for end in interval[:3])
    return f"{middle} points ({low} to {high})"
