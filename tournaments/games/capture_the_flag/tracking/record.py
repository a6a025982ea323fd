"""A record of the observations of a hidden agent, filtered and smoothed as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.tracking.belief import (
    LEAST,
    MOVES,
    WAYS,
    count_visits,
    move_shares,
    place,
    predict,
    update,
    weigh_watcher,
)
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph
from tournaments.kernels.linker import kernel

NOTHING = -32768
"""In place of a noisy distance: there is none."""


class Observation(NamedTuple):
    """The observation of a hidden agent at one time.

    Attributes:
        watchers: the cells of the watchers.
        noisy: the noisy distance from each watcher; empty, or ``NOTHING``, if it is not known.
        seen: the cell on which the agent is seen; -1: it is not in sight of any watcher.
        moved: whether the agent has moved since the last observation.
        home: whether the agent was sent back to its start since then.
    """

    watchers: tuple[int, ...] = ()
    noisy: tuple[int, ...] = ()
    seen: int = -1
    moved: bool = True
    home: bool = False


class Observations(NamedTuple):
    """T observations of a hidden agent as arrays.

    Attributes:
        watchers: int16 ``[T, W]``: cells; -1: no watcher.
        noisy: int16 ``[T, W]``: noisy distances, or ``NOTHING``.
        seen: int16 ``[T]``: the cell on which the agent is seen, or -1.
        moved, home: bool ``[T]``, as in :class:`Observation`.
    """

    watchers: np.ndarray
    noisy: np.ndarray
    seen: np.ndarray
    moved: np.ndarray
    home: np.ndarray


class TrackerModel(NamedTuple):
    """The model of a hidden agent's moves and of the observations.

    Attributes:
        neighbours, columns, rows: of the maze.
        start: the cell where the agent begins.
        beta: how strongly the agent avoids visited cells; 0: all moves are equally likely.
        stays: whether the agent may stay.
        noise: largest error of noisy distances; -1: noisy distances are not used.
        sight: distance up to which the agent is seen; -1: not being seen is not used as evidence.
    """

    neighbours: np.ndarray
    columns: np.ndarray
    rows: np.ndarray
    start: int
    beta: float
    stays: bool
    noise: int
    sight: int


def record_of(observations: Sequence[Observation] | Observations, graph: MazeGraph) -> Observations:
    """Return observations of a hidden agent as arrays.

    Args:
        observations: the observations; arrays are returned as they are.
        graph: the maze, whose cells the observations name.

    Raises:
        TournamentError: a cell that the maze does not have, or noisy distances whose number is not
            that of the watchers.
    """
    if isinstance(observations, Observations):
        return observations
    count, watchers = len(observations), max((len(one.watchers) for one in observations), default=0)
    record = Observations(
        np.full((count, watchers), -1, dtype=np.int16),
        np.full((count, watchers), NOTHING, dtype=np.int16),
        np.array([one.seen for one in observations], dtype=np.int16),
        np.array([one.moved for one in observations], dtype=np.bool_),
        np.array([one.home for one in observations], dtype=np.bool_),
    )
    for number, one in enumerate(observations):
        if len(one.noisy) not in (0, len(one.watchers)):
            raise TournamentError(
                f"observation {number} has {len(one.noisy)} noisy distances given; "
                f"none is expected, or one for each of its {len(one.watchers)} watchers"
            )
        record.watchers[number, : len(one.watchers)] = one.watchers
        record.noisy[number, : len(one.noisy)] = one.noisy
    cells = np.concatenate([record.watchers.ravel(), record.seen])
    if cells.size and not -1 <= cells.min() <= cells.max() < graph.rows.size:
        raise TournamentError(
            f"cell {cells.max() if cells.max() >= graph.rows.size else cells.min()} given; this "
            f"maze has the cells 0 to {graph.rows.size - 1}"
        )
    return record


@kernel
def weigh(model, record, time, evidence):
    """Write the likelihood of one observation of a hidden agent on each cell into ``evidence``.

    ``time`` is the index of the observation in the record, ``evidence`` float64 ``[C]``.
    """
    evidence[:] = 1.0
    if record.seen[time] >= 0:
        place(evidence, record.seen[time])
        return
    for watcher in range(record.watchers.shape[1]):
        cell = record.watchers[time, watcher]
        noisy = np.int64(record.noisy[time, watcher])
        if cell >= 0:
            noise = model.noise if noisy != NOTHING else -1
            weigh_watcher(model, cell, noisy, noise, model.sight, evidence)


@kernel
def filter_step(model, record, time, belief, visits, evidence, shares, scratch):
    """Update the belief about a hidden agent, and its expected visits, by one recorded observation.

    ``time`` is the index of the observation. ``evidence`` and ``scratch`` (float64 ``[C]``) and
    ``shares`` (float64[5]) are overwritten.

    Returns:
        The probability that the belief gave to the observation.
    """
    if record.home[time]:
        place(belief, model.start)
    elif record.moved[time]:
        predict(model.neighbours, visits, model.beta, model.stays, belief, shares, scratch)
    weigh(model, record, time, evidence)
    probability = update(belief, evidence)
    if record.home[time] or record.moved[time]:
        count_visits(belief, visits)
    return probability


@kernel
def filter_record(model, record, beliefs, visits, probabilities, shares, scratch):
    """Compute the belief about a hidden agent after each of the T observations of a record.

    ``beliefs`` and ``visits`` (float64 ``[T + 1, C]``) and the ``probabilities`` of the
    observations ([T]) are filled. Row 0 of the first two is the start, which is filled already.
    ``shares`` and ``scratch`` are overwritten.
    """
    for time in range(probabilities.size):
        for cell in range(scratch.shape[1]):
            beliefs[time + 1, cell] = beliefs[time, cell]
            visits[time + 1, cell] = visits[time, cell]
        belief, seen = beliefs[time + 1], visits[time + 1]
        probabilities[time] = filter_step(
            model, record, time, belief, seen, scratch[0], shares, scratch[1]
        )


@kernel
def smooth_record(model, record, beliefs, visits, probabilities, shares, scratch):
    """Smooth the beliefs that :func:`filter_record` has filled: weigh the later observations, too.

    ``beliefs`` is changed in place, backward from the end. ``scratch[0]`` is the probability of all
    later observations, were the agent on a cell, up to a factor. The motion model of each step is
    the filter's. At an agent sent home, and at an observation that the model excluded, smoothing
    begins anew, without the observations after it.
    """
    evidence, later, before = scratch[0], scratch[1], scratch[2]
    later[:] = 1.0
    for time in range(probabilities.size - 1, -1, -1):
        if record.home[time] or probabilities[time] == 0.0:
            later[:] = 1.0
        else:
            weigh(model, record, time, evidence)
            for cell in range(later.size):
                later[cell] *= evidence[cell]
            if record.moved[time]:
                move_back(model, visits[time], later, shares, before)
            scale(later)
        update(beliefs[time], later)


@kernel
def move_back(model, visits, later, shares, before):
    """Update the likelihood of all later observations on each cell for one move of a hidden agent.

    ``later`` is changed from the time after the move to the time before it. ``before`` is
    overwritten.
    """
    for cell in range(later.size):
        before[cell] = later[cell]
    for cell in range(later.size):
        move_shares(model.neighbours, visits, model.beta, model.stays, cell, shares)
        later[cell] = 0.0
        for way in range(MOVES):
            beside = cell if way == WAYS else np.int64(model.neighbours[cell, way])
            if shares[way] > 0.0 and before[beside] > 0.0:
                later[cell] += max(before[beside] * shares[way], LEAST)


@kernel
def scale(numbers):
    """Divide an array of numbers, not all 0, by its largest number."""
    largest = 0.0
    for index in range(numbers.size):
        largest = max(largest, numbers[index])
    for index in range(numbers.size):
        numbers[index] /= largest
