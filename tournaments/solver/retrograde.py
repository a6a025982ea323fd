"""Exact values of all positions of a game, from the ends backwards; positions may repeat.

The *lead* of a position is what seat 0 gains at the end under best play of both: 1 for a win, 0 for
a draw, -1 for a loss or, where the game counts points (``Rules.objective``), what it has more than
seat 1. A game that goes on for ever counts as drawn, 0. Who is ahead makes an end as soon as it
can, who is behind as late as it can, and the *plies* of a position are as many as that takes; of a
lead of 0 they are 0, since nobody can force an end.

Of the positions from which seat 0 can force a lead of at least so much, those next to the ends are
found first (retrograde analysis: Bellman, "On the Application of Dynamic Programming to the
Determination of Optimal Play in Chess and Checkers", PNAS 1965). The largest lead goes first; then
the same for seat 1. Each edge is looked at once a seat.

Where a game draws, leads are expectations, float64, and plies are not counted: see
:func:`expectation`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.cache import cache_folder, load, store
from tournaments.kernels.hooks import legal, outcomes, play, settle, start
from tournaments.kernels.linker import build, fingerprint, kernel
from tournaments.rules import Kernel
from tournaments.solver.graph import (
    DRAWN,
    MOST_POSITIONS,
    Graph,
    TooManyPositions,
    explore,
    order_of,
    refuse_drawn_start,
    refuse_unknown,
)

FEW_POSITIONS = 1_000_000
"""A game of so many is solved in a second or two."""


class Solution(NamedTuple):
    """A game solved.

    Attributes:
        graph: its positions.
        leads: int16 ``[P]``, of seat 0 under best play; float64 of a game that draws.
        plies: int32 ``[P]``, to the end under best play; 0 where the lead is 0, or expected.
    """

    graph: Graph
    leads: np.ndarray
    plies: np.ndarray


class Before(NamedTuple):
    """The edges of a graph backwards: ``positions`` int32 ``[E]``, of each position from ``first``
    int32 ``[P + 1]`` on."""

    first: np.ndarray
    positions: np.ndarray


def backwards(graph: Graph) -> Before:
    """The edges of a graph by where they lead."""
    from scipy.sparse import csr_array  # heavy, and for games that are solved alone

    edges = np.ones(len(graph.after), dtype=np.bool_), graph.after, graph.first.astype(np.int32)
    turned = csr_array(edges, shape=(len(graph.states),) * 2).tocsc()
    return Before(turned.indptr, turned.indices)


class Forced(NamedTuple):
    """What one seat can force: ``is_known`` bool, ``leads`` int16, ``plies`` int32, each ``[P]``;
    ``left`` int32 ``[P]``, the edges of the other seat's positions that do not lead to it yet."""

    is_known: np.ndarray
    leads: np.ndarray
    plies: np.ndarray
    left: np.ndarray


@kernel
def force(movers, before, forced, queue, filled, seat, lead):
    """From the ends in ``queue``, ``filled`` of them, mark where ``seat`` can force ``lead``."""
    taken = np.int64(0)
    while taken < filled:
        reached = queue[taken]
        taken += 1
        for place in range(before.first[reached], before.first[reached + 1]):
            number = before.positions[place]
            if not forced.is_known[number]:
                forced.left[number] -= 1
                if movers[number] == seat or forced.left[number] == 0:
                    forced.is_known[number] = True
                    forced.leads[number] = lead
                    forced.plies[number] = forced.plies[reached] + 1
                    queue[filled] = number
                    filled += 1


def retrograde(graph: Graph) -> Solution:
    """The leads and plies of all positions."""
    number = len(graph.states)
    before, movers = backwards(graph), np.ascontiguousarray(graph.movers)
    ends = np.flatnonzero(movers < 0)
    leads_of_ends = graph.leads()[ends]
    leads, plies = np.zeros(number, dtype=np.int16), np.zeros(number, dtype=np.int32)
    queue, work = np.empty(number, dtype=np.int32), build(force)
    for seat, sign in ((0, 1), (1, -1)):
        left = np.diff(graph.first).astype(np.int32)
        forced = Forced(np.zeros(number, dtype=np.bool_), leads, plies, left)
        for gain in np.unique(sign * leads_of_ends)[::-1]:
            if gain > 0:
                some = ends[leads_of_ends == sign * gain]
                queue[: len(some)] = some
                forced.is_known[some], leads[some] = True, sign * gain
                work(movers, before, forced, queue, len(some), seat, int(sign * gain))
    return Solution(graph, leads, plies)


