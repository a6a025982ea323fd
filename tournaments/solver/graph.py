"""The graph of all reachable positions of a game, and the successor of each legal action.

The graph works for games of up to about ten million positions and needs no code in the game.
Positions are found by breadth-first search from the start. Two positions are equal if their whole
state arrays are equal. A game may return to a position. Algorithms on the graph are in
:mod:`tournaments.solver.retrograde`.

In games of chance, an action with several outcomes leads to a chance node, a position in which
``DRAWN`` is to move. Its outcomes are equally likely. The random stream is zero in all positions.
In a chance node, its place holds the action, the seat that played it, and the number of outcomes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.chance import STREAM
from tournaments.kernels.hooks import legal, outcomes, play, settle
from tournaments.kernels.linker import build, hook, kernel
from tournaments.kernels.positions import slot_of
from tournaments.named_files import naming_folder
from tournaments.rules import Kernel

MOST_POSITIONS = 12_000_000
MOST_BYTES = 2_000_000_000
"""Limit of the size of states and edges together, in bytes."""
MOST_OF_FOLDER = 1_000_000_000
"""Limit of the size for a game named by an untrusted run folder, in bytes."""
OPENINGS = 32
"""Number of seeds for which a game must begin in the same position."""
DRAWN = 2
"""The seat to move at a chance node."""
MOST_OUTCOMES = 1024
"""Largest number of outcomes of an action."""
ACTION, SEAT, OUTCOMES = STREAM, STREAM + 1, STREAM + 2
# Indices in the array of the progress of the search.
TAKEN, FILLED, EDGES = 0, 1, 2


class Graph(NamedTuple):
    """The positions of a game, P of them, and its E edges: pairs of a position and a legal action.

    Attributes:
        states: int16 ``[P, S]``, the state arrays; the first one is the start.
        slots: int32 ``[H]``, the position in each slot of a hash table, -1: none.
        first: int64 ``[P + 1]``, each position's first edge, and E at the end.
        actions: int16 ``[E]``, the action of each edge, in ascending order for each position.
        after: int32 ``[E]``, the position that the edge leads to.
        counts_points: whether the objective of the game is points, and not only the result.
    """

    states: np.ndarray
    slots: np.ndarray
    first: np.ndarray
    actions: np.ndarray
    after: np.ndarray
    counts_points: bool

    @property
    def movers(self) -> np.ndarray:
        """The seat to move at each position of the graph, int16 ``[P]``.

        It is ``DRAWN`` where chance draws, and -1 at the end of a game.
        """
        return self.states[:, 0]

    def leads(self) -> np.ndarray:
        """Return the lead of seat 0 at each position of the graph, int32 ``[P]``.

        The lead is the difference of the points, or its sign if only the result counts.
        """
        points = self.states[:, 1].astype(np.int32) - self.states[:, 2]
        return points if self.counts_points else np.sign(points)


@kernel
def fill_slots(states, slots, count):
    """Put the first ``count`` positions of a game into an empty hash table.

    ``slots`` gets the number of the position in each slot.
    """
    for number in range(count):
        slots[slot_of(states, slots, states[number])] = number


@hook
def edges_of(board, state, actions):
    """Write the edges of a position, its actions or drawn outcomes, into ``actions``.

    They are in rising order.

    Returns:
        The number of edges.
    """


@hook
def take_edge(board, state, action):
    """Change ``state`` to the position to which an edge (an action or a drawn outcome) leads."""


@kernel
def moves_of(board, state, actions):
    """Fill the hook :func:`edges_of` for games without chance: list the legal actions."""
    return legal(board, state, actions) if state[0] >= 0 else 0


@kernel
def moves_or_outcomes_of(board, state, actions):
    """Fill the hook :func:`edges_of` for games of chance: list legal actions or drawn outcomes."""
    if state[0] != DRAWN:
        return legal(board, state, actions) if state[0] >= 0 else 0
    for outcome in range(state[OUTCOMES]):
        actions[outcome] = outcome
    return np.int64(state[OUTCOMES])


@kernel
def play_or_draw(board, state, action):
    """Fill the hook :func:`take_edge` for games of chance: play an action, or settle an outcome.

    An action with several outcomes leads to a position in which one of them is drawn.
    """
    if state[0] == DRAWN:
        drawn = np.int64(state[ACTION])
        state[0] = state[SEAT]
        state[ACTION] = 0
        state[SEAT] = 0
        state[OUTCOMES] = 0
        settle(board, state, drawn, action)
    else:
        number = outcomes(board, state, action)
        if number > 1:
            state[ACTION] = action
            state[SEAT] = state[0]
            state[OUTCOMES] = number
            state[0] = DRAWN
        else:
            play(board, state, action)


def hooks_of_edges(game: Game) -> dict[str, Kernel]:
    """Return the hooks by which kernels follow the edges of a game's positions."""
    plain = {"edges_of": moves_of, "take_edge": game.rules.play}
    drawn = {"edges_of": moves_or_outcomes_of, "take_edge": play_or_draw}
    return {**game.hooks, **(drawn if game.rules.chance else plain)}


