"""Perfect play of cat and mouse: the cat as fast as possible, the mouse as late as possible.

A kind of its own, as the table holds plies to the capture
(:mod:`tournaments.games.cat_and_mouse.solver`), not what a seat gains. Where the mouse is safe for
ever, all steps of the cat are equal, and so are all steps of the mouse that keep it safe. Equal
steps are drawn from.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.board import PIECES, TABLE, one_of
from tournaments.games.cat_and_mouse.solver import phase_of
from tournaments.kernels.linker import kernel
from tournaments.player import CompiledPlayer, Game, Kind
from tournaments.players.random import begin, watch

ILLEGAL = np.int64(-(2**31))
"""Worth less than any step."""


@kernel
def choose(board, state, parameters, row, memory, stream):
    """One of the best steps; ``parameters`` has the plies to the capture."""
    after = phase_of(board, state) + 1
    after = np.uint64(after if after < parameters.shape[0] else 0)
    is_cat = state[0] == 0
    here = state[np.uint64(PIECES + state[0])]
    first = np.uint64(TABLE + 4 * np.int64(here))
    best = ILLEGAL
    chosen = np.int64(0)
    for action in range(4):
        cell = board[first + np.uint64(action)]
        there = np.uint64(cell if cell >= 0 else here)
        cat = there if is_cat else np.uint64(state[PIECES])
        mouse = np.uint64(state[PIECES + 1]) if is_cat else there
        plies = np.int64(parameters[after, cat, mouse])
        worth = -plies if is_cat else plies
        worth = worth if cell >= 0 else ILLEGAL
        # No branch: which step is best cannot be foretold.
        chosen = (chosen if worth <= best else 0) | np.int64(worth >= best) << action
        best = max(best, worth)
    return one_of(board, chosen, stream)


def memory(game: Game, parameters: object) -> np.ndarray:
    """Nothing is remembered."""
    return np.zeros(0)


KIND = Kind(name="optimal", choose=choose, begin=begin, watch=watch, memory=memory)


def player(game: Game) -> CompiledPlayer:
    """The perfect player, of either seat.

    Raises:
        TournamentError: more than one cat or mouse.
    """
    return CompiledPlayer("optimal", KIND, game, pursuit.plies_to_capture(game), options={})