# --- with chance ---------------------------------------------------------------------------------

SWEEPS = 100_000
"""Passes over a graph with circles; what has not ended by then is taken for endless."""
SMALLEST = 1e-13
"""A change that ends the passes."""


@kernel
def expect(graph, order, leads):
    """One pass: the lead of each position, given those behind it; return the largest change."""
    change = 0.0
    for place in range(order.size - 1, -1, -1):
        number = order[place]
        mover = graph.states[number, 0]
        first = graph.first[number]
        last = graph.first[number + 1]
        if mover >= 0:
            lead = leads[graph.after[first]]
            for edge in range(first + 1, last):
                following = leads[graph.after[edge]]
                if mover == 0:
                    lead = max(lead, following)
                elif mover == 1:
                    lead = min(lead, following)
                else:
                    lead += following
            lead = lead / np.float64(last - first) if mover == DRAWN else lead
            change = max(change, abs(lead - leads[number]))
            leads[number] = lead
    return change


def expectation(graph: Graph) -> Solution:
    """The leads of all positions of a game that draws, by passes until nothing changes; what goes
    on for ever counts as drawn."""
    order = order_of(graph)
    ends = graph.movers < 0
    leads, work = np.where(ends, graph.leads(), 0).astype(np.float64), build(expect)
    for _ in range(SWEEPS if order.has_circles else 1):
        if work(graph, order.positions, leads) <= SMALLEST:
            break
    return Solution(graph, leads, np.zeros(len(leads), dtype=np.int32))


# --- kept ----------------------------------------------------------------------------------------

_lock = threading.Lock()
_solved: dict[Game, Solution] = {}
MOST_KEPT = 4
"""Solutions of a process; the oldest goes."""


def solution(game: Game, most: int = MOST_POSITIONS) -> Solution:
    """A game solved: about a second a million positions, and once.

    That a game has too many positions is kept in the cache folder.

    Raises:
        TournamentError: as :func:`tournaments.solver.graph.explore`.
    """
    with _lock:  # threads that ask at once wait for one answer
        if game not in _solved:
            solve = expectation if game.rules.chance else retrograde
            solved = solve(_explored(game, most))
            if len(_solved) == MOST_KEPT:
                del _solved[next(iter(_solved))]
            _solved[game] = solved
        if len(_solved[game].leads) > most:
            raise TooManyPositions(game, most, most)
        return _solved[game]


def _explored(game: Game, most: int) -> Graph:
    """All positions, unless it is known that they are too many; what is learned is kept."""
    path, known = _counted(game)
    if known.at_least > most:
        raise TooManyPositions(game, most, most)
    try:
        graph = explore(game, most)
    except TooManyPositions as error:
        store(path, json.dumps(Count(error.most + 1, False)).encode())
        raise
    store(path, json.dumps(Count(len(graph.states), True)).encode())
    return graph


def has_solution(game: Game, most: int = FEW_POSITIONS) -> bool:
    """Whether a game has at most so many positions; counting a million takes about a second."""
    _, known = _counted(game)
    if known.is_all or known.at_least > most:
        return known.at_least <= most
    try:
        return len(solution(game, most).leads) <= most
    except TournamentError:
        return False


def refuse_unsolvable(game: Game) -> None:
    """Refuse a game that is known not to be solved; nothing is counted.

    Raises:
        TournamentError: as :func:`tournaments.solver.graph.explore`.
    """
    refuse_unknown(game)
    _, known = _counted(game)
    if known.at_least > MOST_POSITIONS:
        raise TooManyPositions(game, MOST_POSITIONS, MOST_POSITIONS)
    refuse_drawn_start(game)


class Count(NamedTuple):
    """The least number of positions that a game can have, and whether it has just as many."""

    at_least: int
    is_all: bool


def _counted(game: Game) -> tuple[Path, Count]:
    """Where it is kept how many positions a game has, and what is known of it."""
    rules: set[Kernel] = {start, legal, play}
    chance = game.rules.chance
    rules |= {outcomes, settle} if chance is not None and chance.is_offered else set()
    laws = fingerprint(rules, game.hooks, game.board)
    name = hashlib.sha256(f"{game.spec} {laws}".encode()).hexdigest()[:24]
    path = cache_folder() / "solved" / f"{name}.positions"
    known = load(path)
    return path, Count(0, False) if known is None else Count(*json.loads(known))
