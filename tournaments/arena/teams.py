"""Joining of single players to a population, if they are of one kind and differ only in a row.

Each pair of groups that meet needs a kernel call, whose preparation takes as long as twenty games
of small networks. Fixed opponents and players of mixtures are therefore joined before they play.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from tournaments.kernels.aligned import all_aligned
from tournaments.player import CompiledPlayer

SMALL = 4096
"""Bytes up to which arrays are compared by what they hold; larger ones are the same or differ."""


def joins(player: CompiledPlayer) -> Hashable:
    """Return a key that is equal for players that can be joined to one group of entrants.

    It is valid as long as the players live.
    """
    own = player.kind.by_row
    parts = _parts(player.parameters)
    return player.kind, player.seats, *(_key(*part, is_own=part[0] in own) for part in parts)


def joined(players: Sequence[CompiledPlayer]) -> tuple[Any, list[int]]:
    """Return the parameters of players joined to one group, and the row of each player in them."""
    first = players[0]
    own = first.kind.by_row
    if all(player.parameters is first.parameters for player in players) or not own:
        return first.parameters, [player.row for player in players]
    starts = np.cumsum([0] + [player.rows for player in players])
    shapes = [getattr(first.parameters, name) for name in own]
    room = all_aligned([((starts[-1], *like.shape[1:]), like.dtype) for like in shapes])
    for name, array in zip(own, room, strict=True):
        rows = [getattr(each.parameters, name)[each.row : each.row + each.rows] for each in players]
        np.concatenate(rows, out=array)
    parameters = first.parameters._replace(**dict(zip(own, room, strict=True)))
    return parameters, starts[:-1].tolist()


def _parts(parameters: Any) -> list[tuple[str, Any]]:
    """Return the named fields of a kind's parameters, or one unnamed field for an array."""
    if not isinstance(parameters, tuple):
        return [("", parameters)]
    names = getattr(parameters, "_fields", [""] * len(parameters))
    return list(zip(names, parameters, strict=True))


def _key(name: str, part: Any, is_own: bool = False) -> Hashable:
    """Return the part of the key of :func:`joins` for one field of a player's parameters.

    ``is_own`` is whether each player has its own rows of the field.
    """
    if isinstance(part, tuple):
        return tuple(_key(*each) for each in _parts(part))
    if not isinstance(part, np.ndarray):
        return type(part), part
    if is_own:
        return part.dtype, part.shape[1:]
    is_small = part.nbytes <= SMALL and not part.dtype.hasobject
    return part.dtype, part.shape, part.tobytes() if is_small else id(part)
