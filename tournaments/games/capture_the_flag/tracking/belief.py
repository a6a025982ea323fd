"""Exact filtering: the probability of each square of a maze to hold a hidden agent.

Kernels over ``belief`` (float64 ``[C]``, sums to 1), the graph of :mod:`.graph`
and ``evidence`` (float64 ``[C]``: the likelihood of the observation, given the agent's square). A
step consists of :func:`predict` when the agent moves, evidence of 1 everywhere and its weighing by
the observations, :func:`update` and :func:`count_visits`. An agent that is seen, or sent home, is
:func:`place`d.

The motion model is the one of P. Berkes, "Tracking down the enemy" (a notebook of games): a legal
move from x leads to x' with probability exp(-beta v(x')) / Z, v being the visits of the agent to
x' so far. Its true visits are hidden, so v is their expected number, which is the sum of its
beliefs. With v given, a step is Bayes' rule to the last digit; see the page of the study for what
expected visits leave out.

A possible path never has probability 0: a path that is almost impossible by the model has
``LEAST``. A cell therefore has a belief above 0 if and only if the moves and the evidence allow it.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels.arithmetic import exp
from tournaments.kernels.linker import kernel

WAYS = 4
"""Neighbours of a cell; the move after them is to stay."""
MOVES = 5
LEAST = 1e-300


@kernel
def move_shares(neighbours, visits, beta, stays, cell, shares):
    """Write the probabilities of a hidden agent's next move, given its cell, into ``shares``.

    ``shares`` is float64[5]: north, east, south, west, stay. Exactly the possible moves have a
    probability above 0.

    Args:
        neighbours: the cells next to each cell of the maze, ``[C, 4]``.
        visits: the expected number of visits of the agent to each cell.
        beta: how strongly the agent prefers cells with fewer visits.
        stays: whether the agent may stay. It always may where it has no way to go.
        cell: the agent's cell.
        shares: to be filled.
    """
    least = np.inf
    for way in range(WAYS):
        beside = neighbours[cell, way]
        if beside >= 0 and visits[beside] < least:
            least = visits[beside]
    can_stay = stays or least == np.inf
    if can_stay and visits[cell] < least:
        least = visits[cell]
    total = 0.0
    for way in range(MOVES):
        beside = cell if way == WAYS else np.int64(neighbours[cell, way])
        shares[way] = 0.0
        if beside >= 0 and (way < WAYS or can_stay):
            surplus = beta * (visits[beside] - least)
            shares[way] = 1.0 if surplus == 0.0 else exp(-surplus) + LEAST
            total += shares[way]
    for way in range(MOVES):
        shares[way] /= total


@kernel
def predict(neighbours, visits, beta, stays, belief, shares, before):
    """Update the belief about a hidden agent's cell for one move that the agent makes unseen.

    The arguments are those of :func:`move_shares`. ``belief`` (the probability of each cell,
    float64 ``[C]``) is changed; ``shares`` (float64[5]) and ``before`` (float64 ``[C]``) are
    overwritten.
    """
    for cell in range(belief.size):
        before[cell] = belief[cell]
        belief[cell] = 0.0
    for cell in range(belief.size):
        if before[cell] > 0.0:
            move_shares(neighbours, visits, beta, stays, cell, shares)
            for way in range(MOVES):
                if shares[way] > 0.0:
                    beside = cell if way == WAYS else np.int64(neighbours[cell, way])
                    belief[beside] += max(before[cell] * shares[way], LEAST)


@kernel
def weigh_watcher(maze, watcher, noisy, noise, sight, evidence):
    """Multiply ``evidence`` by the likelihood of what a watcher observes of an unseen agent.

    Cells that the observation excludes get 0. The noisy distance is the Manhattan distance plus a
    uniform number in -noise..noise. An agent within ``sight`` would be seen.

    Args:
        maze: has the ``columns`` and ``rows`` of the cells.
        watcher: the cell of the watcher.
        noisy: the noisy distance to the agent.
        noise: the largest error of the noisy distance; negative: the distance is not used.
        sight: the distance at which the agent would be seen; negative: not used.
        evidence: the likelihood of each cell, float64 ``[C]``, changed.
    """
    column, row = np.int64(maze.columns[watcher]), np.int64(maze.rows[watcher])
    for cell in range(evidence.size):
        away = abs(np.int64(maze.columns[cell]) - column) + abs(np.int64(maze.rows[cell]) - row)
        if away <= sight or (noise >= 0 and abs(away - noisy) > noise):
            evidence[cell] = 0.0


@kernel
def weigh_position(columns, rows, near, column, row, noise, evidence):
    """Multiply ``evidence`` by the likelihood of a noisy position of a hidden agent.

    The noisy position is a cell drawn evenly from the cells within ``noise`` (Manhattan distance)
    of the agent.

    Args:
        columns: the column of each cell, ``[C]``.
        rows: the row of each cell, ``[C]``.
        near: the number of cells within ``noise`` of each cell, int64 ``[C]``.
        column: the column of the noisy position.
        row: its row.
        noise: the largest error.
        evidence: the likelihood of each cell, float64 ``[C]``, changed.
    """
    for cell in range(evidence.size):
        away = abs(np.int64(columns[cell]) - column) + abs(np.int64(rows[cell]) - row)
        evidence[cell] *= 1.0 / near[cell] if away <= noise else 0.0


@kernel
def update(belief, evidence):
    """Update a belief about a hidden agent's cell by Bayes' rule.

    ``belief`` has the probability of each cell and is changed, ``evidence`` the likelihood of the
    observation on each cell. If the belief excludes the observation, the new belief is the evidence
    alone, or uniform if the evidence excludes all cells.

    Returns:
        The probability that the belief gave to the observation.
    """
    probability = 0.0
    for cell in range(belief.size):
        is_possible = belief[cell] > 0.0 and evidence[cell] > 0.0
        belief[cell] = max(belief[cell] * evidence[cell], LEAST) if is_possible else 0.0
        probability += belief[cell]
    total = probability
    if probability == 0.0:
        for cell in range(belief.size):
            belief[cell] = evidence[cell]
            total += evidence[cell]
    for cell in range(belief.size):
        belief[cell] = belief[cell] / total if total > 0.0 else 1.0 / belief.size
    return probability


@kernel
def place(belief, cell):
    """Set a belief to certainty: the agent is on the given cell."""
    belief[:] = 0.0
    belief[cell] = 1.0


@kernel
def count_visits(belief, visits):
    """Add the probability of each cell to the expected number of visits of a hidden agent to it."""
    for cell in range(belief.size):
        visits[cell] += belief[cell]
