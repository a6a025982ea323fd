"""The laws that hold in every position of a game, and of every action.

Part of :func:`tournaments.contract.check.check_game`.
"""

from __future__ import annotations

import numpy as np

from tournaments.contract import offers, views
from tournaments.contract.broken import broken, raising_hook
from tournaments.errors import TournamentError
from tournaments.game import IllegalAction, State
from tournaments.kernels.chance import STREAM, STREAM_SIZE
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.rng import Stream
from tournaments.players.network import layers_for
from tournaments.solver import table as oracle

ILLEGAL_TRIED = 8
"""Illegal actions tried in each position, beside those outside 0..num_actions-1."""
UNWRITTEN = -9
"""What stands where a hook is to write."""


def play_checked(state: State, action: int) -> None:
    """Play, and check that the same action does the same to a copy, and within int16."""
    who, before, copy = state.game.spec, state.clone(), state.clone()
    try:
        with np.errstate(over="raise", divide="raise"):
            state.play(action)
            copy.play(action)
    except (OverflowError, FloatingPointError) as error:
        hook = raising_hook(error, state.game) or "play"
        overflows = f"{hook}() must stay within int16: int16 overflows ({error})"
        divides = f"{hook}() must not divide by zero"
        law = divides if "divide" in str(error) else overflows
        raise broken(who, law, before, action) from None
    except IllegalAction:
        raise broken(
            who, "legal() must list the same actions again: one is refused", before, action
        ) from None
    if state != copy:
        raise broken(
            who, "play() must lead to one position: the same action gives two", before, action
        )
    if state == before:
        raise broken(who, "play() must change the position, in place", before, action)
    broken_by = offers.broken_law(before, action, state), views.broken_chance(before, action, state)
    for offered in filter(None, broken_by):
        raise broken(who, offered, before, action)


def check_secrets(before: State, after: State, shown: int) -> int:
    """Check positions that look alike to the seat to move; return how many kinds were shown."""
    count = 0
    for twin in views.twins(before, after):
        law = views.broken_secret(after, twin)
        if law is None and shown + count < views.FEW_TWINS:
            count += 1
            law = views.broken_choice(after, twin)
        if law is not None:
            raise broken(after.game.spec, law, after)
    return count


def check_position(state: State, stream: Stream) -> None:
    if not isinstance(state.game.rules.text(state.game.board, state.array), str):
        raise broken(state.game.spec, "text() must give a text", state)
    _check_illegal_actions(state, stream)
    _check_clone(state)
    _check_text(state)
    _check_features(state)
    law = views.broken_view(state)
    if law is not None:
        raise broken(state.game.spec, law, state)


def check_header(state: State) -> None:
    who = state.game.spec
    if state.array.dtype != np.int16 or state.array.shape != (state.game.state_size,):
        raise broken(who, "a state must stay one int16 array of state_size numbers", state)
    if state.seat_to_move not in (-1, 0, 1) or state.is_over != (state.seat_to_move == -1):
        raise broken(who, f"seat_to_move must be 0, 1 or -1, not {state.seat_to_move}", state)
    first, second = state.scores
    lead = (first > second) - (first < second)
    if state.returns() != ((lead, -lead) if state.is_over else (0, 0)):
        raise broken(who, "returns() must be the sign of the lead, zeros before the end", state)


