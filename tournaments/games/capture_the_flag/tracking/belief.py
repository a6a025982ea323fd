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
    """Write the motion model into ``shares`` (float64[5]): north, east, south, west, stay.

    ``stays`` says whether an agent may stay; where it cannot go anywhere it does. Exactly the moves
    that are possible have a share above 0.
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
    """Move the belief on by one move of the agent.

    ``shares`` (float64[5]) and ``before`` (float64 ``[C]``) may be overwritten.
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
    """Weigh what a watcher on a cell observes of an agent that the watcher does not see.

    The noisy distance is the Manhattan distance plus a uniform number in -noise..noise. An agent
    within ``sight`` would be seen. A negative ``noise`` or ``sight`` says nothing. ``maze`` has
    ``columns`` and ``rows``.
    """
    column, row = np.int64(maze.columns[watcher]), np.int64(maze.rows[watcher])
    for cell in range(evidence.size):
        away = abs(np.int64(maze.columns[cell]) - column) + abs(np.int64(maze.rows[cell]) - row)
        if away <= sight or (noise >= 0 and abs(away - noisy) > noise):
            evidence[cell] = 0.0


@kernel
def weigh_position(columns, rows, near, column, row, noise, evidence):
    """Weigh a noisy position: a cell drawn evenly from the cells within ``noise`` of the agent.

    Distances are Manhattan's; ``near`` (int64 ``[C]``) is how many cells each has within ``noise``.
    """
    for cell in range(evidence.size):
        away = abs(np.int64(columns[cell]) - column) + abs(np.int64(rows[cell]) - row)
        evidence[cell] *= 1.0 / near[cell] if away <= noise else 0.0


@kernel
def update(belief, evidence):
    """Bayes' rule; return the probability that the model gave to the evidence.

    Where that is 0, the model has missed what happened, which it cannot as long as it allows all
    that may happen. The belief is then the evidence's alone, or even where that allows nothing.
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
    """Put the agent on a known cell, on which the agent was seen or to which it was sent."""
    belief[:] = 0.0
    belief[cell] = 1.0


@kernel
def count_visits(belief, visits):
    """Count where the agent stands now among its expected visits."""
    for cell in range(belief.size):
        visits[cell] += belief[cell]
