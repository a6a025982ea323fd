"""Slow and obvious versions of what the project does fast, written apart from it.

Nothing here imports the project, and nothing here is clever: sets of pairs of dots, boxes looked
for anew after every move, dictionaries, strings of bits, plain loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import pairwise

Dot = tuple[int, int]
Line = frozenset[Dot]

# --- dots and boxes ----------------------------------------------------------------------------


def lines_of_board(rows: int, cols: int) -> list[Line]:
    """Every line of a board, in the order of the actions."""
    across = [frozenset({(r, c), (r, c + 1)}) for r in range(rows + 1) for c in range(cols)]
    down = [frozenset({(r, c), (r + 1, c)}) for r in range(rows) for c in range(cols + 1)]
    return across + down


def boxes_of_board(rows: int, cols: int) -> list[frozenset[Line]]:
    """Each box as the set of its four lines, found by walking round its corners."""
    boxes = []
    for r in range(rows):
        for c in range(cols):
            corners = [(r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c), (r, c)]
            boxes.append(frozenset(frozenset(pair) for pair in pairwise(corners)))
    return boxes


class DotsAndBoxes:
    """A game as the set of lines drawn so far, the seat to move, and the scores."""

    def __init__(self, rows: int, cols: int) -> None:
        self.lines = lines_of_board(rows, cols)
        self.boxes = boxes_of_board(rows, cols)
        self.drawn: set[Line] = set()
        self.mover = 0
        self.scores = [0, 0]

    def closed(self) -> int:
        return sum(1 for box in self.boxes if box <= self.drawn)

    def legal(self) -> list[int]:
        return [number for number, line in enumerate(self.lines) if line not in self.drawn]

    def over(self) -> bool:
        return len(self.drawn) == len(self.lines)

    def play(self, action: int) -> None:
        assert self.lines[action] not in self.drawn
        before = self.closed()
        self.drawn.add(self.lines[action])
        won = self.closed() - before
        self.scores[self.mover] += won
        if won == 0:
            self.mover = 1 - self.mover

    def completes(self, action: int) -> bool:
        """Whether a line closes a box."""
        after = self.drawn | {self.lines[action]}
        return any(box <= after and not box <= self.drawn for box in self.boxes)

    def draws_third_side(self, action: int) -> bool:
        """Whether a line leaves a box beside it with exactly three sides."""
        line = self.lines[action]
        after = self.drawn | {line}
        return any(line in box and len(box & after) == 3 for box in self.boxes)

    def level_1_moves(self) -> list[int]:
        completing = [action for action in self.legal() if self.completes(action)]
        return completing or self.legal()

    def level_2_moves(self) -> list[int]:
        completing = [action for action in self.legal() if self.completes(action)]
        safe = [action for action in self.legal() if not self.draws_third_side(action)]
        return completing or safe or self.legal()


def perfect_value(rows: int, cols: int) -> Callable[[frozenset[Line]], int]:
    """The function that gives the boxes the mover gains over the other, from a set of lines on."""
    lines, boxes = lines_of_board(rows, cols), boxes_of_board(rows, cols)

    @cache
    def value(drawn: frozenset[Line]) -> int:
        results = []
        for line in lines:
            if line not in drawn:
                after = drawn | {line}
                won = sum(1 for box in boxes if box <= after and not box <= drawn)
                results.append(won + value(after) if won else -value(after))
        return max(results, default=0)

    return value


def guaranteed_gains(
    rows: int, cols: int, moves: Callable[[DotsAndBoxes], list[int]]
) -> tuple[Fraction, Fraction]:
    """What a player that draws evenly from its moves gains over the best opponent, exactly.

    As the first and as the second to move, from the empty board.
    """
    boxes = boxes_of_board(rows, cols)

    @cache
    def gain(drawn: frozenset[Line], is_its_move: bool) -> Fraction:
        board = DotsAndBoxes(rows, cols)
        board.drawn = set(drawn)
        worth = {}
        for action in board.legal():
            after = drawn | {board.lines[action]}
            won = sum(1 for box in boxes if box <= after and not box <= drawn)
            rest = gain(after, is_its_move if won else not is_its_move)
            worth[action] = (won if is_its_move else -won) + rest
        if not worth:
            return Fraction(0)
        if not is_its_move:
            return min(worth.values())
        chosen = [worth[action] for action in moves(board)]
        return sum(chosen, Fraction(0)) / len(chosen)

    return gain(frozenset(), True), gain(frozenset(), False)


# --- networks ----------------------------------------------------------------------------------


def levels_of_genome(genome: bytes, weights: int, bits: int = 10) -> list[int]:
    """The level of each weight, read from the genome as one long text of zeros and ones."""
    text = "".join(f"{byte:08b}" for byte in genome)
    return [int(text[bits * w : bits * (w + 1)], 2) for w in range(weights)]


def exact_weight(level: int) -> Fraction:
    """The weight that a 10-bit level stands for, exactly: -64 to +64 in 1023 steps."""
    return Fraction(-64) + level * Fraction(128, 1023)


class Network:
    """One weight after another, layer by layer: a node's weights and then its threshold."""

    def __init__(self, levels: list[int], layers: tuple[int, ...]) -> None:
        rest = iter(levels)
        self.hidden, *self.later = [
            [[next(rest) for _ in range(inputs + 1)] for _ in range(nodes)]
            for inputs, nodes in pairwise(layers)
        ]
        assert next(rest, None) is None

    def exact_hidden_sums(self, inputs: list[int]) -> list[Fraction]:
        """Of the first hidden layer."""
        return [
            sum(
                (exact_weight(level) * x for level, x in zip(node, [*inputs, -1], strict=True)),
                Fraction(0),
            )
            for node in self.hidden
        ]

    def outputs(self, inputs: list[int], sigmoid: Callable[[float], float]) -> list[float]:
        """What each output node gives, in float64.

        A first hidden sum is a whole multiple of 64/1023 and is rounded once, by the product with
        it; a later sum starts from its threshold and takes the nodes before it in their order.
        """
        unit = 64 / 1023
        activities = []
        for exact in self.exact_hidden_sums(inputs):
            whole = exact / Fraction(64, 1023)
            assert whole.denominator == 1
            activities.append(sigmoid(float(whole) * unit))
        for layer in self.later:
            found = []
            for node in layer:
                weights = [(2 * level - 1023) * 64.0 / 1023 for level in node]
                total = -weights[-1]
                for activity, weight in zip(activities, weights[:-1], strict=True):
                    total += activity * weight
                found.append(sigmoid(total))
            activities = found
        return activities

    def moves(
        self, inputs: list[int], legal: list[int], sigmoid: Callable[[float], float]
    ) -> list[int]:
        """Every legal action whose output is equal to the highest."""
        outputs = self.outputs(inputs, sigmoid)
        highest = max(outputs[action] for action in legal)
        return [action for action in legal if outputs[action] == highest]


