"""The exact best response to a player of dots and boxes, and the player's exploitability.

A measured player is a fixed mixed strategy (:mod:`tournaments.games.dots_and_boxes.edge_sets`). The
best response knows the strategy and maximises its expected net boxes. The player's result against
the best response is *guaranteed* to the player against every opponent. The *exploitability* is the
difference between the guarantees of perfect play and of the player (Johanson, Waugh, Bowling and
Zinkevich 2011, "Accelerating best response calculation in large extensive games").

**How.** Backward induction over all edge sets e. W(e) is the responder's expected gain from e on if
the responder is to move, P(e) if the player is to move. The edge set e + a is e with the edge a,
which closes k boxes::

    W(e) = max over legal a       of  P(e + a) if k = 0 else  k + W(e + a)
    P(e) = mean over candidates a of  W(e + a) if k = 0 else -k + P(e + a)

**Rounding.** Values are float64, of at most B boxes, and every sum is taken in the order of the
edges, so that the result is the same for any processor and number of threads. The error of a mean
of n values is at most n B / 2^53 more than the errors of the values; adding k adds B / 2^53.
Over E moves that is B E (E + 3) / 2^54 at most: 3.3e-13 boxes on 3x3. Rounding keeps order and
whole numbers. No player is therefore found to be better than perfect, and the values of a perfect
player are exact.
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
    """The result of a player against its best response, in net boxes.

    Attributes:
        game: the game, played from the empty board.
        player: the player's name.
        guaranteed: float64 [2], the player's expected gain over a best response, moving first and
            moving second. The expected gain over any other opponent is at least as large.
        game_value: gain of the first player over the second under perfect play.
        answers: int8 [edge sets], a best edge for the responder in each edge set, the lowest of
            the best edges; -1 where all edges are drawn.
    """

    game: Game
    player: str
    guaranteed: np.ndarray
    game_value: int
    answers: np.ndarray = field(repr=False)

    @property
    def exploitability(self) -> float:
        """Exploitability of the player in net boxes a game, from 0, as the mean of both seats.

        It is what the player is guaranteed less than perfect play against its best response.
        """
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
    """Return the best responses to players of dots and boxes on one board.

    A player may draw among its best edges. Only the player's mean gain is known, and no outcome is
    certain. The guaranteed gain is stored in the cache folder.

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
    """Return the exact best response to a player of dots and boxes, in either seat.

    The player may be any that can be surveyed
    (:func:`tournaments.games.dots_and_boxes.edge_sets.survey`): random play, the levels, perfect
    play and networks. On 3x3 boxes a network takes about ten seconds of one thread and 350 MB.

    Args:
        player: the player to measure.
        threads: number of threads, which does not change the result.

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
    """Value and answer for each edge set against the measured player.

    Attributes:
        values: float64 [edge sets, 2], the responder's gain from the edge set on: W if the
            responder is to move, P if the player is to move.
        answers: int8 [edge sets], the responder's action.
    """

    values: np.ndarray
    answers: np.ndarray


def _fill(player: Surveyed, tables: Tables, threads: int) -> None:
    """Fill the tables of the best response to a player of dots and boxes for all edge sets."""
    game, walls, solve = player.game, walls_of(player.game), build(respond)

    def solve_block(block: int, size: int) -> None:
        solve(game.board, walls, player.candidates, tables, block * size, size)

    layers = reversed(layers_of_blocks(game.num_actions))
    edge_sets.in_layers(solve_block, game.num_actions, layers, threads)


@kernel
def respond(board, walls, sets, tables, first, size):
    """Fill the tables of a best response in dots and boxes for one block of edge sets.

    The block has the edge sets ``first`` to ``first + size - 1``; the fullest comes first.

    Args:
        board: the constants of the game.
        walls: the edge set of each box.
        sets: the candidate edges of the measured player in each edge set.
        tables: values and answers, to be filled.
        first: the first edge set of the block.
        size: the number of edge sets of the block.
    """
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
    """Return the best answer in a position of dots and boxes.

    ``parameters`` has the action for each edge set, int8 ``[positions]``.
    """
    return np.int64(parameters[position(board, state)])


ANSWER = Kind(name="best-response", choose=choose)


def responder(measured: Exploitability) -> CompiledPlayer:
    """Return the player of dots and boxes that plays the best response to a measured player."""
    name = f"best-response-to-{measured.player}"
    return CompiledPlayer(name, ANSWER, measured.game, measured.answers)
