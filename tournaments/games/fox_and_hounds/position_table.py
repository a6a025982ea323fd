"""The position table of fox and hounds: an action for each position of a seat.

Genes are numbered as :mod:`tournaments.games.fox_and_hounds.state_index` numbers the positions of
one seat.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from tournaments.game import Game
from tournaments.games.fox_and_hounds.board import (
    FEWEST,
    FOX,
    HOUNDS,
    MOST_ROWS,
    num_actions,
    state_size,
)
from tournaments.games.fox_and_hounds.rules import legal
from tournaments.games.fox_and_hounds.state_index import count, genes_of_a_seat, number, position
from tournaments.kernels.linker import build, kernel
from tournaments.rules import TableForm, TableOptions


@kernel
def choose_by_position(board, state, parameters, row, memory, stream):
    """Return the action that a position table of fox and hounds has for the position."""
    gene = parameters.layout[np.uint64(state[0])] + number(board, state)
    return np.int64(parameters.tables[row, gene])


@kernel
def fill_legal(board, seat, state, actions, legal_actions):
    """Mark in ``legal_actions`` (bool ``[G, A]``) the legal actions of each gene that is read.

    A gene is a position of a seat in fox and hounds.
    """
    for gene in range(legal_actions.shape[0]):
        if position(board, seat, np.int64(gene), state) and state[0] == seat:
            for place in range(legal(board, state, actions)):
                legal_actions[gene, actions[place]] = True


def position_legal(game: Game, seat: int, options: TableOptions) -> np.ndarray:
    """Return the legal actions in each position of a seat of fox and hounds, bool ``[G, A]``.

    Impossible and finished positions have none.
    """
    board = game.board
    legal_actions = np.zeros((count(board), num_actions(board)), dtype=np.bool_)
    actions = np.zeros(num_actions(board), dtype=np.int16)
    state = np.zeros(state_size(board), dtype=np.int16)
    build(fill_legal)(board, seat, state, actions, legal_actions)
    return legal_actions


def describe_position(game: Game, gene: int, options: TableOptions) -> str:
    """Return a position of fox and hounds in words, by the squares of the hounds.

    Squares are numbered row by row. ``gene`` is the number of the position.
    """
    state = np.zeros(state_size(game.board), dtype=np.int16)
    position(game.board, 0, gene, state)
    if state[FOX] < 0:
        return "the fox off the board"
    hounds = ", ".join(map(str, state[HOUNDS:]))
    return f"the hounds on squares {hounds}, in position {gene}"


def position_fits(game: Game, genes: int) -> str:
    """Return, as text, the boards on which a position table has ``genes`` genes per seat.

    The game is fox and hounds. The text is empty if there are none.
    """
    boards = [
        f"{rows}x{cols}"
        for rows, cols in product(range(FEWEST, 9), range(FEWEST, MOST_ROWS + 1, 2))
        if genes_of_a_seat(rows, cols // 2) == genes
    ]
    return f"position-table of {' or '.join(boards)} squares" if boards else ""


POSITION = TableForm(
    name="position-table",
    summary="a legal action for each position",
    options={},
    num_genes=lambda game, options: count(game.board),
    legal=position_legal,
    constants=lambda options: (),
    choose=choose_by_position,
    policy=lambda game, seat, table, options: table,
    describe=describe_position,
    fits=position_fits,
)
