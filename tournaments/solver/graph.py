"""Every position of a game that can come up, and what each legal action leads to.

For games of up to some ten million positions, without a line of their authors: positions are found
breadth first from the start, and told apart by their whole state array. A game may come back to a
position. What can be computed of such a graph stands in :mod:`tournaments.solver.retrograde`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.hooks import legal, play
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.positions import slot_of

MOST_POSITIONS = 12_000_000
MOST_BYTES = 2_000_000_000
"""Of states and edges together."""
OPENINGS = 32
"""Seeds of which a game must begin alike."""
# Places in the array that tells how far the search has come.
TAKEN, FILLED, EDGES = 0, 1, 2


class Graph(NamedTuple):
    """The positions of a game, P of them, and its E edges: pairs of a position and a legal action.

    Attributes:
        states: int16 ``[P, S]``, the state arrays; the first one is the start.
        slots: int32 ``[H]``, the position that stands in each slot of a hash table, -1: none.
        first: int64 ``[P + 1]``, each position's first edge, and last E.
        actions: int16 ``[E]``, of each position rising.
        after: int32 ``[E]``, the position that the edge leads to.
    """

    states: np.ndarray
    slots: np.ndarray
    first: np.ndarray
    actions: np.ndarray
    after: np.ndarray

    @property
    def movers(self) -> np.ndarray:
        """The seat to move at each position, -1 where the game is over: int16 ``[P]``."""
        return self.states[:, 0]

    def leads(self) -> np.ndarray:
        """How much seat 0 leads at each position, int32 ``[P]``."""
        return self.states[:, 1].astype(np.int32) - self.states[:, 2]


@kernel
def fill_slots(states, slots, count):
    """Put the first ``count`` positions into an empty hash table."""
    for number in range(count):
        slots[slot_of(states, slots, states[number])] = number


@kernel
def expand(board, graph, progress, actions, state):
    """Note what follows on each position, until no position is left or an array is full.

    ``progress`` (int64 [3]) counts positions taken and known, and edges; ``actions`` and ``state``
    are overwritten.
    """
    taken = progress[TAKEN]
    filled = progress[FILLED]
    edges = progress[EDGES]
    while (
        taken < filled
        and filled + actions.size <= graph.states.shape[0]
        and edges + actions.size <= graph.actions.size
        and 2 * (filled + actions.size) <= graph.slots.size
    ):
        graph.first[taken] = edges
        count = legal(board, graph.states[taken], actions) if graph.states[taken, 0] >= 0 else 0
        for place in range(count):
            for index in range(state.size):
                state[index] = graph.states[taken, index]
            play(board, state, actions[place])
            slot = slot_of(graph.states, graph.slots, state)
            if graph.slots[slot] < 0:
                for index in range(state.size):
                    graph.states[filled, index] = state[index]
                graph.slots[slot] = filled
                filled += 1
            graph.actions[edges] = actions[place]
            graph.after[edges] = graph.slots[slot]
            edges += 1
        taken += 1
        graph.first[taken] = edges
    progress[TAKEN] = taken
    progress[FILLED] = filled
    progress[EDGES] = edges


class TooManyPositions(TournamentError):
    """A game has too many positions.

    Attributes:
        most: as many and fewer are too few for the game.
    """

    def __init__(self, game: Game, positions: int, most: int) -> None:
        super().__init__(
            f"{game.short_spec} has more than {positions:,} positions, too many to solve it; "
            "choose a smaller board"
        )
        self.most = most


def explore(game: Game, most: int = MOST_POSITIONS, start: np.ndarray | None = None) -> Graph:
    """All positions of a game, or those that may follow on ``start``; that one is the first.

    Raises:
        TooManyPositions: there are more than ``most``, or they take more than two gigabytes.
        TournamentError: the game draws where it begins.
    """
    start = _start_of(game) if start is None else start
    graph = _enlarged(_of_start(start), np.array([0, 1, 0]), game.num_actions)
    progress = np.array([0, 1, 0], dtype=np.int64)
    actions = np.zeros(game.num_actions, dtype=np.int16)
    find = build(expand, game.hooks)
    while True:
        find(game.board, graph, progress, actions, np.empty_like(start))
        taken, filled, edges = (int(count) for count in progress)
        if taken == filled:
            return _trimmed(graph, filled, edges)
        _check_size(game, filled, graph, most)
        graph = _enlarged(graph, progress, game.num_actions)


def draws_its_start(game: Game) -> bool:
    """Whether a game begins now in one position and now in another."""
    start = game.start().array
    return any(not np.array_equal(game.start(seed).array, start) for seed in range(1, OPENINGS))


def _start_of(game: Game) -> np.ndarray:
    """The position in which a game begins.

    Raises:
        TournamentError: it is drawn.
    """
    if draws_its_start(game):
        raise TournamentError(
            f"{game.short_spec} draws where it begins, so its positions cannot be counted; give "
            "the start by an option of the game"
        )
    return game.start().array


def _of_start(start: np.ndarray) -> Graph:
    slots = np.full(2, -1, dtype=np.int32)
    empty = np.zeros(0, dtype=np.int32)
    return Graph(start[None], slots, np.zeros(2, dtype=np.int64), empty.astype(np.int16), empty)


def _check_size(game: Game, filled: int, graph: Graph, most: int) -> None:
    size = 2 * (graph.states.nbytes + graph.after.nbytes + graph.actions.nbytes)
    if filled > most or size > MOST_BYTES:
        raise TooManyPositions(
            game, min(filled, most), MOST_POSITIONS if size > MOST_BYTES else most
        )


def _enlarged(graph: Graph, progress: np.ndarray, num_actions: int) -> Graph:
    """A graph with room for twice as many positions and edges, and for those of one more."""
    _, filled, edges = (int(count) for count in progress)
    positions = 2 * filled + num_actions + 1024
    slots = np.full(1 << (4 * positions - 1).bit_length(), -1, dtype=np.int32)
    build(fill_slots)(graph.states, slots, filled)
    room = max(len(graph.after), 2 * edges + num_actions + 4096)
    return Graph(
        _longer(graph.states, filled, positions),
        slots,
        _longer(graph.first, len(graph.first), positions + 1),
        _longer(graph.actions, edges, room),
        _longer(graph.after, edges, room),
    )


def _longer(array: np.ndarray, used: int, length: int) -> np.ndarray:
    longer = np.zeros((length, *array.shape[1:]), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer


def _trimmed(graph: Graph, positions: int, edges: int) -> Graph:
    """What is used of the arrays."""
    return Graph(
        graph.states[:positions].copy(),
        graph.slots,
        graph.first[: positions + 1].copy(),
        graph.actions[:edges].copy(),
        graph.after[:edges].copy(),
    )
