"""The laws that every game and every player must keep, as checks for their authors.

::

    from tournaments import games
    from tournaments.contract.check import check_game, check_player

    check_game(games.make("my-game"))
    check_player(MyPlayer(), games.make("my-game"))

A broken law raises :class:`ContractError`, which says which law, by which action, and in which
position. The checks play at random, from a seed: the same seed, the same checks.
"""

from __future__ import annotations

import pickle  # only to see that a player can travel to another process
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from tournaments import games as all_games
from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.contract import offers, views
from tournaments.contract.replay import compiled_course
from tournaments.contract.samples import registered_players, samples_of
from tournaments.errors import TournamentError
from tournaments.game import Game, IllegalAction, State
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.rng import Stream, match_seeds
from tournaments.player import Player, compiled, seats_of
from tournaments.players.network.bits import layers_for
from tournaments.rules import HEADER
from tournaments.solver import table as oracle

MOST_PLIES = 10_000
"""Plies within which a game must end under random play, unless the author allows more."""
ILLEGAL_TRIED = 8
"""Illegal actions tried in each position, beside those outside 0..num_actions-1."""


class ContractError(AssertionError):
    """A game or a player breaks a law that the rest of the project relies on."""


def _broken(who: str, law: str, state: State | None = None, action: object = None) -> ContractError:
    by = "" if action is None else f", by action {action!r}"
    where = "" if state is None else f". The position:\n{_shown(state)}"
    return ContractError(f"{who} breaks the contract: {law}{by}{where}")


def _shown(state: State) -> str:
    try:
        return str(state)
    except Exception:  # a broken game's board may be past drawing
        return str(state.array)


# --- games -------------------------------------------------------------------------------------


def check_game(game: Game, games: int = 50, seed: int = 0, max_plies: int = MOST_PLIES) -> None:
    """Check a game's laws over games at random, and that compiled play is the readable play.

    What the game offers is looked at, too: its players play, its drawing draws, and what it
    computes exactly agrees with the games that are played (on boards where that takes no minutes).

    Args:
        game: from :func:`tournaments.games.make`, or ``Game(RULES, {})`` before it is registered.
        games: how many to play.
        seed: of the random play.
        max_plies: how many plies a game may last.

    Raises:
        ContractError: a law is broken; the message says which, by which action, and where.
    """
    _check_constants(game)
    _check_start(game, seed)
    _keep(game, views.broken_offer(game))
    secrets = 0
    for number in range(games):
        stream = Stream.for_game(seed, number)
        states: list[np.ndarray] = []
        actions: list[int] = []
        for state, action in _random_game(game, stream, min(max_plies, game.most_plies)):
            _check_position(state, stream)
            if states:
                before = State(game, states[-1])
                secrets += _check_secrets(before, state, secrets)
            states.append(state.array.copy())
            actions.append(action)
        _check_compiled_rules(game, states, actions[:-1], Stream.for_game(seed, number).draw())
        if number == 0:
            course = [State(game, array) for array in states]
            _keep(game, offers.broken_symmetry(course[0], actions[:-1]))
            _keep(game, offers.broken_drawing(course, actions))
    _keep(game, offers.unknown_yardstick(game))
    _check_own_players(game, seed)
    _check_arena(game, seed)
    _keep(game, offers.broken_exact_play(game, seed))


def _check_constants(game: Game) -> None:
    who = game.spec
    if len(game.seats) != 2 or len(set(game.seats)) != 2:
        raise _broken(who, f"two seats with different names are expected, not {game.seats!r}")
    if game.num_actions < 1 or game.state_size < HEADER:
        raise _broken(
            who,
            f"num_actions={game.num_actions} and state_size={game.state_size}; at least 1 action "
            f"and a state of {HEADER} numbers are expected",
        )
    if game.board.dtype != np.int16:
        raise _broken(who, f"the board must be int16, not {game.board.dtype}")
    called = [game.rules.describe(game.board, action) for action in range(game.num_actions)]
    if len(set(called)) != len(called) or not all(called):
        raise _broken(who, "describe() must give each action a name of its own")
    if game.name in all_games.names() and all_games.parse(game.spec).spec != game.spec:
        raise _broken(who, "the game made from its own spec is another one")


def _check_start(game: Game, seed: int) -> None:
    for number in range(seed, seed + 5):
        state, again = game.start(number), game.start(number)
        if state != again:
            raise _broken(game.spec, f"start(seed={number}) gives two different positions", state)
        if state.is_over:
            raise _broken(game.spec, "a game must not be over at its start", state)


def _random_game(game: Game, stream: Stream, most: int) -> Iterator[tuple[State, int]]:
    """Yield each position of a random game with the action that is played next, -1 at the end."""
    state = game.start(stream.draw())
    for _ in range(most + 1):
        actions = state.legal_actions()
        if state.is_over or not actions:
            yield state, -1
            return
        action = stream.choice(actions)
        yield state, action
        _play_checked(state, action)
    raise _broken(
        game.spec, f"random play must end, and did not in {most} plies (see max_plies)", state
    )


