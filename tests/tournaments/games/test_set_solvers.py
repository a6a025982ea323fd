"""The solvers of Set, and counts of hands without a set, against looking at all of them."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import set_game as naive

from tournaments import TournamentError
from tournaments.games.set.caps import classes_of, count_without_set, normal_form
from tournaments.games.set.solvers import SOLVERS, find_sets, room_for
from tournaments.kernels.rng import generator

PUBLISHED = 2_284_535_476_080
"""Choices of twelve cards without a set, of C(81, 12)."""


@st.composite
def hands(draw):
    """Different cards of one to five dimensions, int8 ``[n, d]``."""
    dimensions = draw(st.integers(1, 5))
    deck = naive.deck_of(dimensions)
    numbers = draw(st.lists(st.integers(0, len(deck) - 1), unique=True, max_size=16))
    return np.array([deck[number] for number in numbers], dtype=np.int8).reshape(-1, dimensions)


def places_of_sets(cards: np.ndarray) -> list[tuple[int, ...]]:
    rows = [tuple(row) for row in cards.tolist()]
    return sorted(
        tuple(sorted(rows.index(card) for card in three)) for three in naive.sets_among(rows)
    )


def interpreted(cards: np.ndarray, solver: str) -> list[tuple[int, ...]]:
    """What a kernel finds as plain Python."""
    found, room = room_for(cards)
    count = SOLVERS[solver](cards, found, room)
    return sorted(map(tuple, found[:count].tolist()))


@given(cards=hands())
def test_each_solver_finds_the_sets_and_each_once(cards):
    expected = places_of_sets(cards)
    for solver in SOLVERS:
        assert interpreted(cards, solver) == expected


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(cards=hands())
def test_compiled_solvers_find_the_same(cards):
    expected = places_of_sets(cards)
    for solver in SOLVERS:
        assert list(map(tuple, find_sets(cards, solver).tolist())) == expected


def test_a_whole_deck_has_its_sets():
    deck = np.array(naive.deck_of(4), dtype=np.int8)
    assert len(find_sets(deck)) == 1080
    assert len(interpreted(deck[:27, 1:], "groups")) == 117


@pytest.mark.parametrize(
    "cards",
    [[0, 1, 2], [[0, 3]], [[-1, 0]], [[0.0, 1.0]], [[0, 1], [0, 1]], np.zeros((1, 0), int)],
    ids=str,
)
def test_what_are_no_cards_is_refused(cards):
    with pytest.raises(TournamentError, match="different rows of 1 to 8 whole numbers"):
        find_sets(np.array(cards))


def test_a_solver_that_is_none_is_refused():
    with pytest.raises(TournamentError, match="unknown solver of set 'tripels'"):
        find_sets(np.array([[0, 1]]), "tripels")


# --- hands without a set -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dimensions", "most"), [(1, 3), (2, 9), (3, 4), pytest.param(3, 11, marks=pytest.mark.slow)]
)
def test_hands_of_small_decks_are_counted(dimensions, most):
    counts = [count_without_set(cards, dimensions) for cards in range(most + 1)]
    assert counts == naive.counts_without_set(dimensions, most)


def test_small_hands_of_the_whole_deck_are_those_of_arithmetic():
    """Three cards: one of 79 completes a set; of four one set is in 4 x 1,080 x 78 / 4 of them."""
    assert count_without_set(3) == comb(81, 3) - 1080
    assert count_without_set(4) == comb(81, 4) - 1080 * 78
    sizes = sorted(classes_of(5, 4).values())
    assert sizes == [1_516_320, 4_548_960, 16_376_256]
    both_of_two_sets = 81 * comb(40, 2)  # five cards with two sets, which share one card
    assert sum(sizes) == comb(81, 5) - 1080 * comb(78, 2) + both_of_two_sets


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), points=st.integers(1, 5))
def test_an_affine_map_leaves_the_normal_form_as_it_is(seed, points):
    rng = generator(seed, "affine map")
    cards = tuple(rng.permutation(81)[:points].tolist())
    shears = np.eye(4, dtype=int)[rng.permutation(4)]
    for _ in range(6):
        row, other = rng.permutation(4)[:2]
        shears[row] += shears[other] * int(rng.integers(1, 3))
    features = np.array([naive.deck_of(4)[card] for card in cards])
    moved = (features @ shears + rng.integers(0, 3, 4)) % 3
    numbers = tuple((moved @ [27, 9, 3, 1]).tolist())
    assert normal_form(numbers, 4) == normal_form(cards, 4)


@pytest.mark.slow
def test_hands_without_a_set_are_as_many_as_published():
    assert count_without_set(12) == PUBLISHED
    assert (count_without_set(20), count_without_set(21)) == (682_344, 0)  # the largest of them


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((82, 4), "0 to 81"), ((-1, 4), "0 to 81"), ((12, 5), "1 to 4"), ((0, 0), "1 to 4")],
)
def test_decks_that_are_none_are_refused(numbers, words):
    with pytest.raises(TournamentError, match=words):
        count_without_set(*numbers)
