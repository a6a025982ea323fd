"""Three ways to find the sets among some cards (Berkes, "Solving the game Set", 2010), compiled.

*Triples* looks at every three cards. *Pairs* works out the card that completes two, and looks up
whether it is among those behind them. *Groups* splits the cards by their first feature: a set has a
card of each group, or lies within one, where the other dimensions are looked at likewise; the
recursion is a stack. All find each set once, by places of cards, and in no common order.

Arrays: ``cards`` int8 ``[n, d]``, the features 0..2 of different cards; ``found`` int16 ``[m, 3]``
takes the places, rising in each row; ``room`` int16 ``[3, the larger of n and 3^d]`` is
overwritten but for its last row, which is zeros, and is so again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.games.set.board import FEATURES
from tournaments.kernels.linker import build, hook, kernel

MOST_DIMENSIONS = 8


@kernel
def is_set(cards, first, second, third, dimension):
    """Return whether three cards of Set make a set: all alike or all different in each dimension.

    ``cards`` has the features, ``[n, d]``; dimensions before ``dimension`` are not checked.
    """
    for place in range(dimension, cards.shape[1]):
        total = cards[first, place] + cards[second, place] + cards[third, place]
        if total % 3 != 0:
            return False
    return True


@kernel
def note(found, count, first, second, third):
    """Write the places of the three cards of a set into row ``count`` of ``found``, sorted."""
    found[count, 0] = min(first, min(second, third))
    found[count, 2] = max(first, max(second, third))
    found[count, 1] = first + second + third - found[count, 0] - found[count, 2]


@kernel
def by_triples(cards, found, room):
    """Find the sets among cards of Set by looking at every three cards.

    Args:
        cards: their features, ``[n, d]``.
        found: the places of the three cards of each set, filled.
        room: scratch space, not used.

    Returns:
        The number of sets.
    """
    count = 0
    number = cards.shape[0]
    for first in range(number):
        for second in range(first + 1, number):
            for third in range(second + 1, number):
                if is_set(cards, first, second, third, 0):
                    note(found, count, first, second, third)
                    count += 1
    return count


@kernel
def by_pairs(cards, found, room):
    """Find the sets among cards of Set by looking up the card that completes each two.

    Args:
        cards: their features, ``[n, d]``.
        found: the places of the three cards of each set, filled.
        room: scratch space. ``room[2]`` has, for each card of the deck, its place among these cards
            from 1 on, or 0.

    Returns:
        The number of sets.
    """
    count = 0
    number, dimensions = cards.shape
    places = room[2]
    for first in range(number):
        places[number_of(cards, first)] = first + 1
    for first in range(number):
        for second in range(first + 1, number):
            missing = np.int64(0)
            for place in range(dimensions):
                one, other = np.int64(cards[first, place]), np.int64(cards[second, place])
                missing = 3 * missing + (one if one == other else 3 - one - other)
            third = places[missing] - 1
            if third > second:
                note(found, count, first, second, third)
                count += 1
    for first in range(number):
        places[number_of(cards, first)] = 0
    return count


@kernel
def number_of(cards, place):
    """Return the number in the deck of Set of the card at a place of ``cards`` (its features)."""
    number = np.int64(0)
    for dimension in range(cards.shape[1]):
        number = 3 * number + np.int64(cards[place, dimension])
    return number


@kernel
def by_groups(cards, found, room):
    """Find the sets among cards of Set by dividing the cards into three groups by each feature.

    A set has three cards of three groups, or lies within a group.

    Args:
        cards: their features, ``[n, d]``.
        found: the places of the three cards of each set, filled.
        room: scratch space. ``room[0]`` has the places of the cards, a group a stretch of them, and
            ``room[1]`` the stretches that are still to be looked at: begin, end, dimension.

    Returns:
        The number of sets.
    """
    number, dimensions = cards.shape
    order, stack = room[0], room[1]
    for place in range(number):
        order[place] = place
    count = 0
    stack[0], stack[1], stack[2] = 0, number, 0
    top = 3
    while top > 0:
        top -= 3
        begin, end, dimension = np.int64(stack[top]), np.int64(stack[top + 1]), stack[top + 2]
        split_1, split_2 = split(cards, order, begin, end, dimension)
        for first in range(begin, split_1):
            for second in range(split_1, split_2):
                for third in range(split_2, end):
                    if is_set(cards, order[first], order[second], order[third], dimension + 1):
                        note(found, count, order[first], order[second], order[third])
                        count += 1
        for group in range(3):
            low = begin if group == 0 else split_1 if group == 1 else split_2
            high = split_1 if group == 0 else split_2 if group == 1 else end
            if high - low >= 3 and dimension + 1 < dimensions:
                stack[top], stack[top + 1], stack[top + 2] = low, high, dimension + 1
                top += 3
    return count


@kernel
def split(cards, order, begin, end, dimension):
    """Sort a stretch of cards of Set by their feature in one dimension, in place.

    Args:
        cards: their features, ``[n, d]``.
        order: the places of the cards; ``order[begin:end]`` is sorted.
        begin: where the stretch begins.
        end: where it ends.
        dimension: the dimension.

    Returns:
        Where the cards with feature 1, and where those with feature 2 begin.
    """
    low, at, high = begin, begin, end
    while at < high:
        card = order[at]
        feature = cards[card, dimension]
        if feature == 0:
            order[at], order[low] = order[low], card
            low += 1
            at += 1
        elif feature == 1:
            at += 1
        else:
            high -= 1
            order[at], order[high] = order[high], card
    return low, high


SOLVERS: dict[str, Callable[..., Any]] = {
    "triples": by_triples,
    "pairs": by_pairs,
    "groups": by_groups,
}


@hook
def solve(cards, found, room):
    """Declare the hook that finds the sets among cards of Set: one of three solvers fills it."""


@kernel
def count_sets_of(tables, found, room, counts):
    """Count the sets on each of T tables of Set and fill ``counts``, int64 ``[T]``.

    ``tables`` is ``[T, n, d]``, the features of the cards. ``found`` and ``room`` are scratch
    space.
    """
    for number in range(tables.shape[0]):
        counts[number] = solve(tables[number], found, room)


def room_for(cards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Allocate the arrays of a solver of Set for cards ``[..., n, d]``: found sets, and scratch."""
    number, dimensions = cards.shape[-2:]
    most = max(1, number * (number - 1) // 6)
    room = np.zeros((3, max(number, FEATURES**dimensions)), dtype=np.int16)
    return np.zeros((most, 3), dtype=np.int16), room


def find_sets(cards: np.ndarray, solver: str = "pairs") -> np.ndarray:
    """Return the sets among some cards of the card game Set.

    Args:
        cards: features 0, 1 and 2 of different cards, whole numbers ``[n, d]``.
        solver: ``triples``, ``pairs`` or ``groups``; the sets are the same.

    Returns:
        The places of the cards of each set, int16 ``[S, 3]``, in rising order.

    Raises:
        TournamentError: no such cards, or no such solver.
    """
    if solver not in SOLVERS:
        raise unknown("solver of set", solver, SOLVERS)
    checked = _checked(cards)
    found, room = room_for(checked)
    count = build(SOLVERS[solver])(checked, found, room)
    rows = found[:count]
    return rows[np.lexsort(rows.T[::-1])]


def _checked(cards: np.ndarray) -> np.ndarray:
    features = np.asarray(cards)
    is_table = features.ndim == 2 and 1 <= features.shape[1] <= MOST_DIMENSIONS
    if is_table and features.dtype.kind in "iu":
        rows = np.ascontiguousarray(features, dtype=np.int8)
        is_feature = ((features >= 0) & (features < FEATURES)).all()
        if is_feature and len({row.tobytes() for row in rows}) == len(rows):
            return rows
    raise TournamentError(
        f"cards of shape {features.shape} and type {features.dtype} given; different rows of 1 to "
        f"{MOST_DIMENSIONS} whole numbers, each 0, 1 or 2, are expected"
    )