def _play_checked(state: State, action: int) -> None:
    """Play, and check that the same action does the same to a copy, and within int16."""
    before, copy = state.clone(), state.clone()
    try:
        with np.errstate(over="raise"):
            state.play(action)
            copy.play(action)
    except (OverflowError, FloatingPointError) as error:
        raise _broken(state.game.spec, f"int16 overflows ({error})", before, action) from None
    except IllegalAction:
        raise _broken(state.game.spec, "a legal action is refused", before, action) from None
    if state != copy:
        raise _broken(state.game.spec, "the same action gives two positions", before, action)
    if state == before:
        raise _broken(state.game.spec, "an action must change the position", before, action)
    law = offers.broken_law(before, action, state) or views.broken_chance(before, action, state)
    if law is not None:
        raise _broken(state.game.spec, law, before, action)


def _check_secrets(before: State, after: State, shown: int) -> int:
    """Check positions that look alike to the seat to move; return how many kinds were shown."""
    count = 0
    for twin in views.twins(before, after):
        law = views.broken_secret(after, twin)
        if law is None and shown + count < views.FEW_TWINS:
            count += 1
            law = views.broken_choice(after, twin)
        if law is not None:
            raise _broken(after.game.spec, law, after)
    return count


def _keep(game: Game, law: str | None) -> None:
    """Refuse a game that breaks a law."""
    if law is not None:
        raise _broken(game.spec, law)


def _check_own_players(game: Game, seed: int) -> None:
    """The players that the game offers, as far as the arena does not show what they do."""
    for name in game.rules.players:
        for player in samples_of(name, game):
            if compiled(player) is None:
                check_player(player, game, games=2, seed=seed)


def _check_position(state: State, stream: Stream) -> None:
    _check_header(state)
    _check_legal_actions(state)
    _check_illegal_actions(state, stream)
    _check_clone(state)
    _check_text(state)
    _check_features(state)
    law = views.broken_view(state)
    if law is not None:
        raise _broken(state.game.spec, law, state)


def _check_header(state: State) -> None:
    who = state.game.spec
    if state.array.dtype != np.int16 or state.array.shape != (state.game.state_size,):
        raise _broken(who, "a state must stay one int16 array of state_size numbers", state)
    if state.seat_to_move not in (-1, 0, 1) or state.is_over != (state.seat_to_move == -1):
        raise _broken(who, f"seat_to_move must be 0, 1 or -1, not {state.seat_to_move}", state)
    first, second = state.scores
    lead = (first > second) - (first < second)
    if state.returns() != ((lead, -lead) if state.is_over else (0, 0)):
        raise _broken(who, "returns() must be the sign of the lead, zeros before the end", state)


def _check_legal_actions(state: State) -> None:
    who, before = state.game.spec, state.clone()
    actions = state.legal_actions()
    if state != before:
        raise _broken(who, "legal_actions() must not change the position", before)
    if actions != sorted(set(actions)):
        raise _broken(who, f"legal actions must rise and differ: {actions}", state)
    if actions and not 0 <= actions[0] <= actions[-1] < state.game.num_actions:
        raise _broken(who, f"legal actions must lie in 0..num_actions-1: {actions}", state)
    if bool(actions) == state.is_over:
        raise _broken(who, "there must be legal actions until the game is over", state)


def _check_illegal_actions(state: State, stream: Stream) -> None:
    game, before = state.game, state.clone()
    illegal = sorted(set(range(game.num_actions)) - set(state.legal_actions()))
    tried = [stream.choice(illegal) for _ in range(min(ILLEGAL_TRIED, len(illegal)))]
    for action in [*tried, -1, game.num_actions]:
        try:
            state.play(action)
        except IllegalAction:
            if state != before:
                raise _broken(
                    game.spec, "a refused action must change nothing", before, action
                ) from None
        else:
            raise _broken(game.spec, "an illegal action must be refused", before, action)


def _check_clone(state: State) -> None:
    copy = state.clone()
    if copy != state or np.shares_memory(copy.array, state.array):
        raise _broken(state.game.spec, "clone() must be a copy that shares nothing", state)


def _check_text(state: State) -> None:
    try:
        parsed = state.game.parse(str(state))
    except TournamentError as error:
        raise _broken(state.game.spec, f"its text board is refused ({error})", state) from None
    if parsed != state:
        raise _broken(state.game.spec, "parse(str(state)) must be the position itself", state)


def _check_features(state: State) -> None:
    """What networks are shown, and the number of the position in the table of exact values."""
    state = state.view(max(0, state.seat_to_move))
    game, before = state.game, state.clone()
    if game.rules.network is not None:
        inputs = np.full(layers_for(game)[0], np.nan)
        game.rules.network.encode(game.board, state.array, inputs)
        if not (np.abs(inputs) <= MOST_SHOWN).all() or (inputs % 1).any():
            law = f"encode() must fill every input with a whole number within +-{MOST_SHOWN}"
            raise _broken(game.spec, law, state)
    if game.rules.solver is not None and oracle.can_solve(game):
        number = int(game.rules.solver.position(game.board, state.array))
        if not 0 <= number < oracle.num_positions(game):
            raise _broken(game.spec, f"position() gives {number}, outside its table", state)
    if state != before:
        raise _broken(game.spec, "encode() and position() must not change the position", before)


