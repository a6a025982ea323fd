"""Networks as players, from a file or an array of weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, player_of
from tournaments.players.files import read_network
from tournaments.players.network.encodings import Encoding, dashed
from tournaments.players.network.weights import layers_for


def player(
    game: Game,
    *,
    weights: Any,
    hidden: Sequence[int] | int | str | None = None,
    seat: str = "",
    name: str = "",
) -> CompiledPlayer:
    """Return a network player with these weights, or a network for each seat of a game with roles.

    Args:
        game: the game that is played.
        weights: a file, or an array ``[W]`` in the order of the encoding; ``[2, W]`` for a network
            of each seat.
        hidden: nodes of each hidden layer, also as a text such as ``18+9``; by default those of the
            file, else the game's own.
        seat: the only seat that the network plays; empty: it plays both.
        name: name of the player; by default the file.

    Raises:
        TournamentError: the file cannot be read, or holds no network for this game.
    """
    asked = None if hidden is None else layers_for(game, _hidden(hidden))
    held = None
    if isinstance(weights, str | Path):
        name = name or str(weights)
        weights, held = read_network(Path(weights))
    if held is not None and asked not in (None, held):
        raise TournamentError(
            f"hidden={hidden} given; {name} holds a {dashed(held)} network: leave the option out"
        )
    weights = np.asarray(weights)
    if weights.dtype.kind not in "biuf":
        raise TournamentError(
            f"an array of {weights.dtype} given as weights of a network; an array of numbers is "
            "expected"
        )
    weights = weights.astype(np.float64)
    is_by_role = game.rules.has_roles and weights.ndim == 2 and len(weights) == len(game.seats)
    rows = weights if is_by_role else weights.reshape(1, -1)
    layers = held or asked or layers_for(game)
    encoding = Encoding(layers, seats=_seats(game, seat, is_by_role), is_by_role=is_by_role)
    encoding.for_game(game)
    if rows.shape[1] != encoding.num_weights:
        mend = "; say which hidden layers it has, as in network:weights=FILE.npy,hidden=18+9"
        raise TournamentError(
            f"{rows.shape[1]} weights given; a {dashed(layers)} network for {game.spec} has "
            f"{encoding.num_weights}{'' if held or asked else mend}"
        )
    return player_of(game, representation=encoding, numbers=rows, name=name or "network")


def _seats(game: Game, seat: str, is_by_role: bool) -> tuple[int, ...]:
    """Return the seats that a network player plays, given the option ``seat``.

    ``is_by_role`` is whether it has a network for each seat.
    """
    if not seat:
        return (0, 1)
    if seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    if is_by_role:
        raise TournamentError(f"seat={seat} given; the file holds a network for each seat")
    return (game.seats.index(seat),)


def _hidden(given: Sequence[int] | int | str) -> tuple[int, ...]:
    """Return the numbers of nodes of hidden layers that a user gave: ``18+9`` or a list."""
    nodes = str(given).split("+") if isinstance(given, int | str) else given
    try:
        hidden = tuple(map(int, nodes))
    except (TypeError, ValueError):
        hidden = ()
    if not hidden:
        raise TournamentError(
            f"hidden={given!r} given; nodes of each hidden layer are expected, as in hidden=18+9"
        )
    return hidden


SEVERAL = (4, 3)
"""Hidden layers of a sample network. It is small, because large boards are played move by move."""


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """Yield networks with random weights: one of the game's own layers, and a small deep one."""
    for hidden in ((), SEVERAL):
        encoding = Encoding(layers_for(game, hidden))
        rng = generator(0, "contract")
        weights = rng.uniform(encoding.low, encoding.high, encoding.num_weights)
        genome = encoding.encode(weights[None])[0].tobytes()
        name = "-".join(["network", *map(str, hidden)])
        yield player_of(game, representation=encoding, genome=genome, name=name)
