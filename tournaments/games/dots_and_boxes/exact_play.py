"""Exact results of dots and boxes between two players: computed, not played.

Both players are fixed mixed strategies (:mod:`tournaments.games.dots_and_boxes.edge_sets`). A game
is therefore a walk on edge sets with known transition probabilities. The drawn edges determine how
many boxes are closed, but not the owners of the boxes nor the seat to move. The computation
therefore carries a probability for each edge set, seat to move and number of the player's boxes,
from the empty board on. The probabilities at the full board give the win rates and the margins.

Each position on the way counts with its probability. A move's *regret* is the value of the position
under perfect play less the best value after the move, in net boxes (the values of
:mod:`tournaments.solver.table`). The regret of a best move is 0. Perfect play loses nothing, so
against perfect play a player's expected net boxes are the value of the game less its expected
regret.

**Rounding.** Chances are float64. Each is a sum of at most 2 E terms, in the order of the edges,
that have been divided by a number of candidates once, E times over: off by at most 2 E (E + 1) /
2^53 of itself on a board of E edges, which is 1.4e-13 on 3x3. The order is fixed, so that the
result is the same on any processor and with any number of threads. Impossible events have
probability 0.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.dots_and_boxes import edge_sets
from tournaments.games.dots_and_boxes.edge_sets import (
    Surveyed,
    layers_of_blocks,
    members,
    walls_of,
)
from tournaments.games.dots_and_boxes.rules import BOXES, EDGES, SEATS, closed_by
from tournaments.kernels.linker import build, kernel
from tournaments.player import CompiledPlayer, Player, identity
from tournaments.solver import table as oracle
from tournaments.solver.exact import Announce, Meeting, Meetings, from_leads, kept

MOVES = -3
"""The first of the columns of a meeting's figures after the chances."""


def meetings(game: Game, threads: int) -> Meetings:
    """Return the exact results between players of dots and boxes on one board.

    They are stored in the cache folder, and the surveys of opponents in memory.

    Raises:
        TournamentError: a board of more than 24 edges.
    """
    oracle.num_positions(game)  # refuses large boards
    opponents: dict[str, Surveyed] = {}

    def meeting(player: CompiledPlayer, other: CompiledPlayer, announce: Announce) -> Meeting:
        whom = identity(other)

        def compute() -> np.ndarray:
            announce(f"computing the games of {player.name} against {other.name}")
            mine = edge_sets.surveyed(player, threads)
            if whom not in opponents:
                opponents[whom] = edge_sets.survey(other, threads)
            return figures_of(mine, opponents[whom], threads)

        figures = kept("met", (game.spec, identity(player), whom), compute)
        return meeting_of(figures.reshape(2, -1))

    return Meetings(edge_sets.checked, meeting)


def meeting_of(figures: np.ndarray) -> Meeting:
    """Return the meeting of two players of dots and boxes, given its :func:`figures_of`."""
    chances = figures[:, :MOVES]
    boxes = chances.shape[1] - 1
    leads = 2 * np.arange(boxes + 1) - boxes
    wins, draws, margins = from_leads(leads, chances)
    moves, regret, best = figures[:, MOVES:].sum(axis=0)
    words = (
        f"{{player}} wins {wins.mean():.3%} of its games against {{opponent}} "
        f"({_by_seat(wins, '.3%')}), by {_by_seat(margins, '+.4f')} net boxes; a move of its loses "
        f"{regret / moves:.4f} boxes in the mean, {best / moves:.1%} lose none"
    )
    return Meeting(wins, draws, margins, words, float(regret / moves), float(best / moves))


def _by_seat(values: np.ndarray, form: str) -> str:
    return ", ".join(
        f"{value:{form}} as the {seat}" for value, seat in zip(values, SEATS, strict=True)
    )