# --- compiled against readable -------------------------------------------------------------------


def _check_compiled_rules(
    game: Game, states: list[np.ndarray], actions: list[int], seed: int
) -> None:
    """The compiled rules must go through the same positions and offer the same actions."""
    compiled, choices = compiled_course(game, actions, seed)
    for ply, array in enumerate(states):
        state = State(game, array)
        if not np.array_equal(compiled[ply], array):
            by = actions[ply - 1] if ply else None
            raise _broken(game.spec, "compiled play leads to another position", state, by)
        if [int(action) for action in choices[ply] if action >= 0] != state.legal_actions():
            raise _broken(game.spec, "compiled play has other legal actions", state)


def _check_arena(game: Game, seed: int) -> None:
    """Every kind that plays the game must play alike in the arena and move by move."""
    opponent = players.make("level-0", game)
    for player in registered_players(game):
        _check_both_paths(game, player, opponent, seed, matches=3)


def _check_both_paths(
    game: Game, player: Player, opponent: Player, seed: int, matches: int
) -> None:
    seeds = match_seeds(seed, "contract", 0, matches)
    pairs = np.array([[-1, -2]] * matches, dtype=np.int32)
    sides: tuple[Player, Player] = (player, opponent)
    if seats_of(player)[0] == 1:
        sides = (opponent, player)
    number_of_games = len(seats_of(player))  # seats are swapped after each
    outcomes = play_pairs(Entrants(game, sides), pairs, seeds, number_of_games)
    for number, match_seed in enumerate(seeds):
        readable = play_match(game, *sides, int(match_seed), number_of_games)
        if not np.array_equal(outcomes[number], readable):
            raise _broken(
                f"{player.name} against {opponent.name} in {game.spec}",
                f"with match seed {match_seed} compiled play scores {outcomes[number].tolist()}, "
                f"readable play {readable.tolist()}",
            )


# --- players -----------------------------------------------------------------------------------


def check_player(player: Player, game: Game, games: int = 10, seed: int = 0) -> None:
    """Check a player's laws in games against random play, from each of its seats.

    It must choose legal actions, leave the position that it is shown alone, draw only from the
    stream that it is given, choose the same for the same position and stream, and be the same in
    another process. A compiled one must play in the arena as it plays move by move.

    Args:
        player: anything with ``name`` and ``choose``.
        game: what it plays.
        games: how many to play.
        seed: of the games.

    Raises:
        ContractError: a law is broken; the message says which, by which action, and where.
    """
    if not isinstance(player, Player) or not isinstance(player.name, str) or not player.name:
        raise _broken(repr(player), "a player needs a name and choose(state, rng)")
    copy = _sent(player)
    seats = seats_of(player)
    for number in range(games):
        stream = Stream.for_game(seed, number)
        state = game.start(stream.draw())
        while not state.is_over:
            if state.seat_to_move == seats[number % len(seats)]:
                state.play(_checked_choice(player, copy, state, stream))
            else:
                state.play(stream.choice(state.legal_actions()))
    if compiled(player) is not None:
        _check_both_paths(game, player, players.make("level-0", game), seed, max(1, games // 4))


def _sent(player: Player) -> Any:
    """The player as it arrives in another process."""
    try:
        copy = pickle.loads(pickle.dumps(player))
    except Exception as error:
        raise _broken(player.name, f"it cannot be sent to another process ({error})") from error
    if copy.name != player.name:
        raise _broken(player.name, f"sent to another process it is called {copy.name!r}")
    return copy


def _checked_choice(player: Player, copy: Player, state: State, stream: Stream) -> int:
    """The player's action; three times asked, it must answer alike."""
    globals_before = _global_generators()
    again, sent = (Stream(int(stream.state[0])) for _ in range(2))
    shown = state.view(state.seat_to_move)
    before = shown.clone()
    action = player.choose(shown, stream)
    if shown != before:
        raise _broken(player.name, "choose() must not change the position", state, action)
    if isinstance(action, bool) or not isinstance(action, int | np.integer):
        raise _broken(player.name, "choose() must return a whole number", state, action)
    if action not in state.legal_actions():
        raise _broken(player.name, "an illegal action", state, action)
    for other, its_stream, who in ((player, again, "asked again"), (copy, sent, "a copy sent")):
        answer = other.choose(before.clone(), its_stream)
        if answer != action or its_stream.state[0] != stream.state[0]:
            raise _broken(player.name, f"{who}, it chooses or draws otherwise", state, answer)
    if _global_generators() != globals_before:
        raise _broken(player.name, "it draws from a global random generator", state, action)
    return int(action)


def _global_generators() -> tuple[Any, ...]:
    _, keys, *rest = np.random.get_state()
    return random.getstate(), np.asarray(keys).tobytes(), *rest
