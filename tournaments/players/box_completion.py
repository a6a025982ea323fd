"""The hand-built network that completes boxes (Weaver and Bossomaier 1998, section 3.6).

A hidden node watches one box: an edge weighs 25.6 and the threshold is 64, so three drawn edges
switch it on and two do not. An output weighs the boxes beside its edge by 64 against a threshold of
32, so an undrawn edge beside a box with three sides scores highest.

The grid of weights holds no zero, it lies midway between two levels. A connection that should be
absent takes one of the two by a fixed draw: all alike would add up, and on a 10x10 board hide the
boxes. What the draw leaves decides among the edges that complete nothing, so this network is not as
strong as level 1, which plays those at random.
"""

from __future__ import annotations

import numpy as np

from tournaments.encoding import Encoding
from tournaments.games.dots_and_boxes import COLS, ROWS, box_edges
from tournaments.rng import generator
from tournaments.types import Game


def weights(game: Game, encoding: Encoding) -> np.ndarray:
    """Weights of the network that completes a box whenever it can, float64 ``[W]``, on the grid."""
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
    ideal[ideal == 0] = 0.5 * encoding.step * signs[ideal == 0]
    return encoding.decode(encoding.encode(ideal))[0]
