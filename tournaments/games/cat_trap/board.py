"""The boards of the cat trap: the options of the game, and the constants of its rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.options import checked, option
from tournaments.rules import HEADER

SEATS = ("cat", "blocker")
SMALLEST, LARGEST = 3, 15
FEWEST_BLOCKS, MOST_BLOCKS = 0.067, 0.13
"""Of the tiles, that are blocked at the start."""
DIRECTIONS = ("right", "left", "up-right", "up-left", "down-right", "down-left")

# Places in the board array. Blocks are drawn where MOST is above 0: from LEAST to MOST of them.
# GIVEN has 1 for each tile that is blocked at the start; the table has the tile beside each tile in
# each direction, -1 beyond the rim.
SIZE, TILES, LEAST, MOST, GIVEN = 0, 1, 2, 3, 4
# Places in the state array, after the header: the cat's tile, then 1 for each blocked tile.
CAT, BLOCKED = HEADER, HEADER + 1


@dataclass(frozen=True)
class Options:
    """Options of the game.

    Attributes:
        size: rows, and tiles of a row; odd
        blocks: tiles that are blocked at the start: random, none or given, such as 0:3+6:6: columns
            and rows from the upper left corner, from 0
    """

    size: int = option(7, low=SMALLEST, high=LARGEST)
    blocks: str = option("random")


def make_board(**chosen: int | str) -> np.ndarray:
    """Return the constants of a game of cat trap, int16.

    Raises:
        TournamentError: options that make no game; the message says how to mend them.
    """
    options = checked(Options, "cat-trap: ", chosen)
    size = options.size
    if size % 2 == 0:
        raise TournamentError(
            f"cat-trap: size={size!r} given; an odd number from {SMALLEST} to {LARGEST} is expected"
        )
    tiles = size * size
    least = most = 0
    if options.blocks == "random":
        least, most = round(FEWEST_BLOCKS * tiles), round(MOST_BLOCKS * tiles)
    given = np.zeros(tiles, dtype=np.int16)
    given[_tiles(options)] = 1
    beside = _neighbours(size)
    if given[beside[tiles // 2]].all():
        raise _wrong(options, "the cat in the middle would be trapped at the start")
    return np.array([size, tiles, least, most, *given, *np.ravel(beside)], dtype=np.int16)


def _wrong(options: Options, why: str) -> TournamentError:
    return TournamentError(
        f"cat-trap: blocks={options.blocks} given; {why}: random, none, or tiles such as 0:3+6:6, "
        f"columns and rows from 0 to {options.size - 1}, except the middle one, are expected"
    )


def _tiles(options: Options) -> list[int]:
    """Return the tiles that the option ``blocks`` of cat trap names, by number."""
    if options.blocks in ("random", "none"):
        return []
    tiles = []
    for word in str(options.blocks).split("+"):
        tile = tile_named(word, options.size)
        if tile < 0:
            raise _wrong(options, f"{word!r} is no tile")
        tiles.append(tile)
    if options.size**2 // 2 in tiles:
        raise _wrong(options, "the cat stands on the middle tile")
    return tiles


def tile_named(word: str, size: int) -> int:
    """Return the number of a tile named by column and row, such as ``2:3``, or -1 if invalid."""
    x, _, y = word.partition(":")
    is_tile = x.isdecimal() and y.isdecimal() and max(int(x), int(y)) < size
    return int(y) * size + int(x) if is_tile else -1


def _neighbours(size: int) -> list[list[int]]:
    """Return the neighbours of each tile of cat trap by :data:`DIRECTIONS`; -1 beyond the rim.

    Odd rows are shifted right by half a tile.
    """
    rows = []
    for tile in range(size * size):
        y, x = divmod(tile, size)
        right = x + y % 2
        around = [(right - left, y + up) for up in (-1, 1) for left in (0, 1)]
        places = [(x + 1, y), (x - 1, y), *around]
        rows.append([b * size + a if 0 <= a < size and 0 <= b < size else -1 for a, b in places])
    return rows


def beside(board: np.ndarray) -> np.ndarray:
    """Return the tile next to each tile of cat trap in each direction, int16 ``[T, 6]``.

    -1 marks directions that leave the board.
    """
    return board[GIVEN + board[TILES] :].reshape(-1, len(DIRECTIONS))


def state_size(board: np.ndarray) -> int:
    """Return the length of a position of cat trap: the header, the cat's tile and all tiles."""
    return BLOCKED + int(board[TILES])


def num_actions(board: np.ndarray) -> int:
    """Return the number of actions of cat trap: the cat's six directions, then one per tile."""
    return len(DIRECTIONS) + int(board[TILES])
