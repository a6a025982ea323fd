"""Both studies of cat and mouse, slow and obvious, written apart from what the project does.

Nothing here imports the project. Squares are pairs, tables are dictionaries from a pair of squares
to a letter, games remember placements in a list, and every number is drawn where it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

Square = tuple[int, int]
Placement = tuple[Square, Square]
Table = dict[Placement, str]
Outcome = tuple[str, int, int]

STEP = {"R": (1, 0), "L": (-1, 0), "U": (0, 1), "D": (0, -1)}


def moved(square: Square, letter: str) -> Square:
    return square[0] + STEP[letter][0], square[1] + STEP[letter][1]


class NaiveStudy:
    """Both tables, the generator, and the outcome after each iteration so far."""

    def __init__(self, rows: int, cols: int, first: str, cat: str, seed: int) -> None:
        self.rows, self.cols, self.first = rows, cols, first
        self.squares = [(x, y) for x in range(cols) for y in range(rows)]
        self.random = np.random.RandomState(seed)
        self.tables: dict[str, Table] = {"cat": {}, "mouse": {}}
        for cat_at in self.squares:
            for mouse_at in self.squares:
                both = cat_at, mouse_at
                self.tables["mouse"][both] = self.bounce(mouse_at)
                hunts = cat == "strong"
                self.tables["cat"][both] = self.hunt(*both) if hunts else self.bounce(cat_at)
        self.played = 0
        self.outcomes = [self.game(self.tables)]

    def bounce(self, square: Square) -> str:
        return "D" if square[1] == self.rows - 1 else "U"

    def hunt(self, cat: Square, mouse: Square) -> str:
        across, up = mouse[0] - cat[0], mouse[1] - cat[1]
        if abs(across) > abs(up):
            return "R" if across > 0 else "L"
        return "U" if up > 0 else "D"

    def on_board(self, square: Square) -> bool:
        return 0 <= square[0] < self.cols and 0 <= square[1] < self.rows

    def game(self, tables: dict[str, Table]) -> Outcome:
        """The winner, the number of the last pair of moves, and the distance at the end."""
        at = {"cat": (0, 0), "mouse": (self.cols - 1, self.rows - 1)}
        history = [(at["cat"], at["mouse"])]
        if self.first == "cat":
            at["cat"] = moved(at["cat"], tables["cat"][at["cat"], at["mouse"]])
        ply = 0
        while True:
            mover = ("mouse", "cat")[ply % 2]
            at[mover] = moved(at[mover], tables[mover][at["cat"], at["mouse"]])
            assert self.on_board(at[mover])
            placement = at["cat"], at["mouse"]
            apart = sum(abs(a - b) for a, b in zip(*placement, strict=True))
            if placement in history:
                return "mouse", ply // 2, apart
            if apart == 0:
                return "cat", ply // 2, apart
            history.append(placement)
            ply += 1

    def drawn_changes(self, learner: str) -> list[tuple[Placement, str]]:
        """Changes of one cell; those that lead off the board are drawn, and left out."""
        changes = []
        for _ in range(self.random.randint(1, 11)):
            numbers = [self.random.randint(n) for n in (self.cols, self.rows) * 2]
            letter = self.random.choice(["R", "L", "U", "D"])
            placement = (numbers[0], numbers[1]), (numbers[2], numbers[3])
            if self.on_board(moved(placement[learner == "mouse"], letter)):
                changes.append((placement, str(letter)))
        return changes

    def is_better(self, learner: str, old: Outcome, new: Outcome) -> bool:
        """Whether a variant is accepted in place of the best one so far."""
        winners = old[0], new[0]
        later, farther = new[1] - old[1], new[2] - old[2]
        if learner == "mouse":
            return (
                winners == ("cat", "mouse")
                or (winners == ("mouse", "mouse") and later > 0)
                or (winners == ("cat", "cat") and (later > 0 or (later == 0 and farther > 0)))
            )
        return (
            winners == ("mouse", "cat")
            or (winners == ("mouse", "mouse") and (farther < 0 or (farther == 0 and later > 0)))
            or (winners == ("cat", "cat") and later < 0)
        )

    def iterate(self) -> None:
        """One iteration: the loser learns."""
        outcome = self.outcomes[-1]
        learner = "mouse" if outcome[0] == "cat" else "cat"
        best = self.tables[learner]
        for placement, letter in self.drawn_changes(learner):
            variant = self.tables[learner] | {placement: letter}
            new = self.game(self.tables | {learner: variant})
            self.played += 1
            if self.is_better(learner, outcome, new):
                best, outcome = variant, new
        self.tables[learner] = best
        self.outcomes.append(outcome)

    def lines(self) -> list[str]:
        """What the study prints before its iterations, by keeping what it printed last."""
        printed, lines = self.outcomes[0], []
        for number, outcome in enumerate(self.outcomes[:-1]):
            if outcome != printed or (number > 0 and number % 1000 == 0):
                lines.append(
                    "Iteration: {:>6,}, Current winner: {:<5}, number of moves until a win: {:>2}, "
                    "distance: {}".format(number, *outcome)
                )
                printed = outcome
        return lines


# --- the second study ----------------------------------------------------------------------------

WindowTable = dict[tuple[int, ...], str]


class NaivePursuit:
    """One game of a cat with a window table; ``below(n)`` draws a number in 0..n-1."""

    def __init__(self, rows: int, cols: int, table: WindowTable, below: Callable[[int], int]):
        self.rows, self.cols, self.table, self.below = rows, cols, table, below
        self.cat, self.mouse = (0, 0), (cols - 1, rows - 1)
        self.apart: list[Square] = []

    def start_anywhere(self) -> None:
        """Any placement at a positive, even distance."""
        while True:
            self.cat = self.below(self.cols), self.below(self.rows)
            self.mouse = self.below(self.cols), self.below(self.rows)
            distance = sum(abs(a - b) for a, b in zip(self.cat, self.mouse, strict=True))
            if distance in range(2, self.rows + self.cols, 2):
                return

    def play(self, careful: bool) -> bool:
        """Whether the cat wins; ``apart`` tells the distances after its moves, down and across."""
        for _ in range(2 * (self.rows + self.cols)):
            self.mouse = moved(self.mouse, self.mouse_letter(careful))
            assert self.mouse != self.cat
            self.cat = moved(self.cat, self.cat_letter())
            assert self.on_board(self.cat)
            across, down = self.mouse[0] - self.cat[0], self.mouse[1] - self.cat[1]
            self.apart.append((abs(down), abs(across)))
            if self.cat == self.mouse:
                return True
        return False

    def on_board(self, square: Square) -> bool:
        return square[0] in range(self.cols) and square[1] in range(self.rows)

    def mouse_letter(self, careful: bool) -> str:
        ends = {letter: moved(self.mouse, letter) for letter in STEP}
        legal = [letter for letter, end in ends.items() if self.on_board(end)]
        beside = [moved(self.cat, letter) for letter in STEP]
        safe = [letter for letter in legal if ends[letter] not in beside]
        letters = safe if careful and safe else legal
        return letters[self.below(len(letters))]

    def cat_letter(self) -> str:
        (cat_x, cat_y), (mouse_x, mouse_y) = self.cat, self.mouse
        windows = [
            (left, bottom)
            for left in self.windows(cat_x, mouse_x, self.cols)
            for bottom in self.windows(cat_y, mouse_y, self.rows)
        ]
        if windows:
            left, bottom = windows[-1]
            side = self.edge(left, self.cols)
            places = (cat_x - left, cat_y - bottom, mouse_x - left, mouse_y - bottom)
            return self.table[(*places, side, self.edge(bottom, self.rows))]
        if abs(cat_x - mouse_x) > abs(cat_y - mouse_y):
            return "R" if mouse_x > cat_x else "L"
        return "U" if mouse_y > cat_y else "D"

    def windows(self, cat: int, mouse: int, size: int) -> Iterator[int]:
        """Where windows of three cells that hold both may begin on a side of this length."""
        for begin in range(size - 2):
            if {cat, mouse} <= {begin, begin + 1, begin + 2}:
                yield begin

    def edge(self, begin: int, size: int) -> int:
        return {0: 1, size - 3: 2}.get(begin, 0)


def longest_hunt(table: WindowTable, size: int) -> int | None:
    """How many moves the cat needs at most from opposite corners of a square board, or None.

    Every move of the mouse is followed. None: it can come back to where it was before, and so be
    free for ever.
    """
    hunt = NaivePursuit(size, size, table, lambda n: 0)
    longest: dict[Placement, int] = {}
    path: list[Placement] = []

    def follow(cat: Square, mouse: Square) -> int | None:
        if (cat, mouse) in path:
            return None
        if cat == mouse:
            return 0
        if (cat, mouse) not in longest:
            path.append((cat, mouse))
            worst = 0
            for letter in STEP:
                hunt.cat, hunt.mouse = cat, moved(mouse, letter)
                if hunt.on_board(hunt.mouse):
                    rest = follow(moved(cat, hunt.cat_letter()), hunt.mouse)
                    if rest is None:
                        return None
                    worst = max(worst, 1 + rest)
            path.pop()
            longest[cat, mouse] = worst
        return longest[cat, mouse]

    return follow((0, 0), (size - 1, size - 1))


def least_mean_moves(size: int, careful: bool) -> Fraction:
    """How soon the best of all cats catches a mouse from opposite corners of a square board.

    In the mean, in moves of each player, without a limit. The value of each placement is improved
    until nothing changes, as exact fractions.
    """
    squares = [(x, y) for x in range(size) for y in range(size)]
    near = {
        a: [moved(a, letter) for letter in STEP if moved(a, letter) in squares] for a in squares
    }
    even = [(c, m) for c in squares for m in squares if c != m and (sum(c) - sum(m)) % 2 == 0]
    value = dict.fromkeys([*even, *((a, a) for a in squares)], Fraction(0))
    before = None
    while before != value:
        before = dict(value)
        for cat, mouse in even:
            flights = [end for end in near[mouse] if end not in near[cat]] if careful else []
            ends = flights or near[mouse]
            total = sum(1 + min(before[after, end] for after in near[cat]) for end in ends)
            value[cat, mouse] = Fraction(total) / len(ends)
    return value[(0, 0), (size - 1, size - 1)]
