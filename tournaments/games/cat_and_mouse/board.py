"""The boards of cat and mouse: the options of the game, and the constants of its rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import GAMMA, U32, below, mix
from tournaments.options import checked, option
from tournaments.rules import HEADER, MOST

SEATS = ("cat", "mouse")
ENDS = ("repetition", "move-limit")
RIGHT, LEFT, UP, DOWN = 0, 1, 2, 3
"""Actions, of a side's first piece."""
MOST_ROWS = 32
MOST_TURNS = 32_000
MOST_LIMIT = 16_000  # turns of the cat, half of them all
BITS = 15
"""Placements a word of the set of those seen: an int16 without its sign."""

# Places in the board array. Two numbers from STEPS_A_TURN on, two from NUMBER on: the cat's side,
# the mouse's. STARTS has -1 for a piece whose start is drawn. DUEL is 1 where one cat and one mouse
# make a step a turn: most games are that, and have kernels of their own. A_ROW serves to divide by
# the columns (:func:`place_of`). SETS has for each set of directions, as bits, how many they are,
# then the directions, rising (:func:`draw_direction`). The table has the cell on each side of each
# cell, -1 where none can be entered; after it, where a start is drawn, a number a cell, the same
# for cells that can reach each other, -1 for obstacles.
ROWS, COLS, CELLS, FIRST, LIMIT, SIDES = 0, 1, 2, 3, 4, 5
STEPS_A_TURN, NUMBER, STARTS, DUEL, A_ROW, SETS, TABLE = 6, 8, 10, 14, 15, 16, 96
SET = 5
"""Numbers a set of directions."""
SHIFT = 15
"""What :data:`A_ROW` is a fraction of, as a power of two."""
# Places in the state array, after the header.
TURNS, STEPS, PIECES = HEADER, HEADER + 1, HEADER + 2


@dataclass(frozen=True)
class Options:
    """Options of the game.

    Attributes:
        rows: rows of cells
        cols: columns of cells
        first: the side that moves first
        end: when the mouse wins
        limit: turns of the cat under move-limit; 0: 2 x (rows + cols)
        obstacles: cells that no piece enters, such as 2:3+4:4; or none
        cat_start: a cell for each cat, such as 0:0+6:0; corner: at the bottom; any: drawn
        mouse_start: a cell for each mouse; corner: at the top; any: drawn
        cat_steps: steps of the cat's side per turn
        mouse_steps: steps of the mouse's side per turn
        cats: number of cats
        mice: number of mice
    """

    rows: int = option(8, low=2, high=MOST_ROWS)
    cols: int = option(7, low=2, high=MOST_ROWS)
    first: str = option("cat", known=SEATS)
    end: str = option("repetition", known=ENDS)
    limit: int = option(0, low=0, high=MOST_LIMIT)
    obstacles: str = option("none")
    cat_start: str = option("corner")
    mouse_start: str = option("corner")
    cat_steps: int = option(1, low=1, high=2)
    mouse_steps: int = option(1, low=1, high=2)
    cats: int = option(1, low=1, high=2)
    mice: int = option(1, low=1, high=2)


