"""Adapter for the games of OpenSpiel, such as ``openspiel:connect_four``.

The text after the colon is an argument of OpenSpiel's ``load_game``, such as
``openspiel:connect_four(rows=5,columns=5)``. The rules are no kernels, so games are played move by
move. The results are as good, but far slower.

A state holds the actions that were played, including those of chance. The position is the state
that they lead to in OpenSpiel. Chance outcomes are drawn as soon as chance is to move, by the
random stream of the state. In games with hidden information, a view holds a digest of the seat's
information state. See Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games"
(arXiv:1908.09453).
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
from tournaments.kernels.linker import interpreted
from tournaments.rules import HEADER, MOST, ChanceRules, Rules

LENGTH = STREAM + STREAM_SIZE
"""Index of the number of played actions in a state; it is ``-1`` in a view with a digest."""
PLAYED = LENGTH + 1
"""Index of the first played action in a state, or of the digest in a view."""
DIGEST = 4
FINENESS = 1 << 30
"""Number of equally likely parts that a random draw distinguishes."""
MOST_KEPT = 20_000
"""Number of positions, and of views, that are cached."""

of_openspiel = partial(interpreted, package="open_spiel")

_positions: dict[bytes, Any] = {}
_views: dict[bytes, tuple[str, list[int]]] = {}


def make_board(game: str = "") -> np.ndarray:
    """Return the characters of the game's name, int16.

    Raises:
        TournamentError: OpenSpiel is not installed, or the game does not exist or is unsuitable.
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
    """Return why a game cannot be played here, or an empty text."""
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
    """Return OpenSpiel's state. It is shared, so clone it before a change."""
    length = int(state[LENGTH])
    if length < 0:
        raise TournamentError("a view of a game that hides tells no position")
    played = state[PLAYED : PLAYED + length]
    key = _key(board, played)
    position = _positions.get(key)  # one look-up: another thread may drop the entry
    if position is None:
        position = _game(board).new_initial_state()
        for action in played.tolist():
            position.apply_action(action)
        _keep(_positions, key, position)
    return position


def _key(board: np.ndarray, numbers: np.ndarray) -> bytes:
    return board.tobytes() + b"\xff\xff" + numbers.tobytes()


def _keep(kept: dict[bytes, Any], key: bytes, value: Any) -> None:
    """Add a value to a cache. Drop the older half of a full cache."""
    if len(kept) >= MOST_KEPT:
        for old in list(kept)[: MOST_KEPT // 2]:
            kept.pop(old, None)
    kept[key] = value


def _settle(board: np.ndarray, state: np.ndarray, position: Any) -> None:
    """Draw chance outcomes, and fill in the header of the state."""
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
    """Draw a chance outcome by the random stream of the state."""
    with np.errstate(over="ignore"):
        share = int(chance(state, FINENESS)) / FINENESS
    bounds = np.cumsum([probability for _, probability in outcomes])
    place = int(np.searchsorted(bounds, share, side="right"))
    return outcomes[min(place, len(outcomes) - 1)][0]


def _whole(returns: list[float]) -> list[int]:
    """Convert returns to whole numbers, or raise."""
    if any(value != int(value) or abs(value) > MOST for value in returns):
        raise TournamentError(
            f"a game of OpenSpiel ends with returns {returns}; whole numbers within {MOST:,} are "
            "expected of games played here"
        )
    return [int(value) for value in returns]


# --- the hooks -----------------------------------------------------------------------------------


@of_openspiel
def start(board: np.ndarray, state: np.ndarray, seed: np.uint64) -> None:
    """Write the first position in which a player moves."""
    game = _game(board)
    state[:] = 0
    if _draws(game):
        with np.errstate(over="ignore"):
            seed_chance(state, seed)
    _settle(board, state, game.new_initial_state())


@of_openspiel
def legal(board: np.ndarray, state: np.ndarray, actions: np.ndarray) -> int:
    """List OpenSpiel's legal actions in ascending order, and return their number."""
    is_view = state[LENGTH] < 0
    listed = _seen(board, state)[1] if is_view else _position(board, state).legal_actions()
    actions[: len(listed)] = listed
    return len(listed)


@of_openspiel
def play(board: np.ndarray, state: np.ndarray, action: int) -> None:
    """Play an action and the chance moves that follow."""
    position = _position(board, state).clone()
    _apply(state, position, int(action))
    _settle(board, state, position)


@of_openspiel
def view(board: np.ndarray, state: np.ndarray, seat: int, seen: np.ndarray) -> None:
    """Write the view of a seat in a game with hidden information: a digest of what it knows."""
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
    """Return the information state of a view, and its legal actions."""
    try:
        return _views[_key(board, state)]
    except KeyError:
        raise TournamentError(
            f"a view of openspiel is known for {MOST_KEPT:,} positions; take it anew"
        ) from None


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return OpenSpiel's picture and the played actions, or the information state of a view."""
    if state[LENGTH] < 0:
        return _seen(board, state)[0] or "(nothing is known)"
    played = state[PLAYED : PLAYED + int(state[LENGTH])].tolist()
    stream = state[STREAM:LENGTH].tolist()
    line = " ".join(map(str, ["played", *played, *(["stream", *stream] if any(stream) else [])]))
    return f"{str(_position(board, state)).rstrip()}\n{line}"


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Parse a picture. Its last line lists the played actions."""
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
    """Return the number of an action. Its name in OpenSpiel depends on the position."""
    return str(action)


@lru_cache
def rules_of(game: str) -> Rules:
    """Return the rules of a game of OpenSpiel.

    Raises:
        TournamentError: OpenSpiel is not installed, or the game does not exist or is unsuitable.
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
