"""Registry of players: kinds for every game, kinds of single games, and third-party players.

* A kind for every game is a file or a folder of this package.
* A game offers its own kinds in ``Rules.players``.
* An installed package offers a player through the entry point group ``tournaments.players``. The
  entry point is a function ``(game, **options) -> Player`` or a
  :class:`tournaments.rules.PlayerOffer`.
* A user's Python file is named by its path, ``mybot.py:Bot``. It may hold any of the above, a class
  whose constructor arguments are the options, or a function ``(state, rng) -> action``.
* ``mybot.py`` without a name is a program.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tournaments import code_files
from tournaments.code_files import names_thing, split_spec
from tournaments.errors import TournamentError, nearest, unknown
from tournaments.game import GAMES, Game
from tournaments.kernels.sources import sources_digest
from tournaments.player import Player
from tournaments.players.by_path import of_thing
from tournaments.players.contestants import contest_player
from tournaments.players.objects import (
    OwnPlayer,
    check_several,
    is_text,
    limited,
    player_of,
    renamed,
    uniquely_named,
)
from tournaments.registry import Registry, parse_spec
from tournaments.rules import PlayerOffer
from tournaments.solver.retrograde import has_solution
from tournaments.solver.table import can_solve

PLAYERS = Registry(
    what="player",
    package="tournaments.players",
    attribute="PLAYER",
    group="tournaments.players",
    shared=frozenset(
        {"by_path", "contestants", "encodings", "files", "loading", "objects", "programs"}
    ),
    expected="a class, an object with choose(state, rng), or a function",
    is_one=lambda value: isinstance(value, PlayerOffer) or callable(getattr(value, "choose", None)),
)
SEARCH = "mcts:playouts=200"
LIMIT = "limit_seconds"
"""Option of every player from a Python file: seconds per move, see :func:`.objects.limited`."""
FILES = (".npy", ".json")
"""Suffixes of files of numbers that can be named as players."""


def offer(name: str, game: Game) -> PlayerOffer:
    """Return the offer of a player by its name, even if the player cannot play the game.

    The game's own players take precedence over general and third-party players.

    Raises:
        TournamentError: no player has this name, or its package is broken.
    """
    own = game.rules.players.get(name)
    if own is not None:
        return own
    if names_thing(name):
        return of_thing(name, PLAYERS.load(name))
    if name not in PLAYERS:
        if any(name in rules.players for rules in GAMES.loadable().values()):
            raise _does_not_play(name, game)
        raise unknown("player", name, names(game))
    loaded = PLAYERS.load(name)
    if isinstance(loaded, PlayerOffer):
        return loaded
    return PlayerOffer("of an installed package", loaded)


def _does_not_play(name: str, game: Game) -> TournamentError:
    return TournamentError(
        f"{name} does not play {game.short_spec}; players that do: {', '.join(names(game))}"
    )


def _plays(name: str, game: Game) -> bool:
    """Return whether to list a player for a game.

    A broken third-party player is listed, so its error is shown.
    """
    try:
        return offer(name, game).plays(game)
    except TournamentError:
        return name not in PLAYERS.own() and name not in game.rules.players


def names(game: Game) -> list[str]:
    """Return the names of the players of a game: general kinds, the game's own, third-party."""
    known = dict.fromkeys([*PLAYERS.own(), *game.rules.players, *PLAYERS.names()])
    return [name for name in known if _plays(name, game)]


def is_named(name: str, game: Game) -> bool:
    """Return whether a name is that of a player that can play the game."""
    return (name in game.rules.players or name in PLAYERS) and _plays(name, game)


def yardsticks(game: Game) -> list[str]:
    """Return the names of the reference players of a game, the weakest first.

    A game may name its yardsticks. The default is random play and perfect play. Tree search
    replaces perfect play if the game takes long to solve or cannot be solved. Games that cannot be
    searched have random play alone. Contests have none.
    """
    if game.rules.contest is not None:
        return []
    if game.rules.yardsticks:
        return [name for name in game.rules.yardsticks if is_named(parse_spec(name)[0], game)]
    if can_solve(game) or has_solution(game):
        return ["random", "optimal"]
    return ["random"] if game.view is not None else ["random", SEARCH]


def listing(game: Game) -> list[dict[str, str]]:
    """Return the players of a game, each with its description. Broken players show the error.

    Raises:
        TournamentError: the game is a contest, whose players are any objects.
    """
    game.check_has_positions()
    rows = []
    for name in names(game):
        try:
            rows.append({"player": name, "about": offer(name, game).summary})
        except TournamentError as error:
            rows.append({"player": name, "about": str(error)})
    return rows


def make(spec: str, game: Game, **options: Any) -> Player:
    """Make a player by name, with options: ``make("level-1", game)``.

    ``spec`` may carry options as on a command line (``network:weights=champion.npy``). A file name
    that ends in ``.npy`` or ``.json`` selects the first kind of player of this game that reads
    files: the network or, for games without networks, the table. A program ``./bot.js`` is short
    for ``bot:cmd=./bot.js``.

    Raises:
        TournamentError: the player is unknown, cannot play this game, or has wrong options.
    """
    named, from_spec = _of_file(spec, game) or _of_name(spec, game)
    name, given = parse_spec(spec)[0], {**from_spec, **options}
    seconds = None
    if names_thing(name) and LIMIT not in named.signature.parameters:
        seconds = given.pop(LIMIT, None)
    _check_options(spec, named, game, given)
    made = named.make(game, **given)
    if seconds is not None:
        return limited(made, seconds)
    if name in game.rules.players or PLAYERS.point(name) is None:
        return made
    if not callable(getattr(made, "choose", made)):
        raise TournamentError(
            f"player {spec!r}: its package makes a {type(made).__name__}; an object with a name "
            "and choose(state, rng) is expected"
        )
    player = player_of(made, game, name)
    if not isinstance(player, OwnPlayer):
        return player
    return replace(player, own_identity=player.own_identity or player.name)


