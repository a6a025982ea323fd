"""Advice on the action to play in a position, from perfect play or from a strong player."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from evo.evaluation.players import at_speed, player
from tournaments import players
from tournaments.arena.match import choice_of
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game, State
from tournaments.kernels.linker import build
from tournaments.kernels.positions import number_of
from tournaments.kernels.rng import Stream
from tournaments.player import Player, SeatedPlayer, seats_of
from tournaments.players.optimal import FRACTION
from tournaments.solver.graph import explore, play_or_draw
from tournaments.solver.retrograde import (
    FEW_POSITIONS,
    Solution,
    expectation,
    has_solution,
    retrograde,
    solution,
)
from tournaments.solver.table import can_solve, position_value

PERFECT = "optimal"
"""Name of a game's own perfect player."""
POSITIONS_AHEAD = 200_000
"""Maximum number of following positions to solve, in a game that is not solved as a whole."""
MOST_NUMBERS = 100_000_000
"""Maximum number of 16-bit integers in the states of all positions solved for an advice."""
MOST_PLIES = 2_000
"""Maximum length of a game that is played out to find the result of perfect play."""


class Worth(NamedTuple):
    """The value of an action under best play of both seats.

    Attributes:
        action: the action.
        lead: gain of seat 0 at the end, in the unit of the game's objective (``Rules.objective``).
            In a game with chance, the lead is the expected gain, a float.
        plies: number of plies to the end. None if it is not known.
    """

    action: int
    lead: float
    plies: int | None


class Advice(NamedTuple):
    """The advice on the action to play in a position.

    Attributes:
        action: the advised action.
        by: name of the adviser.
        worths: values of all legal actions, the best first. Empty if the position is not solved.
        seat: the seat to move.
        note: remark that the position is lost and the action resists longest. Empty if this is not
            known.
    """

    action: int
    by: str
    worths: tuple[Worth, ...] = ()
    seat: int = 0
    note: str = ""


def advice(
    state: State,
    opponent: Player,
    stream: Stream,
    seated: Callable[[Player, int], SeatedPlayer] | None = None,
) -> Advice:
    """Return advice on a position: by perfect play or, if that is not known, a strong player.

    The strong player is the opponent. If the opponent is a yardstick or does not play this seat,
    the strong player is the last yardstick of the game. In a game with hidden information, the
    adviser knows only what the seat to move sees.

    Args:
        state: the position.
        opponent: the person's opponent.
        stream: random numbers of the adviser.
        seated: (player, seat) -> the player at the seat, which has followed the game. None: the
            adviser is shown only the position.
    """
    worths = [] if state.game.hides else _worths(state.view(state.seat_to_move))
    if worths:
        sign = _sign(state.seat_to_move)
        ranked = sorted(worths, key=lambda worth: _rank(worth, sign))
        best = [each.action for each in ranked if _rank(each, sign) == _rank(ranked[0], sign)]
        is_lost = sign * ranked[0].lead < 0 and not isinstance(ranked[0].lead, float)
        is_last = is_lost and not can_solve(state.game)  # the table does not contain plies
        action = best[0] if is_last else _preferred(state, best, stream)
        note = "; lost, this resists longest" if is_last else ""
        return Advice(action, "perfect play", tuple(ranked), state.seat_to_move, note)
    seat = state.seat_to_move
    if opponent.name in players.yardsticks(state.game) or seat not in seats_of(opponent):
        opponent = strongest(state.game, seat)
    adviser = opponent if seated is None else seated(opponent, seat)
    return Advice(choice_of(adviser, state, stream), opponent.name, seat=seat)


def loss_of(state: State, action: int) -> float | None:
    """Return what an action loses against best play of both seats, in the unit of the game.

    Args:
        state: the position before the action.
        action: the action that was played.

    Returns:
        The loss, 0 for a best action. None if the position is not solved or the game hides
        information.
    """
    gains = gains_of(state)
    return float(max(gains.values()) - gains[action]) if action in gains else None


def gains_of(state: State) -> dict[int, float]:
    """Return what the seat to move gains by each legal action if both seats then play perfectly.

    The dictionary is empty if the position is not solved or the game hides information.
    """
    worths = [] if state.game.hides else _worths(state)
    return {worth.action: float(_sign(state.seat_to_move) * worth.lead) for worth in worths}


def _preferred(state: State, best: list[int], stream: Stream) -> int:
    """Return one of the best actions in a position, by preference that of the perfect player."""
    perfect = _perfect_player(state.game)
    chosen = best[0] if perfect is None else choice_of(perfect, state, stream)
    return chosen if chosen in best else best[0]


def strongest(game: Game, seat: int | None = None) -> Player:
    """Return the strongest yardstick of a game that plays a seat.

    Raises:
        ConfigError: no yardstick plays the seat.
    """
    for name in reversed(players.yardsticks(game)):
        known = player(name, game)
        if seat is None or seat in seats_of(known):
            return known
    assert seat is not None
    raise ConfigError(f"no yardstick of {game.name} plays the {game.seats[seat]}; name an opponent")


