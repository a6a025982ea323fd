"""Players, found by name: our own kinds, and those that installed packages offer.

A package offers a player through the entry point group ``tournaments.players``; the object is a
function ``(game, **options) -> Player``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np

from tournaments import solver as oracle
from tournaments.errors import TournamentError, nearest, unknown
from tournaments.games import load, parse_spec
from tournaments.games.cat_and_mouse import optimal as optimal_pursuit
from tournaments.games.cat_and_mouse import players as pursuit_heuristics
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.dots_and_boxes import players as levels
from tournaments.kernels.sources import sources_digest
from tournaments.player import CompiledPlayer, Game, Kind, Player
from tournaments.players import optimal, random
from tournaments.players.network import player as network_player
from tournaments.players.table import player as table

GROUP = "tournaments.players"
Maker = Callable[..., Player]


@dataclass(frozen=True)
class Entry:
    """A line of the list of players: what it is, who can make it, and for which games."""

    summary: str
    make: Maker
    plays: Callable[[Game], bool]


# --- makers ------------------------------------------------------------------------------------


def _without_parameters(kind: Kind, game: Game) -> CompiledPlayer:
    return CompiledPlayer(kind.name, kind, game, parameters=np.zeros(0), options={})


def _random(name: str, game: Game) -> CompiledPlayer:
    return rename(_without_parameters(random.kind(game), game), name)


def _optimal(game: Game) -> CompiledPlayer:
    if game.name == "cat-and-mouse":
        return optimal_pursuit.player(game)
    return CompiledPlayer("optimal", optimal.KIND, game, oracle.values(game), options={})


def _boxes(game: Game) -> bool:
    return game.name == "dots-and-boxes"


def _pursuit(game: Game) -> bool:
    return game.name == "cat-and-mouse"


def _can_solve(game: Game) -> bool:
    return pursuit.can_solve(game) or oracle.can_solve(game)


OWN: dict[str, Entry] = {
    "level-0": Entry("random play", partial(_random, "level-0"), lambda game: True),
    "random": Entry("level-0 by another name", partial(_random, "random"), lambda game: True),
    "level-1": Entry(
        "completes a box where it can, else random",
        partial(_without_parameters, levels.LEVEL_1),
        _boxes,
    ),
    "level-2": Entry(
        "level 1, and draws no third side where it can help it",
        partial(_without_parameters, levels.LEVEL_2),
        _boxes,
    ),
    "greedy": Entry(
        "a cat that comes nearer, a mouse that goes away",
        partial(_without_parameters, pursuit_heuristics.GREEDY),
        _pursuit,
    ),
    "careful": Entry(
        "a mouse that does not step next to a cat; as a cat, random play",
        partial(_without_parameters, pursuit_heuristics.CAREFUL),
        _pursuit,
    ),
    "optimal": Entry("perfect play, at random among its best moves", _optimal, _can_solve),
    "network": Entry(
        "an evolved genome or a weights file: network:weights=FILE.npy (hidden=18+9: its layers)",
        network_player.player,
        lambda game: game.rules.encode is not None,
    ),
    "table": Entry(
        "an evolved table or a file of one: table:file=FILE.npy,seat=cat",
        table.player,
        lambda game: bool(game.rules.tables),
    ),
    "box-completion-network": Entry(
        "a network built by hand that completes boxes (order=SEED: prefers edges in that order)",
        network_player.completing_boxes,
        _boxes,
    ),
    "third-side-network": Entry(
        "a network built by hand that plays as level 2 does (order=SEED: likewise)",
        network_player.refusing_third_sides,
        _boxes,
    ),
}


# --- the front door ----------------------------------------------------------------------------


def names(game: Game) -> list[str]:
    """The players that can play this game, in the order of the list."""
    own = [name for name, entry in OWN.items() if entry.plays(game)]
    return own + sorted({point.name for point in entry_points(group=GROUP)} - {*OWN})


def listing(game: Game) -> list[dict[str, str]]:
    """The players of a game, each with what it is."""
    found = names(game)
    about = {name: entry.summary for name, entry in OWN.items()}
    return [{"player": name, "about": about.get(name, "of an installed package")} for name in found]


def make(spec: str, game: Game, **options: Any) -> Player:
    """A player by name, with options: ``make("level-1", game)``.

    ``spec`` may carry options as on a command line (``network:weights=champion.npy``); a file that
    ends in ``.npy`` or ``.json`` stands for the network with its weights or, for games that take no
    networks, for the table.

    Raises:
        TournamentError: an unknown player, one that cannot play this game, or wrong options.
    """
    if spec.partition(":")[0] not in OWN and Path(spec).suffix in (".npy", ".json"):
        if game.rules.encode is None and game.rules.tables:
            return table.player(game, file=spec, **options)
        return network_player.player(game, weights=spec, **options)
    name, from_spec = parse_spec(spec)
    maker = _maker(name, game)
    _check_options(spec, maker, game, {**from_spec, **options})
    made = maker(game, **from_spec, **options)
    if not callable(getattr(made, "choose", None)) or not hasattr(made, "name"):
        raise TournamentError(
            f"player {spec!r}: its package makes a {type(made).__name__}; an object with a name "
            "and choose(state, rng) is expected"
        )
    return made


def sources_of(spec: str) -> str:
    """A digest of the code that decides how a player of an installed package plays.

    That is of all Python files of its package, once it has been made. Empty for players of ours,
    and where the package has no files.
    """
    name = spec.partition(":")[0].strip()
    point = next((point for point in entry_points(group=GROUP) if point.name == name), None)
    if name in OWN or point is None:
        return ""
    module = point.value.partition(":")[0].strip()
    for code in (sys.modules.get(module.partition(".")[0]), sys.modules.get(module)):
        if code is not None and getattr(code, "__file__", None):
            return sources_digest(code)
    return ""


def _check_options(spec: str, maker: Maker, game: Game, options: Mapping[str, Any]) -> None:
    """Refuse options that the maker does not take, or that it needs and does not get."""
    signature = inspect.signature(maker)
    known = [
        parameter.name
        for parameter in list(signature.parameters.values())[1:]
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    listed = ", ".join(known) or "none"
    try:
        signature.bind(game, **options)
    except TypeError as error:
        near = "".join(nearest(option, known) for option in options if option not in known)
        raise TournamentError(f"player {spec!r}: {error}{near} (options: {listed})") from None


def _maker(name: str, game: Game) -> Maker:
    entry = OWN.get(name)
    if entry is None:
        for point in entry_points(group=GROUP):
            if point.name == name:
                return load(point, "player")
        raise unknown("player", name, names(game))
    if not entry.plays(game):
        if name == "optimal":
            _optimal(game)  # says why
        raise TournamentError(
            f"{name} does not play {game.short_spec}; players that do: {', '.join(names(game))}"
        )
    return entry.make


def remake(kind: str, game: Game, options: Mapping[str, Any], name: str) -> Player:
    """The player again, in another process, under the name that it had."""
    made = make(kind, game, **options)
    return rename(made, name) if isinstance(made, CompiledPlayer) else made


def rename(player: CompiledPlayer, name: str) -> CompiledPlayer:
    """The same player under another name in tables."""
    return replace(player, name=name)
