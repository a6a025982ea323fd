"""Whether a game shows its seats no more than it should, and draws as it says.

Part of :func:`tournaments.contract.check.check_game`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tournaments.contract.samples import registered_players
from tournaments.game import Game, State
from tournaments.kernels.chance import STREAM, STREAM_SIZE
from tournaments.kernels.rng import Stream
from tournaments.rules import HEADER
from tournaments.solver.graph import MOST_OUTCOMES

FEW_TWINS = 2
"""Pairs of positions that look alike, shown to every kind of player."""


def broken_offer(game: Game) -> str | None:
    """The law that a game breaks which offers what it cannot, if any."""
    if game.rules.chance is not None and game.state_size < HEADER + STREAM_SIZE:
        return "a game that draws has its stream behind the header of its state"
    if not game.hides:
        return None
    network, rules = game.rules.network, game.rules
    if rules.sets or rules.solver or (network is not None and network.encode_change):
        return (
            "a game that hides offers neither sets nor encode_change(), which follow the other "
            "side's actions, nor a table of exact values"
        )
    return None


def broken_view(state: State) -> str | None:
    """The law that the views of a position break, if any."""
    game, before = state.game, state.clone()
    if game.view is None:
        return None
    for seat in range(2):
        seen = state.view(seat)
        if state != before:
            return "view() must not change the position"
        if seen.view(seat) != seen:
            return "the view of a view must be that view"
        secret = game.rules.has_secret
        if secret is not None and not secret(game.board, state.array, seat) and seen != state:
            return "where has_secret() says that there is none a view must be the position"
        if seen.seat_to_move != state.seat_to_move:
            return "a view must show the seat to move"
        if state.seat_to_move == seat and seen.legal_actions() != state.legal_actions():
            return "a view must show the legal actions of its seat"
        if game.rules.chance is not None and stream_of(seen).any():
            return "a view must not show the stream: zeros are expected in its place"
        if not str(seen):
            return "a view must have a text board"
    return None


def stream_of(state: State) -> np.ndarray:
    """The numbers of a game's stream."""
    return state.array[STREAM : STREAM + STREAM_SIZE]


# --- what is hidden stays so ---------------------------------------------------------------------


def twins(before: State, after: State) -> Iterator[State]:
    """Positions that the seat to move cannot tell from ``after``, to which a move has just led.

    They are those to which other actions would have led, and that position with another stream,
    where the view tells nothing of what was drawn.
    """
    game, seat = after.game, after.seat_to_move
    if game.view is None or seat < 0:
        return
    shown = after.view(seat)
    if game.rules.chance is not None:
        other = after.clone()
        stream_of(other)[:] ^= 257
        if other.view(seat) == shown:
            yield other
    for instead in before.legal_actions():
        other = before.clone()
        other.play(instead)
        if other != after and other.seat_to_move == seat and other.view(seat) == shown:
            yield other


def broken_secret(after: State, twin: State) -> str | None:
    """The law that two positions break which look alike, if any."""
    if twin.legal_actions() != after.legal_actions():
        return "what a view does not show must not change the legal actions of its seat"
    return None


def broken_choice(after: State, twin: State) -> str | None:
    """The law that a kind of player breaks which tells two positions apart that look alike."""
    for player in registered_players(after.game):
        if after.seat_to_move in player.seats:
            choices = {player.choose(state, Stream(1)) for state in (after, twin)}
            if len(choices) > 1:
                return f"{player.name} sees what is hidden from it: it plays {sorted(choices)}"
    return None


# --- chance --------------------------------------------------------------------------------------


def broken_chance(before: State, action: int, after: State) -> str | None:
    """The law that the outcomes of an action break, if any."""
    chance, board = before.game.rules.chance, before.game.board
    if chance is None or chance.outcomes is None or chance.settle is None:
        return None
    still, reached = before.clone(), after.clone()
    stream_of(still)[:] = stream_of(reached)[:] = 0
    number = int(chance.outcomes(board, still.array, action))
    if not 1 <= number <= MOST_OUTCOMES:
        return f"outcomes() must be from 1 to {MOST_OUTCOMES}, not {number}"
    if number == 1 and not np.array_equal(stream_of(before), stream_of(after)):
        return "play() must draw nothing where outcomes() is 1"
    outcomes = [still.clone() for _ in range(number)]
    for outcome, state in enumerate(outcomes):
        chance.settle(board, state.array, action, outcome)
    if any(stream_of(state).any() for state in outcomes):
        return "settle() must leave the stream alone"
    if reached not in outcomes:
        return "play() must lead to what settle() makes of one of outcomes()"
    return None
