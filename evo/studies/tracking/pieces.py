"""The gain of each piece of the tracker: how much it believes in the square where the agent is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from evo.evaluation.players import at_speed
from evo.studies.claims import read_toml
from evo.studies.intervals import Interval, mean_interval
from evo.studies.settings import Announce
from evo.studies.tracking.walkers import WALKS, watched
from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.games.capture_the_flag.board import NOISE, SIGHT, SIZE_BY_SEED
from tournaments.games.capture_the_flag.maze import random_maze
from tournaments.games.capture_the_flag.observed import cell_of_agent, graph_of_board, observation
from tournaments.games.capture_the_flag.tracking.belief import MOVES
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph
from tournaments.games.capture_the_flag.tracking.record import (
    Observations,
    filter_step,
    record_of,
)
from tournaments.games.capture_the_flag.tracking.tracker import Tracker
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream, seeds_of

BETAS = (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)
FULL = "exploring model, noise, sight"
OPPONENTS = ("random", "hungry", "team")
"""Blue teams; their first agent is tracked."""
OWN, ENEMY = 0, 1
"""Red watches blue's first agent."""


class Pieces(NamedTuple):
    """A tracker with some of its pieces.

    Attributes:
        beta: the beta of its model.
        hears: whether the tracker uses noisy distances.
        sees: whether the tracker uses sight.
        smooths: whether the tracker smooths backwards from the end.
        knows: whether the tracker gets the true visits of the agent. A real tracker cannot know
            them. With them, the belief about an agent that explores by the model is exact.
    """

    beta: float
    hears: bool = False
    sees: bool = False
    smooths: bool = False
    knows: bool = False


VARIANTS = {
    name: Pieces(**given)
    for name, given in read_toml(__package__, "study.toml")["trackers"].items()
}
BY_BETA = {
    f"{'all' if hears else 'model'} {beta}": Pieces(beta, hears, hears)
    for hears in (False, True)
    for beta in BETAS
}
"""The whole tracker, and the model alone, for each beta."""


class Case(NamedTuple):
    """An agent in a maze, and its observations."""

    graph: MazeGraph
    way: np.ndarray
    record: Observations


class Measured(NamedTuple):
    """The quality of the tracking of a record: means over its times.

    Attributes:
        probability: the belief in the agent's true cell.
        error: squares (columns and rows) between the true and the most probable cell.
    """

    probability: float
    error: float


def case(walk: str, seed: int, number: int, steps: int) -> Case:
    """Return the case of an agent that walks alone and is watched by a tracker.

    Args:
        walk: how the agent walks.
        seed: seed of the study.
        number: number of the maze.
        steps: number of moves.
    """
    maze_seed, own = seeds_of(seed, f"tracking {walk}", number, np.arange(2)).tolist()
    maze = random_maze(maze_seed % 2**31, **SIZE_BY_SEED, who="tracking", is_drawn=False)
    stream = Stream(own)
    way = WALKS[walk](maze, maze.starts[1], steps, stream)
    record = watched(maze, way, maze.starts[0], NOISE, SIGHT, stream)
    return Case(maze, way, record)


def case_of_game(team: str, seed: int, number: int, plies: int) -> Case:
    """Return the case of an agent in a game of capture the flag that is watched by a tracker.

    The agent is blue's first, and red watches. ``team`` plays blue, ``number`` is the number of the
    maze, ``plies`` the length of the game.
    """
    own = seeds_of(seed, "tracking in games", number, np.arange(1)).tolist()[0]
    game = games.make("capture-the-flag", maze=1 + number, moves=plies)
    graph = graph_of_board(game.board)
    red, blue = (at_speed(players.make(name, game)) for name in ("team", team))
    way, observations = [cell_of_agent(game.start(), ENEMY)], []
    for state, _, _ in play_game(game, red, blue, own):
        observations.append(observation(state, OWN, ENEMY))
        way.append(cell_of_agent(state, ENEMY))
    return Case(graph, np.array(way, dtype=np.int16), record_of(observations, graph))


