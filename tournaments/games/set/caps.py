"""Counting the choices of cards without a set: caps of the affine space over three elements.

The cards are the points of a space of d dimensions over the field of three elements, its sets the
lines, and cards without a set a *cap* (Davis and Maclagan, "The card game SET", Mathematical
Intelligencer 2003). Affine maps send lines to lines, and some affine map sends any ordered list of
affinely independent points to any other such list of the same length. The small caps therefore fall
into few classes: each independent list of its points brings a cap of five points to a normal form,
and the least of these forms identifies the class.

The caps of n points are counted by the caps of five points within them. For one cap of each class,
a search counts the caps of n points that contain it. Each cap of n points is counted once for each
five of its points.
"""

from __future__ import annotations

from itertools import permutations
from math import comb

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.set.board import FEATURES, features_of, third_cards
from tournaments.kernels.bitset import WORD, bit, empty, nth, size
from tournaments.kernels.linker import build, kernel

CLASSIFIED = 5
"""Points of the caps that are told apart by class."""
MOST_DIMENSIONS = 4
Cap = tuple[int, ...]
Form = tuple[int, ...]


def count_without_set(cards: int, dimensions: int = 4) -> int:
    """Return the exact number of choices of ``cards`` cards of the deck of Set that hold no set.

    Twelve cards of all dimensions take seconds, and any number of cards at most some minutes.

    Raises:
        TournamentError: dimensions outside 1..4, or cards outside 0..3^dimensions.
    """
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise TournamentError(
            f"dimensions={dimensions} given; a value from 1 to {MOST_DIMENSIONS} is expected"
        )
    if not 0 <= cards <= FEATURES**dimensions:
        raise TournamentError(
            f"cards={cards} given; a value from 0 to {FEATURES**dimensions} is expected"
        )
    classes = classes_of(min(cards, CLASSIFIED), dimensions)
    if cards <= CLASSIFIED:
        return sum(classes.values())
    third = third_cards(dimensions)
    total = sum(number * _count_around(cap, cards, third) for cap, number in classes.items())
    return total // comb(cards, CLASSIFIED)


# --- classes of small caps -----------------------------------------------------------------------


def classes_of(points: int, dimensions: int) -> dict[Cap, int]:
    """Return a cap of each class of caps of ``points`` points, with the size of the class.

    A cap is a choice of cards of Set that holds no set, seen as points of an affine space. Affine
    maps join the caps of a class. A cap of k + 1 points contains k + 1 caps of k points. The sizes
    of the classes of k + 1 points therefore follow from the classes of k points and the number of
    points that extend their caps.
    """
    third = third_cards(dimensions)
    classes: dict[Cap, int] = {(): 1}
    for number in range(points):
        grown: dict[Form, tuple[Cap, int]] = {}
        for cap, many in classes.items():
            for point in _free_points(cap, third):
                form = normal_form((*cap, point), dimensions)
                first, ways = grown.get(form, ((*cap, point), 0))
                grown[form] = first, ways + many
        classes = {cap: ways // (number + 1) for cap, ways in grown.values()}
    return classes


def _free_points(cap: Cap, third: np.ndarray) -> list[int]:
    """Return the points that extend a cap (cards of Set without a set) to a larger cap.

    ``third`` has the card that completes any two cards.
    """
    taken = {*cap, *(int(third[one, other]) for one in cap for other in cap)}
    return [point for point in range(len(third)) if point not in taken]


def normal_form(points: Cap, dimensions: int) -> Form:
    """Return the normal form of a cap: equal for two caps if and only if an affine map joins them.

    A cap is a choice of cards of Set that holds no set. The form is the number of points of a
    largest independent list, and the least, over all such lists, of the other points' coordinates
    when the list is the origin and the unit points.
    """
    for length in range(min(len(points), dimensions + 1), 0, -1):
        lists = np.array(list(permutations(points, length)))
        spans = _spans(lists, dimensions)
        is_independent = (np.diff(np.sort(spans, axis=1), axis=1) > 0).all(axis=1)
        if is_independent.any():
            lists, spans = lists[is_independent], spans[is_independent]
            return (length, *_least(lists, spans, points))
    return (0,)


def _spans(lists: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the points that each list of k points spans, in the order of coordinates.

    ``lists`` is ``[L, k]``, the result ``[L, 3^(k - 1)]``: points of an affine space over three
    elements.
    """
    features = features_of(lists.ravel(), dimensions).reshape(*lists.shape, dimensions)
    axes = lists.shape[1] - 1
    coordinates = features_of(np.arange(FEATURES**axes), axes)
    spanned = np.repeat(features[:, :1], FEATURES**axes, axis=1)
    for axis in range(axes):
        steps = features[:, 1 + axis] - features[:, 0]
        spanned = spanned + coordinates[None, :, axis, None] * steps[:, None]
    places = FEATURES ** np.arange(dimensions)[::-1]
    return (spanned % FEATURES * places).sum(axis=2)


def _least(lists: np.ndarray, spans: np.ndarray, points: Cap) -> Form:
    """Return the least of a cap's forms, one for each list of independent points.

    A form has the coordinates of the other points of the cap.

    Args:
        lists: the lists of points, ``[L, k]``.
        spans: the points that each list spans, in the order of coordinates.
        points: the points of the cap.
    """
    forms = []
    for chosen, span in zip(lists.tolist(), spans, strict=True):
        others = [point for point in points if point not in chosen]
        forms.append(tuple(sorted(int(np.flatnonzero(span == point)[0]) for point in others)))
    return min(forms)


# --- the search ----------------------------------------------------------------------------------


def _count_around(cap: Cap, cards: int, third: np.ndarray) -> int:
    """Return the number of caps of ``cards`` cards that contain ``cap``.

    A cap is a choice of cards of Set that holds no set. ``third`` has the card that completes any
    two cards.
    """
    points = np.zeros(cards, dtype=np.int64)
    points[: len(cap)] = cap
    free = np.zeros((cards + 1, len(empty(len(third)))), dtype=np.uint64)
    for point in _free_points(cap, third):
        free[len(cap), point // WORD] |= np.uint64(1 << point % WORD)
    return int(build(count_caps)(third.astype(np.int64), points, len(cap), free))


@kernel
def count_caps(third, points, held, free):
    """Return the number of caps of ``points.size`` points that contain the first ``held`` points.

    The other points are added in rising order. ``free[k]`` has the points, later than the last
    added point, that make the cap of the first k points one larger. ``third`` has the point that
    completes any two points to a set.
    """
    total = np.int64(0)
    wanted = points.size
    count = held
    while count >= held:
        left = size(free[count])
        if left < wanted - count:
            count -= 1
        elif count + 1 == wanted:
            total += left
            count -= 1
        else:
            point = nth(free[count], 0)
            points[count] = point
            free[count, point >> 5] ^= bit(point)
            for word in range(free.shape[1]):
                free[count + 1, word] = free[count, word]
            for place in range(count):
                other = third[points[place], point]
                free[count + 1, other >> 5] &= ~bit(other)
            count += 1
    return total
