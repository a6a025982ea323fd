"""The deck of Set in the form that kernels read: the card that completes two others, and their set.

A card is a number with one base-3 digit per dimension, the first dimension being the highest digit:
number, colour, shape and texture, of which small decks leave out the last. Three cards are a *set*
if in each dimension they are all alike or all different. Exactly one card completes two given
cards, and a deck of D cards has D (D - 1) / 6 sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel
from tournaments.options import checked, option

SEATS = ("first", "second")
FEATURES = 3
DIMENSIONS, CARDS, DECK, SETS, TABLES = range(5)
"""Places in the board array: dimensions, cards on the table, in the deck, sets; then four tables.

They hold, for each two cards, the one that completes them; for each two, the number of that set
(-1: no two); the cards of each set, rising; and in how many dimensions the cards of each differ.
"""


@dataclass(frozen=True)
class Options:
    """The options of a game of Set."""

    cards: int = option(12, "on the table", 3, 81)
    dimensions: int = option(4, "in which cards may differ", 2, 4)


def make_board(**options: int) -> np.ndarray:
    """Return the constants and tables of a game of Set, int16.

    Sets are numbered in the order of their cards.

    Raises:
        TournamentError: numbers out of range, or more cards on the table than there are.
    """
    wanted = checked(Options, "set: ", options)
    deck = FEATURES**wanted.dimensions
    if wanted.cards > deck:
        raise TournamentError(
            f"set: cards={wanted.cards} given; with dimensions={wanted.dimensions} there are "
            f"{deck} cards, so at most {deck} may lie on the table"
        )
    third = third_cards(wanted.dimensions)
    first, second = np.nonzero(third > np.maximum(*np.indices((deck, deck))))
    rising = first < second
    members = np.stack([first, second, third[first, second]], axis=1)[rising]
    numbers = np.full((deck, deck), -1)
    for one, other in ((0, 1), (0, 2), (1, 2)):
        numbers[members[:, one], members[:, other]] = np.arange(len(members))
    numbers = np.maximum(numbers, numbers.T)
    features = features_of(np.arange(deck), wanted.dimensions)
    differing = (features[members[:, 0]] != features[members[:, 1]]).sum(axis=1)
    head = [wanted.dimensions, wanted.cards, deck, len(members)]
    parts = (head, third.ravel(), numbers.ravel(), members.ravel(), differing)
    return np.concatenate(parts).astype(np.int16)


def features_of(cards: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the features of cards of Set: 0, 1 or 2 in each dimension.

    They are int64 ``[n, dimensions]``.
    """
    places = FEATURES ** np.arange(dimensions)[::-1]
    return np.asarray(cards, dtype=np.int64)[:, None] // places % FEATURES


def third_cards(dimensions: int) -> np.ndarray:
    """Return the card that completes any two cards of Set to a set, int64 ``[D, D]``.

    For two equal cards it is the same card. D is the number of cards of the deck.
    """
    features = features_of(np.arange(FEATURES**dimensions), dimensions)
    missing = -(features[:, None] + features[None]) % FEATURES
    return missing @ FEATURES ** np.arange(dimensions)[::-1]


def sets_of(board: np.ndarray) -> np.ndarray:
    """Return the three cards of each set of the deck of Set, int16 ``[S, 3]``."""
    first = TABLES + 2 * int(board[DECK]) ** 2
    return board[first : first + 3 * int(board[SETS])].reshape(-1, 3)


@kernel
def third_card(board, first, second):
    """Return the card that completes two cards of Set to a set."""
    return np.int64(board[TABLES + first * np.int64(board[DECK]) + second])


@kernel
def set_number(board, first, second):
    """Return the number of the set of three cards to which two cards of Set belong."""
    deck = np.int64(board[DECK])
    return np.int64(board[TABLES + (deck + first) * deck + second])


@kernel
def card_of_set(board, number, place):
    """Return a card of a numbered set of three cards of Set; ``place`` is 0, 1 or 2."""
    deck = np.int64(board[DECK])
    return np.int64(board[TABLES + 2 * deck * deck + 3 * np.int64(number) + place])


@kernel
def dimensions_differing(board, number):
    """Return in how many dimensions the cards of a numbered set of Set differ, 1..dimensions."""
    deck = np.int64(board[DECK])
    sets = np.int64(board[SETS])
    return np.int64(board[TABLES + 2 * deck * deck + 3 * sets + np.int64(number)])
