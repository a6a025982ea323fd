"""Dots and boxes, in the form without the duty to complete boxes.

Two players in turn join two neighbouring dots. A player who draws the fourth side of a box scores
the box and moves again, only once if two boxes close at the same time. Completing a box is
optional. The game ends when all edges are drawn. The player with more boxes wins. On a board with
an even number of boxes a tie is possible (Weaver and Bossomaier 1998, section 2.1; Nowakowski
1991).

Rows R and columns C count boxes. Actions are edges, horizontal ones first, row by row, then
vertical ones, row by row: ``h(r, c) = r*C + c`` and ``v(r, c) = (R+1)*C + r*(C+1) + c``.

State: header, moves left, one int16 an edge (1: drawn), one int16 a box (sides drawn), one for the
rim, which replaces the box that an outer edge lacks. Nothing in it is a bit mask, so boards
may have any number of edges.

A text board draws each dot as ``.``, each drawn edge as ``-`` or ``|``, and ends in a line with the
seat to move and the scores, which the edges alone do not determine::

    .-. . .
    |
    . .-. .
      | |
    . . . .

    second to move, first 0, second 0
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.bitset import WORD, bit
from tournaments.kernels.linker import kernel
from tournaments.options import checked, option
from tournaments.rules import HEADER, Symmetries

SEATS = ("first", "second")
MOST_SOLVED = 24
"""Edges of the largest board that is solved: 2^24 edge sets, one byte each."""

# Places in the board array.
ROWS, COLS, EDGES, BOXES, TABLE = 0, 1, 2, 3, 4
# Places in the state array, after the header.
LEFT, DRAWN = HEADER, HEADER + 1
NEVER = -20_000
"""Sides of the rim at the start: it is counted like a box, and never comes to four."""


# --- the board ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """The options of the game."""

    rows: int = option(3, "rows of boxes", 1)
    cols: int = option(3, "columns of boxes", 1)


def make_board(**chosen: int) -> np.ndarray:
    """Return the constants of a board of dots and boxes, int16.

    They are R, C, edges, boxes, then for each edge its two boxes. An edge on the rim has one box,
    and the rim, number R*C, in place of the other.
    """
    options = checked(Options, "dots-and-boxes: ", chosen)
    rows, cols = options.rows, options.cols
    edges = 2 * rows * cols + rows + cols
    if edges > 16_000:
        raise TournamentError(
            f"dots-and-boxes: {rows}x{cols} boxes have {edges} edges; at most 16000 are allowed"
        )
    rim = rows * cols
    board = np.full(TABLE + 2 * edges, rim, dtype=np.int16)
    board[:TABLE] = rows, cols, edges, rows * cols
    for box, sides in enumerate(box_edges(rows, cols)):
        for edge in sides:
            free = TABLE + 2 * edge
            board[free + (board[free] < rim)] = box
    return board


def box_edges(rows: int, cols: int) -> list[list[int]]:
    """Return the edges of each box of dots and boxes, row by row: top, bottom, left, right."""
    row, col = np.divmod(np.arange(rows * cols), cols)
    top, left = row * cols + col, (rows + 1) * cols + row * (cols + 1) + col
    return np.column_stack([top, top + cols, left, left + 1]).tolist()


def state_size(board: np.ndarray) -> int:
    return int(DRAWN + board[EDGES] + board[BOXES] + 1)


def num_edges(board: np.ndarray) -> int:
    return int(board[EDGES])


def num_boxes(board: np.ndarray) -> int:
    return int(board[BOXES])


# --- the rules ---------------------------------------------------------------------------------


@kernel
def start(board, state, seed):
    """Set up dots and boxes: no edge is drawn, and the first seat is to move."""
    state[:] = 0
    state[LEFT] = board[EDGES]
    state[DRAWN + board[EDGES] + board[BOXES]] = NEVER


@kernel
def legal(board, state, actions):
    """List the legal actions of dots and boxes, the edges that are not drawn; return the number."""
    count = 0
    for edge in range(board[EDGES]):
        actions[count] = edge
        count += state[DRAWN + edge] == 0  # no branch: which edges are drawn cannot be foretold
    return count


@kernel
def legal_set(board, state, words):
    """Write the legal edges of dots and boxes into ``words`` as a set of bits.

    Returns:
        The number of legal edges.
    """
    for index in range(words.size):
        first = WORD * index
        word = np.uint64(0)
        for edge in range(first, min(first + WORD, board[EDGES])):
            word |= np.uint64(state[DRAWN + edge] == 0) << np.uint64(edge - first)
        words[index] = word
    return state[LEFT]


@kernel
def legal_set_change(board, state, edge, words):
    """Remove the edge that was drawn from a set of legal edges of dots and boxes.

    Returns:
        The number of legal edges.
    """
    words[edge // WORD] &= ~bit(edge)
    return state[LEFT]


@kernel
def play(board, state, edge):
    """Draw an edge in dots and boxes, and score the boxes that it closes.

    The turn passes unless the edge closes a box.
    """
    state[DRAWN + edge] = 1
    state[LEFT] -= 1
    one = DRAWN + board[EDGES] + board[TABLE + 2 * edge]
    two = DRAWN + board[EDGES] + board[TABLE + 2 * edge + 1]
    state[one] += 1
    state[two] += 1
    closed = int(state[one] == 4) + int(state[two] == 4)
    seat = state[0]
    state[1 + seat] += closed
    state[0] = seat if closed > 0 else 1 - seat
    if state[LEFT] == 0:
        state[0] = -1


@kernel
def encode(board, state, inputs):
    """Write the inputs of a network for dots and boxes, one per edge: 0 undrawn, 1 drawn.

    Section 3.2.
    """
    for edge in range(board[EDGES]):
        inputs[edge] = state[DRAWN + edge]


@kernel
def encode_change(board, state, edge, before, inputs, changed):
    """Update a network's inputs for dots and boxes after an edge was drawn: its own input alone.

    ``changed`` gets the numbers of the changed inputs.

    Returns:
        The number of changed inputs, 1.
    """
    inputs[edge] = 1
    changed[0] = edge
    return 1


# --- exact values ------------------------------------------------------------------------------


@kernel
def position(board, state):
    """Return the set of drawn edges of dots and boxes as a number: bit e for edge e.

    Boards have up to 24 edges.
    """
    number = np.int64(0)
    for edge in range(board[EDGES]):
        number |= np.int64(state[DRAWN + edge]) << edge
    return number


@kernel
def action_value(board, state, number, edge, values, scratch):
    """Return the value of drawing an edge in dots and boxes, in net boxes from now on.

    It is the number of boxes that the edge closes, plus the gain after the move. One expression, no
    branch: it would be guessed wrong, and wait for the table each time.

    Args:
        board: the constants of the game.
        state: the position.
        number: the position's edge set, see :func:`position`.
        edge: the edge to draw.
        values: the value of each edge set for the seat to move.
        scratch: not used.
    """
    sides = DRAWN + board[EDGES]
    one = state[sides + board[TABLE + 2 * edge]]
    two = state[sides + board[TABLE + 2 * edge + 1]]
    closed = int(one == 3) + int(two == 3)
    moves_on = int(closed > 0)
    return closed + (2 * moves_on - 1) * int(values[number | (np.int64(1) << edge)])


def num_positions(board: np.ndarray) -> int:
    """Return the number of positions of dots and boxes, as edge sets, in a table of the board.

    Raises:
        TournamentError: the board has more than 24 edges.
    """
    edges = int(board[EDGES])
    if edges > MOST_SOLVED:
        raise TournamentError(
            f"dots-and-boxes {board[ROWS]}x{board[COLS]} has {edges} edges and cannot be solved "
            f"here: perfect play takes boards of up to {MOST_SOLVED} edges, such as 3x3 or 2x4 "
            "boxes. Leave 'optimal' out, or take a smaller board"
        )
    return 1 << edges


@kernel
def closed_by(board, walls, after, edge):
    """Return the number of boxes (0, 1 or 2) that an edge of dots and boxes closes.

    Args:
        board: the constants of the game.
        walls: the edge set of each box.
        after: the edge set after the edge was drawn.
        edge: the edge.
    """
    one = walls[board[TABLE + 2 * edge]]
    two = walls[board[TABLE + 2 * edge + 1]]
    return np.int64(after & one == one) + np.int64(after & two == two)


@kernel
def solve(board, values, scratch):
    """Compute the value of each edge set of dots and boxes under best play.

    A value is the number of boxes that the seat to move makes from here on, less the other's. Boxes
    scored before do not count, so the edge set alone determines it. Backward induction goes from
    the fullest edge set to the emptiest; ``values`` is filled in place.
    """
    edges = board[EDGES]
    boxes = board[BOXES]
    walls = scratch[: boxes + 1]  # each box's edges, as a set
    walls[:] = 0
    for edge in range(edges):
        for side in range(2):
            walls[board[TABLE + 2 * edge + side]] |= 1 << edge
    walls[boxes] = -1  # the rim never closes
    values[values.size - 1] = 0
    for drawn in range(values.size - 2, -1, -1):
        best = -128
        for edge in range(edges):
            after = drawn | (1 << edge)
            if after != drawn:
                closed = closed_by(board, walls, after, edge)
                value = closed + values[after] if closed > 0 else -values[after]
                best = max(best, value)
        values[drawn] = best


# --- text --------------------------------------------------------------------------------------


def place_of(board: np.ndarray, edge: int) -> tuple[int, int]:
    """Return the row and column of an edge's letter in a text of dots and boxes.

    The unit is half an edge.
    """
    cols, vertical = int(board[COLS]), int((board[ROWS] + 1) * board[COLS])
    if edge < vertical:
        return 2 * (edge // cols), 2 * (edge % cols) + 1
    row, col = divmod(edge - vertical, cols + 1)
    return 2 * row + 1, 2 * col


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of dots and boxes as text: the board, the seat to move, the scores."""
    letters = np.full((2 * board[ROWS] + 1, 2 * board[COLS] + 1), " ")
    letters[::2, ::2] = "."
    for edge in np.flatnonzero(state[DRAWN : DRAWN + board[EDGES]]).tolist():
        y, x = place_of(board, edge)
        letters[y, x] = "-|"[y % 2]
    mover = f"{SEATS[state[0]]} to move" if state[0] >= 0 else "over"
    scores = ", ".join(f"{seat} {state[1 + s]}" for s, seat in enumerate(SEATS))
    return "\n".join([*("".join(row).rstrip() for row in letters), "", f"{mover}, {scores}"])


