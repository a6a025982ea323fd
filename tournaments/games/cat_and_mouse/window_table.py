"""The window table of cat and mouse: for boards of any size, for either seat.

It is that of Kennedy's second study ("Using Optimization to Solve Adversarial Problems", version
2). Where cat and mouse fit into a window of 3x3 cells there is a gene for their places in it and
for the edges of the board that it touches: 3^6 = 729. The window begins at the lesser coordinate of
the two, or as far towards it as the board allows. Elsewhere the *far rule* moves:

* ``larger-axis`` and ``euclidean``: the step after which the squared Euclidean distance is least
  (for the mouse: greatest). For a cat that is a step along the larger axis. Of two equal steps the
  first takes the vertical one, as the study does, the second the one with the lower action.
* ``table``: a second table, of 3^8 = 6,561 genes, over the properties that the source lists.

A digit of a gene is 0, 1 or 2. The table of one board fits all others: a gene has the same alleles
everywhere, as the edges that its mover stands on are part of it.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_and_mouse.board import (
    CELLS,
    COLS,
    MOST_ROWS,
    NUMBER,
    PIECES,
    ROWS,
    TABLE,
    beside,
    make_board,
    place_of,
)
from tournaments.kernels.linker import build, kernel
from tournaments.players.table import Tables
from tournaments.rules import TableForm, TableOptions

SIDE = 3
"""Cells of the window, either way; and what a digit can be."""
INSIDE, LOW_EDGE, HIGH_EDGE = 0, 1, 2
WINDOW_GENES, FAR_GENES = SIDE**6, SIDE**8
LEAST_SIDE, WIDEST_SIDE = 4, 7
"""Rows and columns of the smallest board, whose windows never touch two opposite edges, and of the
largest that has genes of its own."""
FAR_RULES = ("larger-axis", "euclidean", "table")
LARGER_AXIS, EUCLIDEAN, FAR_TABLE = 0, 1, 2
FAR = 2
"""Where the layout has the far rule."""
NOWHERE = np.int64(-2 * MOST_ROWS)
"""A cell that no step leads to."""


@kernel
def choose_by_window(board, state, parameters, row, memory, stream):
    """Return the action of a window table in cat and mouse.

    It is the table's action for the window with both pieces. If they are too far apart for a
    window, the far rule decides.
    """
    return action_of(board, state[0], state[PIECES], state[PIECES + 1], parameters, row)


@kernel
def action_of(board, seat, cat, mouse, parameters, row):
    """Return the action of a window table for a placement of the cat and the mouse.

    ``row`` is the player's row of ``parameters``.
    """
    cat_x, cat_y = place_of(board, cat)
    mouse_x, mouse_y = place_of(board, mouse)
    across, along = mouse_x - cat_x, mouse_y - cat_y
    is_near = abs(across) < SIDE and abs(along) < SIDE
    if is_near or parameters.layout[FAR] == FAR_TABLE:
        gene = parameters.layout[np.uint64(seat)] + gene_of(board, seat, cat, mouse)
        return np.int64(parameters.tables[np.uint64(row), np.uint64(gene)])
    here = cat if seat == 0 else mouse
    return greedy_step(board, here, across, along, parameters.layout[FAR] == LARGER_AXIS)


@kernel
def gene_of(board, seat, cat, mouse):
    """Return the gene of a window table for a placement of the cat and the mouse.

    If no window holds both pieces, it is a gene of the far table.
    """
    cols, rows = np.int64(board[COLS]), np.int64(board[ROWS])
    cat_x, cat_y = place_of(board, cat)
    mouse_x, mouse_y = place_of(board, mouse)
    across, along = mouse_x - cat_x, mouse_y - cat_y
    if abs(across) < SIDE and abs(along) < SIDE:
        left, side = window(cat_x, mouse_x, cols)
        bottom, end = window(cat_y, mouse_y, rows)
        gene = (cat_x - left) * SIDE + cat_y - bottom
        gene = (gene * SIDE + mouse_x - left) * SIDE + mouse_y - bottom
        return (gene * SIDE + side) * SIDE + end
    on_x, near_x = place_along(mouse_x, cols)
    on_y, near_y = place_along(mouse_y, rows)
    own_x, _ = place_along(cat_x if seat == 0 else mouse_x, cols)
    own_y, _ = place_along(cat_y if seat == 0 else mouse_y, rows)
    gene = (1 + sign(along)) * SIDE + 1 + sign(across)
    gene = gene * SIDE + 1 + sign(abs(across) - abs(along))
    gene = gene * SIDE + (on_x != INSIDE) + (on_y != INSIDE)
    gene = ((gene * SIDE + near_x) * SIDE + near_y) * SIDE + own_x
    return WINDOW_GENES + gene * SIDE + own_y


@kernel
def window(cat, mouse, size):
    """Return where the window around cat and mouse begins along one axis, and the edge it touches.

    Args:
        cat: the cat's place along the axis.
        mouse: the mouse's place.
        size: the number of cells of the board along the axis.
    """
    begin = min(cat, mouse, size - SIDE)
    if begin == 0:
        return begin, LOW_EDGE
    return begin, HIGH_EDGE if begin == size - SIDE else INSIDE


@kernel
def place_along(place, size):
    """Return the edge of the board at a place along one axis, and the edge one step away.

    Each is LOW_EDGE, HIGH_EDGE or, if there is no edge, INSIDE. ``size`` is the number of cells
    along the axis.
    """
    on = LOW_EDGE if place == 0 else (HIGH_EDGE if place == size - 1 else INSIDE)
    near = LOW_EDGE if place == 1 else (HIGH_EDGE if place == size - 2 else INSIDE)
    return on, near


@kernel
def sign(number):
    """Return the sign of a number: -1, 0 or 1."""
    return np.int64(number > 0) - np.int64(number < 0)


@kernel
def greedy_step(board, here, across, along, vertical_first):
    """Return the step towards the mouse (for a cat) or away from the cat (for a mouse).

    A step changes the squared distance by 1 and twice the distance of the pieces along its axis. So
    the step goes along the axis on which the pieces are farther apart, if the cell is free. Of
    equal steps the first counts.

    Args:
        board: the constants of the game.
        here: the mover's cell.
        across: how far the mouse is to the right of the cat.
        along: how far the mouse is above the cat.
        vertical_first: whether vertical steps come first.
    """
    first = np.uint64(TABLE + 4 * np.int64(here))
    best = NOWHERE
    chosen = np.int64(-1)
    for number in range(4):
        action = number ^ 2 if vertical_first else number
        worth = along if action >= 2 else across
        worth = -worth if action & 1 else worth
        worth = worth if board[first + np.uint64(action)] >= 0 else NOWHERE
        chosen = np.int64(action) if worth > best else chosen
        best = max(worth, best)
    return chosen


@kernel
def fill_policy(board, seat, parameters, policy):
    """Fill a policy of cat and mouse with the actions of a window table, row 0 of ``parameters``.

    ``policy`` is int8 ``[cells, cells]``. It gets 0 where both pieces are in one cell.
    """
    for cat in range(policy.shape[0]):
        for mouse in range(policy.shape[1]):
            policy[cat, mouse] = 0
            if cat != mouse:
                policy[cat, mouse] = action_of(board, seat, cat, mouse, parameters, 0)


def window_genes(game: Game, options: TableOptions) -> int:
    """Return the number of genes of a window table of one seat in cat and mouse.

    It is 729, or 7,290 with a table for the far rule.

    Raises:
        TournamentError: a board under 4x4 cells, with obstacles, or more than one piece a side.
    """
    board = game.board
    rows, cols = int(board[ROWS]), int(board[COLS])
    if min(rows, cols) < LEAST_SIDE:
        reason = f"boards from {LEAST_SIDE}x{LEAST_SIDE} cells"
    elif max(board[NUMBER], board[NUMBER + 1]) > 1:
        reason = "one cat and one mouse"
    elif (beside(board).max(axis=1) < 0).any():
        reason = "boards without obstacles"
    else:
        return WINDOW_GENES + (FAR_GENES if options["far"] == FAR_RULES[FAR_TABLE] else 0)
    raise TournamentError(
        f"{game.spec} has no window-table, which is for {reason}; a position-table is for any"
    )


def window_legal(game: Game, seat: int, options: TableOptions) -> np.ndarray:
    """Return the legal steps of each gene of a window table of cat and mouse, bool ``[G, 4]``.

    They are the same on every board.
    """
    legal = _legal(seat)
    return legal if options["far"] == FAR_RULES[FAR_TABLE] else legal[:WINDOW_GENES]


@cache
def _legal(seat: int) -> np.ndarray:
    """Return the legal steps of all genes of window tables of a seat, bool ``[7290, 4]``.

    They are those on the boards of up to 7x7 cells; larger ones have no further genes.
    """
    legal = np.zeros((WINDOW_GENES + FAR_GENES, 4), dtype=np.bool_)
    for rows, cols in product(range(LEAST_SIDE, WIDEST_SIDE + 1), repeat=2):
        build(note_legal)(make_board(rows=rows, cols=cols), np.int64(seat), legal)
    return legal


@kernel
def note_legal(board, seat, legal):
    """Mark in ``legal`` (``[G, 4]``) the legal steps of the genes that a board has.

    A gene is a situation of a window table of cat and mouse.
    """
    for cat in range(board[CELLS]):
        for mouse in range(board[CELLS]):
            if cat != mouse:
                gene = gene_of(board, seat, cat, mouse)
                first = TABLE + 4 * (cat if seat == 0 else mouse)
                for action in range(4):
                    legal[gene, action] = board[first + action] >= 0


# --- what else the form says --------------------------------------------------------------------


def _constants(options: TableOptions) -> tuple[int, ...]:
    return (FAR_RULES.index(options["far"]),)


def window_policy(game: Game, seat: int, table: np.ndarray, options: TableOptions) -> np.ndarray:
    """Return a window table as a policy on this game's board, int8 ``[cells, cells]``.

    The policy has an action for each cell of the cat and of the mouse, by the far rule if they are
    far apart.
    """
    cells = int(game.board[CELLS])
    policy = np.empty((cells, cells), dtype=np.int8)
    layout = np.array([0, 0, *_constants(options)], dtype=np.int64)
    own = np.array(table[None], dtype=np.int8)  # a copy: never read-only
    build(fill_policy)(game.board, np.int64(seat), Tables(own, layout), policy)
    return policy


EDGES_X = ("no edge", "the left edge", "the right edge")
EDGES_Y = ("no edge", "the bottom edge", "the top edge")


def describe_window(game: Game, gene: int, options: TableOptions) -> str:
    """Return the situation of a gene of a window table of cat and mouse in words."""
    if gene < WINDOW_GENES:
        *places, side, end = (int(digit) for digit in np.unravel_index(gene, (SIDE,) * 6))
        return (
            "the cat on {}:{} and the mouse on {}:{} of the window, ".format(*places)
            + f"which touches {EDGES_X[side]} and {EDGES_Y[end]}"
        )
    digits = np.unravel_index(gene - WINDOW_GENES, (SIDE,) * 8)
    y, x, closer, place, near_x, near_y, own_x, own_y = (int(digit) for digit in digits)
    return (
        f"the mouse far away, {('below', 'in the same row', 'above')[y]} and "
        f"{('to the left', 'in the same column', 'to the right')[x]}, "
        f"{('closer horizontally', 'as close either way', 'closer vertically')[closer]}, "
        f"{('on no edge', 'on an edge', 'in a corner')[place]}, near {EDGES_X[near_x]} and "
        f"{EDGES_Y[near_y]}, the mover on {EDGES_X[own_x]} and {EDGES_Y[own_y]}"
    )


def window_fits(game: Game, genes: int) -> str:
    """Return the far rules with which a window table has ``genes`` genes per seat, as text.

    The text is empty if there are none.
    """
    if genes == WINDOW_GENES:
        return "window-table with far=larger-axis or far=euclidean"
    return "window-table with far=table" if genes == WINDOW_GENES + FAR_GENES else ""


WINDOW = TableForm(
    name="window-table",
    summary="a step for each place of both in a window of 3x3 cells, and a rule for afar",
    options={"far": FAR_RULES},
    num_genes=window_genes,
    legal=window_legal,
    constants=_constants,
    choose=choose_by_window,
    policy=window_policy,
    describe=describe_window,
    fits=window_fits,
)
