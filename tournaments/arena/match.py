"""The readable loop: one match between any two players, move by move.

It plays what the arena plays: the same seeds, the same order of draws, the same outcomes, for any
two players that both can play. Use it to watch a game, and for players that cannot be compiled.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from operator import index
from pathlib import Path
from typing import Any

import numpy as np

from tournaments.arena.clock import Clock, Timekeeper
from tournaments.arena.forfeits import Verdict, verdict_of
from tournaments.arena.outcomes import MEASURED, SCORES
from tournaments.errors import Interruption, PlayerFault, shown
from tournaments.game import EndlessGame, Game, IllegalAction, State
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.rng import Stream
from tournaments.player import Player, SeatedPlayer, compiled, sit_down


class IllegalChoice(PlayerFault, IllegalAction):
    """A player chose an action that the rules do not allow."""


def play_match(
    game: Game,
    a: Player,
    b: Player,
    seed: int,
    games: int = 2,
    measured: bool = False,
    keeper: Timekeeper | None = None,
) -> np.ndarray:
    """Play one match; in game ``g`` player a holds seat ``g % 2``.

    Args:
        keeper: plays its games; None: one of its own.

    Returns:
        int16 ``[games, 2]``: the score of each seat in each game; with ``measured``
        ``[games, 4]``: the number of plies and the game's measure too.

    Raises:
        PlayerFault: a player does what it may not; the message names the player.
        EndlessGame: a game lasts longer than its rules say.
    """
    if keeper is None:
        with closing(Timekeeper()) as keeper:
            return play_match(game, a, b, seed, games, measured, keeper)
    outcomes = np.zeros((games, MEASURED if measured else SCORES), dtype=np.int16)
    for number in range(games):
        try:
            outcomes[number] = _row_of(game, a, b, seed, number, measured, keeper)
        except PlayerFault as fault:
            where = f"ply {fault.ply} of game {number} of the match with seed {seed}, {game.spec}"
            raise fault.during(where) from fault.__cause__
    return outcomes


def judged_game(
    game: Game,
    a: Player,
    b: Player,
    seed: int,
    number: int,
    measured: bool,
    verdict: Verdict | None,
    keeper: Timekeeper,
) -> tuple[np.ndarray, Verdict | None]:
    """Play one game of a match, which whoever commits a fault loses.

    Args:
        verdict: how it is lost before its first move; None: it is played.
        keeper: plays it.

    Returns:
        Its row of outcomes, as :func:`play_match` has them, and how it was lost by a fault; None:
        it was not.
    """
    if verdict is None:
        try:
            return _row_of(game, a, b, seed, number, measured, keeper), None
        except PlayerFault as fault:
            verdict = verdict_of(fault)
    return verdict.outcome(MEASURED if measured else SCORES), verdict


def _row_of(
    game: Game, a: Player, b: Player, seed: int, number: int, measured: bool, keeper: Timekeeper
) -> np.ndarray:
    """The row of outcomes of a game that is played."""

    def play(a: Player, b: Player, clock: Clock) -> np.ndarray:
        for clock.ply, (after, _, _) in enumerate(play_game(game, a, b, seed, number), start=1):
            state = after
        measures = (clock.ply, state.measure()) if measured else ()
        return np.array([*state.scores, *measures], dtype=np.int16)

    return keeper.played(a, b, number, play)


def play_game(
    game: Game, a: Player, b: Player, seed: int, number: int = 0
) -> Iterator[tuple[State, int, int]]:
    """Play one game of a match and yield (state, seat that moved, its action) after each move.

    The state is the one that is played on: clone it to keep it.

    Raises:
        PlayerFault: a player does what it may not; it says at which seat, after how many moves.
        EndlessGame: the game lasts longer than its rules say.
    """
    stream = Stream.for_game(seed, number)
    state = game.start(stream.draw())
    players = (a, b) if number % 2 == 0 else (b, a)
    ply = 0
    try:
        seated = [seated_at(seat, player, state) for seat, player in enumerate(players)]
        while ply < game.most_plies and not state.is_over:
            seat = state.seat_to_move
            action = choice_of(seated[seat], state, stream)
            state.play_legal(action)  # choice_of has asked
            show(seated, state, seat, action)
            yield state, seat, action
            ply += 1
    except PlayerFault as fault:
        fault.ply = ply
        raise
    if not state.is_over:
        raise EndlessGame(game, seed, number)


def seated_at(seat: int, player: Player, state: State) -> SeatedPlayer:
    """A player at a seat of a game that begins."""
    if compiled(player) is not None:  # it says who asked for a seat that it does not play
        return sit_down(player, state, seat)
    return answer_of(seat, player.name, sit_down, player, state, seat)


def show(seated: Sequence[SeatedPlayer], state: State, seat: int, action: int) -> None:
    """Show each player what it may see of a move that was just made, unless the game is over."""
    if not state.is_over:
        for place, player in enumerate(seated):
            if getattr(player, "remembers", True):
                is_shown = place == seat or not state.game.hides
                seen = action if is_shown else HIDDEN
                answer_of(place, player.name, player.watch, state.view(place), seen)


def choice_of(player: Player | SeatedPlayer, state: State, stream: Stream) -> int:
    """The action of a player, which may be anybody's; it is shown what its seat sees.

    Raises:
        PlayerFault: it is none that may be played; the message names the player.
    """
    seat, name = state.seat_to_move, player.name
    seen = state.view(seat)
    array, shown_to_it = seen.array, seen.array.tobytes()
    action = answer_of(seat, name, player.choose, seen, stream)
    if seen.array is not array or array.tobytes() != shown_to_it:
        what = "changed the position that it was shown; try moves out on state.clone()"
        raise at_seat(seat, PlayerFault(name, "changed state", what))
    number = _number_of(action)
    if number is None:
        what = f"returned {shown(action)}; choose() must return an action, a number"
        raise at_seat(seat, PlayerFault(name, "no action", what))
    if number not in state.legal_actions():
        what = (
            f"chose {shown(action)}, which is illegal in {state.game.spec}; "
            f"legal here: {state.legal_actions()}. The position:\n{state}"
        )
        raise at_seat(seat, IllegalChoice(name, "illegal", what))
    return number


def _number_of(action: Any) -> int | None:
    """A whole number, be it of whatever type; None: it is none."""
    try:
        return index(action)
    except TypeError:
        is_whole = isinstance(action, (float, np.floating)) and float(action).is_integer()
        return int(action) if is_whole else None


def answer_of(seat: int, name: str, call: Callable[..., Any], *given: Any) -> Any:
    """What a call of a player at a seat gives.

    Raises:
        PlayerFault: whatever it raises, as the player's fault.
    """
    try:
        return call(*given)
    except PlayerFault as fault:
        raise at_seat(seat, fault) from None
    except SystemExit as ended:  # would end the process as if all had been played
        what = f"ended by sys.exit({ended.code!r}); choose() must return an action, a number"
        raise at_seat(seat, PlayerFault(name, "exited", what)) from ended
    except MemoryError as error:
        raise at_seat(seat, PlayerFault(name, "memory", "ran out of memory")) from error
    except (KeyboardInterrupt, Interruption):
        raise
    except BaseException as error:  # such as a panic of Rust, or a task that was cancelled
        raise at_seat(seat, PlayerFault(name, "raised", raised(error))) from error


def at_seat(seat: int, fault: PlayerFault) -> PlayerFault:
    """A fault that was committed at a seat."""
    fault.seat = seat
    return fault


def raised(error: BaseException) -> str:
    """What code of a user's raised, and where."""
    try:
        message = str(error).partition("\n")[0]
    except Exception:  # of an exception that raises another when it is asked
        message = ""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    return f"raised {type(error).__name__}{': ' * bool(message)}{message}{where}"