def checked_actions(state: State) -> list[int]:
    """The legal actions, as the kernel writes them; none when the game is over."""
    if state.is_over:
        return []
    game, before, who = state.game, state.clone(), state.game.spec
    actions = np.full(game.num_actions, UNWRITTEN, dtype=np.int16)
    count = game.rules.legal(game.board, state.array, actions)
    if state != before:
        raise broken(who, "legal() must not change the position", before)
    if (
        type(count) is bool
        or not isinstance(count, int | np.integer)
        or not 0 <= count <= game.num_actions
    ):
        law = f"legal() must return how many actions it wrote, from 0 to num_actions, not {count!r}"
        raise broken(who, law, state)
    listed = actions[:count].tolist()
    if UNWRITTEN in listed or (actions[count:] == UNWRITTEN).sum() < (actions == UNWRITTEN).sum():
        law = f"legal() must write as many actions as it returns: {int(count)}, not {listed}"
        raise broken(who, law, state)
    if listed != sorted(set(listed)):
        raise broken(who, f"legal(): legal actions must rise and differ: {listed}", state)
    if listed and not 0 <= listed[0] <= listed[-1] < game.num_actions:
        raise broken(who, f"legal(): legal actions must lie in 0..num_actions-1: {listed}", state)
    if not listed:
        law = "legal(): there must be legal actions until the game is over (state[0] is -1)"
        raise broken(who, law, state)
    if state.legal_actions() != listed:
        raise broken(who, "legal() must list the same actions when it is asked again", state)
    return listed


def _check_illegal_actions(state: State, stream: Stream) -> None:
    game, before = state.game, state.clone()
    illegal = sorted(set(range(game.num_actions)) - set(state.legal_actions()))
    tried = [stream.choice(illegal) for _ in range(min(ILLEGAL_TRIED, len(illegal)))]
    for action in [*tried, -1, game.num_actions]:
        try:
            state.play(action)
        except IllegalAction:
            if state != before:
                raise broken(
                    game.spec, "a refused action must change nothing", before, action
                ) from None
        else:
            raise broken(game.spec, "an illegal action must be refused", before, action)


def _check_clone(state: State) -> None:
    copy = state.clone()
    if copy != state or np.shares_memory(copy.array, state.array):
        raise broken(state.game.spec, "clone() must be a copy that shares nothing", state)


def _check_text(state: State) -> None:
    who = state.game.spec
    try:
        parsed = state.game.parse(str(state))
    except TournamentError as error:
        raise broken(who, f"parse() refuses what text() shows ({error})", state) from None
    if not isinstance(parsed.array, np.ndarray) or parsed != state:
        law = f"parse(str(state)) must be the position itself{_difference(state, parsed.array)}"
        raise broken(who, law, state)


def _difference(state: State, other: object) -> str:
    """Where an array differs from a position, in words."""
    if not isinstance(other, np.ndarray) or other.shape != state.array.shape:
        return ", an array of as many numbers"
    places = np.flatnonzero(other != state.array)
    if not places.size:
        return f", of int16, not {other.dtype}"
    told = [f"state[{place}] was {state.array[place]}, is {other[place]}" for place in places[:3]]
    stream = range(STREAM, STREAM + STREAM_SIZE)
    hint = " (the stream: see stream_line and take_stream_line of tournaments.kernels.chance)"
    draws = state.game.rules.chance is not None and places[0] in stream
    return f": {', '.join(told)}{', ...' * (places.size > 3)}{hint * draws}"


def _check_features(state: State) -> None:
    """What networks are shown, and the number of the position in the table of exact values."""
    state = state.view(max(0, state.seat_to_move))
    game, before = state.game, state.clone()
    if game.rules.network is not None:
        inputs = np.full(layers_for(game)[0], np.nan)
        game.rules.network.encode(game.board, state.array, inputs)
        if not (np.abs(inputs) <= MOST_SHOWN).all() or (inputs % 1).any():
            law = (
                f"encode() must fill every input with a whole number within +-{MOST_SHOWN}; counts "
                "are scaled by tournaments.kernels.arithmetic.scaled(count, most)"
            )
            raise broken(game.spec, law, state)
    if game.rules.solver is not None and oracle.can_solve(game):
        number = int(game.rules.solver.position(game.board, state.array))
        if not 0 <= number < oracle.num_positions(game):
            raise broken(game.spec, f"position() gives {number}, outside its table", state)
    if state != before:
        raise broken(game.spec, "encode() and position() must not change the position", before)
