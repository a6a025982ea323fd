"""Networks of dots and boxes that are built by hand, and orders of preference among their actions.

**The network that completes boxes** (Weaver and Bossomaier 1998, section 3.6). A hidden node
watches one box: an edge weighs 25.6 and the threshold is 64, so three drawn edges switch it on and
two do not. An output weighs the boxes beside its edge by 64 against a threshold of 32, so an
undrawn edge beside a box with three sides scores highest.

The grid of weights holds no zero, it lies midway between two levels. A connection that should be
absent takes one of the two by a fixed draw: equal weights would add up, and on a 10x10 board hide
the boxes. The remaining sum of the draw decides among the edges that complete nothing. This network
is therefore weaker than level 1, which plays such edges at random.

With an *order of preference* the thresholds of the outputs decide instead. They rise from 32 by
half a unit a place, or by less where that would pass 64: an edge that completes nothing still
scores below -32, an edge that completes a box at least 0. A connection that should be absent from
the outputs is then +-0.06 by its hidden node alone, so that a box that was completed adds the same
to all outputs. Boards of more than 256 edges have fewer levels than places: neighbours share one.

**The network that completes boxes and refuses third sides**: the rule of level 2. "Two-sided and
four-sided boxes could be rejected using a XOR-like network, involving an additional layer" (section
3.6). Here it is, for any board; ``docs/studies/hand-built-networks.md`` has its layers. A completed
box needs no rejection: its edges are drawn, and no output of a drawn edge plays. Weights of the
second layer are so large that its outputs are exactly 0 or 1 in float64, for any remainder of the
first layer. With an *order of preference* the thresholds of the outputs rise by less than 5 in all,
so that the order decides within a class of edges and never between two.

These weights lie off the grid of genomes, which holds no zero: this is a player, not a genome.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.dots_and_boxes.rules import COLS, ROWS, box_edges
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer
from tournaments.players.network import Encoding, layers_for
from tournaments.players.network import player as network

Order = int | str | Sequence[int]
"""A seed, or all actions, the first choice first: a list, or a text such as ``2+0+1+3``."""


def places(order: Order, actions: int) -> np.ndarray:
    """Return the rank of each action in a player's order of preference, int64 ``[A]``.

    Args:
        order: see :data:`Order`; the action of rank 0 is preferred.
        actions: number of actions, A.

    Raises:
        TournamentError: it is neither a seed nor each action once.
    """
    if isinstance(order, int) and order >= 0:
        ordered = generator(order, "order of preference").permutation(actions)
    else:
        listed: Any = order.split("+") if isinstance(order, str) else order
        try:
            ordered = np.array([int(action) for action in listed], dtype=np.int64)
        except (TypeError, ValueError):
            ordered = np.zeros(0, dtype=np.int64)
    if not np.array_equal(np.sort(ordered), np.arange(actions)):
        raise TournamentError(
            f"order={order!r} given; a seed is expected, a whole number from 0, or each action "
            f"from 0 to {actions - 1} once, joined by +"
        )
    return np.argsort(ordered)


# --- the players ---------------------------------------------------------------------------------


def completing_boxes(game: Game, *, order: Order | None = None) -> CompiledPlayer:
    """Return the player ``box-completion-network``, a network of dots and boxes built by hand.

    It prefers edges in an order, if one is given.
    """
    preferred = None if order is None else places(order, game.num_actions)
    weights = box_completing_weights(game, Encoding(layers_for(game)), preferred)
    return network(game, weights=weights, name=_ordered("box-completion-network", order))


def refusing_third_sides(game: Game, *, order: Order | None = None) -> CompiledPlayer:
    """Return the player ``third-side-network``, a network of dots and boxes built by hand.

    It prefers edges in an order, if one is given.
    """
    preferred = None if order is None else places(order, game.num_actions)
    weights = third_side_weights(game, preferred)
    hidden = 2 * len(_sides(game)), 2 * game.num_actions  # 18 and 48 on 3x3
    name = _ordered("third-side-network", order)
    return network(game, weights=weights, hidden=hidden, name=name)


def _ordered(name: str, order: Order | None) -> str:
    """Return the name of a player as a user types it, with its order of preference if any."""
    if order is None:
        return name
    listed = order if isinstance(order, int | str) else "+".join(map(str, order))
    return f"{name}:order={listed}"


# --- the network that completes boxes ------------------------------------------------------------


def box_completing_weights(
    game: Game, encoding: Encoding, places: np.ndarray | None = None
) -> np.ndarray:
    """Return weights of a network of dots and boxes that completes a box whenever it can.

    They are float64 ``[W]``, rounded to the values that genomes can have.

    Args:
        game: dots and boxes.
        encoding: of three layers, with a hidden node per box.
        places: the rank of each edge in an order of preference, int ``[A]``, 0 the first choice.
            None: random signs of absent connections decide among edges.
    """
    _, hidden, outputs = encoding.layers
    sides, high = _sides(game), encoding.high
    first = _layer(0.4 * high * sides, np.full(hidden, high))
    thresholds = np.full(outputs, high / 2)
    if places is not None:
        thresholds += min(high / 128, high / 2 / outputs) * places
    ideal = np.concatenate([first, _layer(high * sides.T, thresholds)])
    signs = generator(0, "absent connections").integers(0, 2, ideal.size) * 2 - 1
    if places is not None:
        signs[first.size :] = np.tile((-1) ** np.arange(hidden + 1), outputs)
    ideal[ideal == 0] = 0.5 * encoding.step * signs[ideal == 0]
    return encoding.decode(encoding.encode(ideal))[0]


# --- the network that refuses third sides, too ---------------------------------------------------

EDGE = 64.0
"""The weight of a drawn edge in the first layer."""
SURE = 2000.0
"""Sums of +-half of it have sigmoids of exactly 1 and 0."""
CLASS = 10.0
"""The difference between classes of edges in the outputs."""


def third_side_weights(game: Game, places: np.ndarray | None = None) -> np.ndarray:
    """Return weights of a network that plays dots and boxes by the rule of level 2.

    They are float64 ``[W]``.

    Args:
        game: dots and boxes.
        places: the rank of each edge in an order of preference, int ``[A]``, 0 the first choice.
            None: edges of one class are equal.
    """
    sides = _sides(game)
    boxes, edges = sides.shape
    of_edges, none = np.eye(edges), np.zeros((boxes, edges))
    counting = _layer(EDGE * np.vstack([sides, sides]), EDGE * np.repeat([1.5, 2.5], boxes))
    completing = np.hstack([none.T, SURE * sides.T])
    third = np.hstack([SURE * sides.T, -3.0 * SURE * sides.T])
    judging = _layer(np.vstack([completing, third]), np.full(2 * edges, SURE / 2))
    thresholds = np.zeros(edges) if places is None else CLASS / 2 / edges * places
    choosing = _layer(CLASS * np.hstack([of_edges, -of_edges]), thresholds)
    return np.concatenate([counting, judging, choosing])


def _sides(game: Game) -> np.ndarray:
    """Return 1 where an edge is a side of a box of dots and boxes, and 0 elsewhere.

    The result is float64 ``[boxes, edges]``.
    """
    of_boxes = box_edges(int(game.board[ROWS]), int(game.board[COLS]))
    sides = np.zeros((len(of_boxes), game.num_actions))
    np.put_along_axis(sides, np.array(of_boxes), 1.0, axis=1)
    return sides


def _layer(weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Return the weights and thresholds of one layer of a network in the order of the encoding.

    ``weights`` is ``[nodes, inputs]``, ``thresholds`` ``[nodes]``.
    """
    return np.column_stack([weights, thresholds]).ravel()
