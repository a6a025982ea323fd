"""Players given as Python objects: functions, objects, classes, arrays of weights."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import index
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np

from tournaments.arena.clock import within
from tournaments.errors import TournamentError, shown, storable
from tournaments.game import Game, State
from tournaments.guard import Hook, Plugin, call_hook
from tournaments.kernels.rng import Stream
from tournaments.player import (
    MOVE_SECONDS,
    ContestPlayer,
    Forgetful,
    Player,
    SeatedPlayer,
    compiled,
)

EXPECTED = (
    "a name, a file, a function (state, rng) -> action, an object with choose(state, rng), a class "
    "of them, an array of a network's weights, or individuals of genomes: [*genomes, bot]"
)


CONSTRUCTOR = Hook("cannot be made: it")


@dataclass(frozen=True, eq=False)
class OwnPlayer:
    """A user's function or object as a player. It is sent to other processes by pickling.

    The attributes of the object are read once, see :func:`_own`.

    Attributes:
        name: display name.
        thing: the function, or the object with ``choose`` and optionally ``sit``.
        limit_seconds: time limit of a move, in seconds.
        seats: the seats that the player can play.
        own_identity: the ``identity`` attribute of the object; empty: it has none.
    """

    name: str
    thing: Any
    limit_seconds: float = MOVE_SECONDS
    seats: tuple[int, ...] = (0, 1)
    own_identity: str = ""

    @cached_property
    def identity(self) -> str:
        """The user's own identity of the player, or its qualified name and :func:`digest_of`."""
        return self.own_identity or f"{_label(self.thing)}@{digest_of(self.thing)[:16]}"

    def choose(self, state: State, rng: Stream) -> int:
        """Return the action that the user's function or object chooses in a state.

        See :meth:`tournaments.player.Player.choose`.
        """
        return _choice(self.thing)(state, rng)

    def sit(self, state: State, seat: int) -> SeatedPlayer:
        """Return the user's player at a seat of one game, with a memory of the game if it has one.

        See :func:`tournaments.player.sit_down`.
        """
        offer = getattr(self.thing, "sit", None)
        if offer is None:
            return Forgetful(self)
        seated = offer(state, seat)
        return SimpleNamespace(name=self.name, choose=seated.choose, watch=seated.watch)


def player_of(thing: Any, game: Game, name: str = "") -> Player:
    """Convert a user's object, function or class to a player of a game.

    See :func:`tournaments.players.as_player`.

    Args:
        thing: anything but a text.
        game: the game to play.
        name: name of a player without a name; empty: the name of its function or class.

    Raises:
        TournamentError: the object is no player, or an attribute cannot be read.
    """
    if isinstance(thing, type):
        thing = _instance(thing, game)
    if isinstance(thing, OwnPlayer):
        return thing
    label = _name(thing) if inspect.isroutine(thing) else type(thing).__name__
    try:
        player = within(MOVE_SECONDS, partial(made_by, label, partial(_own, thing)))
    except TimeoutError as error:
        what = f"cannot be made: its attributes {error}"
        raise Plugin("player", label).error(what) from None
    if callable(offer := getattr(thing, "as_player", None)):
        offered = player_of(offer(game), game, name)
        return renamed(offered, name) if name and not player.name else offered
    if not callable(_choice(thing)):
        raise TournamentError(f"player {shown(thing)} given; {EXPECTED} is expected")
    if getattr(thing, "as_compiled", None):
        return thing
    _check_choice(thing)
    return replace(player, name=storable(player.name) or name or _name(thing))


def _own(thing: Any) -> OwnPlayer:
    """Return a user's object as a player: read its name, identity, seats and time limit.

    Its properties run here, and not during a game.

    Raises:
        TournamentError: the seats or the time limit are invalid.
    """
    if isinstance(thing, OwnPlayer):
        return thing
    for each in ("choose", "as_player", "as_compiled"):
        getattr(thing, each, None)
    texts = (getattr(thing, each, None) for each in ("name", "identity"))
    name, identity = (str.__str__(text) if isinstance(text, str) else "" for text in texts)
    seats = getattr(thing, "seats", (0, 1))
    if not isinstance(seats, tuple | list) or tuple(seats) not in ((0,), (1,), (0, 1)):
        raise TournamentError(
            f"player {type(thing).__name__} has seats={shown(seats)}; those that it can play are "
            "expected: (0,), (1,) or (0, 1)"
        )
    seconds = getattr(thing, "limit_seconds", MOVE_SECONDS)
    _check_limit(seconds)
    return OwnPlayer(name, thing, float(seconds), tuple(map(index, seats)), identity)


