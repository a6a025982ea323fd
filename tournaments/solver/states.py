"""Numbering of the positions of a game as rows of tables.

The row number comes from the game's own index (``Rules.states``), from its table of exact values
(``Rules.solver``), or from the graph of all its positions (:mod:`tournaments.solver.graph`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.solver.graph import explore
from tournaments.solver.retrograde import refuse_unsolvable
from tournaments.solver.table import num_positions


class States(NamedTuple):
    """The numbering of a game's positions as rows of tables.

    Attributes:
        states, slots: all positions, as in a :class:`tournaments.solver.graph.Graph`, for
            :func:`tournaments.kernels.hooks.state_number`; empty if the game numbers its positions.
        rows: number of rows of the table of each seat.
        most_legal: largest number of legal actions in a position of each seat.
    """

    states: np.ndarray
    slots: np.ndarray
    rows: tuple[int, int]
    most_legal: tuple[int, int]


def may_have_states(game: Game) -> bool:
    """Return whether a game's positions can be numbered, as far as known without counting them.

    Raises:
        TournamentError: the rules access arrays out of bounds.
    """
    _ = game.hooks
    try:
        if game.rules.states is not None:
            return game.rules.states.count(game.board) > 0
        return can_be_solved(game)
    except TournamentError:
        return False


def can_be_solved(game: Game) -> bool:
    """Return true if a game can be solved, as far as known without counting its positions.

    Raises:
        TournamentError: why the game cannot be solved.
    """
    if game.rules.solver is not None:
        return num_positions(game) > 0
    refuse_unsolvable(game)
    return True


@lru_cache(maxsize=4)
def states_of(game: Game) -> States:
    """Return the rows of tables with an entry for each position of a game.

    Raises:
        TournamentError: the game has too many positions.
    """
    nothing = np.zeros((1, 0), dtype=np.int16), np.zeros(0, dtype=np.int32)
    if game.rules.states is not None:
        index = game.rules.states
        rows = index.count(game.board)
        return States(*nothing, (rows, rows), index.most_legal(game.board))
    if game.rules.solver is not None:
        rows = num_positions(game)
        return States(*nothing, (rows, rows), (game.num_actions,) * 2)
    graph = explore(game)
    legal = np.diff(graph.first)
    most = tuple(int(legal[graph.movers == seat].max(initial=1)) for seat in range(2))
    return States(graph.states, graph.slots, (len(graph.states),) * 2, (most[0], most[1]))
