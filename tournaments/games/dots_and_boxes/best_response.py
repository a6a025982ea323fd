"""What the best possible opponent does to a player of dots and boxes, exactly.

A player that is measured here is a fixed mixed strategy
(:mod:`tournaments.games.dots_and_boxes.edge_sets`). A best response knows what it draws from, and
gains as many boxes over the player as can be expected. What is left to the player is *guaranteed*
to it against whomever; by how much perfect play is guaranteed more is its *exploitability*
(Johanson, Waugh, Bowling and Zinkevich 2011, "Accelerating best response calculation in large
extensive games").

**How.** Backward induction over all edge sets e. W(e) is what the responder gains from e on where
it is to move, P(e) where the player is; e + a is e with the edge a, which closes k boxes::

    W(e) = max over legal a       of  P(e + a) if k = 0 else  k + W(e + a)
    P(e) = mean over candidates a of  W(e + a) if k = 0 else -k + P(e + a)

**Rounding.** Values are float64, of at most B boxes, and every sum is taken in the order of the
edges, so that a player has one result whatever the processor and the number of threads. A mean of
n values is off by at most n B / 2^53 beyond what they are off themselves, and adding k by B / 2^53.
Over E moves that is B E (E + 3) / 2^54 at most: 3.3e-13 boxes on 3x3. Rounding keeps order and
whole numbers. So nobody is found to be better than perfect, and a perfect player's values are
exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.dots_and_boxes import edge_sets
from tournaments.games.dots_and_boxes.edge_sets import (
    Surveyed,
    layers_of_blocks,
    members,
    surveyed,
    walls_of,
)
from tournaments.games.dots_and_boxes.rules import EDGES, SEATS, closed_by
from tournaments.kernels.bitset import bit
from tournaments.kernels.hooks import position
from tournaments.kernels.linker import build, kernel
from tournaments.player import CompiledPlayer, Kind, Player, identity
from tournaments.solver import table as oracle
from tournaments.solver.exact import Announce, BestResponses, Proof, kept


@dataclass(frozen=True, eq=False)
class Exploitability:
    """What a player gets against the best response to it. Games are counted in net boxes.

    Attributes:
        game: what is played, from the empty board.
        player: the player's name.
        guaranteed: float64 [2], what the player can expect to gain over a best response to it,
            moving first and moving second. It can expect as much against anybody.
        game_value: what the first gains over the second where both play perfectly.
        answers: int8 [edge sets], a best edge for the responder in each edge set, the lowest of
            those that are best; -1 where all edges are drawn.
    """

    game: Game
    player: str
    guaranteed: np.ndarray
    game_value: int
    answers: np.ndarray = field(repr=False)

    @property
    def exploitability(self) -> float:
        """Net boxes a game less than perfect play is guaranteed, the mean of both seats; from 0."""
        first, second = self.guaranteed
        return float(((self.game_value - first) + (-self.game_value - second)) / 2)

    def __str__(self) -> str:
        kept = zip(SEATS, self.guaranteed, (self.game_value, -self.game_value), strict=True)
        seats = ", ".join(
            f"{gained:+.4f} as the {seat} (perfect play {perfect:+d})"
            for seat, gained, perfect in kept
        )
        return f"{self.player} can be exploited by {self.exploitability:.4f} boxes a game: {seats}"


def best_responses(game: Game, threads: int) -> BestResponses:
    """Return the best responses to players on one board.

    A player may draw among its best edges. Only the mean of what it gains is known, and no outcome
    is certain. What it is guaranteed is kept in the cache folder.

    Raises:
        TournamentError: a board of more than 24 edges.
    """
    oracle.num_positions(game)  # refuses large boards
    return BestResponses(partial(_proof, game, threads), is_slow=True)


def _proof(game: Game, threads: int, player: CompiledPlayer, announce: Announce) -> Proof:
    def compute() -> np.ndarray:
        announce(f"computing the best response to {player.name}")
        return best_response(surveyed(player, threads), threads).guaranteed

    guaranteed = kept("guaranteed", (game.spec, identity(player)), compute)
    value = oracle.position_value(game.start())
    known = Exploitability(game, "it", guaranteed, value, np.zeros(0, np.int8))
    return Proof(0, 0, known.exploitability, math.nan, (str(known),))


def best_response(player: Player | Surveyed, threads: int = 1) -> Exploitability:
    """The exact best that an opponent can do against a player of dots and boxes, in either seat.

    The player may be any that can be surveyed
    (:func:`tournaments.games.dots_and_boxes.edge_sets.survey`): random play, the levels, perfect
    play and networks. On 3x3 boxes a network takes about ten seconds of one thread and 350 MB.

    Args:
        player: whom to measure.
        threads: how many share the work; they change nothing of the result.

    Raises:
        TournamentError: another game, a board of more than 24 edges, a player whose candidates are
            not known, or fewer than one thread.
    """
    measured = edge_sets.survey(player, threads)
    game, size = measured.game, len(measured.candidates)
    tables = Tables(np.empty((size, 2)), np.empty(size, dtype=np.int8))
    _fill(measured, tables, threads)
    tables.answers.flags.writeable = False
    guaranteed = 0.0 - tables.values[0, ::-1]  # not with a minus sign: 0 would become -0
    value = oracle.position_value(game.start())
    return Exploitability(game, measured.name, guaranteed, value, tables.answers)


# --- all edge sets -------------------------------------------------------------------------------


class Tables(NamedTuple):
    """What is found out about each edge set.

    Attributes:
        values: float64 [edge sets, 2], what the responder gains from here on where it is to move,
            W, and where the player is, P.
        answers: int8 [edge sets], the responder's action.
    """

    values: np.ndarray
    answers: np.ndarray


def _fill(player: Surveyed, tables: Tables, threads: int) -> None:
    """Fill the tables, block by block, the fullest first."""
    game, walls, solve = player.game, walls_of(player.game), build(respond)

    def solve_block(block: int, size: int) -> None:
        solve(game.board, walls, player.candidates, tables, block * size, size)

    layers = reversed(layers_of_blocks(game.num_actions))
    edge_sets.in_layers(solve_block, game.num_actions, layers, threads)


@kernel
def respond(board, walls, sets, tables, first, size):
    """Fill the tables for the edge sets ``first`` to ``first + size - 1``, fullest first."""
    values, answers = tables.values, tables.answers
    edges = board[EDGES]
    full = (np.int64(1) << edges) - 1
    for number in range(first + size - 1, first - 1, -1):
        if number == full:
            values[number, 0] = 0.0
            values[number, 1] = 0.0
            answers[number] = -1
            continue
        drawn_from = np.uint64(sets[number])
        # Edges that are drawn stay out of both without a branch, which would be guessed wrong: they
        # lead back to this edge set.
        values[number, 0] = -np.inf
        values[number, 1] = -np.inf
        best = -np.inf
        answer = 0
        total = 0.0
        for edge in range(edges):
            after = number | (np.int64(1) << edge)
            closed = closed_by(board, walls, after, edge)
            moves_on = int(closed > 0)
            gained = closed + values[after, 1 - moves_on]
            lost = values[after, moves_on] - closed
            answer = edge if gained > best else answer
            best = max(best, gained)
            total += lost if (drawn_from & bit(edge)) != 0 else 0.0
        values[number, 0] = best
        values[number, 1] = total / members(sets[number])
        answers[number] = answer


# --- the best response as a player ---------------------------------------------------------------


@kernel
def choose(board, state, parameters, row, memory, stream):
    """The action in the table ``parameters``, int8 [positions]."""
    return np.int64(parameters[position(board, state)])


ANSWER = Kind(name="best-response", choose=choose)


def responder(measured: Exploitability) -> CompiledPlayer:
    """The player that answers the one that was measured as well as can be."""
    name = f"best-response-to-{measured.player}"
    return CompiledPlayer(name, ANSWER, measured.game, measured.answers)
