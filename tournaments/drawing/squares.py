"""Boards of squares: text and picture for games that put marks on them.

:class:`Squares` is all that a game needs whose state, after the header, has a number a square, row
by row: 0 where it is free, 1 for a mark of the first seat, 2 for one of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from tournaments.drawing.shapes import (
    INK,
    MARGIN,
    SEAT_COLOURS,
    SEAT_PALES,
    Disc,
    Drawing,
    Line,
    Point,
    Scene,
    Shape,
    ShapeGroup,
    cell,
)
from tournaments.errors import TournamentError
from tournaments.rules import HEADER

FLOOR = "#f1f1f1"
NO_SQUARE, FREE, NEUTRAL = -1, 0, 3
"""Marks of nobody: no square at all, a free one, and one with a mark that no seat owns."""
Figure = Callable[[Point, str], Shape]
"""Draws a mark about the middle of a square, in a colour."""


def disc(middle: Point, colour: str) -> Shape:
    """Return a disc that marks a square of a board."""
    return Disc(*middle, 0.36, colour)


def cross(middle: Point, colour: str) -> Shape:
    """Return a cross of two strokes that marks a square of a board."""
    (x, y), reach = middle, 0.26
    strokes = [
        Line(x - reach, y - way * reach, x + reach, y + way * reach, 0.14, colour)
        for way in (-1, 1)
    ]
    return ShapeGroup(tuple(strokes))


def ring(middle: Point, colour: str) -> Shape:
    """Return a ring that marks a square of a board: a disc with a hole."""
    return ShapeGroup((Disc(*middle, 0.36, colour), Disc(*middle, 0.22, FLOOR)))


def draw_squares(
    scenes: Sequence[Scene],
    marks_of: Callable[[np.ndarray, np.ndarray], np.ndarray],
    figures: tuple[Figure, Figure, Figure] = (disc, disc, disc),
) -> Drawing:
    """Draw positions of a game on squares, with a frame around squares that the last move changed.

    Args:
        scenes: the scenes of a single game.
        marks_of: (board, state) -> the marks, int ``[R, C]``, the top row first.
        figures: the figures of the marks 1, 2 and :data:`NEUTRAL`.
    """
    marks = [marks_of(scene.state.game.board, scene.state.array) for scene in scenes]
    frames: list[list[Shape]] = [
        [*_floor(before, now, scene.seat), *_figures(now, figures)]
        for before, now, scene in zip([marks[0], *marks], marks, scenes, strict=False)
    ]
    rows, cols = marks[0].shape
    return Drawing(cols, rows, frames)


def _floor(before: np.ndarray, now: np.ndarray, seat: int) -> Iterator[Shape]:
    for (y, x), mark in np.ndenumerate(now):
        if mark != NO_SQUARE:
            corner = MARGIN + x, MARGIN + y
            is_new = seat >= 0 and before[y, x] != mark
            if is_new:
                yield cell(*corner, SEAT_PALES[seat], 0.03)
            yield cell(*corner, FLOOR, 0.1 if is_new else 0.03)


def _figures(now: np.ndarray, figures: tuple[Figure, Figure, Figure]) -> Iterator[Shape]:
    colours = (*SEAT_COLOURS, INK)
    for (y, x), mark in np.ndenumerate(now):
        if mark > FREE:
            middle = MARGIN + x + 0.5, MARGIN + y + 0.5
            yield figures[mark - 1](middle, colours[mark - 1])


@dataclass(frozen=True)
class Squares:
    """The text boards and pictures of a game whose state has a mark a square.

    A text board has a line per row, free squares as ``.``, marks as ``X`` and ``O``, then an empty
    line and the seat to move or the winner.

    Attributes:
        seats: names of the seats.
        shape: board -> rows and columns.
        from_below: whether the first row of the state is the lowest one.
        figures: figures of the seats' marks.
        letters: a free square and the marks, for terminals that show emoji; then, if a row of marks
            wins, the winning marks.
        in_a_row: number of marks in a row that win, which the picture strikes through; 0: no row
            wins.
        names_rows: whether people name rows in addition to columns; both from 1.
    """

    seats: tuple[str, str]
    shape: Callable[[np.ndarray], tuple[int, int]]
    from_below: bool = False
    figures: tuple[Figure, Figure] = (disc, disc)
    letters: str = "⬜🟠🔵🟧🟦"
    names_rows: bool = True
    in_a_row: int = 0

    def marks(self, board: np.ndarray, state: np.ndarray) -> np.ndarray:
        """Return the marks on the squares of a position, int16 ``[R, C]``, the top row first."""
        rows = state[HEADER:].reshape(self.shape(board))
        return rows[::-1] if self.from_below else rows

    def text(self, board: np.ndarray, state: np.ndarray) -> str:
        """Return a position of a game on squares as text, see ``Rules.text``."""
        rows = [" ".join(".XO"[mark] for mark in row) for row in self.marks(board, state)]
        won = [seat for seat, score in zip(self.seats, state[1:HEADER], strict=True) if score]
        ended = f"{won[0]} won" if won else "drawn"
        status = f"{self.seats[state[0]]} to move" if state[0] >= 0 else ended
        return "\n".join([*rows, "", status])

    def emoji(self, board: np.ndarray, state: np.ndarray) -> str:
        """Return a position of a game on squares as emoji, see ``Rules.emoji``."""
        rows = self.marks(board, state).copy()
        for square in set(chain(*self.winning_rows(rows))):
            rows[square] += 2
        return "\n".join("".join(self.letters[mark] for mark in row) for row in rows)

    def winning_rows(self, marks: np.ndarray) -> Iterator[list[tuple[int, int]]]:
        """Yield the squares of each row of equal marks that wins the game, from end to end."""
        if not self.in_a_row:
            return
        for square, mark in np.ndenumerate(marks):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                row = list(_row_from(marks, square, down, right))
                before = list(_row_from(marks, square, -down, -right))
                if mark > FREE and len(before) == 1 and len(row) >= self.in_a_row:
                    yield row

    def rulers(self, board: np.ndarray) -> tuple[str, list[str]]:
        """Return the numbers of columns and rows beside a board, see ``Rules.rulers``."""
        rows, cols = self.shape(board)
        left = [str(row + 1) if self.names_rows else "" for row in range(rows)]
        return "".join(f"{col + 1:<2}" for col in range(cols)), left

    def parse(self, board: np.ndarray, picture: str) -> np.ndarray:
        """Return the position of a game on squares that a text shows.

        The text is of the form that :meth:`text` returns.

        Raises:
            TournamentError: lines that are no position of this board.
        """
        *lines, status = [" ".join(line.split()) for line in picture.strip().split("\n")]
        marks = np.array([".XO".find(letter) for letter in "".join(lines).replace(" ", "")])
        rows, cols = self.shape(board)
        state = np.zeros(HEADER + rows * cols, dtype=np.int16)
        if marks.size == rows * cols and marks.min() >= 0:
            self.marks(board, state)[:] = marks.reshape(rows, cols)
            state[0] = -1
            for seat, name in enumerate(self.seats):
                state[0] += (1 + seat) * (status == f"{name} to move")
                state[1 + seat] = status == f"{name} won"
            if self.text(board, state).split() == picture.split():
                return state
        raise TournamentError(
            f"not a position of this board: {rows} rows of {cols} letters '.', 'X' and 'O', an "
            f"empty line and one such as '{self.seats[0]} to move' are expected"
        )

    def draw(self, scenes: Sequence[Scene]) -> Drawing:
        """Draw positions of a game on squares as pictures, see ``Rules.draw``."""
        drawing = draw_squares(scenes, self.marks, (*self.figures, disc))
        for frame, scene in zip(drawing.frames, scenes, strict=True):
            for row in self.winning_rows(self.marks(scene.state.game.board, scene.state.array)):
                (y, x), (to_y, to_x) = (np.array(row)[[0, -1]] + MARGIN + 0.5).tolist()
                frame.append(Line(x, y, to_x, to_y, 0.12, INK))
        return drawing


def _row_from(
    marks: np.ndarray, square: tuple[int, ...], down: int, right: int
) -> Iterator[tuple[int, int]]:
    """Yield the squares with the mark of a square from it on, in a direction."""
    row, col = square
    rows, cols = marks.shape
    while 0 <= row < rows and 0 <= col < cols and marks[row, col] == marks[square]:
        yield row, col
        row, col = row + down, col + right