def renamed(player: Player, name: str) -> Player:
    """Return the same player under another name."""
    made = player if isinstance(player, ContestPlayer) else compiled(player)
    return replace(_own(player), name=name) if made is None else replace(made, name=name)


def limited(player: Player, seconds: float) -> Player:
    """Return the same player with a time limit per move, in seconds.

    Compiled players have no limit and stay unchanged.

    Raises:
        TournamentError: the number of seconds is invalid.
    """
    _check_limit(seconds)
    offer = getattr(player, "limited", None)
    if offer is not None:
        return offer(seconds)
    return replace(_own(player), limit_seconds=seconds) if compiled(player) is None else player


def _check_limit(seconds: Any) -> None:
    if not isinstance(seconds, int | float) or not seconds > 0:
        raise TournamentError(
            f"limit_seconds={shown(seconds)} given; the seconds that a player has for a move are "
            "expected, more than 0 (inf: no limit)"
        )


def uniquely_named(things: Sequence[Any], players: Sequence[Player]) -> list[Player]:
    """Return the players under unique names: the second ``name`` is renamed ``name-2``.

    Args:
        things: the values that the players were made from. Players given by name keep their names.
        players: the players.
    """
    names = {player.name for thing, player in zip(things, players, strict=True) if is_text(thing)}
    own, numbers = [], dict[str, int]()
    for thing, player in zip(things, players, strict=True):
        name, number = player.name, numbers.get(player.name, 1)
        while not is_text(thing) and name in names:
            number += 1
            name = f"{player.name}-{number}"
        numbers[player.name] = number
        names.add(name)
        own.append(player if name == player.name else renamed(player, name))
    return own


def check_several(things: Any) -> None:
    """Refuse a value that is no sequence of players, such as a text, a set or a mapping.

    Raises:
        TournamentError: the value is no sequence.
    """
    has_order = hasattr(things, "__iter__") and not isinstance(things, Set | Mapping)
    if is_text(things) or callable(things) or not has_order:
        raise TournamentError(
            f"{shown(things)} given as players; a list of them, in their order, is expected, such "
            "as [bot, 'random']"
        )


def is_text(thing: Any) -> bool:
    """Return whether a value is the name of a player or a file, and not an object."""
    return isinstance(thing, str | Path)


def _choice(thing: Any) -> Callable[..., Any]:
    return getattr(thing, "choose", thing)


def _instance(cls: type, game: Game) -> Any:
    """Create an instance of a user's class of players. The constructor may take the game."""
    try:
        signature = inspect.signature(cls)
        arguments = {"game": game} if "game" in signature.parameters else {}
        signature.bind(**arguments)
    except ValueError:  # the class is not written in Python
        raise TournamentError(f"{cls} given as a player; {EXPECTED} is expected") from None
    except TypeError as error:
        raise TournamentError(
            f"class {cls.__name__} given as a player, but {error}; its constructor may take the "
            "game or nothing: give an object of the class"
        ) from None
    return made_by(cls.__name__, partial(cls, **arguments))


def made_by(name: str, make: Callable[[], Any]) -> Any:
    """Call the constructor of a user's player and return the object.

    Raises:
        TournamentError: the code raised an exception. The message names the player.
    """
    return call_hook(Plugin("player", name), CONSTRUCTOR, make)


def _check_choice(thing: Any) -> None:
    """Raise if a user's player cannot be called with a state and a random stream."""
    if not takes_two(_choice(thing)):
        what = "choose" if hasattr(thing, "choose") else ""
        raise TournamentError(
            f"player {_label(thing)} given, whose {what or 'call'} takes "
            f"{inspect.signature(_choice(thing))}; a function of two, {what}(state, rng) -> "
            "action, is expected"
        )


def takes_two(thing: Any) -> bool:
    """Return whether a function accepts two arguments; true if its signature is unknown."""
    if not callable(thing):
        return False
    try:
        inspect.signature(thing).bind(None, None)
    except ValueError:
        return True
    except TypeError:
        return False
    return True


