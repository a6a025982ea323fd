"""Set: two seats take sets off the table in turn. The seat with more sets in the end wins.

After the card game of Marsha Falco (1991), without the race: seats are to move in turn. A seat
takes one of the sets on the table, and cards from the deck fill the table up to its number again.
Where there is no set it deals three more cards, which is its turn; a table of more cards than the
usual number is not filled up. The game is over when there is no set and the deck is empty.

The deck's order is not part of the position: each card is drawn when it is dealt, each of those
left as likely as the others. Actions: the sets by number (:mod:`tournaments.games.set.board`), then
the deal.

State: header, the stream (:mod:`tournaments.kernels.chance`), then where each card is. A text board
has the cards on the table and those gone, each as number, colour (red, green, purple), shape (oval,
diamond, wave) and texture (full, striped, empty); smaller decks leave out the last ones::

    1ROF 1GWF 2PDF 3ROE

    gone: 1GOF 2GOF 3GOF
    taken: 1 to 0
    chance: 0123456789abcdef
    second to move
"""

from __future__ import annotations

import re

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.set.board import (
    CARDS,
    DECK,
    DIMENSIONS,
    SEATS,
    SETS,
    card_of_set,
    features_of,
    set_number,
    sets_of,
    third_card,
)
from tournaments.kernels.chance import (
    STREAM_SIZE,
    chance,
    seed_chance,
    stream_line,
    take_stream_line,
)
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER

PLACES = HEADER + STREAM_SIZE
"""Where the places of the cards begin."""
IN_DECK, ON_TABLE, GONE = 0, 1, 2
DEALT = 3
"""Cards of a deal, and of a set."""


def state_size(board: np.ndarray) -> int:
    """Return the length of a position of Set: the header, the stream and the cards."""
    return PLACES + int(board[DECK])


def num_actions(board: np.ndarray) -> int:
    """Return the number of actions of Set: one per set of three cards, and the deal."""
    return int(board[SETS]) + 1


def most_plies(board: np.ndarray) -> int:
    """Return the largest number of turns of a game of Set: sets taken, and deals."""
    deck = int(board[DECK])
    return deck // DEALT + -(-(deck - int(board[CARDS])) // DEALT)


# --- the rules ---------------------------------------------------------------------------------


@kernel
def start(board, state, seed):
    """Set up a game of Set: draw the cards on the table from the whole deck."""
    state[:] = 0
    seed_chance(state, seed)
    draw_cards(board, state, board[CARDS])


@kernel
def count_cards(board, state, place):
    """Return the number of cards of Set at a place: in the deck, on the table, or gone."""
    count = 0
    for card in range(board[DECK]):
        if state[PLACES + card] == place:
            count += 1
    return count


@kernel
def draw_cards(board, state, count):
    """Move ``count`` random cards of Set from the deck to the table, or all that are left."""
    left = count_cards(board, state, IN_DECK)
    for _ in range(min(count, left)):
        number = chance(state, left)
        card = np.int64(-1)
        while number >= 0:
            card += 1
            if state[PLACES + card] == IN_DECK:
                number -= 1
        state[PLACES + card] = ON_TABLE
        left -= 1


@kernel
def cards_to_draw(board, state, action):
    """Return the number of cards that an action of Set brings to the table if the deck has them."""
    if action == board[SETS]:
        return DEALT
    shown = count_cards(board, state, ON_TABLE) - DEALT
    return max(board[CARDS] - shown, 0)


@kernel
def list_sets(board, state, sets):
    """List the sets of three cards on the table of Set, as far as ``sets`` has room.

    Returns:
        The number of all sets on the table.
    """
    count = 0
    for first in range(board[DECK]):
        if state[PLACES + first] == ON_TABLE:
            for second in range(first + 1, board[DECK]):
                if state[PLACES + second] == ON_TABLE:
                    third = third_card(board, first, second)
                    if third > second and state[PLACES + third] == ON_TABLE:
                        if count < sets.size:
                            sets[count] = set_number(board, first, second)
                        count += 1
    return count


@kernel
def legal(board, state, actions):
    """List the legal actions of Set: the sets on the table, or the deal if it has no set.

    Returns:
        The number of actions.
    """
    count = list_sets(board, state, actions)
    if count == 0:
        actions[0] = board[SETS]
        return 1
    return count


@kernel
def count_sets(board, state):
    """Return the number of sets of three cards among the cards on the table of Set."""
    return list_sets(board, state, state[:0])


@kernel
def take(board, state, action):
    """Move the cards of a taken set off the table of Set. The other seat is to move.

    A deal moves none.
    """
    if action != board[SETS]:
        for place in range(DEALT):
            state[PLACES + card_of_set(board, action, place)] = GONE
        state[1 + state[0]] += 1
    state[0] = 1 - state[0]


@kernel
def end(board, state):
    """End a game of Set if the deck is empty and no set is on the table."""
    if count_cards(board, state, IN_DECK) == 0 and count_sets(board, state) == 0:
        state[0] = -1


@kernel
def play(board, state, action):
    """Take a set or deal in Set, then draw the cards that are due."""
    count = cards_to_draw(board, state, action)
    take(board, state, action)
    draw_cards(board, state, count)
    end(board, state)


# --- text --------------------------------------------------------------------------------------