def rulers(board: np.ndarray) -> tuple[str, list[str]]:
    """Return the labels above and to the left of a picture of a board of dots and boxes.

    The labels above number the columns of dots from 0. A line of dots and the line of vertical
    edges below it have the same number, as in names of edges such as ``h(0,1)`` and ``v(0,1)``.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    top = "".join(f"{col:<2}" for col in range(cols + 1))
    return top, [str(line // 2) for line in range(2 * rows + 1)]


_STATUS = re.compile(r"(first to move|second to move|over), first (\d+), second (\d+)")


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of dots and boxes that a text shows.

    The text is of the form that :func:`text` returns.

    Raises:
        TournamentError: a line that does not fit the board, or scores that do not add up.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    *lines, last = [line.rstrip() for line in picture.strip("\n").split("\n")]
    status = _STATUS.fullmatch(last.strip())
    state = np.zeros(state_size(board), dtype=np.int16)
    start(board, state, 0)
    for edge in range(board[EDGES]):
        y, x = place_of(board, edge)
        if y < len(lines) and lines[y][x : x + 1] in ("-", "|"):
            state[0] = 0
            play(board, state, edge)
    closed = int(state[1] + state[2])
    if status is not None:
        state[0] = {"first to move": 0, "second to move": 1, "over": -1}[status[1]]
        state[1:HEADER] = int(status[2]), int(status[3])
    shown = [line for line in text(board, state).split("\n")[:-1] if line]
    if status is None or [line for line in lines if line] != shown:
        raise TournamentError(
            f"not a {rows}x{cols} board: {2 * rows + 1} lines of dots and edges and a last line "
            "such as 'first to move, first 0, second 0' are expected"
        )
    if state[1] + state[2] != closed or (state[0] < 0) != (state[LEFT] == 0):
        raise TournamentError(
            f"{last.strip()!r} does not fit the board above it: {closed} boxes are closed and "
            f"{state[LEFT]} edges are left"
        )
    return state


def describe(board: np.ndarray, edge: int) -> str:
    """Return the name of an edge of dots and boxes.

    ``h(0,1)`` is the second horizontal edge of the top row.
    """
    y, x = place_of(board, edge)
    return f"{'hv'[y % 2]}({y // 2},{x // 2})"


# --- symmetries ----------------------------------------------------------------------------------


def symmetries(board: np.ndarray) -> Symmetries:
    """Return the symmetries of dots and boxes: permutations of the edges and of the boxes.

    Edges are inputs and actions of a network, boxes are its hidden nodes. A board with unequal
    sides has four symmetries, a square board has eight.
    """
    rows, cols = int(board[ROWS]), int(board[COLS])
    shape = 2 * rows + 1, 2 * cols + 1  # in half edges, so that middles are whole numbers
    edges = _moved([place_of(board, edge) for edge in range(board[EDGES])], shape)
    boxes = _moved([(2 * r + 1, 2 * c + 1) for r in range(rows) for c in range(cols)], shape)
    return Symmetries(edges, boxes, edges)


def _moved(places: list[tuple[int, int]], shape: tuple[int, int]) -> np.ndarray:
    """Return to which place each symmetry of a board takes each place, int64 ``[K, places]``.

    ``places`` are the rows and columns of points, ``shape`` is the board's number of rows and
    columns.
    """
    y, x = np.array(places).T
    numbers = np.zeros(shape, dtype=np.int64)
    numbers[y, x] = np.arange(len(places))
    maps = [numbers, numbers[:, ::-1], numbers[::-1], numbers[::-1, ::-1]]
    if shape[0] == shape[1]:
        maps += [turned.T for turned in maps]
    return np.array([turned[y, x] for turned in maps])