# --- identities of objects -----------------------------------------------------------------------


def _function(thing: Any) -> Any:
    """Return the user's function inside ``functools.partial`` objects."""
    return _function(thing.func) if isinstance(thing, functools.partial) else thing


def _label(thing: Any) -> str:
    """Return the qualified name of a user's function, or of the class of a user's object."""
    function = _function(thing)
    label = getattr(function, "__qualname__", None) or type(function).__qualname__
    return label.replace("<locals>.", "").replace("<lambda>", "lambda")


def _name(thing: Any) -> str:
    return _label(thing).rpartition(".")[2]


def digest_of(thing: Any) -> str:
    """Return a hexadecimal digest of a user's function or object, the same in all processes.

    * The digest of a function covers its source and all bound values: defaults, arguments of
      ``functools.partial``, and variables of enclosing functions.
    * The digest of an object covers its class and its attributes.
    * The digest of arrays, numbers and texts covers their values.
    * The byte code of a lambda replaces its source, because several lambdas may share a line.

    Global variables of modules and the states of random generators are not covered.
    """
    digest = hashlib.sha256()
    _feed(digest, thing, {})
    return digest.hexdigest()


def _feed(digest: Any, thing: Any, seen: dict[int, Any]) -> None:
    """Add a user's object and its parts to a digest.

    ``seen`` maps addresses to the objects that were added. It keeps the objects alive, so that no
    address is reused.
    """
    digest.update(type(thing).__qualname__.encode() + b"\0")
    if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
        digest.update(
            f"{thing.dtype}{thing.shape}".encode() + np.ascontiguousarray(thing).tobytes()
        )
    elif isinstance(thing, str | bytes | int | float | complex | np.generic | None):
        digest.update(repr(thing).encode() + b"\0")
    elif id(thing) not in seen:
        seen[id(thing)] = thing
        for part in _parts(thing):
            _feed(digest, part, seen)


def _parts(thing: Any) -> list[Any]:
    """Return the parts of an object that its digest covers, in a fixed order."""
    if isinstance(thing, functools.partial):
        return [thing.func, list(thing.args), thing.keywords]
    if inspect.ismethod(thing):
        return [thing.__func__, thing.__self__]
    if inspect.isfunction(thing):
        bound = [cell.cell_contents for cell in thing.__closure__ or () if _is_set(cell)]
        return [_label(thing), _source(thing), thing.__defaults__, thing.__kwdefaults__, *bound]
    if isinstance(thing, type):
        return [_label(thing), _source(thing)]
    if isinstance(thing, Mapping):
        return [
            part for item in sorted(thing.items(), key=lambda item: str(item[0])) for part in item
        ]
    if isinstance(thing, list | tuple):
        return list(thing)
    if isinstance(thing, Set):
        return sorted(map(digest_of, thing))
    if hasattr(thing, "__dict__") or isinstance(thing, np.random.Generator):
        return [type(thing), dict(getattr(thing, "__dict__", {}))]
    return [type(thing), *_state(thing)]


def _state(thing: Any) -> list[Any]:
    """Return the pickled state of an object without ``__dict__``; its constructor is left out."""
    if inspect.isbuiltin(thing):
        return [_label(thing)]
    try:
        reduced = thing.__reduce_ex__(2)
    except TypeError:  # a lock, for example
        return []
    if isinstance(reduced, str):
        return [reduced]
    return [list(part) if isinstance(part, Iterator) else part for part in reduced[1:]]


def _is_set(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _source(thing: Any) -> str:
    """Return the Python source of a user's function or class."""
    return _source_of(getattr(thing, "__code__", thing))


@functools.cache
def _source_of(thing: type | CodeType) -> str:
    """Return the Python source of a user's class or of a code object.

    Without a source, return an empty text for a class and the byte code for a code object.
    """
    with suppress(OSError, TypeError):
        if getattr(thing, "co_name", "") != "<lambda>":
            return inspect.getsource(thing)
    if isinstance(thing, type):
        return ""
    plain = [_source_of(part) if inspect.iscode(part) else part for part in thing.co_consts]
    return repr((thing.co_code, thing.co_names, plain))
