"""The readable loop: one match between any two players, move by move.

It plays what the arena plays: the same seeds, the same order of draws, the same outcomes, for any
two players that both can play. Use it to watch a game, and for players that cannot be compiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournaments.arena.outcomes import MEASURED, SCORES
from tournaments.errors import MOST_SHOWN, PlayerFault, TournamentError
from tournaments.game import EndlessGame, Game, IllegalAction, State
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.rng import Stream
from tournaments.player import Player, SeatedPlayer, sit_down


def play_match(
    game: Game, a: Player, b: Player, seed: int, games: int = 2, measured: bool = False
) -> np.ndarray:
    """Play one match; in game ``g`` player a holds seat ``g % 2``.

    Returns:
        int16 ``[games, 2]``: the score of each seat in each game; with ``measured``
        ``[games, 4]``: the number of plies and the game's measure too.

    Raises:
        IllegalAction: a player chose what the rules do not allow; the message names the player.
        EndlessGame: a game lasts longer than its rules say.
    """
    outcomes = np.zeros((games, MEASURED if measured else SCORES), dtype=np.int16)
    for number in range(games):
        moves = list(play_game(game, a, b, seed, number))
        state = moves[-1][0]
        outcomes[number, :SCORES] = state.scores
        if measured:
            outcomes[number, SCORES:] = len(moves), state.measure()
    return outcomes


def play_game(
    game: Game, a: Player, b: Player, seed: int, number: int = 0
) -> Iterator[tuple[State, int, int]]:
    """Play one game of a match and yield (state, seat that moved, its action) after each move.

    The state is the one that is played on: clone it to keep it.

    Raises:
        PlayerFault: a player raised an exception; the message names it, the game and the seed.
    """
    stream = Stream.for_game(seed, number)
    state = game.start(stream.draw())
    players = (a, b) if number % 2 == 0 else (b, a)
    seated = [sit_down(player, state, seat) for seat, player in enumerate(players)]
    for ply in range(game.most_plies):
        if state.is_over:
            return
        seat = state.seat_to_move
        try:
            action = choice_of(seated[seat], state, stream)
        except PlayerFault as fault:
            where = f"ply {ply} of game {number} of the match with seed {seed}, {game.spec}"
            raise fault.during(where) from fault.__cause__
        state.play(action)
        show(seated, state, seat, action)
        yield state, seat, action
    if not state.is_over:
        raise EndlessGame(game, seed, number)


def show(seated: Sequence[SeatedPlayer], state: State, seat: int, action: int) -> None:
    """Show each player what it may see of a move that was just made, unless the game is over."""
    if not state.is_over:
        for place, player in enumerate(seated):
            is_shown = place == seat or not state.game.hides
            player.watch(state.view(place), action if is_shown else HIDDEN)


def choice_of(player: Player | SeatedPlayer, state: State, stream: Stream) -> int:
    """The action of a player, which may be anybody's; it is shown what its seat sees.

    Raises:
        IllegalAction, TournamentError: it is none that may be played; the message names the player.
        PlayerFault: the player raised an exception, which is the cause of this one.
    """
    try:
        action = player.choose(state.view(state.seat_to_move), stream)
    except SystemExit as ended:  # would end the process as if all had been played
        raise TournamentError(
            f"player {player.name!r} ended by sys.exit({ended.code!r}); choose() must return an "
            "action, a number"
        ) from ended
    except TournamentError:  # of ours, which says what is wrong
        raise
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise PlayerFault(player.name, "raised", f"raised {what[:MOST_SHOWN]}") from error
    try:
        legal = int(action) in state.legal_actions()
    except (TypeError, ValueError):
        raise TournamentError(
            f"player {player.name!r} returned {action!r}; choose() must return an action, a number"
        ) from None
    if not legal:
        raise IllegalAction(
            f"player {player.name!r} chose {action!r}, which is illegal in {state.game.spec}; "
            f"legal here: {state.legal_actions()}. The position:\n{state}"
        )
    return int(action)
