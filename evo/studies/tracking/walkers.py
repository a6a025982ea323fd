"""Hidden agents that walk in a maze, and the observations of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tournaments.games.capture_the_flag.maze import Maze, distances
from tournaments.games.capture_the_flag.tracking.belief import MOVES, WAYS, move_shares
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph
from tournaments.games.capture_the_flag.tracking.record import Observations
from tournaments.kernels.rng import Stream

Walk = Callable[[Maze, int, int, Stream], np.ndarray]
"""(maze, first cell, moves, stream) -> the cells, int16 ``[moves + 1]``."""
EXPLORING = 10.0
"""The beta of an explorer."""


def _random(maze: Maze, start: int, moves: int, stream: Stream) -> np.ndarray:
    """Return the way of an agent in a maze that makes random legal moves, staying included."""
    way = [start]
    for _ in range(moves):
        way.append(stream.choice([*_beside(maze, way[-1]), way[-1]]))
    return np.array(way, dtype=np.int16)


def _exploring(maze: Maze, start: int, moves: int, stream: Stream) -> np.ndarray:
    """Return the way of an agent in a maze that moves by the tracker's own motion model.

    The model has the true visits and a beta of 10.
    """
    visits, shares = np.zeros(len(maze.columns)), np.zeros(MOVES)
    way = [start]
    visits[start] = 1.0
    for _ in range(moves):
        move_shares(maze.neighbours, visits, EXPLORING, True, way[-1], shares)
        at = int(np.searchsorted(np.cumsum(shares[:WAYS]), stream.random(), side="right"))
        way.append(int(maze.neighbours[way[-1], at]) if at < WAYS else way[-1])
        visits[way[-1]] += 1.0
    return np.array(way, dtype=np.int16)


def _hungry(maze: Maze, start: int, moves: int, stream: Stream) -> np.ndarray:
    """Return the way of an agent in a maze to the nearest dot of the other half, and so on.

    The agent takes a shortest way, with ties at random. When all dots are eaten, they are laid out
    again.
    """
    apart, home = distances(maze.neighbours), maze.half(start)
    dots = {cell for cell in maze.dots if maze.half(cell) != home}
    left, way = set(dots), [start]
    for _ in range(moves):
        here = way[-1]
        nearest = min(apart[here, dot] for dot in left)
        goals = [dot for dot in sorted(left) if apart[here, dot] == nearest]
        goal = stream.choice(goals)
        way.append(
            stream.choice(
                [c for c in _beside(maze, here) if apart[c, goal] == nearest - 1] or [here]
            )
        )
        left.discard(way[-1])
        left = left or dots - {way[-1]}
    return np.array(way, dtype=np.int16)


def _beside(maze: Maze, cell: int) -> list[int]:
    return [int(beside) for beside in maze.neighbours[cell] if beside >= 0]


WALKS: dict[str, Walk] = {"random": _random, "exploring": _exploring, "hungry": _hungry}
"""By name, as tables call them."""


def watched(
    graph: MazeGraph, way: np.ndarray, watcher: int, noise: int, sight: int, stream: Stream
) -> Observations:
    """Return what a watcher in one cell observes of an agent on its way, an entry per move.

    Args:
        graph: the graph of the maze.
        way: the cells of the agent.
        watcher: the cell of the watcher.
        noise: greatest error of the distances heard.
        sight: distance up to which the agent is seen.
        stream: random numbers.
    """
    later = graph.distances(watcher)[way[1:]]
    noisy = [distance + stream.below(2 * noise + 1) - noise for distance in later.tolist()]
    times = len(later)
    return Observations(
        np.full((times, 1), watcher, dtype=np.int16),
        np.array(noisy, dtype=np.int16).reshape(times, 1),
        np.where(later <= sight, way[1:], -1).astype(np.int16),
        np.ones(times, dtype=np.bool_),
        np.zeros(times, dtype=np.bool_),
    )