def make_board(**given: int | str) -> np.ndarray:
    """Return the constants of a game of cat and mouse, int16.

    Raises:
        TournamentError: options that make no game; the message says how to mend them.
    """
    options = checked(Options, "cat-and-mouse: ", given)
    if options.limit and options.end != ENDS[1]:
        raise _wrong(f"limit={options.limit}", "it takes end=move-limit: set it or omit limit")
    walls = set() if options.obstacles == "none" else set(_cells(options, "obstacles"))
    neighbours = _neighbours(options, walls)
    cats, mice = _starts(options, "cat_start", walls), _starts(options, "mouse_start", walls)
    regions = _regions(neighbours)
    _check_placement(options, cats, mice, regions)
    table = np.ravel(neighbours)
    drawn = regions if min(cats + mice) < 0 else []
    board = np.zeros(TABLE + len(table) + len(drawn), dtype=np.int16)
    ones = (options.cats, options.mice, options.cat_steps, options.mouse_steps)
    board[:TABLE] = (
        *(options.rows, options.cols, len(neighbours), SEATS.index(options.first)),
        (options.limit or 2 * (options.rows + options.cols)) if options.end == ENDS[1] else 0,
        # On a chequered board the placement tells who moves, unless a turn takes two steps.
        2 if 2 in (options.cat_steps, options.mouse_steps) else 1,
        *(options.cat_steps, options.mouse_steps, options.cats, options.mice),
        *[*cats, *mice, 0, 0][:4],
        *(int(max(ones) == 1), (1 << SHIFT) // options.cols + 1, *_sets()),
    )
    board[TABLE:] = [*table, *drawn]
    if drawn and not _can_be_drawn(board):
        raise _wrong(
            f"cat_start={options.cat_start}, mouse_start={options.mouse_start}",
            "no placement is left to be drawn: leave more free cells, or give the starts",
        )
    if state_size(board) > MOST:
        raise _wrong(
            f"{options.rows}x{options.cols} with {len(cats) + len(mice)} pieces",
            f"the placements seen take {state_size(board)} words of a state, at most {MOST} fit; "
            "choose a smaller board, or end=move-limit, which keeps none",
        )
    return board


def _sets() -> list[int]:
    """Return all 16 sets of directions: of each the number of members and the members."""
    sets = []
    for bits in range(16):
        members = [direction for direction in range(4) if bits >> direction & 1]
        sets += [len(members), *members, *[0] * (4 - len(members))]
    return sets


def _wrong(given: str, expected: str) -> TournamentError:
    return TournamentError(f"cat-and-mouse: {given} given; {expected}")


def _cells(options: Options, name: str) -> list[int]:
    """Return the cells that an option of cat and mouse names, such as ``0:0+2:3``, by number."""
    text = str(getattr(options, name))
    cells = []
    for word in text.split("+"):
        cell = re.fullmatch(r"\s*(\d+):(\d+)\s*", word, re.ASCII)
        if cell is None:
            raise _wrong(f"{name}={text!r}", "cells such as 0:0 or 2:3+4:4 are expected, x:y")
        x, y = int(cell[1]), int(cell[2])
        if x >= options.cols or y >= options.rows:
            last = f"{options.cols - 1}:{options.rows - 1}"
            raise _wrong(f"{name}={text}", f"{x}:{y} is not on the board, which goes to {last}")
        cells.append(y * options.cols + x)
    return cells


def _starts(options: Options, name: str, walls: set[int]) -> list[int]:
    """Return the cells on which the cats or the mice start, -1 for a start that is drawn.

    Args:
        options: the options of the game.
        name: ``cat_start`` or ``mouse_start``.
        walls: the cells with obstacles.
    """
    is_cat = name == "cat_start"
    number = options.cats if is_cat else options.mice
    top, right = (options.rows - 1) * options.cols, options.cols - 1
    corners = [0, right] if is_cat else [top + right, top]
    given = getattr(options, name)
    if given == "any":
        return [-1] * number
    cells = corners[:number] if given == "corner" else _cells(options, name)
    if len(cells) != number:
        raise _wrong(f"{name}={given}", f"one cell for each of {number} pieces is expected")
    for cell in cells:
        if cell in walls:
            place = f"{cell % options.cols}:{cell // options.cols}"
            raise _wrong(f"{name}={given}", f"an obstacle stands on {place}; choose another cell")
    return cells


def _neighbours(options: Options, walls: set[int]) -> list[list[int]]:
    """Return the cells right, left, up and down of each cell of cat and mouse; -1 if closed."""
    rows, cols = options.rows, options.cols
    beside = []
    for y, x in product(range(rows), range(cols)):
        places = ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1))
        cells = [b * cols + a if 0 <= a < cols and 0 <= b < rows else -1 for a, b in places]
        free = y * cols + x not in walls
        beside.append([cell if free and cell not in walls else -1 for cell in cells])
    return beside


def _check_placement(
    options: Options, cats: list[int], mice: list[int], regions: list[int]
) -> None:
    starts = f"cat_start={options.cat_start}, mouse_start={options.mouse_start}"
    given = {*cats, *mice} - {-1}
    if set(cats) & set(mice) & given:
        raise _wrong(starts, "cat and mouse must start apart")
    if len({regions[cell] for cell in given}) > 1:
        all_given = f"{starts}, obstacles={options.obstacles}"
        raise _wrong(all_given, "every piece must be able to reach the others; open a way")


def _regions(neighbours: list[list[int]]) -> list[int]:
    """Return a number per cell of cat and mouse, equal for cells that can reach each other.

    Obstacles have -1. ``neighbours`` has the cells beside each cell.
    """
    regions = [-1] * len(neighbours)
    for first, cells in enumerate(neighbours):
        waiting = [first] if max(cells) >= 0 and regions[first] < 0 else []
        while waiting:
            cell = waiting.pop()
            regions[cell] = first
            waiting += [other for other in neighbours[cell] if other >= 0 and regions[other] < 0]
    return regions


def beside(board: np.ndarray) -> np.ndarray:
    """Return the cells right, left, above and below each cell of cat and mouse.

    They are int16 ``[cells, 4]``. -1 marks a direction that the edge of the board or an
    obstacle closes.
    """
    return board[TABLE : TABLE + 4 * board[CELLS]].reshape(-1, 4)


# --- what the kernels look up ------------------------------------------------------------------
# An unsigned index is not checked for counting from the end.


@kernel
def place_of(board, cell):
    """Return the x and y of a cell of cat and mouse.

    The quotient is exact for cells below 2^15 / columns: one multiplication, where a division would
    take longer than the rest of a move.
    """
    y = (np.int64(cell) * board[A_ROW]) >> SHIFT
    return cell - y * board[COLS], y