def library_sigmoid(x: float) -> float:
    """By the platform's exponential."""
    try:
        return 1.0 / (1.0 + math.exp(-x))
    except OverflowError:
        return 0.0


# --- schemes -----------------------------------------------------------------------------------

Match = tuple[int, int, int, int]
"""(entrant a, entrant b, result of a in game 0, result of a in game 1), results +1, 0, -1."""


def direct_fitness(matches: Iterable[Match]) -> dict[int, float]:
    worth = {2: 1.0, 1: 0.5, 0: 0.0}
    points: dict[int, float] = {}
    for a, _, first, second in matches:
        points[a] = points.get(a, 0.0) + worth[[first, second].count(1)]
    return points


def round_robin_fitness(matches: Iterable[Match]) -> dict[int, float]:
    points: dict[int, float] = {}
    for a, b, first, second in matches:
        won, lost = [first, second].count(1), [first, second].count(-1)
        share = 1.0 if won > lost else 0.0 if won < lost else 0.5
        points[a] = points.get(a, 0.0) + share
        points[b] = points.get(b, 0.0) + 1.0 - share
    return points


def antibody_fitness(matches: Iterable[Match]) -> dict[int, float]:
    shares: dict[int, dict[int, float]] = {}
    for antibody, antigen, first, second in matches:
        won = [first, second].count(1)
        shares.setdefault(antigen, {})[antibody] = {2: 4.0, 1: 1.0, 0: 0.0}[won]
    points: dict[int, float] = {}
    for victors in shares.values():
        total = sum(victors.values())
        for antibody, share in victors.items():
            if total > 0:
                points[antibody] = points.get(antibody, 0.0) + 33.0 * share / total
    return points
