"""A tracker: the belief about a hidden agent, by single observations or for a whole record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.tracking import record as records
from tournaments.games.capture_the_flag.tracking.belief import MOVES
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph
from tournaments.games.capture_the_flag.tracking.record import (
    Observation,
    Observations,
    TrackerModel,
    record_of,
)
from tournaments.kernels.linker import build

SCRATCH = 3


class Tracker:
    """Tracks an agent through a maze (:mod:`.belief` has the model).

    Attributes:
        graph: the maze.
        model: the model of the moves and of the observations.
        belief: float64 ``[C]``, the probability of each cell given all observations so far.
        visits: float64 ``[C]``, the expected visits of the agent to each cell.
    """

    def __init__(
        self,
        graph: MazeGraph,
        start: int,
        *,
        beta: float = 10.0,
        stays: bool = True,
        noise: int = 6,
        sight: int = 5,
        at_speed: bool = False,
    ) -> None:
        """Create a tracker of a hidden agent in a maze that begins on a known cell.

        Args:
            graph: the maze, as :func:`.graph.graph_of_text` returns it.
            start: the cell where the agent begins, and to which it is sent home.
            beta: how much the agent avoids squares that it has visited; 0: not at all.
            stays: whether the agent may stay where it is.
            noise: the largest error of a noisy distance; -1: do not use noisy distances.
            sight: an agent as near as this would be seen; -1: do not use that it is not seen.
            at_speed: whether compiled kernels run. They compute the same; compiling takes a second
                or two, once, and pays for long records.

        Raises:
            TournamentError: no such cell, or a ``beta`` below 0.
        """
        if not 0 <= start < graph.rows.size:
            raise TournamentError(
                f"start={start} given; this maze has the cells 0 to {graph.rows.size - 1}"
            )
        if not 0.0 <= beta < np.inf:
            raise TournamentError(f"beta={beta} given; a number from 0 up is expected")
        maze = graph.neighbours, graph.columns, graph.rows
        self.model = TrackerModel(
            *maze, int(start), float(beta), bool(stays), int(noise), int(sight)
        )
        self._compiled = at_speed
        self.graph = graph
        self.belief = np.zeros(graph.rows.size)
        self.belief[start] = 1.0
        self.visits = self.belief.copy()

    def observe(self, observation: Observation) -> float:
        """Update :attr:`belief` by an observation of the hidden agent.

        Returns:
            The probability that the tracker gave to the observation. It is 0 if the model excludes
            the observation; the belief then follows the observation alone.

        Raises:
            TournamentError: a cell that the maze does not have.
        """
        _, beliefs, visits, probabilities = self._filter([observation])
        self.belief, self.visits = beliefs[1], visits[1]
        return float(probabilities[0])

    def filtered(self, observations: Sequence[Observation] | Observations) -> np.ndarray:
        """Return the belief about a hidden agent after each of T observations, float64 ``[T, C]``.

        The observations follow all earlier ones. The tracker is unchanged.

        Raises:
            TournamentError: a cell that the maze does not have.
        """
        return self._filter(observations)[1][1:]

    def smoothed(self, observations: Sequence[Observation] | Observations) -> np.ndarray:
        """Return the beliefs of :meth:`filtered`, each given the agent's later observations, too.

        A belief is the marginal of the joint probability of all paths. The motion model of each
        step is the filter's: by the visits that were expected at that step.
        """
        record, beliefs, visits, probabilities = self._filter(observations)
        self._run(records.smooth_record, record, beliefs, visits, probabilities)
        return beliefs[1:]

    def _filter(
        self, observations: Sequence[Observation] | Observations
    ) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray]:
        """Filter observations of the hidden agent; return the record and the results by time.

        Returns:
            The record as arrays, then beliefs and visits (the start included), and the
            probabilities of the observations.
        """
        record = record_of(observations, self.graph)
        beliefs, visits = np.zeros((2, len(record.seen) + 1, self.belief.size))
        beliefs[0], visits[0] = self.belief, self.visits
        probabilities = np.zeros(len(record.seen))
        self._run(records.filter_record, record, beliefs, visits, probabilities)
        return record, beliefs, visits, probabilities

    def _run(self, kernel: Callable[..., Any], record: Observations, *arrays: np.ndarray) -> None:
        scratch = np.zeros((SCRATCH, self.belief.size))
        run = build(kernel, compiled=self._compiled)
        run(self.model, record, *arrays, np.zeros(MOVES), scratch)
