"""The same jobs by OpenSpiel, driven from Python, with a numpy network.

Two ways. By default as one writes it who knows both libraries: the driver keeps the board vector
and the sides of each box, which is cheaper than to read them from the state. With `observed`, as
most programs do it: what a player looks at is computed from the state's own observation tensor at
every move. Either way a forward pass is two products of a matrix and a vector. Needs the package
`open_spiel`; `available()` tells.
"""

import importlib
import importlib.util
import random
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks import JOBS, Results, boxes_of_edges, check, random_networks


def available() -> bool:
    """Whether OpenSpiel is installed."""
    return importlib.util.find_spec("pyspiel") is not None


class Board(Protocol):
    """What players look at beside the legal actions; edges are numbered as in OpenSpiel."""

    def clear(self) -> None:
        """Back to the start of a game."""

    def draw(self, edge: int) -> None:
        """Note that `edge` has been drawn."""

    def drawn(self, state: Any) -> NDArray[np.float64]:
        """Return the network's input: 1 for a drawn edge, 0 for an open one."""
        ...

    def sides(self, state: Any) -> list[int]:
        """Return the number of drawn sides of each box."""
        ...


class KeptBoard:
    """A board that the driver brings up to date; the state is not asked."""

    def __init__(self, rows: int, cols: int) -> None:
        self._boxes_of = boxes_of_edges(rows, cols)
        self._drawn = np.zeros(len(self._boxes_of))
        self._sides = [0] * (rows * cols)

    def clear(self) -> None:
        self._drawn[:] = 0.0
        self._sides = [0] * len(self._sides)

    def draw(self, edge: int) -> None:
        self._drawn[edge] = 1.0
        for box in self._boxes_of[edge]:
            self._sides[box] += 1

    def drawn(self, state: Any) -> NDArray[np.float64]:
        return self._drawn

    def sides(self, state: Any) -> list[int]:
        return self._sides


class ObservedBoard:
    """A board that is read from the state whenever a player looks.

    The tensor is [3 cell states, (rows + 1) * (cols + 1) dots, 3 parts of a cell]; cell state 0 is
    empty, part 0 the horizontal edge that starts at a dot, part 1 the vertical one.
    """

    def __init__(self, rows: int, cols: int) -> None:
        across = [3 * (r * (cols + 1) + c) for r in range(rows + 1) for c in range(cols)]
        down = [3 * (r * (cols + 1) + c) + 1 for r in range(rows) for c in range(cols + 1)]
        self._empty = np.array(across + down)
        self._beside = np.zeros((rows * cols, len(self._empty)))
        for edge, boxes in enumerate(boxes_of_edges(rows, cols)):
            self._beside[boxes, edge] = 1.0

    def clear(self) -> None:
        pass

    def draw(self, edge: int) -> None:
        pass

    def drawn(self, state: Any) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = 1.0 - np.asarray(state.observation_tensor())[self._empty]
        return drawn

    def sides(self, state: Any) -> list[int]:
        sides: list[int] = (self._beside @ self.drawn(state)).tolist()
        return sides


Player = Callable[[Any, list[int]], int]
"""(state, legal actions) -> action."""


class Network:
    """A feed-forward network of sigmoid units; the highest legal output plays, ties at random."""

    def __init__(
        self, weights: NDArray[np.float64], edges: int, board: Board, generator: random.Random
    ) -> None:
        hidden = len(weights) // (2 * edges + 1)  # exact division leaves the output thresholds
        split = hidden * (edges + 1)
        first = weights[:split].reshape(hidden, edges + 1)
        second = weights[split:].reshape(edges, hidden + 1)
        self.hidden = np.ascontiguousarray(first[:, :-1])
        self.hidden_threshold = first[:, -1].copy()
        self.output = np.ascontiguousarray(second[:, :-1])
        self.output_threshold = second[:, -1].copy()
        self.board = board
        self.generator = generator

    def __call__(self, state: Any, legal: list[int]) -> int:
        """Return the legal action with the highest output."""
        inputs = self.board.drawn(state)
        hidden = 1.0 / (1.0 + np.exp(self.hidden_threshold - self.hidden @ inputs))
        output = 1.0 / (1.0 + np.exp(self.output_threshold - self.output @ hidden))
        values = output[legal]
        best = np.flatnonzero(values == values.max())
        return legal[int(best[0] if len(best) == 1 else self.generator.choice(best))]


class Peer:
    """One job on one board: a population of random networks and a stream of random numbers.

    Raises ValueError for an unknown job, ModuleNotFoundError where OpenSpiel is absent.
    """

    def __init__(
        self, job: str, rows: int, cols: int, seed: int = 0, observed: bool = False
    ) -> None:
        check(job, rows, cols)
        pyspiel: Any = importlib.import_module("pyspiel")
        self.game = pyspiel.load_game(f"dots_and_boxes(num_rows={rows},num_cols={cols})")
        self.generator = random.Random(seed)
        self.board: Board = ObservedBoard(rows, cols) if observed else KeptBoard(rows, cols)
        self.boxes_of = boxes_of_edges(rows, cols)
        self.networks = [
            Network(weights, len(self.boxes_of), self.board, self.generator)
            for weights in random_networks(rows, cols, seed)
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
        return {"level-0": self._level_0, "level-1": self._level_1, "level-2": self._level_2}[kind]

    def _play_game(self, first: Player, second: Player) -> list[float]:
        """Play a game, and return the results of the two seats: +1, 0 or -1."""
        state, board, players = self.game.new_initial_state(), self.board, (first, second)
        board.clear()
        while not state.is_terminal():
            action = players[state.current_player()](state, state.legal_actions())
            state.apply_action(action)
            board.draw(action)
        returns: list[float] = state.returns()
        return returns

    def _level_0(self, state: Any, legal: list[int]) -> int:
        return self.generator.choice(legal)

    def _level_1(self, state: Any, legal: list[int]) -> int:
        """Complete a box if one can be completed, else play at random."""
        return self.generator.choice(self._completing(self.board.sides(state), legal) or legal)

    def _level_2(self, state: Any, legal: list[int]) -> int:
        """Complete a box, else draw no third side, else play at random."""
        sides = self.board.sides(state)  # asked once a move, as it may be read from the state
        completing = self._completing(sides, legal)
        if completing:
            return self.generator.choice(completing)
        safe = [edge for edge in legal if all(sides[box] != 2 for box in self.boxes_of[edge])]
        return self.generator.choice(safe or legal)

    def _completing(self, sides: list[int], legal: list[int]) -> list[int]:
        return [edge for edge in legal if any(sides[box] == 3 for box in self.boxes_of[edge])]


def main() -> None:
    """Print a quick look: each job on 3x3 and 5x5 boxes."""
    from benchmarks.report import emit
    from benchmarks.timing import games_per_second

    for size in (3, 5):
        for job in JOBS:
            peer = Peer(job, size, size)
            won, drawn, lost = peer.play(300)
            rate = games_per_second(peer.play, 1.0)
            score = (won + drawn / 2) / (won + drawn + lost)
            emit(f"openspiel/{job}/{size}x{size}", rate, "games/s", threads=1, first_score=score)


if __name__ == "__main__":
    if available():
        main()
    else:
        print("OpenSpiel is not installed (package open_spiel): its loop is left out")
