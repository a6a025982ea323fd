"""Networks as players: an evolved genome, a weights file, or a hand-built network.

A network has one input for each feature of the game, one or more hidden layers, and one output for
each action. Every node is a sigmoid unit with a threshold, a weight on a constant input of -1
(Weaver and Bossomaier 1998, section 3.2). The legal action with the highest output is played. Ties
are broken at random. The kernels here are for one hidden layer. For more layers, the choice is in
:mod:`tournaments.players.network.deep`.

**Hidden sums** are exact, whole numbers of units (:mod:`tournaments.players.network.weights`). They
are kept from move to move and updated for the inputs that change. The outputs are computed in
:mod:`tournaments.players.network.outputs`.

**Abreast.** Each step of a choice depends on the step before. So networks of one population play
several games at once (:mod:`tournaments.arena.lanes`), one step for all games at a time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.aligned import all_aligned
from tournaments.kernels.choices import copied
from tournaments.kernels.hooks import encode as encode_position
from tournaments.kernels.hooks import encode_change, note_legal, note_legal_change
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import Abreast, Kind
from tournaments.players.network import deep
from tournaments.players.network.outputs import (
    U1,
    U4,
    activate,
    highest,
    output_sums,
)
from tournaments.players.network.weights import (
    BLOCK,
    LANES,
    AnyParameters,
    DeepParameters,
    Parameters,
    first_sizes,
    layers_for,
    padded,
)

NEAR_PROCESSOR = 24_576
"""Bytes of weights that stay in a 32 KB first-level cache while several games are played."""

BITS = U1 << np.arange(int(BLOCK), dtype=np.uint64)


SAME, SMALLEST = 1e-9, -700.0
"""Outputs that differ by less are shown as one; least sum with a sigmoid above 0."""


class Memory(NamedTuple):
    """State between moves and working memory, for L games at once. Primes mark padded sizes.

    * ``sums [L, S, H']`` are the hidden sums, in units. S is the number of networks: 2 if both
      seats are played, else 1.
    * ``before [L, I]`` are the inputs that the hidden sums were computed from.
    * ``inputs`` are the inputs of the position. They differ from ``before`` only during an update.
    * ``legal [L, words]`` are the sets of legal actions.
    * ``bits`` (uint64 [32]) is constant: bit k of a word for each k.
    * ``hidden``, float64 ``[2, widest]``, holds the outputs of two adjacent hidden layers.
    """

    inputs: np.ndarray
    before: np.ndarray
    changed: np.ndarray
    sums: np.ndarray
    places: np.ndarray
    activities: np.ndarray
    legal: np.ndarray
    actions: np.ndarray
    scores: np.ndarray
    tops: np.ndarray
    candidates: np.ndarray
    bits: np.ndarray
    hidden: np.ndarray


def memory_abreast(game: Game, parameters: Parameters, lanes: int) -> Memory:
    """Allocate the memory of networks for both seats of ``lanes`` games at once."""
    return memory(game, parameters, lanes, seats=2)


def lanes(parameters: Parameters) -> int:
    """Return the number of games to play at once with networks of this size: four or two.

    Four games are played if their networks fit the processor's cache. Two games are those of one
    match, which share their networks.
    """
    weights = parameters.first[:1].nbytes + parameters.later[:1].nbytes
    return 4 if 4 * weights <= NEAR_PROCESSOR else 2


def memory(game: Game, parameters: AnyParameters, lanes: int = 1, seats: int = 1) -> Memory:
    """Allocate the memory of networks of this size, for some seats of some games at once.

    ``lanes`` is the number of games.

    Raises:
        TournamentError: the networks are for another board.
    """
    shown, *_, actions = layers_for(game)
    outputs, hidden, kind = padded(actions, BLOCK), [], parameters.first.dtype
    first, later = parameters.first.shape[1], parameters.later.shape[1]
    if isinstance(parameters, DeepParameters):
        hidden = parameters.sizes[:-1].tolist()
        nodes = first_sizes(hidden[0])[1]
        fits = parameters.sizes[-1] == actions
    else:
        nodes = later // outputs - 1
        fits = nodes > 0 and later == outputs * (nodes + 1)
    sums = padded(nodes, LANES)
    if not fits or first != (shown + 1) * sums:
        raise TournamentError(
            f"networks of {first} weights in the first layer and {later} after it, padded, "
            f"given; {game.spec} takes networks of {shown} inputs and {actions} outputs"
        )
    words = action_sets.empty(actions).size
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "inputs": ((lanes, shown), kind),
        "before": ((lanes, shown), kind),
        "changed": ((lanes, shown), np.int16),
        "sums": ((lanes, seats, sums), kind),
        "places": ((lanes, sums), np.int32),
        "activities": ((lanes, nodes), np.float64),
        "legal": ((lanes, words), np.uint64),
        "actions": ((lanes, actions), np.int16),
        "scores": ((lanes, outputs), np.float64),
        "tops": ((lanes,), np.float64),
        "candidates": ((lanes, words), np.uint64),
        "bits": ((BITS.size,), np.uint64),
        "hidden": ((2, max(hidden, default=0)), np.float64),
    }
    allocated = Memory(**dict(zip(shapes, all_aligned(shapes.values()), strict=True)))
    allocated.bits[:] = BITS
    return allocated


# --- the kernels -------------------------------------------------------------------------------


@kernel
def show(board, state, memory, lane):
    """Store a position's inputs and legal actions in the memory of networks for one game.

    ``lane`` is the number of the game.
    """
    inputs, before = memory.inputs[lane], memory.before[lane]
    note_legal(board, state, memory.legal[lane], memory.actions[lane])
    encode_position(board, state, inputs)
    for index in range(inputs.size):
        before[index] = inputs[index]


@kernel
def sum_inputs(first, row, inputs, sums):
    """Compute the sums of a network's hidden nodes for a whole position.

    Args:
        first: the weights of the first layers of all networks.
        row: the network.
        inputs: the inputs.
        sums: filled with minus the thresholds, plus the weighted inputs.
    """
    for node in range(sums.size):
        sums[node] = 0
    add_input(first, row, inputs.size, -1, sums)
    for index in range(inputs.size):
        if inputs[index] != 0:
            add_input(first, row, index, inputs[index], sums)


@kernel
def show_change(board, state, action, memory, lane):
    """Update a network's inputs and legal actions for one game after an action.

    The changed inputs are listed in ``memory.changed``.

    Returns:
        The number of changed inputs.
    """
    note_legal_change(board, state, action, memory.legal[lane], memory.actions[lane])
    inputs, before = memory.inputs[lane], memory.before[lane]
    return encode_change(board, state, action, before, inputs, memory.changed[lane])


@kernel
def follow(first, row, changes, memory, lane, seat):
    """Update the hidden sums of one network by the inputs that an action has changed.

    Args:
        first: the weights of the first layers of all networks.
        row: the network.
        changes: the number of changed inputs.
        memory: the memory of the games.
        lane: the number of the game.
        seat: the seat of the network.
    """
    inputs, before, changed = memory.inputs[lane], memory.before[lane], memory.changed[lane]
    for place in range(changes):
        index = np.uint64(changed[place])
        add_input(first, row, index, inputs[index] - before[index], memory.sums[lane, seat])


@kernel
def settle(changes, memory, lane):
    """Copy the inputs that an action has changed to ``memory.before``.

    This follows the update of all networks of the game ``lane``. ``changes`` is the number of
    changed inputs.
    """
    inputs, before, changed = memory.inputs[lane], memory.before[lane], memory.changed[lane]
    for place in range(changes):
        index = np.uint64(changed[place])
        before[index] = inputs[index]


@kernel
def add_input(first, row, index, change, sums):
    """Add the change of one input, times its weights, to the hidden sums of a network.

    Args:
        first: the weights of the first layers of all networks.
        row: the network.
        index: the input.
        change: the change.
        sums: the sums, changed.
    """
    nodes = (np.uint64(sums.size) >> U4) << U4
    place = np.uint64(index) * nodes
    for node in range(nodes):
        sums[node] += change * first[row, place + node]


# --- one side of one game ----------------------------------------------------------------------


@kernel
def begin(board, state, parameters, row, memory):
    """Prepare a network for a game that begins at this position: its inputs and hidden sums."""
    show(board, state, memory, 0)
    sum_inputs(parameters.first, row, memory.inputs[0], memory.sums[0, 0])


@kernel
def watch(board, state, action, parameters, row, memory):
    """Update the hidden sums of a network after an action."""
    changes = show_change(board, state, action, memory, 0)
    follow(parameters.first, row, changes, memory, 0, 0)
    settle(changes, memory, 0)


@kernel
def compute(parameters, row, memory):
    """Compute a network with one hidden layer, and store the legal actions with the highest output.

    The set of actions is written to ``memory.candidates[0]``.

    Returns:
        The number of these actions.
    """
    activate(parameters, memory, 0, 0)
    output_sums(parameters.later, row, memory, 0)
    return highest(memory, 0)


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return the legal action with the highest output of a network. Ties are broken at random."""
    count = compute(parameters, row, memory)
    return action_sets.nth(memory.candidates[0], below(stream, count))


@kernel
def candidates(board, state, parameters, row, memory, words):
    """Fill ``words`` with the set of legal actions that have the highest output of a network.

    Returns:
        The number of these actions.
    """
    count = compute(parameters, row, memory)
    for index in range(words.size):
        words[index] = memory.candidates[0, index]
    return count


def outputs(state: np.ndarray, memory: Memory) -> np.ndarray:
    """Return the outputs of a network that has just chosen, float64 ``[A]``.

    The kernels store sums before the sigmoid. If several legal actions have sums near the largest,
    their sums may have been overwritten by their sigmoids, which are recognised by their value.
    """
    sums, top = memory.scores[0], memory.tops[0]
    top, rest = (1.0 / (1.0 + np.exp(-np.maximum(each, SMALLEST))) for each in (top, sums))
    return np.where(np.abs(sums - top) < SAME, top, rest)


# --- both sides of several games ---------------------------------------------------------------


@kernel
def begin_abreast(board, lanes, lane, parameters, memory):
    """Prepare the networks of both seats for one of several games at once.

    Both seats see the same inputs. ``lane`` is the number of the game.
    """
    show(board, lanes.states[lane], memory, lane)
    rows, inputs = lanes.rows[lane], memory.inputs[lane]
    sum_inputs(parameters.first, np.uint64(rows[0]), inputs, memory.sums[lane, 0])
    sum_inputs(parameters.first, np.uint64(rows[1]), inputs, memory.sums[lane, 1])


@kernel
def watch_abreast(board, lanes, lane, parameters, memory):
    """Update the hidden sums of both seats' networks after an action in one of several games."""
    rows, state, action = lanes.rows[lane], lanes.states[lane], lanes.actions[lane]
    changes = show_change(board, state, action, memory, lane)
    follow(parameters.first, np.uint64(rows[0]), changes, memory, lane, 0)
    follow(parameters.first, np.uint64(rows[1]), changes, memory, lane, 1)
    settle(changes, memory, lane)


@kernel
def choose_abreast(board, lanes, parameters, memory):
    """Choose the actions of networks for the seats to move in several games at once.

    Actions of lanes without a game are ignored.
    """
    count = np.uint64(lanes.actions.size)
    for lane in range(count):
        activate(parameters, memory, lane, np.uint64(lanes.states[lane, 0] & 1))
    for lane in range(count):
        row = lanes.rows[lane, np.uint64(lanes.states[lane, 0] & 1)]
        output_sums(parameters.later, row, memory, lane)
    for lane in range(count):
        lanes.actions[lane] = highest(memory, lane)
    for lane in range(count):
        seat = np.uint64(lanes.states[lane, 0] & 1)
        number = below(lanes.streams[lane, seat], lanes.actions[lane])
        lanes.actions[lane] = action_sets.nth(memory.candidates[lane], number)


ABREAST = Abreast(
    choose=choose_abreast,
    begin=begin_abreast,
    watch=watch_abreast,
    memory=memory_abreast,
    lanes=lanes,
)
KIND = Kind(
    name="network",
    choose=choose,
    begin=begin,
    watch=watch,
    memory=memory,
    abreast=ABREAST,
    candidates=candidates,
    by_row=("first", "later"),
    outputs=outputs,
)


choose_deep, candidates_deep = copied((choose, candidates), "_deep", {"compute": deep.compute})
DEEP_KIND = replace(KIND, choose=choose_deep, abreast=None, candidates=candidates_deep)
"""The kind of networks with several hidden layers. Users see one player named ``network``."""


# --- networks of any layers --------------------------------------------------------------------


def kind_of(layers: tuple[int, ...]) -> Kind:
    """Return the kind of player for a network of these layers."""
    return KIND if len(layers) == 3 else DEEP_KIND
