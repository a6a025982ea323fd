"""What to play in a position: by perfect play where it is known, or as a strong player would."""

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
"""A player of a game's own that has this name plays perfectly."""
POSITIONS_AHEAD = 200_000
"""Of a game that is not solved: so many positions that may follow are solved at once."""
MOST_NUMBERS = 100_000_000
"""In the states of all positions that are solved for an advice, 16 bits each."""
MOST_PLIES = 2_000
"""Of a game that is played to its end to see what perfect play leads to."""


class Worth(NamedTuple):
    """The value of an action under best play of both seats.

    Attributes:
        action: the action.
        lead: what seat 0 gains at the end, by what counts in the game (``Rules.objective``); a
            float, the expectation, in a game that draws.
        plies: to the end; None: not known.
    """

    action: int
    lead: float
    plies: int | None


class Advice(NamedTuple):
    """What to play.

    Attributes:
        action: what is advised.
        by: whose advice it is.
        worths: of all legal actions, the best first; none: the game is not solved from here on.
        seat: who is to move.
        note: that the position is lost, and the action resists longest; empty: that is not known.
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
    """Perfect play, where it is known; else what the opponent or the last yardstick would do.

    An opponent that is a yardstick itself, or does not play this seat, leaves it to the last one.
    Who advises in a game that hides some of the position knows what the seat sees.

    Args:
        state: the position.
        opponent: of who asks.
        stream: for what is drawn.
        seated: (player, seat) -> the player at the seat, which has followed the game; None: it is
            shown the position alone.
    """
    worths = [] if state.game.hides else _worths(state.view(state.seat_to_move))
    if worths:
        sign = _sign(state.seat_to_move)
        ranked = sorted(worths, key=lambda worth: _rank(worth, sign))
        best = [each.action for each in ranked if _rank(each, sign) == _rank(ranked[0], sign)]
        is_lost = sign * ranked[0].lead < 0 and not isinstance(ranked[0].lead, float)
        is_last = is_lost and not can_solve(state.game)  # whose table knows no plies
        action = best[0] if is_last else _preferred(state, best, stream)
        note = "; lost, this resists longest" if is_last else ""
        return Advice(action, "perfect play", tuple(ranked), state.seat_to_move, note)
    seat = state.seat_to_move
    if opponent.name in players.yardsticks(state.game) or seat not in seats_of(opponent):
        opponent = strongest(state.game, seat)
    adviser = opponent if seated is None else seated(opponent, seat)
    return Advice(choice_of(adviser, state, stream), opponent.name, seat=seat)


def _preferred(state: State, best: list[int], stream: Stream) -> int:
    """One of the best actions: what the game's own perfect player plays, where it has one."""
    perfect = _perfect_player(state.game)
    chosen = best[0] if perfect is None else choice_of(perfect, state, stream)
    return chosen if chosen in best else best[0]


def strongest(game: Game, seat: int | None = None) -> Player:
    """The strongest yardstick of a game, or of those that play a seat.

    Raises:
        ConfigError: none plays it.
    """
    for name in reversed(players.yardsticks(game)):
        known = player(name, game)
        if seat is None or seat in seats_of(known):
            return known
    assert seat is not None
    raise ConfigError(f"no yardstick of {game.name} plays the {game.seats[seat]}; name an opponent")


def outcome(game: Game, advice: Advice, worth: Worth) -> str:
    """A worth in words: ``first wins by 3``, or ``expected result +0.250`` of who is to move."""
    if isinstance(worth.lead, float):
        gain = f"{_sign(advice.seat) * worth.lead + 0.0:+.3f}"
        return f"{gain} {game.unit} expected" if game.counts_points else f"expected result {gain}"
    if worth.lead == 0:
        return "a draw"
    margin = f" by {abs(worth.lead)}" if game.counts_points else ""
    plies = {None: "", 0: " at once", 1: " at once"}.get(worth.plies, f" in {worth.plies} plies")
    return f"{game.seats[worth.lead < 0]} wins{margin}{plies}"


def _sign(seat: int) -> int:
    """The sign of what a seat gains, in leads."""
    return 1 if seat == 0 else -1


def _rank(worth: Worth, sign: int) -> tuple[float, int]:
    """The best first: who is ahead makes an end soon, who is behind late."""
    lead, plies = sign * worth.lead, worth.plies or 0
    if isinstance(lead, float):  # as ``optimal`` tells them apart
        lead = np.rint(lead * FRACTION)
    return -lead, plies if lead > 0 else -plies


def _gain(state: State) -> int:
    """Return what seat 0 gains in a game that is over."""
    first, second = state.scores
    return first - second if state.game.counts_points else state.returns()[0]


def _worths(state: State) -> list[Worth]:
    """What each legal action is worth; none where that is not known."""
    if state.game.rules.chance:  # what an action leads to is drawn
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
    """By the game's table of exact values, which knows no plies."""
    for action, after in _after(state):
        first, second = after.scores
        gain = position_value(after)
        yield Worth(action, first - second + (gain if after.seat_to_move == 0 else -gain), None)


def _by_playing(state: State, wins_soonest: bool) -> Iterator[Worth]:
    """Yield the worths that playing on by the game's own perfect player shows, the longest first.

    None where the game has no such player.
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
    """The game's own perfect player, which answers as fast as it can; None: it has none."""
    offer = game.rules.players.get(PERFECT)
    try:
        if offer is None or not offer.plays(game):
            return None
    except TournamentError:  # it says why not
        return None
    return at_speed(player(PERFECT, game))


def _solution_of(state: State) -> Solution | None:
    """The game solved, or what may follow on this position; None: those are too many."""
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
    """By all positions that may follow; the plies are counted from this one."""
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