def outcome(game: Game, advice: Advice, worth: Worth) -> str:
    """Return the value of an action in words.

    Examples are ``first wins by 3`` and ``expected result +0.250``. An expected result is that of
    the seat to move.
    """
    if isinstance(worth.lead, float):
        gain = f"{_sign(advice.seat) * worth.lead + 0.0:+.3f}"
        return f"{gain} {game.unit} expected" if game.counts_points else f"expected result {gain}"
    if worth.lead == 0:
        return "a draw"
    margin = f" by {abs(worth.lead)}" if game.counts_points else ""
    plies = {None: "", 0: " at once", 1: " at once"}.get(worth.plies, f" in {worth.plies} plies")
    return f"{game.seats[worth.lead < 0]} wins{margin}{plies}"


def _sign(seat: int) -> int:
    """Return +1 for seat 0 and -1 for seat 1, to convert a lead into the gain of a seat."""
    return 1 if seat == 0 else -1


def _rank(worth: Worth, sign: int) -> tuple[float, int]:
    """Return a sort key that puts the best action first.

    A winning seat prefers an early end, a losing seat a late end.
    """
    lead, plies = sign * worth.lead, worth.plies or 0
    if isinstance(lead, float):  # with the precision of ``optimal``
        lead = np.rint(lead * FRACTION)
    return -lead, plies if lead > 0 else -plies


def _gain(state: State) -> int:
    """Return the gain of seat 0 in a finished game."""
    first, second = state.scores
    return first - second if state.game.counts_points else state.returns()[0]


def _worths(state: State) -> list[Worth]:
    """Return the exact values of the legal actions of a position. Empty if they are not known."""
    if state.game.rules.chance:  # the position after an action is drawn
        solved = _solution_of(state)
        return [] if solved is None else list(_by_positions(state, solved))
    if can_solve(state.game):
        return list(_by_table(state))
    offer = state.game.rules.players.get(PERFECT)
    if offer is not None and offer.wins_soonest and _perfect_player(state.game) is not None:
        return list(_by_playing(state, True))
    solved = _solution_of(state)
    return list(_by_playing(state, False) if solved is None else _by_positions(state, solved))


def _after(state: State) -> Iterator[tuple[int, State]]:
    for action in state.legal_actions():
        after = state.clone()
        after.play(action)
        yield action, after


def _by_table(state: State) -> Iterator[Worth]:
    """Yield the values of a position's legal actions by the game's table of exact values.

    They come without the number of plies.
    """
    for action, after in _after(state):
        first, second = after.scores
        gain = position_value(after)
        yield Worth(action, first - second + (gain if after.seat_to_move == 0 else -gain), None)


def _by_playing(state: State, wins_soonest: bool) -> Iterator[Worth]:
    """Yield the values of a position's legal actions by playing on with the perfect player.

    The longest games come first. Nothing is yielded if the game has no such player.
    ``wins_soonest`` says whether the player wins as soon as possible.
    """
    perfect = _perfect_player(state.game)
    if perfect is None:
        return
    lasting = []
    for action, after in _after(state):
        plies = 1
        while not after.is_over and plies < MOST_PLIES:
            after.play(choice_of(perfect, after, Stream(plies)))
            plies += 1
        lasting.append((-plies, Worth(action, _gain(after), plies if wins_soonest else None)))
    yield from (worth for _, worth in sorted(lasting))


@lru_cache(maxsize=1)
def _perfect_player(game: Game) -> Player | None:
    """Return the game's own perfect player, set to answer fast. None if the game has none."""
    offer = game.rules.players.get(PERFECT)
    try:
        if offer is None or not offer.plays(game):
            return None
    except TournamentError:  # the error says why the player cannot be used
        return None
    return at_speed(player(PERFECT, game))


def _solution_of(state: State) -> Solution | None:
    """Return the solution of the game, or of the positions that can follow a position.

    Return None if there are too many positions.
    """
    game, most = state.game, MOST_NUMBERS // state.game.state_size
    if has_solution(game, min(FEW_POSITIONS, most)):
        solved = solution(game)
        if _number(solved, state) >= 0:
            return solved
    solve = expectation if game.rules.chance else retrograde
    try:
        return solve(explore(game, min(POSITIONS_AHEAD, most), state.array))
    except TournamentError:
        return None


def _number(solved: Solution, state: State) -> int:
    with np.errstate(over="ignore"):  # hashes wrap around
        return int(number_of(solved.graph.states, solved.graph.slots, state.array))


def _by_positions(state: State, solved: Solution) -> Iterator[Worth]:
    """Yield the values of a position's legal actions by the solution of all following positions.

    The plies are counted from this position.
    """
    if state.game.rules.chance:
        go = build(play_or_draw, state.game.hooks, compiled=False)
        for action in state.legal_actions():
            after = state.clone()
            go(state.game.board, after.array, action)
            yield Worth(action, float(solved.leads[_number(solved, after)]), None)
        return
    for action, after in _after(state):
        number = _number(solved, after)
        lead = int(solved.leads[number])
        yield Worth(action, lead, int(solved.plies[number]) + 1 if lead else None)
