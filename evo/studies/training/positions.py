"""Positions of level 1 in its games against random play, with what it makes of each move.

Weaver and Bossomaier 1998, section 3.7: "each time the level 1 player makes a move, the current
game board and the move recommendations are recorded. Within the recommendations, moves are either
flagged as illegal, or encoded with the number of boxes the player would complete". Networks learn
from the positions at which a move completes a box.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evo.studies.training.backpropagation import Examples
from tournaments.game import Game
from tournaments.games.dots_and_boxes.rules import (
    BOXES,
    COLS,
    DRAWN,
    EDGES,
    ROWS,
    TABLE,
    box_edges,
    encode,
    play,
    start,
)
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import below, match_seeds, seed_game

ILLEGAL = -1
"""The recommendation of an edge that is drawn already."""


class Positions(NamedTuple):
    """Positions of level 1 in some games.

    Attributes:
        boards: which edges are drawn, int8 ``[P, A]``, 0 or 1.
        boxes: how many boxes each edge would complete, int8 ``[P, A]``, :data:`ILLEGAL` where it is
            drawn.
    """

    boards: np.ndarray
    boxes: np.ndarray

    @property
    def completing(self) -> Positions:
        """The positions of dots and boxes at which an edge completes a box."""
        chosen = (self.boxes > 0).any(axis=1)
        return Positions(self.boards[chosen], self.boxes[chosen])

    def examples(self, most: float = 1.0, emphasis: float = 1.0) -> Examples:
        """Return the positions as examples for back-propagation, with a target for each edge.

        Args:
            most: the largest target. Sigmoids stay below 1, so by default the target of an edge
                that completes two boxes is 1, as for a single box. A value of 2 distinguishes them.
            emphasis: weight of the errors of edges that complete boxes, relative to other edges.
        """
        targets = np.minimum(np.maximum(self.boxes, 0), most).astype(np.float64)
        worth = (self.boxes != ILLEGAL).astype(np.float64)
        worth[self.boxes > 0] = emphasis
        return Examples(self.boards.astype(np.float64), targets, worth)


def quiet(game: Game, positions: Positions) -> Examples:
    """Return quiet positions of dots and boxes as examples of how level 2 plays.

    At these no edge completes a box, some draw a third side, and some do not. The edges that draw
    none are the targets. A network that learned nothing of such positions is examined by them.
    """
    edges = np.zeros((int(game.board[BOXES]), game.num_actions), dtype=np.int64)
    for box, sides in enumerate(box_edges(int(game.board[ROWS]), int(game.board[COLS]))):
        edges[box, list(sides)] = 1
    legal = positions.boxes != ILLEGAL
    third = legal & ((positions.boards @ edges.T == 2) @ edges > 0)  # whole numbers: exact
    safe = legal & ~third
    telling = (positions.boxes <= 0).all(axis=1) & third.any(axis=1) & safe.any(axis=1)
    return Examples(*(part[telling].astype(np.float64) for part in (positions.boards, safe, legal)))


def record(game: Game, games: int, seed: int, purpose: str, index: int = 0) -> Positions:
    """Play games of dots and boxes, level 1 against random play, and record level 1's positions.

    They are the games of matches between the players ``level-1`` and ``level-0``, seats swapped
    after each.

    Args:
        game: dots and boxes.
        games: number of games.
        seed: seed of the games.
        purpose: name of their random stream, see :func:`tournaments.kernels.rng.stream_key`.
        index: number of their random stream.
    """
    room = np.zeros((2, games * game.num_actions, game.num_actions), dtype=np.int8)
    state, streams = np.zeros(game.state_size, dtype=np.int16), np.zeros((2, 1), dtype=np.uint64)
    moves = np.zeros(game.num_actions, dtype=np.int16)
    seeds = match_seeds(seed, purpose, index, -(-games // 2))
    count = build(play_and_record)(game.board, state, streams, moves, seeds, games, *room)
    return Positions(*room[:, :count].copy())


@kernel
def play_and_record(board, state, streams, moves, seeds, games, boards, boxes):
    """Play games of dots and boxes, and record the positions at which level 1 moves.

    They are written into ``boards`` and ``boxes``.

    Returns:
        The number of positions.
    """
    row = 0
    for game in range(games):
        start(board, state, seed_game(streams, seeds[game // 2], game % 2))
        while state[0] >= 0:
            completing = recommend(board, state, boxes[row])
            is_level_1 = state[0] == game % 2
            wanted = 1 if is_level_1 and completing > 0 else 0
            total = 0
            for edge in range(board[EDGES]):
                if boxes[row, edge] >= wanted:
                    moves[total] = edge
                    total += 1
            if is_level_1:
                encode(board, state, boards[row])
                row += 1
            play(board, state, moves[below(streams[state[0]], total)])
    return row


@kernel
def recommend(board, state, boxes):
    """Write how many boxes each edge of a position completes, ``ILLEGAL`` for a drawn edge.

    Returns:
        The number of edges that complete one or more boxes.
    """
    sides = DRAWN + board[EDGES]
    completing = 0
    for edge in range(board[EDGES]):
        closed = 0
        for side in range(2):
            box = board[TABLE + 2 * edge + side]
            closed += int(box < board[BOXES] and state[sides + box] == 3)
        boxes[edge] = closed if state[DRAWN + edge] == 0 else ILLEGAL
        completing += boxes[edge] > 0
    return completing