FEATURE_NAMES = (
    ("1", "2", "3"),
    ("red", "green", "purple"),
    ("oval", "diamond", "wave"),
    ("full", "striped", "empty"),
)
EMOJI = ("🔴🟥🧡", "🟢🟩💚", "🟣🟪💜")
"""For each colour its oval, diamond and wave."""
TEXTURES = "█▒░"
A_ROW = 4
"""Cards in a row of a picture."""


def card_name(board: np.ndarray, card: int) -> str:
    """Return the name of a card of Set: ``2GDS`` is two green striped diamonds."""
    (features,) = features_of(np.array([card]), int(board[DIMENSIONS]))
    return "".join(names[at][0].upper() for names, at in zip(FEATURE_NAMES, features, strict=False))


def cards_at(state: np.ndarray, place: int) -> list[int]:
    """Return the cards of Set at a place: in the deck, on the table, or gone."""
    return [int(card) for card in np.flatnonzero(state[PLACES:] == place)]


def _rows(cards: list[str], between: str) -> list[str]:
    return [between.join(cards[at : at + A_ROW]) for at in range(0, len(cards), A_ROW)]


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of Set as text: the table, the cards gone, those taken, and the mover.

    The stream of chance follows, except in the view of a seat, which has none.
    """
    shown, gone = (
        [card_name(board, card) for card in cards_at(state, place)] for place in (ON_TABLE, GONE)
    )
    stream = stream_line(state, "chance: ")
    lines = [*_rows(shown, " "), ""]
    lines += [f"gone: {' '.join(gone)}"] if gone else []
    lines.append(f"taken: {state[1]} to {state[2]}")
    lines += [stream] if stream else []
    return "\n".join([*lines, f"{SEATS[state[0]]} to move" if state[0] >= 0 else "over"])


TEXT = re.compile(
    r"(?P<shown>[^:]*?)(gone: (?P<gone>[^:]*) )?taken: (?P<first>\d\d?) to (?P<second>\d\d?) "
    r"(chance: (?P<chance>[0-9a-f]{16}) )?(?P<status>first to move|second to move|over)"
)


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of Set that a text shows. Any cards may be on the table.

    The text is of the form that :func:`text` returns.

    Raises:
        TournamentError: lines that are no position of this deck.
    """
    words = " ".join(picture.split())
    shown = TEXT.fullmatch(words)
    if shown:
        state = np.zeros(state_size(board), dtype=np.int16)
        numbers = {card_name(board, card): card for card in range(int(board[DECK]))}
        for where, place in (("shown", ON_TABLE), ("gone", GONE)):
            for name in (shown[where] or "").split():
                state[PLACES + numbers.get(name, 0)] = place
        state[1:HEADER] = int(shown["first"]), int(shown["second"])
        take_stream_line(shown["chance"] or "", state, "")
        state[0] = SEATS.index(shown["status"].split()[0]) if shown["status"] != "over" else -1
        if _may_be(board, state) and " ".join(text(board, state).split()) == words:
            return state
    raise TournamentError(
        f"not a position of this deck: {board[CARDS]} cards or more, such as "
        f"{card_name(board, 0)} (fewer once the deck is empty), an empty line, the cards gone, "
        "three for each set taken, such as 'taken: 0 to 0', and 'first to move', 'second to move' "
        "or 'over' are expected"
    )


def _may_be(board: np.ndarray, state: np.ndarray) -> bool:
    """Return whether a position of Set is possible.

    Cards and taken sets must agree, the table must be full, and the game over exactly if no set is
    left.
    """
    left, shown, gone = (count_cards(board, state, place) for place in (IN_DECK, ON_TABLE, GONE))
    is_over = left == 0 and count_sets(board, state) == 0
    is_full = left == 0 or shown >= board[CARDS]
    return is_full and gone == DEALT * state[1:HEADER].sum() and is_over == (state[0] < 0)


def emoji(board: np.ndarray, state: np.ndarray) -> str:
    """Return the table of Set as emoji: symbols, a tone for the texture, and each card's name."""
    dimensions = int(board[DIMENSIONS])
    cards = cards_at(state, ON_TABLE)
    rows = np.pad(features_of(np.array(cards, dtype=np.int64), dimensions), ((0, 0), (0, 2)))
    pictures = []
    for card, features in zip(cards, rows, strict=True):
        number, colour, shape, texture = (int(feature) for feature in features[:4])
        symbols = EMOJI[colour][shape] * (number + 1) + "  " * (2 - number)
        pictures.append(f"{symbols}{TEXTURES[texture]} {card_name(board, card)}")
    return "\n".join(_rows(pictures, "   "))


def describe(board: np.ndarray, action: int) -> str:
    """Return a set of Set in words, its cards and common features: ``1ROF 2ROF 3ROF, all red``."""
    if action == board[SETS]:
        return "deal three cards"
    cards = sets_of(board)[action]
    features = features_of(cards, int(board[DIMENSIONS]))
    alike = [
        names[values[0]]
        for names, values in zip(FEATURE_NAMES, features.T, strict=False)
        if values[0] == values[1]
    ]
    shown = " ".join(card_name(board, int(card)) for card in cards)
    return f"{shown}, all {' '.join(alike)}" if alike else f"{shown}, all different"
