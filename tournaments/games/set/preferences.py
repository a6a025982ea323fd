"""Players of Set with preferences among sets: by kind, and by the sets left to the other seat.

The kind of a set is the number of dimensions in which its cards differ. A player has a number for
each kind, and one for each set that the other seat may expect on the table once the cards are
drawn: it takes one of the sets of largest sum. All zeros are random play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.set.board import (
    DECK,
    DIMENSIONS,
    SETS,
    card_of_set,
    dimensions_differing,
    third_card,
)
from tournaments.games.set.rules import (
    DEALT,
    GONE,
    IN_DECK,
    PLACES,
    cards_to_draw,
    count_cards,
)
from tournaments.kernels.choices import best_of
from tournaments.kernels.hooks import legal
from tournaments.kernels.linker import kernel
from tournaments.player import CompiledPlayer, Kind
from tournaments.players.vector import Vectors
from tournaments.rules import PlayerOffer, VectorForm, nobody

LEAST = -1e300
"""Below any sum."""


class Memory(NamedTuple):
    """Scratch of one side: the legal actions, int16 [A], and the worth of each, float64 [A]."""

    actions: np.ndarray
    worth: np.ndarray


@kernel
def sets_spoiled(board, state, action):
    """Return how many sets the other seat of Set can expect less after cards are taken, exactly.

    A set with k cards in the deck comes to lie on the table with the chance that all k are drawn.
    The expectation is the sum over all sets. The loop visits the sets of each taken card, each set
    twice. The taken set itself is visited with each of its three cards and counts once. The sum
    consists of whole numbers, so that equal losses are equal floats.
    """
    left = count_cards(board, state, IN_DECK)
    drawn = min(left, cards_to_draw(board, state, action))
    on_table = np.int64(0)
    lacking_1 = np.int64(0)
    lacking_2 = np.int64(0)
    for place in range(DEALT):
        card = card_of_set(board, action, place)
        for other in range(board[DECK]):
            if other != card:
                here = state[PLACES + other]
                there = state[PLACES + third_card(board, card, other)]
                if here != GONE and there != GONE:
                    lacking = np.int64(here == IN_DECK) + np.int64(there == IN_DECK)
                    on_table += lacking == 0
                    lacking_1 += lacking == 1
                    lacking_2 += lacking == 2
    ways_1, ways_2 = max(left, 1), max(left - 1, 1)
    total = on_table * ways_1 * ways_2
    total += lacking_1 * drawn * ways_2 + lacking_2 * drawn * (drawn - 1)
    return np.float64(total) / np.float64(2 * ways_1 * ways_2) - 2.0


@kernel
def weigh(board, state, parameters, row, memory):
    """List the legal actions of Set and the weighted worth of each for a player of preferences.

    Returns:
        The number of actions, and the highest worth.
    """
    weights = parameters.first if state[0] == 0 else parameters.second
    count = legal(board, state, memory.actions)
    dimensions = np.int64(board[DIMENSIONS])
    best = LEAST
    for index in range(count):
        action = np.int64(memory.actions[index])
        worth = 0.0
        if action < board[SETS]:
            worth = weights[row, dimensions_differing(board, action) - 1]
            if weights[row, dimensions] != 0.0:
                worth -= weights[row, dimensions] * sets_spoiled(board, state, action)
        memory.worth[index] = worth
        best = max(best, worth)
    return count, best


choose, candidates = best_of(weigh)


def memory(game: Game, parameters: object) -> Memory:
    """Allocate the memory of a player of Set with preferences, for one side."""
    return Memory(np.zeros(game.num_actions, dtype=np.int16), np.zeros(game.num_actions))


def names(game: Game, seat: int) -> tuple[str, ...]:
    """Return the names of the numbers of a vector that weighs kinds of sets in Set."""
    dimensions = int(game.board[DIMENSIONS])
    return (*(f"differ-in-{kind}" for kind in range(1, dimensions + 1)), "left-to-other")


KIND = Kind("preferences", choose, memory=memory, candidates=candidates, by_row=("first", "second"))
FORM = VectorForm(
    "preferences", "what each kind of set is worth, and each left behind", names, KIND
)

# --- by name -----------------------------------------------------------------------------------


def player(game: Game, weights: Sequence[float], name: str) -> CompiledPlayer:
    """Return a player of Set with given weights of preferences, in the order of :func:`names`."""
    row = np.array([weights], dtype=np.float64)
    options = {"weights": tuple(map(float, weights)), "name": name}
    return CompiledPlayer(name, KIND, game, Vectors(row, row), maker=player, options=options)


def taker(game: Game, order: str | int = "") -> CompiledPlayer:
    """Return a player of Set that takes the kind of set that comes first in an order.

    Args:
        game: the game to play.
        order: kinds of sets by the number of differing dimensions, the first choice first, such as
            ``4-1``. Kinds left out come last, in no order. By default the kind with most
            differences comes first, and so on.

    Raises:
        TournamentError: an order that is none.
    """
    dimensions = int(game.board[DIMENSIONS])
    usual = "-".join(str(kind) for kind in range(dimensions, 0, -1))
    words = str(usual if order == "" else order).split("-")
    kinds = [int(word) if word.isdecimal() else 0 for word in words]
    if len(dict.fromkeys(kinds)) < len(kinds) or not 1 <= min(kinds) <= max(kinds) <= dimensions:
        raise TournamentError(
            f"taker: order={order} given; numbers of differing dimensions, 1 to {dimensions}, each "
            f"once and joined by -, such as {usual} are expected"
        )
    weights = [0.0] * (dimensions + 1)
    for place, kind in enumerate(kinds):
        weights[kind - 1] = float(len(kinds) - place)
    return player(game, weights, f"taker:order={order}" if order != "" else "taker")


def all_different_first(game: Game) -> CompiledPlayer:
    """Return a player of Set that takes the set whose cards differ in most dimensions."""
    dimensions = int(game.board[DIMENSIONS])
    return player(game, [*range(1, dimensions + 1), 0.0], "all-different-first")


def alike_first(game: Game) -> CompiledPlayer:
    """Return a player of Set that takes the set whose cards differ in fewest dimensions."""
    dimensions = int(game.board[DIMENSIONS])
    return player(game, [*range(dimensions, 0, -1), 0.0], "alike-first")


def spoiler(game: Game) -> CompiledPlayer:
    """Return a player of Set that takes the set after which the other seat expects fewest sets."""
    return player(game, [0.0] * int(game.board[DIMENSIONS]) + [-1.0], "spoiler")


MAKERS: dict[str, tuple[str, Callable[..., CompiledPlayer]]] = {
    "taker": ("takes some kind of set first; order=4-3-2-1, by differing dimensions", taker),
    "all-different-first": ("takes the set whose cards differ most", all_different_first),
    "alike-first": ("takes the set whose cards differ least", alike_first),
    "spoiler": ("takes the set after which the other may expect fewest", spoiler),
}
OFFERS = {
    # Their kernels are those of the vectors, which the contract looks at.
    name: PlayerOffer(summary, make, samples=nobody)
    for name, (summary, make) in MAKERS.items()
}