def as_player(thing: Any, game: Game, name: str = "") -> Player:
    """Convert a name, a function, an object or an array to a player.

    A player of a contest may be any object, see :func:`.contestants.contest_player`.

    Args:
        thing: a name or a file, as for :func:`make`; a function ``(state, rng) -> action``; an
            object with ``choose(state, rng)``, with or without a name; a class of such objects,
            constructed without arguments or with the game; an array of a network's weights; an
            individual of :class:`tournaments.Genomes`; or a player, which is returned unchanged.
        game: the game to play.
        name: display name; by default the player's own name, or that of its function or class.

    Raises:
        TournamentError: the value is no player, or the player cannot play this game.
    """
    player: Player
    if game.rules.contest is not None:
        player = contest_player(thing)
    elif is_text(thing):
        player = make(str(thing), game)
    elif isinstance(thing, np.ndarray):
        player = make("network", game, weights=thing)
    else:
        player = player_of(thing, game)
    return renamed(player, name) if name else player


def as_players(things: Sequence[Any], game: Game) -> list[Player]:
    """Convert a sequence of values to players, each as :func:`as_player` does.

    Functions, objects and arrays get unique names: a second ``bot`` is renamed ``bot-2``.
    """
    check_several(things)
    return uniquely_named(things, [as_player(thing, game) for thing in things])


def sources_of(spec: str, game: Game) -> str:
    """Return a digest of the Python code of a third-party player.

    The digest covers all Python files of the player's package, or the user's file. Make the player
    first, so that its package is imported. The digest is empty for built-in players, for the game's
    own players, and for packages without files.
    """
    name, _ = split_spec(spec)
    if names_thing(name):
        return code_files.read(name).whole[:12]
    point = None if name in game.rules.players else PLAYERS.point(name)
    if point is None:
        return ""
    module = point.value.partition(":")[0].strip()
    for code in (sys.modules.get(module.partition(".")[0]), sys.modules.get(module)):
        if code is not None and getattr(code, "__file__", None):
            return sources_digest(code)
    return ""


def is_of_file(spec: str, game: Game) -> bool:
    """Return whether a player's spec names a data file, alone or as an option."""
    name, _ = split_spec(spec)
    return not names_thing(name) and (not is_named(name, game) or bool(offer(name, game).of_file))


def is_made_of(file: str, game: Game) -> bool:
    """Return whether a player of a game can be made from a file: a program, weights or a table."""
    return _of_file(file, game) is not None


def files_of(spec: str, game: Game) -> tuple[str, ...]:
    """Return the data files of a player, as the user named them: weights, a table, a program.

    Python files that are imported are not among them, see :func:`sources_of`.
    """
    named, options = _of_file(spec, game) or _of_name(spec, game)
    return tuple(named.files(str(options[named.of_file]))) if named.of_file in options else ()


def is_file_alone(spec: str) -> bool:
    """Return whether a player's spec is the name of a file of numbers, without options."""
    return spec.endswith(FILES) and ":" not in spec


def _of_file(spec: str, game: Game) -> tuple[PlayerOffer, dict[str, Any]] | None:
    """Return the player offer that reads the file named by a spec, and its options.

    Return None if the spec names no file.
    """
    name = spec.partition(":")[0]
    if name in game.rules.players or name in PLAYERS or names_thing(split_spec(spec)[0]):
        return None
    offers = [offer(name, game) for name in (*game.rules.players, *PLAYERS.own())]
    for file, options in _as_file(spec):
        takers = [taker for taker in offers if taker.of_file and taker.takes(file)]
        for taker in takers:
            if taker.plays(game):
                return taker, {taker.of_file: file, **options}
        if takers:
            raise TournamentError(f"{spec} given; no player of {game.name} reads such a file")
    return None


def _as_file(spec: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a player's spec as a file name without options, then as a file name with options."""
    yield spec, {}
    file, _, tail = spec.partition(":")
    if tail and all("=" in item for item in tail.split(",")):
        yield file, parse_spec(spec)[1]


def _of_name(spec: str, game: Game) -> tuple[PlayerOffer, dict[str, Any]]:
    """Return the player offer of a spec that names a player, and the options of the spec."""
    name, options = parse_spec(spec)
    named = offer(name, game)
    if not named.plays(game):
        raise _does_not_play(name, game)
    return named, options


def _check_options(spec: str, named: PlayerOffer, game: Game, options: Mapping[str, Any]) -> None:
    """Raise if options of a player are unknown, or if an option that it needs is missing."""
    try:
        named.signature.bind_partial(game, **options)
        named.signature.bind(game, **options)
    except TypeError as error:
        known = [
            parameter.name
            for parameter in list(named.signature.parameters.values())[1:]
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
        known += [LIMIT] * names_thing(split_spec(spec)[0])
        near = "".join(nearest(option, known) for option in options if option not in known)
        listed = ", ".join(known) or "none"
        raise TournamentError(f"player {spec!r}: {error}{near} (options: {listed})") from None
