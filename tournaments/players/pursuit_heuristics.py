"""The heuristic players of cat and mouse: ``greedy`` and ``careful``, of either seat.

A *greedy* cat draws among the steps that bring the moving cat nearer to its nearest mouse, a greedy
mouse among those that take the moving mouse away from its nearest cat; where there are none, among
the others. Distances are Manhattan distances, obstacles or not.

A *careful* mouse draws among the steps that do not end on a cat or orthogonally next to one, or
among all where there are no others: the smarter mouse of Kennedy's second study ("Using
Optimization to Solve Adversarial Problems", version 2). A careful cat plays at random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.games.cat_and_mouse_board import CELLS, COLS, NUMBER, PIECES, TABLE
from tournaments.hooks import legal
from tournaments.kernels import kernel
from tournaments.players.optimal import one_of_best
from tournaments.players.random import begin, watch
from tournaments.rng import below
from tournaments.types import Game, Kind


class Memory(NamedTuple):
    """Scratch: the legal actions and what each is worth, int16 [A]."""

    actions: np.ndarray
    worth: np.ndarray


@kernel
def choose_greedy(board, state, parameters, row, memory, stream):
    """A step that gains most on the nearest of the other side, or is most away from it."""
    actions, worth = memory.actions, memory.worth
    count = legal(board, state, actions)
    best = -32768
    for index in range(count):
        here, there = step_of(board, state, actions[index])
        nearer = to_nearest(board, state, here) - to_nearest(board, state, there)
        worth[index] = nearer if state[0] == 0 else -nearer
        best = max(best, worth[index])
    return one_of_best(actions, worth, count, best, stream)


@kernel
def choose_careful(board, state, parameters, row, memory, stream):
    """A mouse's step that ends next to no cat, if there is one; else any."""
    actions, worth = memory.actions, memory.worth
    count = legal(board, state, actions)
    if state[0] == 0:
        return actions[below(stream, count)]
    best = 0
    for index in range(count):
        _, there = step_of(board, state, actions[index])
        worth[index] = to_nearest(board, state, there) > 1
        best = max(best, worth[index])
    return one_of_best(actions, worth, count, best, stream)


@kernel
def step_of(board, state, action):
    """The cells from which and to which an action of the mover leads."""
    here = state[PIECES + state[0] * board[NUMBER] + action // 4]
    return here, board[TABLE + 4 * here + action % 4]


@kernel
def to_nearest(board, state, cell):
    """Manhattan distance from a cell to the nearest piece of the other side that is not caught."""
    cats = board[NUMBER]
    first = PIECES + (cats if state[0] == 0 else 0)
    last = first + board[NUMBER + 1 - state[0]]
    nearest = np.int64(board[CELLS])
    for piece in range(first, last):
        other = state[piece]
        if other >= 0:
            across = abs(cell % board[COLS] - other % board[COLS])
            along = abs(cell // board[COLS] - other // board[COLS])
            nearest = min(nearest, np.int64(across + along))
    return nearest


def memory(game: Game, parameters: object) -> Memory:
    """One side's memory."""
    return Memory(*np.zeros((2, game.num_actions), dtype=np.int16))


GREEDY = Kind(name="greedy", choose=choose_greedy, begin=begin, watch=watch, memory=memory)
CAREFUL = Kind(name="careful", choose=choose_careful, begin=begin, watch=watch, memory=memory)
