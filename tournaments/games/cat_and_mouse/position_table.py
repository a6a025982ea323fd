"""The position table of cat and mouse.

A ``position-table`` has a gene for each placement: the digits of its number are the cells of the
cats, then of the mice, the last digit fastest. Of two mice one may be caught, which is one cell
more. Of a turn of two steps both are looked up in the same table.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_and_mouse.board import (
    CELLS,
    COLS,
    DUEL,
    MOST_ROWS,
    NUMBER,
    PIECES,
    beside,
    num_actions,
)
from tournaments.kernels.linker import kernel
from tournaments.rules import TableForm, TableOptions


@kernel
def choose_by_position(board, state, parameters, row, memory, stream):
    """Return the action that a position table of cat and mouse has for the pieces' placement."""
    begin = parameters.layout[np.uint64(state[0])]
    if board[DUEL]:
        placement = np.int64(state[PIECES]) * board[CELLS] + state[PIECES + 1]
        return np.int64(parameters.tables[np.uint64(row), np.uint64(begin + placement)])
    cats, mice, cells = board[NUMBER], board[NUMBER + 1], np.int64(board[CELLS])
    gene = np.int64(0)
    for piece in range(PIECES, PIECES + cats):
        gene = gene * cells + state[piece]
    for piece in range(PIECES + cats, PIECES + cats + mice):
        caught = state[piece] < 0
        gene = gene * (cells + (mice > 1)) + (cells if caught else state[piece])
    return np.int64(parameters.tables[row, begin + gene])


def _digits(game: Game) -> tuple[int, ...]:
    """Return the number of possible cells of each piece of cat and mouse, cats first."""
    cats, mice = (int(number) for number in game.board[NUMBER : NUMBER + 2])
    return _digits_of(cats, mice, int(game.board[CELLS]))


def _digits_of(cats: int, mice: int, cells: int) -> tuple[int, ...]:
    return (cells,) * cats + (cells + (mice > 1),) * mice


def position_legal(game: Game, seat: int, options: TableOptions) -> np.ndarray:
    """Return the legal steps in each placement of cat and mouse, bool ``[G, A]``.

    No step is legal if a mouse and a cat share a cell, if a piece is on an obstacle, or if all mice
    are caught.
    """
    sizes, cats = _digits(game), int(game.board[NUMBER])
    steps = np.zeros((max(sizes), 4), dtype=bool)  # from a cell; none for the caught
    steps[: game.board[CELLS]] = beside(game.board) >= 0
    places = np.ogrid[tuple(map(slice, sizes))]
    legal = np.zeros((*sizes, num_actions(game.board)), dtype=bool)
    movers = range(cats) if seat == 0 else range(cats, len(sizes))
    for number, piece in enumerate(movers):
        legal[..., 4 * number : 4 * number + 4] = steps[places[piece]]
    for cat, mouse in product(places[:cats], places[cats:]):
        legal &= (cat != mouse)[..., None]
    standing: np.ndarray = np.logical_or.reduce(steps, axis=1)
    standing[game.board[CELLS] :] = True  # caught mice have no cell
    for place in places:
        legal &= standing[place][..., None]
    if len(sizes) > cats + 1:
        legal[..., -1, -1, :] = False
    return legal.reshape(-1, legal.shape[-1])


def position_policy(game: Game, seat: int, table: np.ndarray, options: TableOptions) -> np.ndarray:
    """Return a position table as a policy of cat and mouse: an action per placement.

    It is int8 ``[cells, cells]``, by the cells of the cat and the mouse.
    """
    sizes = _digits(game)
    if len(sizes) > 2:
        raise TournamentError(
            f"a policy is for one cat and one mouse; {game.spec} has {len(sizes)} pieces"
        )
    return table.reshape(sizes)


def position_shape(game: Game) -> tuple[int, ...]:
    """Return the shape of a position table by the cells of the cat and the mouse.

    It is empty for more than two pieces.
    """
    sizes = _digits(game)
    return sizes if len(sizes) == 2 else ()


def describe_position(game: Game, gene: int, options: TableOptions) -> str:
    """Return the placement of a gene in words: ``the cat on 0:0 and the mouse on 6:7``."""
    cats, cols, cells = (int(game.board[place]) for place in (NUMBER, COLS, CELLS))
    places = np.unravel_index(gene, _digits(game))
    said = ["caught" if cell == cells else f"on {cell % cols}:{cell // cols}" for cell in places]
    return f"the cat {' and '.join(said[:cats])} and the mouse {' and '.join(said[cats:])}"


def position_fits(game: Game, genes: int) -> str:
    """Return, as text, the boards on which a position table has ``genes`` genes per seat.

    The boards have as many cats and mice as ``game``. The text is empty if there are none.
    """
    cats, mice = (int(number) for number in game.board[NUMBER : NUMBER + 2])
    boards = [
        f"{rows}x{cols}"
        for rows, cols in product(range(2, MOST_ROWS + 1), repeat=2)
        if prod(_digits_of(cats, mice, rows * cols)) == genes
    ]
    return f"position-table of {' or '.join(boards)} cells" if boards else ""


POSITION = TableForm(
    name="position-table",
    summary="a legal step for each placement of the pieces",
    options={},
    num_genes=lambda game, options: prod(_digits(game)),
    legal=position_legal,
    constants=lambda options: (),
    choose=choose_by_position,
    policy=position_policy,
    describe=describe_position,
    fits=position_fits,
    shape=position_shape,
)