def meet(player: Player | Surveyed, other: Player | Surveyed, threads: int = 1) -> Meeting:
    """Return the exact results of a player of dots and boxes against another, in either seat.

    Both may be any that can be surveyed
    (:func:`tournaments.games.dots_and_boxes.edge_sets.survey`): random play, the levels, perfect
    play and networks. To compare one player with several others, survey it once and pass the
    survey. On 3x3 boxes a meeting takes about three seconds of one thread after the surveys, and
    1.2 GB.

    Args:
        player: the player to measure.
        other: the opponent.
        threads: number of threads, which does not change the result.

    Raises:
        TournamentError: another game, a board of more than 24 edges, a player whose candidates are
            not known, players of different boards, or fewer than one thread.
    """
    mine, theirs = edge_sets.survey(player, threads), edge_sets.survey(other, threads)
    if mine.game.spec != theirs.game.spec:
        raise TournamentError(
            f"{mine.name} plays {mine.game.spec} and {theirs.name} {theirs.game.spec}; make both "
            "for one game"
        )
    return meeting_of(figures_of(mine, theirs, threads))


# --- all edge sets -------------------------------------------------------------------------------


class Board(NamedTuple):
    """The precomputed data of every edge set.

    Attributes:
        board: the board of the game.
        walls: int64 [boxes + 1], the edges of each box.
        values: int8 [edge sets], the value of each edge set under perfect play.
        places: int32 [edge sets + 1], the sum over all edge sets before, of 1 + the boxes closed.
    """

    board: np.ndarray
    walls: np.ndarray
    values: np.ndarray
    places: np.ndarray


class Walk(NamedTuple):
    """The state of the walk: the probabilities of the positions reached so far.

    Attributes:
        sets, other_sets: int32 [edge sets], the candidates of the player and of the other.
        chances: float64 [rows], for each edge set the chances by who is to move (the player, the
            other), the player's seat, and its boxes; divided by the number of candidates.
        reached: int64 [edge sets], the candidates where the chances are above 0: the player's
            candidates, and 32 bits further the other's.
        sums: float64 [blocks, 2, 3], by the player's seat its moves, its regrets, and its
            best moves.
    """

    sets: np.ndarray
    other_sets: np.ndarray
    chances: np.ndarray
    reached: np.ndarray
    sums: np.ndarray


def figures_of(player: Surveyed, other: Surveyed, threads: int) -> np.ndarray:
    """Return the exact figures of a meeting of two players of dots and boxes, by seat.

    They are float64 ``[2, B + 4]`` on a board of B boxes: the probabilities that the player closes
    0 to B boxes; its expected number of moves; its expected regret over a game, in net boxes; its
    expected number of moves without regret.
    """
    game, edges = player.game, player.game.num_actions
    boxes = int(game.board[BOXES])
    board = _board(game)
    walk = Walk(
        player.candidates,
        other.candidates,
        np.empty(4 * int(board.places[-1])),
        np.empty(len(player.candidates), dtype=np.int64),
        np.zeros((edge_sets.num_blocks(edges), 2, 3)),
    )
    step = build(walk_on)
    edge_sets.in_layers(partial(step, board, walk), edges, layers_of_blocks(edges), threads)
    by_mover = walk.chances[-4 * (boxes + 1) :].reshape(2, 2, boxes + 1)
    chances = by_mover[0] + by_mover[1]
    # Rounding has left their sums a little off 1.
    totals = np.array([[math.fsum(row)] for row in chances])
    sums = [[math.fsum(walk.sums[:, seat, of]) for of in range(3)] for seat in range(2)]
    return np.concatenate([chances / totals, sums], axis=1)


@lru_cache(maxsize=1)
def _board(game: Game) -> Board:
    walls, values = walls_of(game), oracle.values(game)
    places = np.empty(len(values) + 1, dtype=np.int32)
    build(count_places)(walls, places)
    return Board(game.board, walls, values, places)


