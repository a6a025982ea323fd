"""Best responses and meetings of any game, by the game's own rules or over all its positions.

A game may offer either part (``Rules.best_responses``, ``Rules.meetings``). For a game that offers
neither, both are computed over all its positions, if these are not too many.

A player that is measured exactly is a fixed mixed strategy. At each position it chooses uniformly
from a set of actions (``Kind.candidates``), or plays one action without a draw (``Kind.draws``).

* With the strategies of both sides fixed, a game is a random walk on the graph of positions
  (:mod:`tournaments.solver.graph`).
* With one strategy fixed, the least gain of this strategy is computed by backward induction.
* If no position repeats, each computation is one pass over the positions in topological order.
  Otherwise, passes are repeated until nothing changes. An endless game counts as drawn.

Gains are net gains by the objective of the game (``Rules.objective``): games won minus games lost,
or the difference of the points at the end. Margins are points in any game.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels import bitset
from tournaments.kernels.bitset import bit
from tournaments.kernels.hooks import begin, candidates, choose
from tournaments.kernels.linker import build, kernel
from tournaments.player import CompiledPlayer, Player, compiled
from tournaments.rules import Kernel
from tournaments.solver.exact import Announce, BestResponses, Meeting, Meetings, Proof
from tournaments.solver.graph import DRAWN, Graph, Order, order_of
from tournaments.solver.retrograde import Solution, repeat_passes, solution

# --- strategies ----------------------------------------------------------------------------------


class AskedPlayer(NamedTuple):
    """A player in the form that kernels read, and a buffer for its set of actions."""

    parameters: Any
    row: int
    memory: Any
    words: np.ndarray


@kernel
def ask_candidates(board, graph, seat, asked, chances):
    """Fill in the probability of each edge from the positions where a player's seat is to move.

    The probability is the same for all candidate actions of the player, and 0 for other actions.

    Args:
        board: the constants of the game.
        graph: all positions and the actions (edges) between them.
        seat: the player's seat.
        asked: the player.
        chances: to be filled, float64 per edge.
    """
    for number in range(graph.states.shape[0]):
        if graph.states[number, 0] == seat:
            state = graph.states[number]
            begin(board, state, asked.parameters, asked.row, asked.memory)
            total = candidates(board, state, asked.parameters, asked.row, asked.memory, asked.words)
            for edge in range(graph.first[number], graph.first[number + 1]):
                action = graph.actions[edge]
                is_drawn = asked.words[action >> 5] & bit(action)
                chances[edge] = 1.0 / total if is_drawn else 0.0


@kernel
def chosen_alone(board, state, parameters, row, memory, words):
    """Write the only action that a player may choose into ``words`` as a set; return 1.

    The kind of player never draws, so any array serves as its stream.
    """
    action = choose(board, state, parameters, row, memory, words)
    words[:] = np.uint64(0)
    words[action >> 5] = bit(action)
    return 1


def checked(player: Player) -> CompiledPlayer:
    """Return a player in compiled form if its candidate actions are known; if not, raise.

    Raises:
        TournamentError: the candidate actions are unknown.
    """
    made = compiled(player)
    if made is None or (made.kind.candidates is None and made.kind.draws):
        raise TournamentError(
            f"player {player.name!r} cannot be measured exactly, as it does not list the actions "
            "that it draws from; random, optimal, networks and tables do. A kind of your own must "
            "offer a kernel for it, Kind.candidates, or say that it never draws, Kind.draws"
        )
    return made


def asked_player(player: CompiledPlayer) -> AskedPlayer:
    """Return a player that :func:`checked` accepts in the form that kernels read."""
    memory = player.kind.memory(player.game, player.parameters)
    room = bitset.empty(player.game.num_actions)
    return AskedPlayer(player.parameters, player.row, memory, room)


def asking_hooks(player: CompiledPlayer) -> dict[str, Kernel]:
    """Return the hooks by which kernels read the candidate actions of a player."""
    candidates = player.kind.candidates or chosen_alone
    return {**player.game.hooks, **player.kind.hooks, "candidates": candidates}


def fill_chances(player: CompiledPlayer, graph: Graph, seat: int, chances: np.ndarray) -> None:
    """Fill in the probability of each edge from the positions of a player's seat, float64 ``[E]``.

    An edge is an action in a position of the graph.
    """
    work = build(ask_candidates, asking_hooks(player))
    work(player.game.board, graph, seat, asked_player(player), chances)


def drawn_chances(graph: Graph) -> np.ndarray:
    """Return the probability of each edge of a game's graph that chance alone determines.

    It is float64 ``[E]``: uniform where an outcome is drawn, 0 elsewhere.
    """
    counts = np.diff(graph.first)
    evenly = np.where(graph.movers == DRAWN, 1.0 / np.maximum(counts, 1), 0.0)
    return np.repeat(evenly, counts)


# --- best responses ------------------------------------------------------------------------------


@kernel
def hold(graph, order, chances, seat, ends, worth):
    """Run one pass that updates the gain that a player's strategy guarantees from each position.

    Args:
        graph: all positions and the actions (edges) between them.
        order: the order of the positions.
        chances: the probability of each edge, of the strategy and of drawn outcomes.
        seat: the player's seat.
        ends: the gain of the seat at the end of a game, int32 ``[P]``.
        worth: the guaranteed gains, float64 ``[P]``, updated in place.

    Returns:
        The largest change.
    """
    change = 0.0
    for place in range(order.size - 1, -1, -1):
        number = order[place]
        mover = graph.states[number, 0]
        if mover < 0:
            value = float(ends[number])
        elif mover == 1 - seat:
            value = worth[graph.after[graph.first[number]]]
            for edge in range(graph.first[number], graph.first[number + 1]):
                value = min(value, worth[graph.after[edge]])
        else:
            value = 0.0
            for edge in range(graph.first[number], graph.first[number + 1]):
                if chances[edge] > 0.0:
                    value += chances[edge] * worth[graph.after[edge]]
        change = max(change, abs(value - worth[number]))
        worth[number] = value
    return change


def guaranteed(player: CompiledPlayer, graph: Graph, seat: int, order: Order) -> np.ndarray:
    """Return the gain that is guaranteed to a player in a seat from each position on.

    It is float64 ``[P]``.
    """
    chances = drawn_chances(graph)
    fill_chances(player, graph, seat, chances)
    ends = graph.leads() * (1 if seat == 0 else -1)
    worth = np.zeros(len(graph.states))
    repeat_passes(order, build(hold), graph, order.positions, chances, seat, ends, worth)
    return worth


def graph_responses(game: Game, solution: Solution) -> BestResponses:
    """Return the best responses to players of a game whose positions are all solved."""
    order = order_of(solution.graph)
    proof = partial(_proof, game, solution, order)
    return BestResponses(proof, is_slow=len(solution.leads) > 200_000)


def _proof(
    game: Game, solution: Solution, order: Order, player: CompiledPlayer, announce: Announce
) -> Proof:
    player = checked(player)
    lead, lost, sentences = float(solution.leads[0]), [], []
    for seat in player.seats:
        announce(f"computing the best response to the {game.seats[seat]}")
        perfect = lead if seat == 0 else -lead
        least = float(guaranteed(player, solution.graph, seat, order)[0])
        lost.append(perfect - least)
        sentences.append(
            f"as {game.seats[seat]} it gains at least {least:+.4f} {game.unit} "
            f"a game (perfect play: {_signed(perfect)})"
        )
    return Proof(0, 0, float(np.mean(lost)), np.nan, tuple(sentences))


def _signed(gain: float) -> str:
    """Format a gain with its sign: a whole number, or an expectation with four digits."""
    return f"{gain:+.0f}" if gain.is_integer() else f"{gain:+.4f}"


# --- meetings ------------------------------------------------------------------------------------

WON, DREW, MARGIN, MOVES, REGRET, BEST_MOVES = range(6)
"""Indices of the figures of a meeting in one seat, which are expected values of one game."""


ROUNDING = 1e-9
"""Tolerance of an expected lead."""


@kernel
def walk(graph, order, chances, seat, leads, flow, figures):
    """Run one pass that moves the probability of each position to the positions after it.

    The expected figures of the games are added to ``figures``.

    Args:
        graph: all positions and the actions (edges) between them.
        order: the order of the positions.
        chances: the probability of each edge, by both players and by chance.
        seat: the seat of the player whose figures are computed.
        leads: the lead of seat 0 under perfect play, ``[P]``.
        flow: the probability of each position, changed.
        figures: float64 [6], changed.

    Returns:
        The probability that was moved.
    """
    sign = 1 if seat == 0 else -1
    passed = 0.0
    for place in range(order.size):
        number = order[place]
        share = flow[number]
        if share > 0.0:
            flow[number] = 0.0
            mover = graph.states[number, 0]
            if mover < 0:
                lead = sign * (np.int64(graph.states[number, 1]) - graph.states[number, 2])
                figures[WON] += share if lead > 0 else 0.0
                figures[DREW] += share if lead == 0 else 0.0
                figures[MARGIN] += share * lead
            else:
                for edge in range(graph.first[number], graph.first[number + 1]):
                    if chances[edge] > 0.0:
                        going = share * chances[edge]
                        reached = graph.after[edge]
                        flow[reached] += going
                        passed += going
                        if mover == seat:
                            lost = sign * (np.float64(leads[number]) - leads[reached])
                            figures[MOVES] += going
                            figures[REGRET] += going * lost
                            figures[BEST_MOVES] += going if lost < ROUNDING else 0.0
    return passed


def graph_meetings(game: Game, solution: Solution) -> Meetings:
    """Return the exact meetings of players of a game whose positions are all solved."""
    return Meetings(checked, partial(_meeting, game, solution, order_of(solution.graph)))


def _meeting(
    game: Game,
    solution: Solution,
    order: Order,
    player: CompiledPlayer,
    other: CompiledPlayer,
    announce: Announce,
) -> Meeting:
    """Return the exact results of a player against another in a solved game.

    If only one seat can be played, its figures count for both seats.
    """
    seats = [seat for seat in player.seats if 1 - seat in other.seats]
    if not seats:
        raise TournamentError(f"{player.name} and {other.name} play the same seat only")
    figures = np.array([figures_of(solution, order, player, other, seat) for seat in seats])
    figures = np.repeat(figures, 2 // len(seats), axis=0)
    moves, regret, best = figures[:, MOVES:].sum(axis=0)
    margins, wins = figures[:, MARGIN], figures[:, WON]
    words = (
        f"{{player}} wins {wins.mean():.2%} of its games against {{opponent}}, "
        f"{margins.mean():+.4f} net points a game; a move loses {regret / moves:.4f} {game.unit}"
    )
    shares = float(regret / moves), float(best / moves)
    return Meeting(wins, figures[:, DREW], margins, words, *shares)


def figures_of(
    solution: Solution, order: Order, player: CompiledPlayer, other: CompiledPlayer, seat: int
) -> np.ndarray:
    """Return the expected figures of a player in one seat against another player, float64 ``[6]``.

    The game is solved; ``order`` is the order of its positions.
    """
    graph = solution.graph
    chances = drawn_chances(graph)
    for mover, place in ((player, seat), (other, 1 - seat)):
        fill_chances(mover, graph, place, chances)
    flow, figures = np.zeros(len(graph.states)), np.zeros(6)
    flow[0] = 1.0
    given = graph, order.positions, chances, seat, solution.leads, flow, figures
    repeat_passes(order, build(walk), *given)
    figures[DREW] += flow.sum()  # the remaining games never end
    return figures


# --- by the rules of a game, or over all its positions --------------------------------------------


def best_responses(game: Game, threads: int = 1) -> BestResponses:
    """Return what computes the best responses to players of a game.

    Computations that take seconds use ``threads``.

    Raises:
        TournamentError: the game computes none with these options, or has too many positions.
    """
    if game.rules.best_responses is not None:
        return game.rules.best_responses(game, threads)
    _refuse_half(game, "best responses", game.rules.meetings)
    return graph_responses(game, solution(game))


def meetings(game: Game, threads: int = 1) -> Meetings:
    """Return what computes the exact results between players of a game.

    Computations that take seconds use ``threads``.

    Raises:
        TournamentError: as for :func:`best_responses`.
    """
    if game.rules.meetings is not None:
        return game.rules.meetings(game, threads)
    _refuse_half(game, "meetings", game.rules.best_responses)
    return graph_meetings(game, solution(game))


def _refuse_half(game: Game, what: str, other: object) -> None:
    """Raise if a game offers only one of best responses and meetings, and not the one wanted.

    Such a game leaves it out on purpose.

    Args:
        game: the game.
        what: what is wanted, ``best responses`` or ``meetings``.
        other: what the game offers instead, or None.
    """
    if other is not None:
        raise TournamentError(
            f"{game.name} computes no {what} (Rules.{what.replace(' ', '_')}), so its games can "
            "only be played"
        )


def computes_meetings(game: Game) -> bool:
    """Return whether results between players of a game can be computed instead of played."""
    try:
        meetings(game)
    except TournamentError:
        return False
    return True
