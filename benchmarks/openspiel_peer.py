"""The same jobs by OpenSpiel, driven from Python, with a numpy network.

Written as one writes it who knows both libraries: the driver keeps the board vector and the sides
of each box, which is cheaper than to read them from the state; a forward pass is two products of a
matrix and a vector. Needs the package `open_spiel`; `available()` tells.
"""

import importlib
import importlib.util
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import JOBS, Results, check, random_networks
from benchmarks import games_per_second as measure


def available() -> bool:
    """Whether OpenSpiel is installed."""
    return importlib.util.find_spec("pyspiel") is not None


def games_per_second(job: str, rows: int, cols: int, seconds: float = 1.0) -> float:
    """Games a second of `job` (see `benchmarks.JOBS`) on `rows` x `cols` boxes, by one thread.

    Raises ValueError for an unknown job, ModuleNotFoundError where OpenSpiel is absent.
    """
    peer = Peer(job, rows, cols)
    return measure(peer.play, seconds)


class Board:
    """What players look at beside the legal actions; edges are numbered as in OpenSpiel."""

    def __init__(self, rows: int, cols: int) -> None:
        self.boxes_of = boxes_of_edges(rows, cols)
        self.drawn = np.zeros(len(self.boxes_of))
        self.sides = [0] * (rows * cols)

    def clear(self) -> None:
        """Back to the start of a game."""
        self.drawn[:] = 0.0
        self.sides = [0] * len(self.sides)

    def draw(self, edge: int) -> None:
        """Note that `edge` has been drawn."""
        self.drawn[edge] = 1.0
        for box in self.boxes_of[edge]:
            self.sides[box] += 1


Player = Callable[[Board, list[int]], int]
"""(board, legal actions) -> action."""


def boxes_of_edges(rows: int, cols: int) -> list[list[int]]:
    """The boxes beside each edge: horizontal edges first, row by row, then vertical ones."""
    above = [
        [r * cols + c for r in (row - 1, row) if 0 <= r < rows]
        for row in range(rows + 1)
        for c in range(cols)
    ]
    beside = [
        [row * cols + c for c in (col - 1, col) if 0 <= c < cols]
        for row in range(rows)
        for col in range(cols + 1)
    ]
    return above + beside


class Network:
    """A feed-forward network of sigmoid units; the highest legal output plays, ties at random."""

    def __init__(self, weights: NDArray[np.float64], edges: int, generator: random.Random) -> None:
        hidden = len(weights) // (2 * edges + 1)  # exact division leaves the output thresholds
        split = hidden * (edges + 1)
        first = weights[:split].reshape(hidden, edges + 1)
        second = weights[split:].reshape(edges, hidden + 1)
        self.hidden = np.ascontiguousarray(first[:, :-1])
        self.hidden_threshold = first[:, -1].copy()
        self.output = np.ascontiguousarray(second[:, :-1])
        self.output_threshold = second[:, -1].copy()
        self.generator = generator

    def __call__(self, board: Board, legal: list[int]) -> int:
        """The legal action with the highest output."""
        hidden = 1.0 / (1.0 + np.exp(self.hidden_threshold - self.hidden @ board.drawn))
        output = 1.0 / (1.0 + np.exp(self.output_threshold - self.output @ hidden))
        values = output[legal]
        best = np.flatnonzero(values == values.max())
        return legal[int(best[0] if len(best) == 1 else self.generator.choice(best))]


class Peer:
    """One job on one board: a population of random networks and a stream of random numbers."""

    def __init__(self, job: str, rows: int, cols: int, seed: int = 0) -> None:
        check(job, rows, cols)
        pyspiel: Any = importlib.import_module("pyspiel")
        self.game = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={cols})")
        self.generator = random.Random(seed)
        self.board = Board(rows, cols)
        edges = len(self.board.boxes_of)
        self.networks = [
            Network(weights, edges, self.generator) for weights in random_networks(rows, cols, seed)
        ]
        self.kinds = JOBS[job]

    def play(self, matches: int) -> Results:
        """Play matches of two games between random pairs; results are those of the first kind."""
        results = [0, 0, 0]
        with np.errstate(over="ignore"):  # a saturated unit: 1 / (1 + inf) = 0 is meant
            for _ in range(matches):
                one, other = self._player(self.kinds[0]), self._player(self.kinds[1])
                results[1 - int(self._play_game(one, other)[0])] += 1
                results[1 - int(self._play_game(other, one)[1])] += 1
        return results[0], results[1], results[2]

    def _player(self, kind: str) -> Player:
        if kind == "network":
            return self.generator.choice(self.networks)
        return self._level_0 if kind == "level-0" else self._level_1

    def _play_game(self, first: Player, second: Player) -> list[float]:
        """The returns of the two seats: +1, 0 or -1."""
        state, board, players = self.game.new_initial_state(), self.board, (first, second)
        board.clear()
        while not state.is_terminal():
            action = players[state.current_player()](board, state.legal_actions())
            state.apply_action(action)
            board.draw(action)
        returns: list[float] = state.returns()
        return returns

    def _level_0(self, board: Board, legal: list[int]) -> int:
        return self.generator.choice(legal)

    def _level_1(self, board: Board, legal: list[int]) -> int:
        """Complete a box if one can be completed, else play at random."""
        sides, boxes_of = board.sides, board.boxes_of
        completing = [edge for edge in legal if any(sides[box] == 3 for box in boxes_of[edge])]
        return self.generator.choice(completing or legal)


def main() -> None:
    """Print a quick look: each job on 3x3 and 5x5 boxes."""
    from benchmarks.report import emit

    for size in (3, 5):
        for job in JOBS:
            won, drawn, lost = Peer(job, size, size).play(300)
            rate = games_per_second(job, size, size)
            score = (won + drawn / 2) / (won + drawn + lost)
            emit(f"openspiel/{job}/{size}x{size}", rate, "games/s", threads=1, first_score=score)


if __name__ == "__main__":
    if available():
        main()
    else:
        print("OpenSpiel is not installed (package open_spiel): its loop is left out")
