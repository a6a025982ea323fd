"""The squares of a maze as a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError

WALL = "#"
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Rows and columns to the squares beside one: north, east, south, west."""


@dataclass(frozen=True, eq=False)
class MazeGraph:
    """The free squares of a maze, numbered row by row: C cells.

    Attributes:
        neighbours: int16 ``[C, 4]``: the cell to the north, east, south and west; -1: a wall.
        columns, rows: int16 ``[C]``: where the cells stand, for distances.
        height, width: squares of the maze, walls included.
    """

    neighbours: np.ndarray
    columns: np.ndarray
    rows: np.ndarray
    height: int
    width: int

    def cell(self, row: int, column: int) -> int:
        """Return the number of the cell of a maze at a row and a column.

        Raises:
            TournamentError: the square is a wall, or outside.
        """
        here = np.flatnonzero((self.rows == row) & (self.columns == column))
        if not here.size:
            raise TournamentError(
                f"row {row}, column {column} given, which is no free square of this maze of "
                f"{self.height} rows and {self.width} columns"
            )
        return int(here[0])

    def distances(self, cell: int) -> np.ndarray:
        """Return the Manhattan distance of each cell of a maze from one cell, int64 ``[C]``."""
        columns, rows = self.columns.astype(np.int64), self.rows.astype(np.int64)
        return abs(columns - columns[cell]) + abs(rows - rows[cell])


def graph_of(walls: np.ndarray) -> MazeGraph:
    """Return the graph of the free squares of a maze.

    Args:
        walls: bool ``[height, width]``, true for walls.
    """
    height, width = walls.shape
    rows, columns = np.nonzero(~walls)
    numbers = np.full((height + 2, width + 2), -1, dtype=np.int16)
    numbers[rows + 1, columns + 1] = np.arange(rows.size)
    beside = [numbers[rows + 1 + down, columns + 1 + right] for down, right in STEPS]
    neighbours = np.ascontiguousarray(np.stack(beside, axis=1))
    return MazeGraph(neighbours, columns.astype(np.int16), rows.astype(np.int16), height, width)


def graph_of_text(text: str) -> MazeGraph:
    """Return the graph of the maze that a text shows: a line per row, ``#`` for walls.

    All other letters are free squares.

    Raises:
        TournamentError: lines of unlike length, or no free square.
    """
    lines = text.strip("\n").split("\n")
    if len({len(line) for line in lines}) > 1:
        raise TournamentError(
            f"a maze with lines of {min(map(len, lines))} to {max(map(len, lines))} letters given; "
            "lines of one length are expected: fill them up with '#'"
        )
    walls = np.array([[letter == WALL for letter in line] for line in lines], dtype=bool)
    if walls.all():
        raise TournamentError("a maze without a free square given; put '.' where agents can go")
    return graph_of(walls)
