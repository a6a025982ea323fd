"""The hand-built network that completes boxes and refuses third sides: the rule of level 2.

Weaver and Bossomaier 1998, section 3.6: "two-sided and four-sided boxes could be rejected using a
XOR-like network, involving an additional layer". Here it is, for any board:

* First hidden layer, two nodes a box: one is on where the box has two sides or more, one where it
  has three or more. The boxes with exactly two sides are those of which the first alone is on.
* Second hidden layer, two nodes an edge: one is on where a box beside the edge has three sides, so
  that the edge completes it; one where a box beside it has exactly two sides and none has three, so
  that the edge would draw a third side for nothing.
* Outputs: +10 for completing, -10 for a third side. A completed box needs no rejection: its edges
  are drawn, and no output of a drawn edge plays.

Weights of the second layer are so large that its outputs are exactly 0 or 1 in float64, whatever is
left of the first by their side. So edges of one class have the very same output and are told apart
at random, and the network plays as level 2 does; two boxes at once are not preferred to one.
With an *order of preference* the thresholds of the outputs rise by less than 5 in all, so that the
order decides within a class and never between two.

These weights lie off the grid of genomes, which holds no zero: this is a player, not a genome.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.dots_and_boxes.rules import COLS, ROWS, box_edges
from tournaments.player import Game
from tournaments.players.network.bits import layers_for

EDGE = 64.0
"""What a drawn edge weighs in the first layer."""
SURE = 2000.0
"""Sums of +-half of it have sigmoids of exactly 1 and 0."""
CLASS = 10.0
"""What classes of edges differ by in the outputs."""


def layers(game: Game) -> tuple[int, ...]:
    """24-18-48-24 on 3x3 boxes."""
    boxes = int(game.board[ROWS]) * int(game.board[COLS])
    return layers_for(game, (2 * boxes, 2 * game.num_actions))


def weights(game: Game, places: np.ndarray | None = None) -> np.ndarray:
    """Weights of the network that plays by the rule of level 2, float64 ``[W]``.

    Args:
        game: dots and boxes.
        places: of the edges in an order of preference, int ``[A]``, 0 the first choice; None: edges
            of one class are equal.
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
    """1 where an edge is a side of a box, float64 ``[boxes, edges]``."""
    of_boxes = box_edges(int(game.board[ROWS]), int(game.board[COLS]))
    sides = np.zeros((len(of_boxes), game.num_actions))
    for box, edges in enumerate(of_boxes):
        sides[box, list(edges)] = 1.0
    return sides


def _layer(weights: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Weights, ``[nodes, inputs]``, and thresholds in the order of the encoding."""
    return np.column_stack([weights, thresholds]).ravel()
