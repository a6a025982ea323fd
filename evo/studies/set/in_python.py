"""The three solvers as a Python program of 2010 has them: numpy for a few numbers at a time.

They are written anew after the article's words; the compiled ones are
:mod:`tournaments.games.set.solvers`. ``cards`` is an array ``[n, d]`` of features 0..2; each gives
the places of the cards of each set, rising, in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import numpy as np

Places = tuple[int, int, int]


def makes_a_set(cards: np.ndarray, places: tuple[int, ...]) -> bool:
    """Return whether three cards make a set: in each feature all alike, or all different.

    ``places`` are the cards' rows in ``cards``.
    """
    for features in cards[list(places)].T:
        if np.all(features == features[0]) or len(np.unique(features)) == len(features):
            continue
        return False
    return True


def by_triples(cards: np.ndarray) -> list[Places]:
    """Return all sets among cards, by testing every three cards."""
    threes = combinations(range(len(cards)), 3)
    return [places for places in threes if makes_a_set(cards, places)]


def by_pairs(cards: np.ndarray) -> list[Places]:
    """Return all sets among cards, by completing each two cards and searching the cards behind."""
    sets = []
    for first, second in combinations(range(len(cards) - 1), 2):
        missing = np.empty(cards.shape[1], dtype=cards.dtype)
        for dimension, (one, other) in enumerate(zip(cards[first], cards[second], strict=True)):
            missing[dimension] = one if one == other else ({0, 1, 2} - {int(one), int(other)}).pop()
        behind = np.all(cards[second + 1 :] == missing, axis=1)
        sets += [(first, second, second + 1 + int(place)) for place in np.flatnonzero(behind)]
    return sets


def by_groups(cards: np.ndarray, places: np.ndarray | None = None) -> list[Places]:
    """Return all sets among cards, by groups of cards that are alike in the first feature.

    Within each group, sets are found in the same way by the other features. ``places`` are the
    numbers of the cards; None: their rows.
    """
    if places is None:
        places = np.arange(len(cards))
    groups = [np.flatnonzero(cards[:, 0] == feature).tolist() for feature in range(3)]
    sets: list[Places] = []
    for group in groups:
        if len(group) >= 3:
            sets += by_groups(cards[group, 1:], places[group])
    for three in product(*groups):
        if makes_a_set(cards, three):
            first, second, third = sorted(int(place) for place in places[list(three)])
            sets.append((first, second, third))
    return sets


SOLVERS: dict[str, Callable[[np.ndarray], list[Places]]] = {
    "triples": by_triples,
    "pairs": by_pairs,
    "groups": by_groups,
}
