"""Cat trap: a cat on hexagonal tiles runs for the rim, the other side blocks a tile each turn.

The cat begins in the middle of N x N tiles, of which some are blocked. The blocker blocks a free
tile, then the cat steps to a free tile beside it, and so on. On the rim the cat has escaped. A cat
is trapped if all tiles beside it are blocked (Chawla, Zertucheserna and Zhu, "Solving the cat trap
game", 2021).

Tiles are numbered row by row from the upper left corner, ``y * N + x``; odd rows stand half a tile
to the right. Actions: 0 to 5 are the cat's directions, then a tile each for the blocker.

State: header (seat 0 is the cat), the cat's tile, then a number per tile: 1 if it is blocked. A
text board shows free tiles as ``.``, blocked ones as ``#``::

    . . #
     . C .
    # . .

    blocker to move

Positions are edited as in the authors' program: tiles are blocked and freed while neither side
moves.
"""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.cat_trap.board import (
    BLOCKED,
    CAT,
    DIRECTIONS,
    GIVEN,
    LEAST,
    MOST,
    SEATS,
    SIZE,
    TILES,
    state_size,
    tile_named,
)
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import GAMMA, U32, mix
from tournaments.rules import HEADER

WAYS = 6

# --- the rules ---------------------------------------------------------------------------------


@kernel
def start(board, state, seed):
    """Set up cat trap: the cat in the middle, given or drawn blocks, the blocker to move."""
    tiles = board[TILES]
    state[:] = 0
    state[0] = 1
    state[CAT] = tiles // 2
    for tile in range(tiles):
        state[BLOCKED + tile] = board[GIVEN + tile]
    if board[MOST] > 0:
        stream = np.uint64(seed)
        stream += GAMMA
        left = board[LEAST] + below_of(mix(stream), board[MOST] - board[LEAST] + 1)
        while left > 0:
            stream += GAMMA
            tile = below_of(mix(stream), tiles)
            if tile != state[CAT] and state[BLOCKED + tile] == 0:
                state[BLOCKED + tile] = 1
                if ways_out(board, state) == 0:
                    state[BLOCKED + tile] = 0  # the game would be over
                else:
                    left -= 1


@kernel
def below_of(bits, limit):
    """Return a whole number in 0..limit-1 from 64 random bits."""
    return np.int64(((bits >> U32) * np.uint64(limit)) >> U32)


@kernel
def beside_cat(board, state, direction):
    """Return the tile beside the cat in a direction, in a position of cat trap."""
    return board[GIVEN + board[TILES] + WAYS * np.int64(state[CAT]) + direction]


@kernel
def ways_out(board, state):
    """Return the number of free tiles beside the cat of cat trap, which is not on the rim."""
    count = 0
    for direction in range(WAYS):
        count += state[BLOCKED + beside_cat(board, state, direction)] == 0
    return count


@kernel
def legal(board, state, actions):
    """List the legal actions of cat trap: the cat's directions to free tiles, or tiles to block.

    Returns:
        The number of actions.
    """
    count = 0
    if state[0] == 0:
        for direction in range(WAYS):
            actions[count] = direction
            count += state[BLOCKED + beside_cat(board, state, direction)] == 0
    else:
        for tile in range(board[TILES]):
            actions[count] = WAYS + tile
            count += state[BLOCKED + tile] == 0 and tile != state[CAT]
    return count


@kernel
def steps_to_rim(board, tile):
    """Return the number of steps from a tile of cat trap to the rim. Blocks do not count."""
    x = tile % board[SIZE]
    y = tile // board[SIZE]
    last = board[SIZE] - 1
    return min(min(x, last - x), min(y, last - y))


@kernel
def play(board, state, action):
    """Play an action of cat trap: a step of the cat, or a block.

    The game ends when the cat reaches the rim or has no free tile beside it.
    """
    if state[0] == 0:
        state[CAT] = beside_cat(board, state, action)
        state[0] = 1
        if steps_to_rim(board, state[CAT]) == 0:
            state[0] = -1
            state[1] = 1
    else:
        state[BLOCKED + action - WAYS] = 1
        state[0] = 0
        if ways_out(board, state) == 0:
            state[0] = -1
            state[2] = 1


