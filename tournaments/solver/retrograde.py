"""Exact values of all positions of a game by retrograde analysis. Positions may repeat.

The *lead* of a position is seat 0's gain at the end under best play of both seats: 1 for a win, 0
for a draw, -1 for a loss. In games that count points (``Rules.objective``), the lead is the
difference of the points. An endless game counts as drawn, 0.

The *plies* of a position are the length of the rest of the game, if the seat ahead ends the game as
soon as possible and the other seat as late as possible. For a lead of 0 the plies are 0, because
neither seat can force an end.

Retrograde analysis (Bellman, "On the Application of Dynamic Programming to the Determination of
Optimal Play in Chess and Checkers", PNAS 1965) goes backwards from the ends of the game. It finds
the positions from which seat 0 can force the largest lead, then each smaller lead. Then it does the
same for seat 1. Each edge is processed once per seat.

In games of chance, leads are expected values, float64, and plies are not counted, see
:func:`expectation`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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
    Order,
    TooManyPositions,
    explore,
    order_of,
    refuse_drawn_start,
    refuse_unknown,
)

FEW_POSITIONS = 1_000_000
"""Number of positions of a game that is solved in a second or two."""


class Solution(NamedTuple):
    """The solution of a game: the lead under best play at each position.

    Attributes:
        graph: the positions of the game.
        leads: int16 ``[P]``, leads of seat 0 under best play; float64 in games of chance.
        plies: int32 ``[P]``, plies to the end under best play; 0 if the lead is 0 or expected.
    """

    graph: Graph
    leads: np.ndarray
    plies: np.ndarray


class Before(NamedTuple):
    """The reversed edges of a graph: the predecessors of each position.

    Attributes:
        first: int32 ``[P + 1]``, index of each position's first predecessor in ``positions``.
        positions: int32 ``[E]``, the predecessors.
    """

    first: np.ndarray
    positions: np.ndarray


def backwards(graph: Graph) -> Before:
    """Return the reversed edges of a game's graph: the positions before each position."""
    from scipy.sparse import csr_array  # slow import, needed only to solve games

    edges = np.ones(len(graph.after), dtype=np.bool_), graph.after, graph.first.astype(np.int32)
    turned = csr_array(edges, shape=(len(graph.states),) * 2).tocsc()
    return Before(turned.indptr, turned.indices)


class Forced(NamedTuple):
    """The leads that one seat can force from each position.

    Attributes:
        is_known: bool ``[P]``, whether the position is decided.
        leads: int16 ``[P]``, the forced lead.
        plies: int32 ``[P]``, plies to the end.
        left: int32 ``[P]``, number of edges of the position that lead to undecided positions.
    """

    is_known: np.ndarray
    leads: np.ndarray
    plies: np.ndarray
    left: np.ndarray


@kernel
def force(movers, before, forced, queue, filled, seat, lead):
    """Mark the positions from which a seat can force a lead at the end of the game.

    The search goes backward from the ends with this lead.

    Args:
        movers: the seat to move at each position.
        before: the reversed edges.
        forced: the marks, changed.
        queue: the ends with this lead, and room for all positions.
        filled: the number of these ends.
        seat: the seat.
        lead: the lead.
    """
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
    """Return the lead and the number of plies to the end under best play, for all positions.

    The analysis starts at the ends of the game without chance, and goes backward.
    """
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
"""Largest number of passes over a graph with cycles. Games that have not ended count as endless."""
SMALLEST = 1e-13
"""Largest change at which the passes end."""


def repeat_passes(order: Order, run: Callable[..., float], *arguments: Any) -> None:
    """Run one pass over a graph, or passes until nothing changes if the graph has cycles.

    Args:
        order: the order of the positions.
        run: the kernel of a pass, which returns the largest change.
        *arguments: the arguments of the kernel.
    """
    for _ in range(SWEEPS if order.has_circles else 1):
        if run(*arguments) <= SMALLEST:
            return


@kernel
def expect(graph, order, leads):
    """Run one pass that updates the expected lead at each position under best play.

    Args:
        graph: all positions of a game of chance and the edges between them.
        order: the order of the positions.
        leads: the leads, float64 ``[P]``, changed.

    Returns:
        The largest change.
    """
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
    """Return the expected leads at all positions of a game of chance, under best play.

    Passes are repeated until nothing changes. Endless games count as drawn.
    """
    order = order_of(graph)
    ends = graph.movers < 0
    leads = np.where(ends, graph.leads(), 0).astype(np.float64)
    repeat_passes(order, build(expect), graph, order.positions, leads)
    return Solution(graph, leads, np.zeros(len(leads), dtype=np.int32))


# --- cache ---------------------------------------------------------------------------------------

_lock = threading.Lock()
_solved: dict[Game, Solution] = {}
MOST_KEPT = 4
"""Number of solutions kept in memory. The oldest is dropped."""


def solution(game: Game, most: int = MOST_POSITIONS) -> Solution:
    """Return the solution of a game: the lead at each position under best play.

    It is computed once, in about a second per million positions. The number of positions, or that
    there are too many, is stored in the cache folder. ``most`` is the largest number of positions.

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
    """Return the graph of a game, and store the number of its positions in the cache folder.

    Raise at once if the stored number is above ``most``.
    """
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
    """Return whether a game has at most ``most`` positions, so that it can be solved.

    Counting a million positions takes about a second.
    """
    _, known = _counted(game)
    if known.is_all or known.at_least > most:
        return known.at_least <= most
    try:
        return len(solution(game, most).leads) <= most
    except TournamentError:
        return False


def refuse_unsolvable(game: Game) -> None:
    """Raise if a game is known to be unsolvable. Its positions are not counted.

    Raises:
        TournamentError: as :func:`tournaments.solver.graph.explore`.
    """
    refuse_unknown(game)
    _, known = _counted(game)
    if known.at_least > MOST_POSITIONS:
        raise TooManyPositions(game, MOST_POSITIONS, MOST_POSITIONS)
    refuse_drawn_start(game)


class Count(NamedTuple):
    """A lower bound of the number of positions of a game, and whether the bound is exact."""

    at_least: int
    is_all: bool


def _counted(game: Game) -> tuple[Path, Count]:
    """Return the cache file for the number of positions of a game, and the bound known so far."""
    rules: set[Kernel] = {start, legal, play}
    chance = game.rules.chance
    rules |= {outcomes, settle} if chance is not None and chance.is_offered else set()
    laws = fingerprint(rules, game.hooks, game.board)
    name = hashlib.sha256(f"{game.spec} {laws}".encode()).hexdigest()[:24]
    path = cache_folder() / "solved" / f"{name}.positions"
    known = load(path)
    return path, Count(0, False) if known is None else Count(*json.loads(known))