def beliefs_of(case: Case, variant: Pieces) -> np.ndarray:
    """Return the beliefs of a tracker with some of its pieces about an agent, float64 ``[T, C]``.

    They are the probabilities of each cell after each move.
    """
    tracker = Tracker(
        case.graph,
        int(case.way[0]),
        beta=variant.beta,
        noise=NOISE if variant.hears else -1,
        sight=SIGHT if variant.sees else -1,
        at_speed=True,
    )
    record = case.record
    if not variant.sees:
        record = record._replace(seen=np.full_like(record.seen, -1))
    if variant.knows:
        return _by_true_visits(tracker, record, case.way)
    return tracker.smoothed(record) if variant.smooths else tracker.filtered(record)


def _by_true_visits(tracker: Tracker, record: Observations, way: np.ndarray) -> np.ndarray:
    """Return the beliefs of a tracker that knows the agent's true visits, float64 ``[T, C]``.

    The true visits replace the expected visits before each step of :meth:`Tracker.filtered`.
    """
    step, scratch = build(filter_step), np.zeros((2, tracker.belief.size))
    visits, beliefs, belief = tracker.visits.copy(), [], tracker.belief.copy()
    for time, cell in enumerate(way[1:]):
        own = belief, visits.copy(), scratch[0], np.zeros(MOVES), scratch[1]
        step(tracker.model, record, time, *own)
        visits[cell] += record.moved[time] or record.home[time]
        beliefs.append(belief.copy())
    return np.array(beliefs)


def measured(case: Case, beliefs: np.ndarray) -> Measured:
    """Return how well a tracker's beliefs find the agent.

    These are the mean probability of the true cell, and the mean error in steps.
    """
    graph, truth = case.graph, case.way[1:].astype(np.int64)
    likely = beliefs.argmax(axis=1)
    across = abs(graph.columns[likely].astype(np.int64) - graph.columns[truth])
    down = abs(graph.rows[likely].astype(np.int64) - graph.rows[truth])
    probability = beliefs[np.arange(len(truth)), truth]
    return Measured(float(probability.mean()), float((across + down).mean()))


Table = dict[tuple[str, str], list[Measured]]
"""By the walk and the variant: a measurement for each maze."""


def track_all(
    variants: Mapping[str, Pieces],
    agents: Iterable[str],
    case_of: Callable[[str, int], Case],
    mazes: int,
    announce: Announce,
) -> Table:
    """Track the same agents by all variants of the tracker, and return the measurements.

    Args:
        variants: by name.
        agents: their names.
        case_of: (agent, number of the maze) -> the case.
        mazes: number of mazes.
        announce: called with a line of progress for each agent.
    """
    table: Table = {}
    for agent in agents:
        announce(f"{len(variants)} trackers of a {agent} agent in {mazes} mazes")
        for number in range(mazes):
            one = case_of(agent, number)
            for name, variant in variants.items():
                table.setdefault((agent, name), []).append(measured(one, beliefs_of(one, variant)))
    return table


def rows_of(table: Table) -> Iterator[dict[str, Any]]:
    """Yield the mean results of each tracker for each agent, with intervals, as rows."""
    for (agent, name), many in table.items():
        row: dict[str, Any] = {"agent": agent, "tracker": name}
        for what in Measured._fields:
            row |= mean_interval([getattr(one, what) for one in many]).columns(what)
        yield row


def gain(table: Table, walk: str, name: str, over: str, what: str = "probability") -> Interval:
    """Return how much more one tracker has of a value than another, with the interval over mazes.

    Args:
        table: the results by agent and tracker.
        walk: the agent.
        name: the tracker.
        over: the other tracker.
        what: the value, such as the probability of the true cell.
    """
    pairs = zip(table[walk, name], table[walk, over], strict=True)
    return mean_interval([getattr(one, what) - getattr(other, what) for one, other in pairs])