@kernel
def expand(board, graph, progress, actions, state):
    """Add the positions that follow known positions to a game's graph.

    It ends when none is missing, or when an array is full.

    Args:
        board: the constants of the game.
        graph: the graph, changed in place.
        progress: the number of positions expanded, of positions known, and of edges, int64 [3].
        actions: scratch space.
        state: scratch space.
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
        count = edges_of(board, graph.states[taken], actions)
        for place in range(count):
            for index in range(state.size):
                state[index] = graph.states[taken, index]
            take_edge(board, state, actions[place])
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
    """An error for a game with too many positions.

    Attributes:
        most: a limit that the number of positions exceeds.
    """

    def __init__(self, game: Game, positions: int, most: int) -> None:
        super().__init__(
            f"{game.short_spec} has more than {positions:,} positions, too many to solve it; "
            "choose a smaller board"
        )
        self.most = most


def explore(game: Game, most: int = MOST_POSITIONS, start: np.ndarray | None = None) -> Graph:
    """Return the graph of all positions of a game, or of all that are reachable from ``start``.

    The first position is the start.

    Args:
        game: the game.
        most: the largest number of positions.
        start: a position; by default that of the game.

    Raises:
        TooManyPositions: there are more than ``most``, or they take more than two gigabytes.
        TournamentError: the start of the game is random, or a game named by an untrusted run folder
            takes too much memory.
    """
    refuse_unknown(game)
    if start is None:
        refuse_drawn_start(game)
        start = _opening(game, 0)
    actions = np.zeros(max(game.num_actions, bool(game.rules.chance) * MOST_OUTCOMES), np.int16)
    edges = np.zeros(0, dtype=np.int32)
    graph = Graph(
        np.array(start[None]),
        np.zeros(0, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        edges.astype(np.int16),
        edges,
        game.counts_points,
    )
    progress = np.array([0, 1, 0], dtype=np.int64)
    find, fill = build(expand, hooks_of_edges(game)), build(fill_slots)
    while progress[TAKEN] < progress[FILLED]:
        _check_size(game, int(progress[FILLED]), graph, most)
        room = 2 * int(progress[FILLED]) + len(actions) + 1024
        more = 2 * int(progress[EDGES]) + len(actions) + 4096
        _resize(graph, room, max(len(graph.after), more))
        slots = np.full(1 << (4 * room - 1).bit_length(), -1, dtype=np.int32)
        graph = graph._replace(slots=slots)
        fill(graph.states, slots, progress[FILLED])
        find(game.board, graph, progress, actions, np.empty_like(start))
    _resize(graph, int(progress[FILLED]), int(progress[EDGES]))
    return graph


def _resize(graph: Graph, positions: int, edges: int) -> None:
    """Resize the arrays of a game's graph, except its hash table, to these numbers."""
    graph.states.resize((positions, graph.states.shape[1]), refcheck=False)
    graph.first.resize(positions + 1, refcheck=False)
    graph.actions.resize(edges, refcheck=False)
    graph.after.resize(edges, refcheck=False)


def refuse_unknown(game: Game) -> None:
    """Raise if the positions of a game alone do not determine what follows them.

    Raises:
        TournamentError: the rules are no kernels, the game has hidden information, or the game does
            not list its chance outcomes.
    """
    if game.is_interpreted:
        raise TournamentError(
            f"the rules of {game.short_spec} are plain Python, and only compiled rules can be "
            "solved; evo players lists the players of the game"
        )
    if game.hides:
        raise TournamentError(
            f"{game.name} hides some of a position from its seats, so its positions cannot be "
            "solved; it can only be played"
        )
    if game.rules.chance is not None and not game.rules.chance.is_offered:
        raise TournamentError(
            f"{game.name} draws, and its Rules.chance does not offer the outcomes, so positions "
            "cannot be counted; it can only be played"
        )


def _opening(game: Game, seed: int) -> np.ndarray:
    """Return the first position of a game.

    In games of chance, its random stream is set to zeros.
    """
    return game.start(seed).view(0).array


def refuse_drawn_start(game: Game) -> None:
    """Raise if the start of a game is random, since its positions then cannot be counted.

    Raises:
        TournamentError: the start is random.
    """
    start = _opening(game, 0)
    if any(not np.array_equal(_opening(game, seed), start) for seed in range(1, OPENINGS)):
        raise TournamentError(
            f"{game.short_spec} draws its start, so its positions cannot be counted; give "
            "the start by an option of the game"
        )


def _check_size(game: Game, filled: int, graph: Graph, most: int) -> None:
    size = 2 * (graph.states.nbytes + graph.after.nbytes + graph.actions.nbytes)
    if naming_folder() and size > MOST_OF_FOLDER:
        raise TournamentError(
            f"{naming_folder()} needs all positions of {game.short_spec}, more than {filled:,}: if "
            "you trust it, add --trust (trust=True)"
        )
    if filled > most or size > MOST_BYTES:
        raise TooManyPositions(
            game, min(filled, most), MOST_POSITIONS if size > MOST_BYTES else most
        )


# --- the order of positions ----------------------------------------------------------------------


@kernel
def arrange(first, after, before, order):
    """Fill ``order`` with positions of a graph in topological order, and return their number.

    Positions on cycles, and all positions that can be reached from a cycle, are left out.

    Args:
        first: where the edges of each position begin, ``[P + 1]``.
        after: the position to which each edge leads.
        before: the number of edges that lead to each position; overwritten.
        order: to be filled.
    """
    taken = np.int64(0)
    filled = np.int64(0)
    for number in range(before.size):
        if before[number] == 0:
            order[filled] = number
            filled += 1
    while taken < filled:
        number = order[taken]
        taken += 1
        for edge in range(first[number], first[number + 1]):
            before[after[edge]] -= 1
            if before[after[edge]] == 0:
                order[filled] = after[edge]
                filled += 1
    return filled


class Order(NamedTuple):
    """Positions in topological order, int32 ``[P]``, and whether the graph has cycles."""

    positions: np.ndarray
    has_circles: bool


def order_of(graph: Graph) -> Order:
    """Return the positions of a game's graph in topological order, or as found if it has cycles."""
    number = len(graph.states)
    before = np.bincount(graph.after, minlength=number).astype(np.int32)
    order = np.empty(number, dtype=np.int32)
    if build(arrange)(graph.first, graph.after, before, order) == number:
        return Order(order, False)
    return Order(np.arange(number, dtype=np.int32), True)