@kernel
def count_places(walls, places):
    """Fill ``places``, where each edge set's probabilities begin, see :class:`Board`.

    An edge set of dots and boxes with k closed boxes takes k + 1 places. ``walls`` has the edge set
    of each box.
    """
    places[0] = 0
    for number in range(places.size - 1):
        closed = np.int64(0)
        for box in range(walls.size - 1):
            closed += np.int64(number & walls[box] == walls[box])
        places[number + 1] = places[number] + 1 + closed


@kernel
def walk_on(known, walk, block, size):
    """Fill the probabilities of reaching each edge set of a block in games of two players.

    The game is dots and boxes; the emptiest edge set comes first. The sums of moves and regret of
    the block are filled, too.

    Args:
        known: the precomputed data of every edge set.
        walk: the probabilities and sums, to be filled.
        block: the number of the block.
        size: the number of edge sets of a block.
    """
    board, walls, places = known.board, known.walls, known.places
    chances, reached = walk.chances, walk.reached
    edges = board[EDGES]
    full = (np.int64(1) << edges) - 1
    for number in range(block * size, (block + 1) * size):
        width = np.int64(places[number + 1] - places[number])
        here = 4 * np.int64(places[number])
        chances[here : here + 4 * width] = 0.0
        if number == 0:
            chances[0] = 1.0  # the player moves first,
            chances[3] = 1.0  # or the other does, and the player is second
        for edge in range(edges):
            if (number >> edge) & 1 == 0:
                continue
            before = number ^ (np.int64(1) << edge)
            moves = reached[before] >> edge
            closed = closed_by(board, walls, number, edge)
            old = width - closed
            for mover in range(2):  # the player, who has the boxes that it closes, and the other
                if (moves >> 32 * mover) & 1 != 0:
                    there = 4 * np.int64(places[before]) + 2 * mover * old
                    to_move = mover if closed > 0 else 1 - mover
                    target = here + 2 * to_move * width + (1 - mover) * closed
                    for place in range(old):
                        chances[target + place] += chances[there + place]
                        chances[target + width + place] += chances[there + old + place]
        if number == full:
            reached[number] = 0
            continue
        first = total(chances, here, width)
        second = total(chances, here + width, width)
        found = np.int64(0)
        if first + second > 0.0:
            found = np.int64(walk.sets[number])
            note(known, number, found, first, walk.sums[block, 0])
            note(known, number, found, second, walk.sums[block, 1])
            share(chances, here, 2 * width, members(found))
        if total(chances, here + 2 * width, 2 * width) > 0.0:
            others = np.int64(walk.other_sets[number])
            share(chances, here + 2 * width, 2 * width, members(others))
            found += others << 32  # no bit is set on both sides
        reached[number] = found


@kernel
def total(chances, start, count):
    """Return the sum of ``count`` probabilities from index ``start`` on."""
    found = 0.0
    for place in range(start, start + count):
        found += chances[place]
    return found


@kernel
def share(chances, start, count, candidates):
    """Divide ``count`` probabilities from index ``start`` on by ``candidates``, in place."""
    for place in range(start, start + count):
        chances[place] /= candidates


@kernel
def note(known, number, candidates, chance, sums):
    """Add a move of dots and boxes to the sums of moves, regrets and best moves.

    Args:
        known: the precomputed data of every edge set.
        number: the edge set before the move.
        candidates: the edges among which the player draws.
        chance: the probability of the move.
        sums: the three sums, which are changed.
    """
    regret = np.int64(0)
    best = np.int64(0)
    for edge in range(known.board[EDGES]):
        if (candidates >> edge) & 1 != 0:
            after = number | (np.int64(1) << edge)
            closed = closed_by(known.board, known.walls, after, edge)
            worth = np.int64(known.values[after])
            worth = closed + worth if closed > 0 else -worth
            regret += known.values[number] - worth
            best += np.int64(worth == known.values[number])
    count = members(candidates)
    sums[0] += chance
    sums[1] += chance * regret / count
    sums[2] += chance * best / count