@kernel
def free_directions(board, cell):
    """Return the directions in which a piece of cat and mouse can leave a cell, as four bits."""
    first = np.uint64(TABLE + 4 * np.int64(cell))
    directions = np.int64(0)
    for direction in range(np.uint64(4)):
        directions |= np.int64(board[first + direction] >= 0) << np.int64(direction)
    return directions


@kernel
def draw_direction(board, directions, stream):
    """Draw a member of a set of directions (four bits), all equally likely.

    The set must not be empty.
    """
    first = np.uint64(SETS + SET * directions)
    number = below(stream, board[first])
    return np.int64(board[first + np.uint64(1 + number)])


@kernel
def seen_before(board, state):
    """Return whether a placement of cat and mouse occurred earlier, and mark it as seen.

    The side to move counts, too. The marks are in ``state``.
    """
    pieces = np.int64(2)
    if board[DUEL]:
        number = np.int64(state[PIECES]) * board[CELLS] + state[PIECES + 1]
    else:
        number = np.int64(0)
        pieces = np.int64(board[NUMBER] + board[NUMBER + 1])
        for piece in range(pieces):
            number = number * board[CELLS] + max(state[PIECES + piece], 0)
        number = number * board[SIDES] + (state[0] if board[SIDES] == 2 else 0)
    word = np.uint64(PIECES + pieces) + np.uint64(number) // np.uint64(BITS)
    mark = 1 << np.int64(np.uint64(number) % np.uint64(BITS))
    before = state[word]
    state[word] = before | mark
    return before & mark != 0


# --- starts that are drawn ---------------------------------------------------------------------


@kernel
def draw_starts(board, state, seed):
    """Draw the start cells of cat and mouse that are not given, until :func:`may_start` holds."""
    placed = False
    while not placed:
        for piece in range(board[NUMBER] + board[NUMBER + 1]):
            if board[STARTS + piece] < 0:
                seed += GAMMA
                number = ((mix(seed) >> U32) * np.uint64(board[CELLS])) >> U32
                state[PIECES + piece] = np.int64(number)
        placed = may_start(board, state)


@kernel
def may_start(board, state):
    """Return whether a game of cat and mouse may start from the cells that were drawn.

    Drawn pieces share no cell with others, and all pieces can reach each other. One cat and one
    mouse that make one step a turn stand as in opposite corners by chess colour, since the colours
    decide who can win.
    """
    pieces = board[NUMBER] + board[NUMBER + 1]
    regions = TABLE + 4 * board[CELLS]
    fits = board[regions + state[PIECES]] >= 0
    for piece in range(1, pieces):
        fits = fits and board[regions + state[PIECES + piece]] == board[regions + state[PIECES]]
        for other in range(piece):
            is_drawn = board[STARTS + piece] < 0 or board[STARTS + other] < 0
            shared = state[PIECES + piece] == state[PIECES + other]
            fits = fits and not (is_drawn and shared)
    colours = board[ROWS] + board[COLS]
    for piece in range(pieces):
        cell = state[PIECES + piece]
        colours += cell // board[COLS] + cell % board[COLS]
    return fits and (colours % 2 == 0 or pieces > 2 or board[SIDES] == 2)


def _can_be_drawn(board: np.ndarray) -> bool:
    """Return whether :func:`may_start` allows any start of cat and mouse, so that one can be drawn.

    A few cells of each region and colour are tried.
    """
    cells, cols = int(board[CELLS]), int(board[COLS])
    kinds: dict[tuple[int, int], list[int]] = {}
    for cell, region in enumerate(board[TABLE + 4 * cells :].tolist()):
        if region >= 0:
            kinds.setdefault((region, (cell // cols + cell % cols) % 2), []).append(cell)
    some = [cell for same in kinds.values() for cell in same[: num_pieces(board) + 1]]
    state = np.zeros(PIECES + num_pieces(board), dtype=np.int16)
    starts = board[STARTS : STARTS + num_pieces(board)].tolist()
    for placement in product(*([cell] if cell >= 0 else some for cell in starts)):
        state[PIECES:] = placement
        if may_start(board, state):
            return True
    return False


def state_size(board: np.ndarray) -> int:
    """Return the length of a position of cat and mouse.

    Under a move limit it has no set of the placements seen.
    """
    placements = 0 if board[LIMIT] else int(board[SIDES]) * int(board[CELLS]) ** num_pieces(board)
    return PIECES + num_pieces(board) + -(-placements // BITS)


def num_actions(board: np.ndarray) -> int:
    return 4 * int(max(board[NUMBER], board[NUMBER + 1]))


def num_pieces(board: np.ndarray) -> int:
    return int(board[NUMBER] + board[NUMBER + 1])
