"""Perfect play of cat and mouse: the cat as fast as possible, the mouse as late as possible.

A kind of its own, as the table holds plies to the capture (:mod:`tournaments.pursuit`), not what a
seat gains. Where the mouse is safe for ever, all steps of the cat are equal, and so are all steps
of the mouse that keep it safe. Equal steps are drawn from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments import pursuit
from tournaments.games.cat_and_mouse_board import PIECES, TABLE
from tournaments.hooks import legal
from tournaments.kernels import kernel
from tournaments.players.optimal import one_of_best
from tournaments.players.random import begin, watch
from tournaments.pursuit import NEVER, phase_of
from tournaments.types import CompiledPlayer, Game, Kind


class Memory(NamedTuple):
    """Scratch: the legal actions, int16 [A], and what each is worth, int32 [A]."""

    actions: np.ndarray
    worth: np.ndarray


@kernel
def choose(board, state, parameters, row, memory, stream):
    """One of the best steps; ``parameters`` has the plies to the capture."""
    actions, worth = memory.actions, memory.worth
    count = legal(board, state, actions)
    after = phase_of(board, state) + 1
    after = after if after < parameters.shape[0] else 0
    cat, mouse = state[PIECES], state[PIECES + 1]
    is_cat = state[0] == 0
    here = cat if is_cat else mouse
    best = -NEVER
    for index in range(count):
        there = board[TABLE + 4 * here + actions[index]]
        plies = parameters[after, there if is_cat else cat, mouse if is_cat else there]
        worth[index] = -plies if is_cat else plies
        best = max(best, worth[index])
    return one_of_best(actions, worth, count, best, stream)


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    actions = np.zeros(game.num_actions, dtype=np.int16)
    return Memory(actions, np.zeros(game.num_actions, dtype=np.int32))


KIND = Kind(name="optimal", choose=choose, begin=begin, watch=watch, memory=memory)


def player(game: Game) -> CompiledPlayer:
    """The perfect player, of either seat.

    Raises:
        TournamentError: more than one cat or mouse.
    """
    return CompiledPlayer("optimal", KIND, game, pursuit.plies_to_capture(game), options={})
