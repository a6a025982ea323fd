"""The hand-built network that completes boxes (Weaver and Bossomaier 1998, section 3.6).

A hidden node watches one box: an edge weighs 25.6 and the threshold is 64, so three drawn edges
switch it on and two do not. An output weighs the boxes beside its edge by 64 against a threshold of
32, so an undrawn edge beside a box with three sides scores highest.

The grid of weights holds no zero, it lies midway between two levels. A connection that should be
absent takes one of the two by a fixed draw: all alike would add up, and on a 10x10 board hide the
boxes. What the draw leaves decides among the edges that complete nothing, so this network is not as
strong as level 1, which plays those at random.

With an *order of preference* the thresholds of the outputs decide instead. They rise from 32 by
half a unit a place, or by less where that would pass 64: an edge that completes nothing still
scores below -32, one that completes a box from 0 up. A connection that should be absent from the
outputs is then +-0.06 by its hidden node alone, so that a box that was completed adds the same to
all outputs. Boards of more than 256 edges have fewer levels than places: neighbours share one.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.dots_and_boxes.rules import COLS, ROWS, box_edges
from tournaments.kernels.rng import generator
from tournaments.player import Game
from tournaments.players.network.bits import Encoding


def weights(game: Game, encoding: Encoding, places: np.ndarray | None = None) -> np.ndarray:
    """Weights of the network that completes a box whenever it can, float64 ``[W]``, on the grid.

    Args:
        game: dots and boxes.
        encoding: of three layers, a hidden node a box.
        places: of the edges in an order of preference, int ``[A]``, 0 the first choice; None: what
            the draw of absent connections leaves.
    """
    inputs, hidden, outputs = encoding.layers
    first = np.zeros((hidden, inputs + 1))
    second = np.zeros((outputs, hidden + 1))
    for box, edges in enumerate(box_edges(int(game.board[ROWS]), int(game.board[COLS]))):
        first[box, list(edges)] = 0.4 * encoding.high
        second[list(edges), box] = encoding.high
    first[:, inputs] = encoding.high
    second[:, hidden] = encoding.high / 2
    ideal = np.concatenate([first.ravel(), second.ravel()])
    signs = generator(0, "absent connections").integers(0, 2, ideal.size) * 2 - 1
    if places is not None:
        a_place = min(encoding.high / 128, encoding.high / 2 / outputs)
        ideal[first.size :].reshape(second.shape)[:, hidden] += a_place * places
        signs[first.size :].reshape(second.shape)[:] = (-1) ** np.arange(hidden + 1)
    ideal[ideal == 0] = 0.5 * encoding.step * signs[ideal == 0]
    return encoding.decode(encoding.encode(ideal))[0]
