"""Positions of level 1 in its games against random play, with what it makes of each move.

Weaver and Bossomaier 1998, section 3.7: "each time the level 1 player makes a move, the current
game board and the move recommendations are recorded. Within the recommendations, moves are either
flagged as illegal, or encoded with the number of boxes the player would complete". Positions at
which no move completes a box are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Positions:
    """The positions that were recorded of some games.

    Attributes:
        boards: which edges are drawn, int8 ``[P, A]``, 0 or 1.
        boxes: how many boxes each edge would complete, int8 ``[P, A]``, :data:`ILLEGAL` where it is
            drawn.
        games: that were played.
        left_out: positions at which no edge completes a box.
    """

    boards: np.ndarray
    boxes: np.ndarray
    games: int
    left_out: int

    def __len__(self) -> int:
        return len(self.boards)

    def examples(self, most: float = 1.0, emphasis: float = 1.0) -> Examples:
        """Return the examples for back-propagation.

        Args:
            most: the largest target: sigmoids stay below 1, so an edge that completes two boxes
                asks for no more than one that completes one, unless this is 2.
            emphasis: how much more the errors of edges that complete boxes count than the others'.
        """
        targets = np.minimum(np.maximum(self.boxes, 0), most).astype(np.float64)
        worth = (self.boxes != ILLEGAL).astype(np.float64)
        worth[self.boxes > 0] = emphasis
        return Examples(self.boards.astype(np.float64), targets, worth)


def quiet(game: Game, positions: Positions) -> Examples:
    """The positions at which no edge completes a box, some draw a third side, and some do not.

    Those that do not are the targets: what level 2 would play there. A network that learned
    nothing of such positions is examined by them.
    """
    edges = np.zeros((int(game.board[BOXES]), game.num_actions), dtype=np.int64)
    for box, sides in enumerate(box_edges(int(game.board[ROWS]), int(game.board[COLS]))):
        edges[box, list(sides)] = 1
    legal = positions.boxes != ILLEGAL
    third = legal & ((positions.boards @ edges.T == 2) @ edges > 0)  # whole numbers: exact
    safe = legal & ~third
    telling = (positions.boxes <= 0).all(axis=1) & third.any(axis=1) & safe.any(axis=1)
    return Examples(*(part[telling].astype(np.float64) for part in (positions.boards, safe, legal)))


def record(
    game: Game, games: int, seed: int, purpose: str, index: int = 0, *, every: bool = False
) -> Positions:
    """Play level 1 against random play, and record what level 1 had before it.

    They are the games of matches between the players ``level-1`` and ``level-0``, seats swapped
    after each.

    Args:
        game: dots and boxes.
        games: how many.
        seed, purpose, index: they depend on these alone, see
            :func:`tournaments.kernels.rng.stream_key`.
        every: positions at which no edge completes a box are not left out.
    """
    room = np.zeros((2, games * game.num_actions, game.num_actions), dtype=np.int8)
    counts = np.zeros(2, dtype=np.int64)
    state, streams = np.zeros(game.state_size, dtype=np.int16), np.zeros((2, 1), dtype=np.uint64)
    moves = np.zeros(game.num_actions, dtype=np.int16)
    seeds = match_seeds(seed, purpose, index, -(-games // 2))
    build(play_and_record)(game.board, state, streams, moves, seeds, games, every, *room, counts)
    kept, left_out = counts.tolist()
    boards, boxes = room[:, :kept].copy()
    return Positions(boards, boxes, games, left_out)


@kernel
def play_and_record(board, state, streams, moves, seeds, games, every, boards, boxes, counts):
    """Fill ``boards`` and ``boxes`` with positions; ``counts``: how many, and how many left out."""
    for game in range(games):
        start(board, state, seed_game(streams, seeds[game // 2], game % 2))
        while state[0] >= 0:
            row = counts[0]
            completing = recommend(board, state, boxes[row])
            is_level_1 = state[0] == game % 2
            wanted = 1 if is_level_1 and completing > 0 else 0
            if is_level_1 and (every or completing > 0):
                encode(board, state, boards[row])
                counts[0] += 1
            elif is_level_1:
                counts[1] += 1
            total = 0
            for edge in range(board[EDGES]):
                if boxes[row, edge] >= wanted:
                    moves[total] = edge
                    total += 1
            play(board, state, moves[below(streams[state[0]], total)])


@kernel
def recommend(board, state, boxes):
    """Write how many boxes each edge completes, ``ILLEGAL`` for one that is drawn.

    Returns how many edges complete one or more.
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
