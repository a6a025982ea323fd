"""A network a role: two rows of parameters, of which each seat plays one.

Both follow the whole game, each in a memory of its own, and the one of the seat to move chooses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from tournaments.game import Game
from tournaments.kernels.choices import copied
from tournaments.kernels.linker import kernel
from tournaments.player import Kind
from tournaments.players.network import play
from tournaments.players.network.play import begin as begin_network
from tournaments.players.network.play import candidates as candidates_of_network
from tournaments.players.network.play import choose as choose_by_network
from tournaments.players.network.play import watch as watch_network


class Memories(NamedTuple):
    """The memory of the network of each seat."""

    first: Any
    second: Any


@kernel
def begin(board, state, parameters, row, memory):
    """Set both networks up for a position."""
    begin_network(board, state, parameters, row, memory.first)
    begin_network(board, state, parameters, row + 1, memory.second)


@kernel
def watch(board, state, action, parameters, row, memory):
    """Bring both networks up to an action."""
    watch_network(board, state, action, parameters, row, memory.first)
    watch_network(board, state, action, parameters, row + 1, memory.second)


@kernel
def choose(board, state, parameters, row, memory, stream):
    """What the network of the seat to move chooses."""
    if state[0] == 0:
        return choose_by_network(board, state, parameters, row, memory.first, stream)
    return choose_by_network(board, state, parameters, row + 1, memory.second, stream)


@kernel
def candidates(board, state, parameters, row, memory, words):
    """What :func:`choose` draws from."""
    if state[0] == 0:
        return candidates_of_network(board, state, parameters, row, memory.first, words)
    return candidates_of_network(board, state, parameters, row + 1, memory.second, words)


choose_deep, candidates_deep = copied(
    (choose, candidates),
    "_deep",
    {"choose_by_network": play.choose_deep, "candidates_of_network": play.candidates_deep},
)
"""Those of networks of more than one hidden layer."""


def _memories(of_one: Callable[[Game, Any], Any]) -> Callable[[Game, Any], Memories]:
    """The memories of both networks, by what makes that of one."""
    return lambda game, parameters: Memories(of_one(game, parameters), of_one(game, parameters))


KIND = replace(
    play.KIND,
    begin=begin,
    watch=watch,
    choose=choose,
    memory=_memories(play.KIND.memory),
    abreast=None,
    candidates=candidates,
)
DEEP_KIND = replace(
    KIND,
    choose=choose_deep,
    memory=_memories(play.DEEP_KIND.memory),
    candidates=candidates_deep,
    by_row=play.DEEP_KIND.by_row,
)


def kind_of(layers: tuple[int, ...]) -> Kind:
    """The kind of player that a network a role of these layers is."""
    return KIND if len(layers) == 3 else DEEP_KIND
