"""A network per role: two rows of parameters, one per seat.

Both networks follow the whole game, each in its own memory. The network of the seat to move
chooses the action.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels.choices import copied
from tournaments.kernels.linker import kernel
from tournaments.player import Kind
from tournaments.players.network import play
from tournaments.players.network.play import begin as begin_network
from tournaments.players.network.play import candidates as candidates_of_network
from tournaments.players.network.play import choose as choose_by_network
from tournaments.players.network.play import watch as watch_network
from tournaments.players.network.weights import AnyParameters


class Memories(NamedTuple):
    """The memory of the network of each seat."""

    first: play.Memory
    second: play.Memory


@kernel
def begin(board, state, parameters, row, memory):
    """Prepare a player's two networks, one per role, for a game that begins at this position."""
    begin_network(board, state, parameters, row, memory.first)
    begin_network(board, state, parameters, row + 1, memory.second)


@kernel
def watch(board, state, action, parameters, row, memory):
    """Update the hidden sums of a player's two networks, one per role, after an action."""
    watch_network(board, state, action, parameters, row, memory.first)
    watch_network(board, state, action, parameters, row + 1, memory.second)


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return the action that the network of the seat to move chooses."""
    if state[0] == 0:
        return choose_by_network(board, state, parameters, row, memory.first, stream)
    return choose_by_network(board, state, parameters, row + 1, memory.second, stream)


@kernel
def candidates(board, state, parameters, row, memory, words):
    """Fill ``words``, the set of actions among which the network of the seat to move draws.

    Returns:
        The number of these actions.
    """
    if state[0] == 0:
        return candidates_of_network(board, state, parameters, row, memory.first, words)
    return candidates_of_network(board, state, parameters, row + 1, memory.second, words)


def outputs(state: np.ndarray, memory: Memories) -> np.ndarray:
    """Return the outputs of the network of the seat to move, which has just chosen."""
    return play.outputs(state, memory.first if state[0] == 0 else memory.second)


choose_deep, candidates_deep = copied(
    (choose, candidates),
    "_deep",
    {"choose_by_network": play.choose_deep, "candidates_of_network": play.candidates_deep},
)
"""The kernels of networks with more than one hidden layer."""


def memory(game: Game, parameters: AnyParameters) -> Memories:
    """Allocate the memories of a player's two networks, one per role."""
    return Memories(play.memory(game, parameters), play.memory(game, parameters))


KIND = replace(
    play.KIND,
    begin=begin,
    watch=watch,
    choose=choose,
    memory=memory,
    abreast=None,
    candidates=candidates,
    outputs=outputs,
)
DEEP_KIND = replace(KIND, choose=choose_deep, candidates=candidates_deep)


def kind_of(layers: tuple[int, ...]) -> Kind:
    """Return the kind of player for one network of these layers per role."""
    return KIND if len(layers) == 3 else DEEP_KIND
