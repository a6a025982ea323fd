"""The laws that every player must keep, as a check for its author.

::

    from tournaments import games
    from tournaments.contract import check_player

    check_player(MyPlayer(), games.make("my-game"))
"""

from __future__ import annotations

import pickle  # only to see that a player can travel to another process
import random
from collections.abc import Iterable
from typing import Any

import numpy as np

from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.guard import ContractError, laws_of, require
from tournaments.kernels.rng import Stream, match_seeds, opening_seed
from tournaments.player import CompiledPlayer, Player, compiled, seats_of


def check_player(player: Player, game: Game, games: int = 10, seed: int = 0) -> None:
    """Check that a player keeps its laws in games against random play, from each of its seats.

    It must choose legal actions, leave the position that it is shown alone, draw only from the
    stream that it is given, choose the same for the same position and stream, and be the same in
    another process. A compiled player must play in the arena as it plays move by move.

    Args:
        player: anything with ``name`` and ``choose``.
        game: the game that it plays.
        games: number of games.
        seed: seed of the games.

    Raises:
        ContractError: a law is broken; the message says which, by which action, and where.
    """
    name = getattr(player, "name", None)
    with laws_of(name if isinstance(name, str) and name else repr(player)):
        _check_laws(player, game, games, seed)


def _check_laws(player: Player, game: Game, games: int, seed: int) -> None:
    has_name = isinstance(player, Player) and isinstance(player.name, str) and player.name
    require(has_name, "a player needs a name and choose(state, rng)")
    copy = _sent(player)
    seats = seats_of(player)
    for number in range(games):
        own, other = (Stream.for_seat(seed, number, seat) for seat in range(2))
        state = game.start(opening_seed(seed, number))
        while not state.is_over:
            if state.seat_to_move == seats[number % len(seats)]:
                state.play(_checked_choice(player, copy, state, own))
            else:
                state.play(other.choice(state.legal_actions()))
    if compiled(player) is not None:
        check_both_paths(game, player, players.make("level-0", game), seed, max(1, games // 4))


def _sent(player: Player) -> Any:
    """Return a player as it arrives in another process: pickled and unpickled."""
    try:
        copy = pickle.loads(pickle.dumps(player))
    except Exception as error:
        raise ContractError(f"the player cannot be pickled ({error})") from error
    require(copy.name == player.name, f"sent to another process it is called {copy.name!r}")
    return copy


def _checked_choice(player: Player, copy: Player, state: State, stream: Stream) -> int:
    """Return a player's action, which must be the same when the player is asked three times.

    ``copy`` is the player as it arrives in another process.
    """
    globals_before = global_generators()
    again, sent = (Stream(int(stream.state[0])) for _ in range(2))
    shown = state.view(state.seat_to_move)
    before = shown.clone()
    action = player.choose(shown, stream)
    law = ""
    if shown != before:
        law = "choose() must not change the position"
    elif isinstance(action, bool) or not isinstance(action, int | np.integer):
        law = "choose() must return a whole number"
    elif action not in state.legal_actions():
        law = "an illegal action"
    else:
        for other, its_stream, which in ((player, again, "asked again"), (copy, sent, "a copy")):
            answer = other.choose(before.clone(), its_stream)
            if answer != action or its_stream.state[0] != stream.state[0]:
                law = f"{which}, it chooses or draws otherwise: action {answer}"
    if not law and global_generators() != globals_before:
        law = "it draws from a global random generator"
    if law:
        raise ContractError(law).complete(player.name, state, action)
    return int(action)


def global_generators() -> tuple[Any, ...]:
    """Return the states of the global random generators of Python and numpy."""
    _, keys, *rest = np.random.get_state()
    return random.getstate(), np.asarray(keys).tobytes(), *rest


def check_both_paths(game: Game, player: Player, opponent: Player, seed: int, matches: int) -> None:
    """Check that compiled play of a player is the same as play move by move."""
    seeds = match_seeds(seed, "contract", 0, matches)
    pairs = np.array([[-1, -2]] * matches, dtype=np.int32)
    sides: tuple[Player, Player] = (player, opponent)
    if seats_of(player)[0] == 1:
        sides = (opponent, player)
    number_of_games = len(seats_of(player))  # seats are swapped after each
    outcomes = play_pairs(Entrants(game, sides), pairs, seeds, number_of_games)
    for number, match_seed in enumerate(seeds):
        readable = play_match(game, *sides, int(match_seed), number_of_games)
        require(
            np.array_equal(outcomes[number], readable),
            f"{player.name} against {opponent.name} in {game.spec}, with match seed {match_seed}: "
            f"compiled play scores {outcomes[number].tolist()}, readable play {readable.tolist()}",
        )


# --- players to check --------------------------------------------------------------------------


def registered_players(game: Game) -> list[CompiledPlayer]:
    """Return compiled sample players of each kind that plays a game, to check them."""
    made = [compiled(player) for name in players.names(game) for player in samples_of(name, game)]
    return [player for player in made if player is not None]


def samples_of(name: str, game: Game) -> Iterable[Player]:
    """Return sample players of a kind, by its name, to check them in a game."""
    try:
        samples = players.offer(name, game).samples
        return [players.make(name, game)] if samples is None else samples(game)
    except TournamentError:
        return ()  # needs options, or is broken, which is no fault of the game
