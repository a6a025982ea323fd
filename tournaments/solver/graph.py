"""Every position of a game that can come up, and what each legal action leads to.

For games of up to some ten million positions, without a line of their authors: positions are found
breadth first from the start, and told apart by their whole state array. A game may come back to a
position. What can be computed of such a graph stands in :mod:`tournaments.solver.retrograde`.

Where a game draws, an action of several outcomes leads to a position of its own, in which ``DRAWN``
is to move: what was drawn, each outcome as likely as the others. The game's stream is zeros in all
positions, and its place in such a one holds the action, the seat that played it, and the outcomes.
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
"""Bytes of states and edges together."""
MOST_OF_FOLDER = 1_000_000_000
"""Bytes of the positions of a game that the folder of a run names, unless it is trusted."""
OPENINGS = 32
"""Seeds of which a game must begin alike."""
DRAWN = 2
"""In place of the seat to move, where chance has it."""
MOST_OUTCOMES = 1024
"""Of an action."""
ACTION, SEAT, OUTCOMES = STREAM, STREAM + 1, STREAM + 2
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
        counts_points: whether the scores are the aim, and not the result alone.
    """

    states: np.ndarray
    slots: np.ndarray
    first: np.ndarray
    actions: np.ndarray
    after: np.ndarray
    counts_points: bool

    @property
    def movers(self) -> np.ndarray:
        """The seat to move at each position, ``DRAWN``, or -1 where the game is over: int16
        ``[P]``."""
        return self.states[:, 0]

    def leads(self) -> np.ndarray:
        """What the scores of each position are worth to seat 0, int32 ``[P]``: the points that it
        has more, or 1, 0 or -1 where the result alone counts."""
        points = self.states[:, 1].astype(np.int32) - self.states[:, 2]
        return points if self.counts_points else np.sign(points)


@kernel
def fill_slots(states, slots, count):
    """Put the first ``count`` positions into an empty hash table."""
    for number in range(count):
        slots[slot_of(states, slots, states[number])] = number


@hook
def edges_of(board, state, actions):
    """Note the edges of a position in ``actions``, rising; return how many there are."""


@hook
def take_edge(board, state, action):
    """Go to the position to which an edge leads."""


@kernel
def moves_of(board, state, actions):
    """:func:`edges_of` without chance."""
    return legal(board, state, actions) if state[0] >= 0 else 0


@kernel
def moves_or_outcomes_of(board, state, actions):
    """:func:`edges_of` with chance."""
    if state[0] != DRAWN:
        return legal(board, state, actions) if state[0] >= 0 else 0
    for outcome in range(state[OUTCOMES]):
        actions[outcome] = outcome
    return np.int64(state[OUTCOMES])


@kernel
def play_or_draw(board, state, action):
    """:func:`take_edge` with chance."""
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
    """The fillings with which a game's positions are followed."""
    plain = {"edges_of": moves_of, "take_edge": game.rules.play}
    drawn = {"edges_of": moves_or_outcomes_of, "take_edge": play_or_draw}
    return {**game.hooks, **(drawn if game.rules.chance else plain)}


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
        TournamentError: the game draws where it begins; or the folder of a run names it, and they
            take much.
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
    """Give the arrays of a graph, but for its slots, room for so many positions and edges."""
    graph.states.resize((positions, graph.states.shape[1]), refcheck=False)
    graph.first.resize(positions + 1, refcheck=False)
    graph.actions.resize(edges, refcheck=False)
    graph.after.resize(edges, refcheck=False)


def refuse_unknown(game: Game) -> None:
    """Refuse a game whose positions do not tell what comes of them.

    Raises:
        TournamentError: its rules are no kernels, seats do not see all of a position, or outcomes
            are drawn that the game does not offer.
    """
    if game.is_interpreted:
        raise TournamentError(f"{game.name} has rules in plain Python, by which none are counted")
    if game.hides:
        raise TournamentError(
            f"{game.name} hides some of a position from its seats, so no position tells what is "
            "best there; it can only be played"
        )
    if game.rules.chance is not None and not game.rules.chance.is_offered:
        raise TournamentError(
            f"{game.name} draws, and does not offer its outcomes (Rules.chance), so its positions "
            "cannot be counted; it can only be played"
        )


def _opening(game: Game, seed: int) -> np.ndarray:
    """The first position; of a game that draws, its stream is zeros."""
    return game.start(seed).view(0).array


def refuse_drawn_start(game: Game) -> None:
    """Refuse a game that begins now in one position and now in another, by a TournamentError."""
    start = _opening(game, 0)
    if any(not np.array_equal(_opening(game, seed), start) for seed in range(1, OPENINGS)):
        raise TournamentError(
            f"{game.short_spec} draws where it begins, so its positions cannot be counted; give "
            "the start by an option of the game"
        )


def _check_size(game: Game, filled: int, graph: Graph, most: int) -> None:
    size = 2 * (graph.states.nbytes + graph.after.nbytes + graph.actions.nbytes)
    if naming_folder() and size > MOST_OF_FOLDER:
        raise TournamentError(
            f"{naming_folder()} takes all positions of {game.short_spec}, more than {filled:,}: if "
            "you trust it, add --trust (trust=True)"
        )
    if filled > most or size > MOST_BYTES:
        raise TooManyPositions(
            game, min(filled, most), MOST_POSITIONS if size > MOST_BYTES else most
        )


# --- the order of positions ----------------------------------------------------------------------


@kernel
def arrange(first, after, before, order):
    """Fill ``order`` with positions, each behind all that lead to it; return how many there are.

    ``before`` has how many edges lead to each position, and is overwritten. Positions that come up
    again and again are left out, and those behind them.
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
    """The positions as they follow on one another, int32 ``[P]``; whether some come up twice."""

    positions: np.ndarray
    has_circles: bool


def order_of(graph: Graph) -> Order:
    """The positions of a graph in order; with circles, as they were found."""
    number = len(graph.states)
    before = np.bincount(graph.after, minlength=number).astype(np.int32)
    order = np.empty(number, dtype=np.int32)
    if build(arrange)(graph.first, graph.after, before, order) == number:
        return Order(order, False)
    return Order(np.arange(number, dtype=np.int32), True)
