"""OpenSpiel's games, played by our players and schemes: ``openspiel:connect_four``.

What follows the colon is a game as OpenSpiel's ``load_game`` takes it, such as
``openspiel:connect_four(rows=5,columns=5)``. Its rules are no kernels, so that all is played move
by move: as well, and far more slowly.

A state holds the actions that were played, chance's included, and the position is what they lead
to in OpenSpiel. Chance is settled as soon as it is its turn, by the stream of the state. Where
seats do not see all, a view holds the digest of the seat's information state. See Lanctot et al.,
"OpenSpiel: A Framework for Reinforcement Learning in Games" (arXiv:1908.09453).
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache, partial
from typing import Any

import numpy as np

from tournaments.adapters import not_installed
from tournaments.errors import TournamentError, shown, unknown
from tournaments.kernels.chance import STREAM, STREAM_SIZE, chance, seed_chance
from tournaments.kernels.plain import interpreted
from tournaments.rules import HEADER, MOST, ChanceRules, Rules

LENGTH = STREAM + STREAM_SIZE
"""Where a state has how many actions were played; in a view that hides, ``-1``."""
PLAYED = LENGTH + 1
"""And where they begin; in a view the four numbers of a digest."""
DIGEST = 4
FINENESS = 1 << 30
"""Into so many parts chance is divided."""
MOST_KEPT = 20_000
"""Positions, and views, that are kept."""

of_openspiel = partial(interpreted, package="open_spiel")

_positions: dict[bytes, Any] = {}
_views: dict[bytes, tuple[str, list[int]]] = {}


def make_board(game: str = "") -> np.ndarray:
    """The letters of the game's name, int16.

    Raises:
        TournamentError: OpenSpiel is not there, has no such game, or it does not fit.
    """
    name = str(game).strip()
    spiel = _pyspiel()
    if not name.isascii() or not name:
        raise TournamentError(
            f"openspiel:{name} given; the name of a game is expected: openspiel:connect_four"
        )
    short = name.partition("(")[0]
    if short not in spiel.registered_names():
        raise unknown("game of OpenSpiel", short, spiel.registered_names())
    board = np.frombuffer(name.encode("ascii"), dtype=np.uint8).astype(np.int16)
    if misfit := _misfit(_loaded(name)):
        raise TournamentError(
            f"openspiel:{name} given, {misfit}; games of two players who move in turn are expected"
        )
    return board


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError as error:
        raise not_installed("OpenSpiel", error) from None
    return pyspiel


@lru_cache
def _loaded(name: str) -> Any:
    spiel = _pyspiel()
    try:
        return spiel.load_game(name)
    except (spiel.SpielError, RuntimeError, TypeError) as error:
        line = " ".join(str(error).split())
        raise TournamentError(
            f"openspiel:{name} given; OpenSpiel cannot load it: {shown(line)}; give its parameters "
            "as in openspiel:connect_four(rows=5,columns=5)"
        ) from None


def _misfit(game: Any) -> str:
    """Why a game cannot be played here; empty: it can."""
    what, kinds = game.get_type(), _pyspiel().GameType
    if game.num_players() != 2:
        return f"a game of {game.num_players()} players"
    if what.dynamics != kinds.Dynamics.SEQUENTIAL:
        return "whose players do not move in turn"
    if what.chance_mode == kinds.ChanceMode.SAMPLED_STOCHASTIC:
        return "which does not tell what it draws from"
    if what.utility == kinds.Utility.IDENTICAL:
        return "whose players win together"
    if _hides(game) and not what.provides_information_state_string:
        return "which hides, and does not tell what a player knows"
    counts = game.num_distinct_actions(), game.max_chance_outcomes(), _size(game)
    return f"which needs {max(counts):,} numbers (at most {MOST:,})" if max(counts) > MOST else ""


def _hides(game: Any) -> bool:
    information = _pyspiel().GameType.Information
    return game.get_type().information != information.PERFECT_INFORMATION


def _draws(game: Any) -> bool:
    return game.get_type().chance_mode != _pyspiel().GameType.ChanceMode.DETERMINISTIC


def _size(game: Any) -> int:
    return PLAYED + max(DIGEST, game.max_history_length())


def _game(board: np.ndarray) -> Any:
    return _loaded(board.astype(np.uint8).tobytes().decode("ascii"))


def _position(board: np.ndarray, state: np.ndarray) -> Any:
    """OpenSpiel's state; it is shared: clone it to change it."""
    length = int(state[LENGTH])
    if length < 0:
        raise TournamentError("a view of a game that hides tells no position")
    played = state[PLAYED : PLAYED + length]
    key = _key(board, played)
    position = _positions.get(key)  # at once: another thread may let go of it
    if position is None:
        position = _game(board).new_initial_state()
        for action in played.tolist():
            position.apply_action(action)
        _keep(_positions, key, position)
    return position


def _key(board: np.ndarray, numbers: np.ndarray) -> bytes:
    return board.tobytes() + b"\xff\xff" + numbers.tobytes()