@kernel
def measure(board, state):
    """Return the number of steps from the cat to the rim of cat trap. Blocks do not count."""
    return steps_to_rim(board, state[CAT])


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for cat trap, two per tile: has it the cat, is it blocked."""
    for tile in range(board[TILES]):
        inputs[tile] = tile == state[CAT]
        inputs[board[TILES] + tile] = state[BLOCKED + tile]


def rim_distances(board: np.ndarray) -> np.ndarray:
    """Return the number of steps from each tile of cat trap to the rim, int64 ``[T]``.

    Blocks do not count.
    """
    return np.array([steps_to_rim(board, tile) for tile in range(board[TILES])], dtype=np.int64)


# --- text --------------------------------------------------------------------------------------

EMOJI = str.maketrans(".#C", "🟡⚫🐱")


def _rows(board: np.ndarray, state: np.ndarray) -> list[str]:
    """Return a position of cat trap as the rows of its tiles, from the top, a letter a tile."""
    letters = "".join(".#"[blocked] for blocked in state[BLOCKED:])
    letters = f"{letters[: state[CAT]]}C{letters[state[CAT] + 1 :]}"
    size = int(board[SIZE])
    return [letters[first : first + size] for first in range(0, len(letters), size)]


def emoji(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of cat trap as emoji, without further text.

    A tile is two characters wide.
    """
    rows = (" " * (number % 2) + row for number, row in enumerate(_rows(board, state)))
    return "\n".join(rows).translate(EMOJI)


def rulers(board: np.ndarray) -> tuple[str, list[str]]:
    """Return the names of columns and rows of tiles of cat trap, to print beside a board."""
    numbers = range(int(board[SIZE]))
    return "".join(f"{x:<2}" for x in numbers), [str(y) for y in numbers]


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of cat trap as text: the tiles, then the seat to move or the result."""
    rows = [" " * (row % 2) + " ".join(line) for row, line in enumerate(_rows(board, state))]
    ended = "cat escaped" if state[1] else "cat trapped"
    return "\n".join([*rows, "", f"{SEATS[state[0]]} to move" if state[0] >= 0 else ended])


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of cat trap that a text shows. Any tiles may be blocked.

    The text is of the form that :func:`text` returns.

    Raises:
        TournamentError: lines that are not a position of this board.
    """
    *lines, status = [line.strip() for line in picture.strip().split("\n")]
    letters = "".join("".join(lines).split())
    state = np.zeros(state_size(board), dtype=np.int16)
    if len(letters) == board[TILES] and not set(letters) - {*".#C"} and letters.count("C") == 1:
        state[CAT] = letters.index("C")
        state[BLOCKED:] = [letter == "#" for letter in letters]
        state[1], state[2] = status == "cat escaped", status == "cat trapped"
        who = status.removesuffix(" to move")
        state[0] = SEATS.index(who) if who in SEATS else -1
        is_out = steps_to_rim(board, state[CAT]) == 0
        is_stuck = not is_out and ways_out(board, state) == 0 and state[0] != 1
        is_whole = text(board, state).split() == picture.split()
        if is_whole and (is_out, is_stuck) == (state[1] == 1, state[2] == 1):
            return state
    raise TournamentError(
        f"not a position of this board: {board[SIZE]} rows of as many tiles, '.', '#' and one 'C', "
        "an empty line and 'blocker to move', 'cat to move', 'cat escaped' (on the rim) or 'cat "
        "trapped' (all tiles beside it blocked) are expected"
    )


def edit(board: np.ndarray, state: np.ndarray, words: str) -> np.ndarray:
    """Return a position of cat trap with tiles blocked or freed, and the cat moved.

    ``words`` names tiles to turn and the cat's new tile: ``2:3 4:3 cat=3:3``. The turn stays. A cat
    without a free tile beside it is trapped, a cat on the rim has escaped.

    Raises:
        TournamentError: a word that is no tile, or the cat's tile.
    """
    size = int(board[SIZE])
    for word in words.split() or [""]:
        is_cat = word.startswith("cat=")
        tile = tile_named(word.removeprefix("cat="), size)
        if tile in (-1, state[CAT]):
            raise TournamentError(
                f"edit: {word!r} given; tiles such as 2:3, or cat=2:3 for the cat, are expected, "
                f"column and row from 0 to {size - 1}, except the cat's own tile"
            )
        if is_cat:
            state[CAT], state[BLOCKED + tile] = tile, 0
        else:
            state[BLOCKED + tile] ^= 1
    if steps_to_rim(board, state[CAT]) == 0:
        state[:HEADER] = -1, 1, 0
    elif ways_out(board, state) == 0:
        state[:HEADER] = -1, 0, 1
    return state


def describe(board: np.ndarray, action: int) -> str:
    """Return the name of an action of cat trap: a direction, or the blocked tile as ``3:0``."""
    if action < WAYS:
        return DIRECTIONS[action]
    y, x = divmod(action - WAYS, int(board[SIZE]))
    return f"{x}:{y}"
