"""The players of cat and mouse, of either seat: ``greedy``, ``careful`` and ``optimal``.

A *greedy* cat draws among the steps that bring the moving cat nearer to its nearest mouse. A greedy
mouse draws among the steps that take the moving mouse away from its nearest cat. If there are no
such steps, both draw among the other steps. Distances are Manhattan distances, also around
obstacles.

A *careful* mouse draws among the steps that do not end on a cat or orthogonally next to a cat, or
among all steps if there are no such steps: the smarter mouse of Kennedy's second study ("Using
Optimization to Solve Adversarial Problems", version 2). A careful cat plays at random.

The *optimal* cat catches as fast as possible, the optimal mouse is caught as late as possible. It
is a player kind of its own, since the table holds plies to the capture
(:mod:`tournaments.games.cat_and_mouse.solver`), not the gain of a seat. If the mouse is safe for
ever, all steps of the cat are equal, and so are all steps of the mouse that keep it safe. The
player draws among equal steps.
"""

from __future__ import annotations

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_and_mouse.board import (
    CELLS,
    COLS,
    DUEL,
    NUMBER,
    PIECES,
    TABLE,
    draw_direction,
    free_directions,
    place_of,
)
from tournaments.games.cat_and_mouse.solver import check_solvable, phase_of, plies_to_capture
from tournaments.kernels.choices import one_of_best
from tournaments.kernels.hooks import legal
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import CompiledPlayer, Kind
from tournaments.players.optimal import memory


@kernel
def choose_greedy(board, state, parameters, row, memory, stream):
    """Return the action of ``greedy`` in cat and mouse.

    A cat takes the step that brings it nearest to a mouse. A mouse takes the step that leaves it
    farthest from the nearest cat. Ties are broken at random.
    """
    if board[DUEL]:
        return greedy_in_duel(board, state, stream)
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
    """Return the action of ``careful`` in cat and mouse.

    A mouse takes a random step that does not end beside a cat, or any random step if all end beside
    a cat. A cat takes a random step.
    """
    if board[DUEL]:
        return careful_in_duel(board, state, stream)
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
def greedy_in_duel(board, state, stream):
    """Return the action of ``greedy`` in a game of one cat and one mouse."""
    free, across, along = seen_from_mover(board, state)
    nearer = np.int64(across > 0) | np.int64(across < 0) << 1
    nearer |= np.int64(along > 0) << 2 | np.int64(along < 0) << 3
    best = free & (nearer if state[0] == 0 else ~nearer)
    return draw_direction(board, best if best > 0 else free, stream)


@kernel
def careful_in_duel(board, state, stream):
    """Return the action of ``careful`` in a game of one cat and one mouse."""
    free, across, along = seen_from_mover(board, state)
    safe = np.int64(abs(across - 1) + abs(along) > 1)
    safe |= np.int64(abs(across + 1) + abs(along) > 1) << 1
    safe |= np.int64(abs(across) + abs(along - 1) > 1) << 2
    safe |= np.int64(abs(across) + abs(along + 1) > 1) << 3
    best = free & safe if state[0] == 1 else 0
    return draw_direction(board, best if best > 0 else free, stream)


@kernel
def seen_from_mover(board, state):
    """Return the mover's free directions in cat and mouse, and where the other piece is.

    The directions are four bits. The place is the number of cells to the right and up.
    """
    here = state[np.uint64(PIECES + state[0])]
    x, y = place_of(board, here)
    other_x, other_y = place_of(board, state[np.uint64(PIECES + 1 - state[0])])
    return free_directions(board, here), other_x - x, other_y - y


@kernel
def step_of(board, state, action):
    """Return the cells where an action of the mover in cat and mouse begins and ends."""
    here = state[PIECES + state[0] * board[NUMBER] + action // 4]
    return here, board[TABLE + 4 * here + action % 4]


@kernel
def to_nearest(board, state, cell):
    """Return the Manhattan distance from a cell to the mover's nearest free opponent."""
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


GREEDY = Kind(name="greedy", choose=choose_greedy, memory=memory)
CAREFUL = Kind(name="careful", choose=choose_careful, memory=memory)

# --- perfect play ------------------------------------------------------------------------------

ILLEGAL = np.int64(-(2**31))
"""Worth less than any step."""


@kernel
def choose_optimal(board, state, parameters, row, memory, stream):
    """Return a random one of the best actions in cat and mouse.

    ``parameters`` has the plies to the capture from each placement, see :func:`plies_to_capture`.
    """
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
    return draw_direction(board, chosen, stream)


OPTIMAL = Kind(name="optimal", choose=choose_optimal)


def optimal(game: Game) -> CompiledPlayer:
    """Return the perfect player of cat and mouse, for either seat.

    Raises:
        TournamentError: more than one cat or mouse.
    """
    plies = plies_to_capture(game)
    return CompiledPlayer("optimal", OPTIMAL, game, plies, maker=optimal, options={})


def plays_optimally(game: Game) -> bool:
    """Return true if ``optimal`` plays this game of cat and mouse; if not, raise and say why."""
    check_solvable(game)
    return True