def _keep(kept: dict[bytes, Any], key: bytes, value: Any) -> None:
    """Keep something, and let go of the older half of what is kept once there is too much."""
    if len(kept) >= MOST_KEPT:
        for old in list(kept)[: MOST_KEPT // 2]:
            kept.pop(old, None)
    kept[key] = value


def _settle(board: np.ndarray, state: np.ndarray, position: Any) -> None:
    """Have chance play, and write down what stands at the head of a state."""
    while position.is_chance_node():
        _apply(state, position, _drawn(state, position.chance_outcomes()))
    state[0] = -1 if position.is_terminal() else position.current_player()
    if position.is_terminal():
        state[1:HEADER] = _whole(position.returns())
    _keep(_positions, _key(board, state[PLAYED : PLAYED + int(state[LENGTH])]), position)


def _apply(state: np.ndarray, position: Any, action: int) -> None:
    position.apply_action(action)
    state[PLAYED + state[LENGTH]] = action
    state[LENGTH] += 1


def _drawn(state: np.ndarray, outcomes: list[tuple[int, float]]) -> int:
    """One of chance's outcomes, by the stream of the state."""
    with np.errstate(over="ignore"):
        share = int(chance(state, FINENESS)) / FINENESS
    bounds = np.cumsum([probability for _, probability in outcomes])
    place = int(np.searchsorted(bounds, share, side="right"))
    return outcomes[min(place, len(outcomes) - 1)][0]


def _whole(returns: list[float]) -> list[int]:
    """Scores, which are whole numbers here."""
    if any(value != int(value) or abs(value) > MOST for value in returns):
        raise TournamentError(
            f"a game of OpenSpiel ends with returns {returns}; whole numbers within {MOST:,} are "
            "expected of games played here"
        )
    return [int(value) for value in returns]


# --- the hooks -----------------------------------------------------------------------------------


@of_openspiel
def start(board: np.ndarray, state: np.ndarray, seed: np.uint64) -> None:
    """The first position in which a player moves."""
    game = _game(board)
    state[:] = 0
    if _draws(game):
        with np.errstate(over="ignore"):
            seed_chance(state, seed)
    _settle(board, state, game.new_initial_state())


@of_openspiel
def legal(board: np.ndarray, state: np.ndarray, actions: np.ndarray) -> int:
    """OpenSpiel's legal actions, which rise."""
    is_view = state[LENGTH] < 0
    listed = _seen(board, state)[1] if is_view else _position(board, state).legal_actions()
    actions[: len(listed)] = listed
    return len(listed)


@of_openspiel
def play(board: np.ndarray, state: np.ndarray, action: int) -> None:
    """Play an action, and what chance does then."""
    position = _position(board, state).clone()
    _apply(state, position, int(action))
    _settle(board, state, position)


@of_openspiel
def view(board: np.ndarray, state: np.ndarray, seat: int, seen: np.ndarray) -> None:
    """What a seat sees where not all is seen: the digest of its information state."""
    seen[:] = state
    seen[STREAM:LENGTH] = 0
    if state[LENGTH] < 0:
        return
    position = _position(board, state)
    known = position.information_state_string(int(seat))
    listed = position.legal_actions() if state[0] == seat else []
    digest = hashlib.sha256(f"{seat} {known}".encode()).digest()[: 2 * DIGEST]
    seen[LENGTH:] = 0
    seen[LENGTH] = -1
    seen[PLAYED : PLAYED + DIGEST] = np.frombuffer(digest, dtype="<i2")
    _keep(_views, _key(board, seen), (known, listed))


def _seen(board: np.ndarray, state: np.ndarray) -> tuple[str, list[int]]:
    """The information state of a view, and its legal actions."""
    try:
        return _views[_key(board, state)]
    except KeyError:
        raise TournamentError(
            f"a view of openspiel is known for {MOST_KEPT:,} positions; take it anew"
        ) from None


def text(board: np.ndarray, state: np.ndarray) -> str:
    """OpenSpiel's picture, and a line with what was played; of a view what the seat knows."""
    if state[LENGTH] < 0:
        return _seen(board, state)[0] or "(nothing is known)"
    played = state[PLAYED : PLAYED + int(state[LENGTH])].tolist()
    stream = state[STREAM:LENGTH].tolist()
    line = " ".join(map(str, ["played", *played, *(["stream", *stream] if any(stream) else [])]))
    return f"{str(_position(board, state)).rstrip()}\n{line}"


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """The state whose last line says what was played."""
    last = picture.rstrip().rpartition("\n")[2]
    match = re.fullmatch(r"played((?: -?\d+)*)(?: stream((?: -?\d+){4}))?", last)
    if match is None:
        raise TournamentError(
            f"{shown(picture)} given; a last line 'played' with numbers of actions is expected"
        )
    game = _game(board)
    played = [int(word) for word in match[1].split()]
    state, position = np.zeros(_size(game), dtype=np.int16), game.new_initial_state()
    for action in played:
        if position.is_terminal() or action not in position.legal_actions():
            raise TournamentError(f"{shown(last)} given; action {action} is not legal there")
        _apply(state, position, action)
    if match[2]:
        state[STREAM:LENGTH] = [int(word) for word in match[2].split()]
    _settle(board, state, position)
    return state


def describe(board: np.ndarray, action: int) -> str:
    """The number of an action: what OpenSpiel calls it depends on the position."""
    return str(action)


@lru_cache
def rules_of(game: str) -> Rules:
    """The rules of a game of OpenSpiel's.

    Raises:
        TournamentError: OpenSpiel is not there, has no such game, or it does not fit.
    """
    theirs = _game(make_board(game))
    return Rules(
        name="openspiel",
        summary="a game of OpenSpiel: openspiel:connect_four(rows=5,columns=5)",
        seats=("first", "second"),
        options={"game": game},
        board=make_board,
        state_size=lambda board: _size(theirs),
        num_actions=lambda board: theirs.num_distinct_actions(),
        most_plies=lambda board: theirs.max_game_length(),
        start=start,
        legal=legal,
        play=play,
        view=view if _hides(theirs) else None,
        text=text,
        parse=parse,
        describe=describe,
        chance=ChanceRules() if _draws(theirs) else None,
    )


ADAPTER = rules_of
