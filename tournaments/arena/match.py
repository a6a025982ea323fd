"""The readable loop: one match between any two players, move by move.

It plays what the arena plays: the same seeds, the same order of draws, the same outcomes, for any
two players that both can play. Use it to watch a game, and for players that cannot be compiled.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from operator import index
from typing import Any

import numpy as np

from tournaments.arena.clock import Timekeeper, Turns
from tournaments.arena.outcomes import MEASURED, SCORES
from tournaments.errors import Disqualified, Interruption, PlayerFault, shown
from tournaments.game import EndlessGame, Game, IllegalAction, State
from tournaments.guard import raised
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.moves import in_turn
from tournaments.kernels.rng import Stream, opening_seed
from tournaments.player import Player, SeatedPlayer, compiled, sit_down


class IllegalChoice(PlayerFault, IllegalAction):
    """A player chose an action that the rules do not allow."""


def play_match(
    game: Game, a: Player, b: Player, seed: int, games: int = 2, measured: bool = False
) -> np.ndarray:
    """Play one match between two players, move by move, and return the outcome of each game.

    In game ``g`` player a holds seat ``g % 2``.

    Returns:
        int16 ``[games, 2]``: the score of each seat in each game; with ``measured`` ``[games, 4]``:
        the number of plies and the game's measure too.

    Raises:
        PlayerFault: a player commits a fault. The message names the player.
        EndlessGame: a game lasts longer than its rules say.
    """
    outcomes = np.zeros((games, MEASURED if measured else SCORES), dtype=np.int16)
    with closing(Timekeeper()) as keeper:
        for number, row in enumerate(outcomes):
            fill_row(row, game, (a, b), seed, number, keeper)
    return outcomes


def fill_row(
    row: np.ndarray,
    game: Game,
    sides: tuple[Player, Player],
    seed: int,
    number: int,
    keeper: Timekeeper,
) -> None:
    """Play one game of a match move by move, and write its outcome into ``row``.

    Args:
        row: int16 ``[2]``, or ``[4]`` if games are measured.
        game: the game.
        sides: entrants a and b.
        seed: the seed of the match.
        number: the number of the game in the match.
        keeper: plays the game within the time limits.

    Raises:
        PlayerFault, EndlessGame: as :func:`play_match`.
    """

    def play(turns: Turns) -> Sequence[int]:
        for state, _, _ in play_game(game, *sides, seed, number, turns):  # noqa: B007
            pass
        return (*state.scores, turns.ply, state.measure()) if row.size > SCORES else state.scores

    try:
        row[:] = keeper.played(*sides, number, play)
    except PlayerFault as fault:
        fault.place = f"ply {fault.ply} of game {number} of the match with seed {seed}, {game.spec}"
        raise


def play_game(
    game: Game, a: Player, b: Player, seed: int, number: int = 0, turns: Turns | None = None
) -> Iterator[tuple[State, int, int]]:
    """Play one game of a match and yield (state, seat that moved, its action) after each move.

    The same state object is used for the whole game: clone it to keep a position.

    Args:
        game: the game.
        a: the player of seat ``number % 2``.
        b: the player of the other seat.
        seed: the seed of the match.
        number: the number of the game in the match.
        turns: called when a player's turn begins and ends. It counts the moves.

    Raises:
        PlayerFault: a player commits a fault. The error has the seat and the number of moves.
        EndlessGame: the game lasts longer than its rules say.
    """
    turns = turns or Turns()
    streams = [Stream.for_seat(seed, number, seat) for seat in range(2)]
    state = game.start(opening_seed(seed, number))
    players = (a, b) if number % 2 == 0 else (b, a)
    seated: list[SeatedPlayer] = []
    try:
        for seat, player in enumerate(players):
            seated.append(seated_at(seat, player, state, turns))
        while turns.ply < game.most_plies and not state.is_over:
            seat = state.seat_to_move
            action = choice_of(seated[seat], state, streams[seat], turns)
            state.play_legal(action)  # choice_of has asked
            show(seated, state, seat, action, turns)
            turns.ply += 1
            yield state, seat, action
    except PlayerFault as fault:
        fault.ply = turns.ply
        raise fault.with_traceback(None) from None  # its frames refer to the player's objects
    finally:
        while seated:  # an object may run code as it goes
            answer_of(len(seated) - 1, players[len(seated) - 1].name, turns, _drop, seated)
    if not state.is_over:
        raise EndlessGame(game, seed, number)


def seated_at(seat: int, player: Player, state: State, turns: Turns) -> SeatedPlayer:
    """Seat a player at the beginning of a game, as a call in its turn, and return it.

    The seated player may remember the course of the game.

    Raises:
        PlayerFault: the player raised an exception.
    """
    if compiled(player) is not None:  # it says who asked for a seat that it does not play
        return sit_down(player, state, seat)
    return answer_of(seat, player.name, turns, sit_down, player, state, seat)


def show(
    seated: Sequence[SeatedPlayer], state: State, seat: int, action: int, turns: Turns
) -> None:
    """Show each player what it may see of the last move, unless the game is over.

    Args:
        seated: the players, by seat.
        state: the position after the move.
        seat: the seat that moved.
        action: its action.
        turns: called when a player's turn begins and ends.
    """
    if not state.is_over:
        for place, player in enumerate(seated):
            if getattr(player, "remembers", True):
                is_shown = place == seat or not state.game.hides
                seen = action if is_shown else HIDDEN
                answer_of(place, player.name, turns, _watch, player, state, place, seen)


def choice_of(
    player: Player | SeatedPlayer, state: State, stream: Stream, turns: Turns | None = None
) -> int:
    """Return the action of the player to move after a check that it is legal.

    The player is shown its seat's view of the position.

    Raises:
        PlayerFault: the action is not legal. The message names the player.
    """
    seat, name = state.seat_to_move, player.name
    number = answer_of(seat, name, turns or Turns(), _choose, player, state, seat, stream)
    if number not in state.legal_actions():
        what = (
            f"chose {shown(number)}, which is illegal in {state.game.spec}; "
            f"legal here: {state.legal_actions()}. The position:\n{state}"
        )
        raise IllegalChoice(name, "illegal", what, seat)
    return number


# --- in a player's turn: objects of the player are converted and released here -------------------


def _choose(player: Player | SeatedPlayer, state: State, seat: int, stream: Stream) -> int:
    """Return the number that a player chooses as its action, as a plain int.

    Raises:
        PlayerFault: it returned no number, or changed the position that it was shown.
    """
    seen = state.view(seat)
    array, shown_to_it = seen.array, seen.array.tobytes()
    action = player.choose(seen, stream)
    if seen.array is not array or array.tobytes() != shown_to_it:
        what = "changed the position that it was shown; try moves out on state.clone()"
        raise PlayerFault(player.name, "changed state", what)
    number = action if type(action) is int else _number_of(action)
    if number is None:
        what = f"returned {shown(action)}; choose() must return an action, a number"
        raise PlayerFault(player.name, "no action", what)
    return number


def _number_of(action: Any) -> int | None:
    """Convert a player's action, a whole number of any type, to a plain int.

    Other values give None.
    """
    try:
        return index(action)
    except TypeError:
        is_whole = isinstance(action, (float, np.floating)) and float(action).is_integer()
        return index(int(action)) if is_whole else None


def _watch(player: SeatedPlayer, state: State, seat: int, action: int) -> None:
    player.watch(state.view(seat), action)


def _drop(seated: list[SeatedPlayer]) -> None:
    seated.pop()


def answer_of(seat: int, name: str, turns: Turns, call: Callable[..., Any], *given: Any) -> Any:
    """Call a player in its turn, and return the result of the call.

    Args:
        seat: the seat of the player.
        name: the name of the player, for messages.
        turns: called when the turn begins and ends.
        call: calls the player. It must not return objects that the player created.
        *given: the arguments of the call.

    Raises:
        PlayerFault: the call raised an exception, which is described in the message.
    """
    turns.begin(seat)
    in_turn.is_on = True
    try:
        answer, fault = call(*given), None
    except BaseException as error:  # such as a panic of Rust, or a task that was cancelled
        answer, fault = None, _fault_of(name, error)
    finally:
        in_turn.is_on = False
    turns.end()
    if fault is not None:
        fault.seat = seat
        raise fault
    return answer


def _fault_of(name: str, error: BaseException) -> PlayerFault:
    """Convert an exception of a player to a fault, with the traceback as a note.

    Raises:
        KeyboardInterrupt, Interruption: unchanged in the main thread, where they come from outside.
    """
    try:
        if isinstance(error, PlayerFault):
            player, cause, what = map(str.__str__, (error.player, error.cause, error.what))
            fault = PlayerFault(player, cause, what)
        elif isinstance(error, Disqualified) and error.cause != "disqualified":  # a program
            fault = PlayerFault(name, error.cause, error.what)
        elif isinstance(error, SystemExit):  # would end the process as if all had been played
            fault = PlayerFault(name, "exited", f"ended by sys.exit({shown(error.code)})")
        elif isinstance(error, MemoryError):
            fault = PlayerFault(name, "memory", "ran out of memory")
        elif _is_from_outside(error):
            raise error
        else:
            fault = PlayerFault(name, "raised", raised(error))
            fault.add_note("".join(traceback.format_exception(error)))
        return fault
    except BaseException as another:
        if _is_from_outside(another):
            raise
        return PlayerFault(name, "raised", "raised an exception that cannot be shown")


def _is_from_outside(error: BaseException) -> bool:
    """Return whether an exception was raised in the main thread by a signal, not by a player."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and issubclass(type(error), KeyboardInterrupt | Interruption)
