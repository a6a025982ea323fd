"""Exact results of games between finite-state machines, and exact best responses to a machine.

A machine is a Markov chain once the other's moves are known. The probabilities of both machines'
states and of the lead are updated round by round. A best response is found backwards, from the last
round, over the states of the machine. Noise is taken as an expectation. Points are net: a player's
gain less the opponent's.

**Rounding.** Chances are float64, and sums are taken in a fixed order: of the moves, then of the
states as they are reached. The result is the same on any processor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from math import gcd

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.player import CompiledPlayer, Player, compiled
from tournaments.repeated.machines import Machine, mixed
from tournaments.repeated.scripted import stage_of
from tournaments.solver.exact import Announce, BestResponses, Meeting, Meetings, Proof, from_leads

MOST_STEPS = 2_000_000_000
"""Numbers that are added up for one meeting; some seconds."""


def machine_of(player: Player) -> Machine:
    """Return the finite-state machine by which a player plays a repeated game.

    Machines say so by their parameters, tables by their form (``TableForm.policy``), random play by
    its kind.

    Raises:
        TournamentError: the policy of the player is not known.
    """
    made = compiled(player)
    if made is not None:
        if isinstance(made.parameters, Machine):
            return Machine(*(part[made.row] for part in made.parameters))
        if made.kind.plays_evenly:
            return mixed([1.0 / made.game.num_actions] * made.game.num_actions)
        policy = getattr((made.options or {}).get("representation"), "policy", None)
        if policy is not None:
            return policy(made.parameters.tables[made.row], 0)
    raise TournamentError(
        f"{player.name} is no finite-state machine, so its games can only be played; machines are "
        "random, equilibrium, cycle, biased, win-stay-lose-shift, and tables memory-one and "
        "finite-state"
    )


def carried_out(chances: np.ndarray, noise: float) -> np.ndarray:
    """Return the probabilities of the moves carried out, ``[Q, A]``, from those of intended moves.

    ``noise`` is the probability that another move is carried out.
    """
    moves = chances.shape[1]
    return (1.0 - noise) * chances + noise * (1.0 - chances) / (moves - 1)


# --- best responses ------------------------------------------------------------------------------


def loss_to_best_response(game: Game, machine: Machine) -> float:
    """Return the net points, from 0, that a machine loses in a game to its best response."""
    stage = stage_of(game)
    payoffs, noise = stage.payoffs(game.board), stage.noise(game.board)
    net, moves = (payoffs - payoffs.T).astype(float), len(payoffs)
    theirs = carried_out(machine.chances, noise)
    slips = carried_out(np.eye(moves), noise)
    worth = np.zeros(len(machine.chances))
    for _ in range(stage.rounds(game.board)):
        by_move = np.zeros((moves, len(worth)))
        for own in range(moves):
            for other in range(moves):
                gain = net[own, other] + worth[machine.following[:, other, own]]
                by_move[own] += theirs[:, other] * gain
        meant = np.zeros_like(by_move)
        for move in range(moves):
            for carried in range(moves):
                meant[move] += slips[move, carried] * by_move[carried]
        worth = meant.max(axis=0)
    return max(0.0, float(worth[0]))


def best_responses(game: Game, threads: int) -> BestResponses:
    """Return what computes the best responses to finite-state machines in a repeated game.

    One thread is always used.
    """
    return BestResponses(partial(_proof, game))


def _proof(game: Game, player: CompiledPlayer, announce: Announce) -> Proof:
    loss = loss_to_best_response(game, machine_of(player))
    rounds = stage_of(game).rounds(game.board)
    said = (
        f"it loses {loss:.4f} net points in {rounds} rounds to the best response, "
        f"{loss / rounds:.4f} a round; an equilibrium loses none"
    )
    return Proof(0, 0, loss, math.nan, (said,))


# --- meetings ------------------------------------------------------------------------------------


States = tuple[int, int]
"""The states of both machines."""
Step = tuple[int, int, float, States]
"""A pair of moves that may be carried out in a pair of states: own move, the other's, how likely
they are there, and the states that follow."""


def _steps(a: Machine, b: Machine, noise: float) -> Callable[[States], list[Step]]:
    """Return a function that lists what may happen in a round between two machines.

    It takes the states of both machines and returns their moves, the probability, and the next
    states, in rising order of the moves.
    """
    ours, theirs = carried_out(a.chances, noise), carried_out(b.chances, noise)

    @cache
    def steps(states: States) -> list[Step]:
        (mine, others), found = states, []
        for own in np.flatnonzero(ours[mine]).tolist():
            for other in np.flatnonzero(theirs[others]).tolist():
                share = float(ours[mine, own] * theirs[others, other])
                after = int(a.following[mine, own, other]), int(b.following[others, other, own])
                found.append((own, other, share, after))
        return found

    return steps


def expected_scores(game: Game, a: Machine, b: Machine) -> tuple[float, float]:
    """Return the points that two finite-state machines can expect in a repeated game."""
    stage = stage_of(game)
    payoffs = stage.payoffs(game.board).tolist()
    steps = _steps(a, b, stage.noise(game.board))
    course, own_score, other_score = {(0, 0): 1.0}, 0.0, 0.0
    for _ in range(stage.rounds(game.board)):
        after: dict[States, float] = {}
        for states, chance in course.items():
            for own, other, share, reached in steps(states):
                mass = share * chance
                own_score += mass * payoffs[own][other]
                other_score += mass * payoffs[other][own]
                after[reached] = after.get(reached, 0.0) + mass
        course = after
    return own_score, other_score


def chances_of_leads(game: Game, a: Machine, b: Machine) -> tuple[np.ndarray, np.ndarray]:
    """Return the possible final leads of machine a over machine b, and their probabilities.

    The leads are int64, rising; the probabilities are float64.

    Raises:
        TournamentError: it would take too long.
    """
    stage = stage_of(game)
    payoffs, rounds = stage.payoffs(game.board), stage.rounds(game.board)
    net = payoffs - payoffs.T
    unit = gcd(*net.ravel().tolist()) or 1
    most = rounds * int(np.abs(net).max()) // unit
    if rounds * len(a.chances) * len(b.chances) * net.size * (2 * most + 1) > MOST_STEPS:
        raise TournamentError(
            f"exact results of machines of {len(a.chances)} and {len(b.chances)} states over "
            f"{rounds} rounds take too long; give fewer rounds"
        )
    steps = _steps(a, b, stage.noise(game.board))
    start = np.zeros(2 * most + 1)
    start[most] = 1.0
    course = {(0, 0): start}
    for _ in range(rounds):
        after: dict[States, np.ndarray] = {}
        for states, chances in course.items():
            for own, other, share, reached in steps(states):
                moved = share * np.roll(chances, net[own, other] // unit)  # the ends are empty
                after[reached] = after.get(reached, 0.0) + moved
        course = after
    total = np.zeros_like(start)
    for chances in course.values():
        total += chances
    return unit * np.arange(-most, most + 1), total


def meeting(game: Game, a: Machine, b: Machine) -> Meeting:
    """Return the exact results of machine a against machine b in a repeated game.

    The seats are alike.

    Raises:
        TournamentError: it would take too long.
    """
    leads, chances = chances_of_leads(game, a, b)
    wins, draws, margins = from_leads(leads, np.stack([chances, chances]))
    own, other = expected_scores(game, a, b)
    words = (
        f"{{player}} wins {wins[0]:.3%} of its games against {{opponent}} and draws "
        f"{draws[0]:.3%}; it can expect {own:.3f} points to {other:.3f}"
    )
    return Meeting(wins, draws, margins, words)


def _checked(player: Player) -> CompiledPlayer:
    machine_of(player)  # refuses other players
    made = compiled(player)
    assert made is not None
    return made


def meetings(game: Game, threads: int) -> Meetings:
    """Return what computes the results between finite-state machines in a repeated game.

    One thread is always used.
    """

    def meet(player: CompiledPlayer, other: CompiledPlayer, announce: Announce) -> Meeting:
        return meeting(game, machine_of(player), machine_of(other))

    return Meetings(_checked, meet)
